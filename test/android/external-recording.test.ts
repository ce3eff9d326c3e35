/** Where the agent cannot go, Android's own sampling does: real ART's, through the same real adb server. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type AndroidOptions, AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { Session } from '../../src/targets/target.js';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import { Mode } from '../../src/trace/model/kinds.js';
import { methodFigures } from '../../src/trace/measure/methods.js';
import { wholeTrace } from '../../src/trace/measure/scope.js';
import { sumScope } from '../../src/trace/measure/sums.js';
import { type ArtApp, type Engine, engines } from '../rigs/art/runtime.js';
import { recordOptions } from '../rigs/record-options.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';
import { until } from '../rigs/until.js';

const shop = 'com.example.shop';
const bank = 'com.example.bank';

onEachPhone('recording an app externally', (bench) => {
  const start = async (agents = bench().agents, more: Partial<AndroidOptions> = {}): Promise<Session> => {
    const targets = new AndroidTargets({ ...bench().options(agents), ...more });
    const target = await targets.choose({ app: shop, device: undefined });
    return await target.start(recordOptions(bench().file()));
  };
  const nothing = () => path.join(bench().folder, 'nothing');
  const traceOf = async (session: Session) => decodeRecording(await readFile(session.file)).trace();

  const claim = () => bench().phone.resolve('/data/local/tmp/btrace-sampling');
  const onDevice = () => readdir(bench().phone.resolve('/data/local/tmp'));

  const breaks = [
    {
      what: 'the cable is out for a moment',
      apart: async () => {
        bench().phone.cut();
        await bench().server.adb('disconnect', bench().phone.serial);
      },
    },
    { what: 'the adb server is restarted', apart: () => bench().server.restart() },
  ];
  for (const engine of Object.keys(engines) as Engine[])
    describe(engine, () => {
      const launched = (): Promise<ArtApp> => bench().launched(shop, { engine });

      it('is used where there is no agent, says why, and finds what the app did', async () => {
        const app = await launched();
        await bench().connect();
        const session = await start(nothing());
        await app.until(/system: profile start/);
        const frames = await app.more('frame', 22);
        assert.equal(session.status().external, 'There is no agent for x86_64');
        const end = await session.stop();
        assert.equal(end.reason, 'stopped');
        assert.match(end.message, /Recorded externally.*There is no agent for x86_64/);
        const trace = await traceOf(session);
        assert.equal(trace.info.mode, Mode.External);
        assert.match(trace.info.modeReason, /every 1 ms: There is no agent for x86_64$/);
        assert.deepEqual(trace.problems, []);
        assert.equal(trace.info.pid, app.pid);
        const main = trace.threads.find(({ isMain }) => isMain)!;
        const all = methodFigures(
          sumScope(trace, { ...wholeTrace, threads: [main.index] }),
          trace.methods.count,
        );
        const method = Array.from({ length: trace.methods.count }, (_, at) => at).find(
          (at) => trace.methods.qualifiedName(at) === 'sample.Jank.decodeRow',
        )!;
        const slow = frames.filter((frame) => frame.number('slow') === 1).length;
        const ms = all.total.wall[all.method.indexOf(method)]! / 1e6;
        assert.ok(ms > slow * 40 * 0.6, `${ms} ms of ${slow} × 40`);
        assert.deepEqual(await readdir(bench().phone.resolve('/data/local/tmp')), []);
        await app.more('frame', 2);
      });

      it('is refused while another profiler records any app, and leaves that recording whole', async () => {
        const app = await launched();
        await bench().phone.apps.install(bank);
        await bench().phone.apps.launch(bank);
        await bench().connect();
        const first = await start(nothing());
        await app.more('frame', 12);
        const desktop = new AndroidTargets(bench().options(nothing()));
        for (const name of [shop, bank]) {
          const target = await desktop.choose({ app: name, device: undefined });
          await assert.rejects(target.start(recordOptions(bench().file())), {
            kind: 'busy',
            message: `${name} cannot be recorded externally now: ${shop} is, and Android samples one app at a time.`,
            nextStep: 'Stop that recording first. One whose cable was pulled is over after 8 s.',
          });
        }
        await app.more('frame', 12);
        assert.equal((await first.stop()).reason, 'stopped');
        const trace = await traceOf(first);
        const lengthMs = (trace.endNs - trace.beginNs) / 1e6;
        // 24 frames and more, a 60th of a second each.
        assert.ok(lengthMs > 24 * 16, `${lengthMs} ms`);
        assert.deepEqual(await onDevice(), []);
        await (
          await (await desktop.choose({ app: bank, device: undefined })).start(recordOptions(bench().file()))
        ).stop();
      });

      it('says that samples were lost because the app died', async () => {
        const app = await launched();
        await bench().connect();
        const session = await start(nothing());
        await app.kill();
        const end = await session.ended;
        assert.equal(end.reason, 'target-exited');
        assert.match(end.message, /samples only of an app that runs/);
        assert.equal((await traceOf(session)).threads.length, 0);
        assert.deepEqual(await onDevice(), []);
      });

      it('keeps what fits on the device, and says that its storage was full', async () => {
        const app = await launched();
        await bench().connect();
        const session = await start(nothing());
        await app.until(/system: profile start/);
        await app.more('frame', 22);
        app.leaveStorage(4 << 10);
        const { reason, message } = await session.stop();
        assert.equal(reason, 'stopped');
        assert.match(
          message,
          /The trace ends after \d+ of its \d+ records\. com\.example\.shop ended as it wrote .* storage is full/,
        );
        const trace = await traceOf(session);
        assert.ok(trace.complete);
        assert.ok(trace.threads.some(({ isMain, sampleCount }) => isMain && sampleCount > 10));
        assert.deepEqual(await onDevice(), []);
      });

      for (const { what, apart } of breaks)
        it(`goes on where ${what}`, async () => {
          const app = await launched();
          await bench().connect();
          const session = await start(nothing());
          await app.until(/system: profile start/);
          const before = await app.more('frame', 12);
          await apart();
          await until('it is silent', () => session.status().isSilent);
          await bench().connect();
          await until('it is silent no more', () => !session.status().isSilent);
          const after = await app.more('frame', 12);
          assert.equal((await session.stop()).reason, 'stopped');
          const trace = await traceOf(session);
          assert.deepEqual(trace.problems, []);
          assert.ok(trace.endNs - trace.beginNs > after.at(-1)!.number('end') - before.at(-1)!.number('end'));
          assert.ok(trace.threads.some(({ isMain, sampleCount }) => isMain && sampleCount > 10));
          assert.deepEqual(await onDevice(), []);
        });
    });

  it('says what to do when the device has no room at all', async () => {
    const app = await bench().launched(shop);
    await bench().connect();
    const session = await start(nothing());
    await app.until(/system: profile start/);
    app.leaveStorage(0);
    const { reason, message } = await session.stop();
    assert.equal(reason, 'fault');
    assert.match(message, /the app ended before it had written any of it: see whether .* storage is full/);
    assert.equal((await app.ended).code, 1, app.output());
    assert.deepEqual(await onDevice(), []);
  });

  it('can be cancelled while it begins, and leaves nothing', async () => {
    const app = await bench().launched(shop);
    await bench().connect();
    const before = await readdir(bench().folder);
    const gaveUp = new AbortController();
    const target = await bench().target(shop, nothing());
    const starting = target.start(recordOptions(bench().file()), gaveUp.signal);
    starting.catch(() => undefined);
    const begins = (): boolean =>
      bench().phone.commands.some((command) => command.includes('am profile start'));
    await until('the profile begins', begins, 1);
    gaveUp.abort();
    await assert.rejects(starting, { name: 'AbortError' });
    assert.deepEqual(await readdir(bench().folder), before);
    // Android gives the app a file that is open already; here it may make it only now, by its name.
    const file = `/data/local/tmp/btrace-${app.pid}.trace`;
    assert.match(bench().phone.commands.at(-1) ?? '', new RegExp(`^rm -f ${file} `));
    assert.ok(!(await onDevice()).includes('btrace-sampling'));
    await app.more('frame', 2);
  });

  it('is cancelled at once, even when the samples are large', async () => {
    const app = await bench().launched(shop);
    await bench().connect();
    const session = await start(nothing());
    await app.until(/system: profile start/);
    app.leaveStorage(0);
    assert.deepEqual(
      [await session.cancel()].map(({ reason, message }) => [reason, message]),
      [['cancelled', '']],
    );
    await assert.rejects(stat(session.file), { code: 'ENOENT' });
    assert.deepEqual(await onDevice(), []);
  });

  it('leaves nothing on the device after the cable was pulled, and can record again', async () => {
    const app = await bench().launched(shop);
    await bench().connect();
    const torn = await start(nothing());
    await app.until(/system: profile start/);
    // Of an app that was recorded before, and ended while the cable was out.
    await writeFile(bench().phone.resolve('/data/local/tmp/btrace-99999999.trace'), '');
    bench().phone.cut();
    await bench().server.adb('disconnect', bench().phone.serial);
    const end = await torn.stop();
    assert.equal(end.reason, 'connection-lost');
    assert.match(end.message, /^The device went away .*, and what was sampled is on it\.$/);
    assert.equal((await onDevice()).length, 3);
    await bench().connect();
    // It may be another one's, whose cable is in.
    await assert.rejects(start(nothing()), /com\.example\.shop is, and Android samples one app at a time/);
    const before = new Date(Date.now() - 9000);
    await utimes(claim(), before, before);
    const session = await start(nothing());
    assert.deepEqual((await onDevice()).sort(), [`btrace-${app.pid}.trace`, 'btrace-sampling']);
    await app.more('frame', 12);
    assert.equal((await session.stop()).reason, 'stopped');
    assert.ok((await traceOf(session)).threads.some(({ isMain, sampleCount }) => isMain && sampleCount > 0));
    assert.deepEqual(await onDevice(), []);
  });

  it('ends where the device stays away', async () => {
    await bench().launched(shop);
    await bench().connect();
    const session = await start(nothing(), { returnMs: 1 });
    bench().phone.cut();
    await bench().server.adb('disconnect', bench().phone.serial);
    const { reason, message } = await session.ended;
    assert.equal(reason, 'connection-lost');
    assert.match(message, /^The device went away .*, and what was sampled is on it\.$/);
    assert.ok((await traceOf(session)).complete);
  });

  it('leaves a recording alone that another host began while the device was away', async () => {
    await bench().launched(shop);
    await bench().connect();
    for (const over of ['ended', 'stopped']) {
      const session = await start(nothing());
      await writeFile(claim(), `0123abcd ${bank}`);
      const before = await onDevice();
      const { reason, message } = await (over === 'ended' ? session.ended : session.stop());
      assert.equal(reason, 'connection-lost');
      assert.match(message, /another external recording has ended this one/);
      assert.deepEqual(await onDevice(), before);
      await rm(claim());
    }
  });

  it('does not begin when the device has no room, and says so', async () => {
    await bench().launched(shop);
    await bench().connect();
    await symlink('/dev/full', claim());
    await assert.rejects(start(nothing()), {
      message: `${shop} cannot be recorded externally: the device has no room in /data/local/tmp.`,
      nextStep: 'Free some storage on the device.',
    });
    assert.deepEqual(await onDevice(), []);
  });
});
