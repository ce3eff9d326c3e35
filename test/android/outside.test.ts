/** Where the agent cannot go, Android's own sampling does: real ART's, through the same real adb server. */
import assert from 'node:assert/strict';
import {
  appendFile,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AndroidOptions, AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { Session } from '../../src/targets/target.js';
import { decodeRecording } from '../../src/trace/build/decode.js';
import { Mode } from '../../src/trace/model/kinds.js';
import { methodFigures } from '../../src/trace/measure/methods.js';
import { wholeTrace } from '../../src/trace/measure/scope.js';
import { sumScope } from '../../src/trace/measure/sums.js';
import { type ArtApp, type Engine, engines } from '../rigs/art/runtime.js';
import { recordOptions } from '../rigs/record-options.js';
import { withPhone } from '../rigs/phone/with-phone.js';

const SHOP = 'com.example.shop';
const BANK = 'com.example.bank';

describe('recording an app from outside', () => {
  const bench = withPhone();
  const start = async (agents = bench().agents, more: Partial<AndroidOptions> = {}): Promise<Session> => {
    const targets = new AndroidTargets({ ...bench().options(agents), ...more });
    const target = await targets.choose({ app: SHOP, device: undefined });
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
      const launched = (): Promise<ArtApp> => bench().launched(SHOP, { engine });

      it('is done where there is no agent, says why, and finds what the app did', async () => {
        const app = await launched();
        await bench().connect();
        const session = await start(nothing());
        await app.until(/system: profile start/);
        const frames = await app.more('frame', 22);
        assert.equal(session.status().outside, 'There is no agent for x86_64');
        const end = await session.stop();
        assert.equal(end.reason, 'stopped');
        assert.match(end.message, /Recorded from outside.*There is no agent for x86_64/);
        const trace = await traceOf(session);
        assert.equal(trace.info.mode, Mode.FromOutside);
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

      it('is done after an app died of the agent once, until there is a newer one', async () => {
        await launched();
        await bench().connect();
        bench().phone.faults.agentKills = true;
        await assert.rejects(start(), /com\.example\.shop ended while the agent was attached/);
        assert.deepEqual(await readdir(bench().phone.resolve(`/data/data/${SHOP}/code_cache`)), []);
        bench().phone.faults.agentKills = false;

        const app = await launched();
        const outside = await start();
        await app.more('frame', 3);
        assert.match((await outside.stop()).message, /the app died of the agent before/);
        // Another version of the agent, as far as its content says.
        const newer = path.join(bench().folder, 'newer/agents/android-x86_64');
        await mkdir(newer, { recursive: true });
        const agent = await readFile(path.join(bench().agents, 'agents/android-x86_64/libbtrace-agent.so'));
        await writeFile(path.join(newer, 'libbtrace-agent.so'), Buffer.concat([agent, Buffer.from('newer')]));
        const inside = await start(path.join(bench().folder, 'newer'));
        await app.more('frame', 3);
        assert.equal((await inside.stop()).message, '');
        assert.equal((await traceOf(inside)).info.mode, Mode.InProcess);
        // One version is on the device, and in the app, which may not write to it.
        assert.equal((await bench().phone.agentsIn('/data/local/tmp')).length, 1);
        const cache = `/data/data/${SHOP}/code_cache`;
        const [copy = '', ...older] = await bench().phone.agentsIn(cache);
        assert.deepEqual(older, []);
        assert.equal((await stat(bench().phone.resolve(`${cache}/${copy}`))).mode & 0o222, 0);
      });

      it('is done where Android does not attach the agent, and says in which words', async () => {
        const app = await launched();
        await bench().connect();
        await bench().phone.refuseAgents(
          "java.lang.SecurityException: Can't attach agent, process is not debuggable.",
        );
        const session = await start();
        assert.deepEqual(await readdir(bench().phone.resolve(`/data/data/${SHOP}/code_cache`)), []);
        await app.more('frame', 2);
        const { message } = await session.stop();
        assert.match(
          message,
          /Android did not attach the agent: Can't attach agent, process is not debuggable/,
        );
        assert.equal((await traceOf(session)).info.mode, Mode.FromOutside);
      });

      it('is refused in words while somebody else does it, of any app, whose recording stays whole', async () => {
        const app = await launched();
        await bench().phone.install(BANK);
        await bench().phone.launch(BANK);
        await bench().connect();
        const first = await start(nothing());
        await app.more('frame', 12);
        const desktop = new AndroidTargets(bench().options(nothing()));
        for (const name of [SHOP, BANK]) {
          const target = await desktop.choose({ app: name, device: undefined });
          await assert.rejects(target.start(recordOptions(bench().file())), {
            kind: 'busy',
            message: `${name} cannot be recorded from outside now: ${SHOP} is, and Android samples one app at a time.`,
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
          await (await desktop.choose({ app: BANK, device: undefined })).start(recordOptions(bench().file()))
        ).stop();
      });

      it('says that its samples went with the app', async () => {
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

      it('keeps what the device had room for, and says that there was no more', async () => {
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
          while (!session.status().isSilent) await delay(20);
          await bench().connect();
          while (session.status().isSilent) await delay(20);
          const after = await app.more('frame', 12);
          assert.equal((await session.stop()).reason, 'stopped');
          const trace = await traceOf(session);
          assert.deepEqual(trace.problems, []);
          assert.ok(trace.endNs - trace.beginNs > after.at(-1)!.number('end') - before.at(-1)!.number('end'));
          assert.ok(trace.threads.some(({ isMain, sampleCount }) => isMain && sampleCount > 10));
          assert.deepEqual(await onDevice(), []);
        });
    });

  for (const { how, leave } of [
    {
      how: 'in the middle of a walk',
      leave: async () => {
        const copies = bench().phone.resolve(`/data/data/${SHOP}/code_cache`);
        const marker = (await readdir(copies)).find((name) => name.endsWith('.walking'));
        // One walk more than there are, that nobody ends.
        const file = await open(path.join(copies, marker!), 'r+');
        await file.write(Buffer.from([1, 0, 0, 0]), 0, 4, 0);
        await file.close();
      },
    },
    {
      how: 'with the agent on its stack, as the crash log has it',
      leave: (pid: number) => crashed(pid, SHOP),
    },
  ])
    it(`is done after an app died ${how}`, async () => {
      const app = await bench().launched(SHOP);
      await bench().connect();
      const inside = await start();
      await app.more('frame', 2);
      await leave(app.pid);
      await app.kill();
      assert.equal((await inside.ended).reason, 'target-exited');
      await bench().launched(SHOP);
      const outside = await start();
      assert.match((await outside.stop()).message, /the app died of the agent before/);
    });

  /** A crash as Android logs it, with this agent on the stack. */
  async function crashed(pid: number, name: string): Promise<void> {
    const [agent = ''] = await bench().phone.agentsIn('/data/local/tmp');
    const heading = `F DEBUG : pid: ${pid}, tid: ${pid}, name: main  >>> ${name} <<<`;
    const frame = `F DEBUG :       #00 pc 1  /data/data/${name}/code_cache/${agent}`;
    await appendFile(bench().phone.resolve('/crashes'), `${heading}\n${frame}\n`);
  }

  it('is not done because another app died of the agent, or another process was in a walk', async () => {
    const { phone } = bench();
    const app = await bench().launched(SHOP);
    const part = await phone.launch(SHOP, undefined, `${SHOP}:sync`);
    await bench().connect();
    const inside = await start();
    await app.more('frame', 2);
    const copies = phone.resolve(`/data/data/${SHOP}/code_cache`);
    const marker = (await readdir(copies)).find((name) => name.endsWith('.walking'))!;
    const ofPart = marker.replace('.walking', ':sync.walking');
    await writeFile(path.join(copies, ofPart), Buffer.from([1, 0, 0, 0]));
    await appendFile(
      phone.resolve('/crashes'),
      `F DEBUG : pid: ${app.pid}, tid: 1, name: a >>> ${SHOP} <<<\n`,
    );
    await crashed(part.pid, `${SHOP}:sync`);
    await app.kill();
    assert.equal((await inside.ended).reason, 'target-exited');
    await bench().launched(SHOP);
    const again = await start();
    assert.equal((await again.stop()).message, '');
  });

  it('is done after an app died as it was started with the agent', async () => {
    const { phone } = bench();
    const before = await bench().launched(SHOP);
    await bench().connect();
    await (await start()).stop();
    await before.kill();
    phone.faults.agentKills = true;
    const target = await new AndroidTargets(bench().options()).choose({ app: SHOP, device: undefined });
    const began = performance.now();
    const launching = target.start(recordOptions(bench().file(), { fromLaunch: true }));
    launching.catch(() => undefined);
    const looked = () => phone.commands.filter((command) => command.includes('pidof')).length;
    while (looked() < 2) await delay(5);
    await crashed(1, SHOP);
    await phone.app(SHOP)!.kill();
    await assert.rejects(launching, { message: `${SHOP} ended as it was started with the agent.` });
    assert.ok(performance.now() - began < 15_000, 'it was waited for though it had ended');
    assert.deepEqual(await readdir(phone.resolve(`/data/data/${SHOP}/code_cache`)), []);
    await bench().launched(SHOP);
    const outside = await start();
    assert.match((await outside.stop()).message, /the app died of the agent before/);
  });

  async function assertSampled(session: Session, app: ArtApp): Promise<void> {
    await app.until(/system: profile start/);
    await app.more('frame', 12);
    const { reason, message } = await session.stop();
    assert.equal(reason, 'stopped');
    assert.match(message, /Recorded from outside.*it is not debuggable, and takes no agent/);
    const trace = await traceOf(session);
    assert.equal(trace.info.mode, Mode.FromOutside);
    const methods = Array.from({ length: trace.methods.count }, (_, at) => trace.methods.qualifiedName(at));
    assert.ok(methods.includes('sample.Jank.decodeRow'), methods.join());
  }

  it('is done of an app of a store that lets the shell profile it, and is not asked of others', async () => {
    const phone = await bench().another({ sdk: 31 });
    await phone.install(BANK, { debuggable: false, profileable: true });
    await phone.install('com.example.vault', { debuggable: false });
    const app = await phone.launch(BANK);
    await phone.launch('com.example.vault');
    await bench().connect(phone);
    const targets = await new AndroidTargets(bench().options()).list();
    assert.deepEqual(
      targets.map(({ name, refusal, outsideOnly, launchNeedsLibrary }) => [
        name,
        refusal === undefined,
        outsideOnly,
        launchNeedsLibrary,
      ]),
      [
        [BANK, true, true, true],
        ['com.example.vault', false, false, true],
      ],
    );
    await assertSampled(await targets[0]!.start(recordOptions(bench().file())), app);
    await assert.rejects(targets[1]!.start(recordOptions(bench().file())), {
      message: 'com.example.vault cannot be recorded.',
    });
    // What is asked for by no name is what is being worked on.
    await phone.install(SHOP);
    await phone.launch(SHOP);
    const chosen = await new AndroidTargets(bench().options()).choose({
      app: undefined,
      device: phone.serial,
    });
    assert.equal(chosen.name, SHOP);
  });

  it('is done of one that is named where Android tells nobody that it may be', async () => {
    const { phone } = bench();
    await phone.install(BANK, { debuggable: false, profileable: true });
    const app = await phone.launch(BANK);
    await bench().connect();
    const target = await new AndroidTargets(bench().options()).choose({ app: BANK, device: undefined });
    assert.match(target.refusal ?? '', /package not debuggable/);
    await assertSampled(await target.start(recordOptions(bench().file())), app);
  });

  it('says what to do where the device had room for nothing', async () => {
    const app = await bench().launched(SHOP);
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

  it('is given up as it begins, and leaves nothing', async () => {
    const app = await bench().launched(SHOP);
    await bench().connect();
    const before = await readdir(bench().folder);
    const gaveUp = new AbortController();
    const target = await new AndroidTargets(bench().options(nothing())).choose({
      app: SHOP,
      device: undefined,
    });
    const starting = target.start(recordOptions(bench().file()), gaveUp.signal);
    starting.catch(() => undefined);
    while (!bench().phone.commands.some((command) => command.includes('am profile start'))) await delay(1);
    gaveUp.abort();
    await assert.rejects(starting, { name: 'AbortError' });
    assert.deepEqual(await readdir(bench().folder), before);
    // Android gives the app a file that is open already; here it may make it only now, by its name.
    const file = `/data/local/tmp/btrace-${app.pid}.trace`;
    assert.match(bench().phone.commands.at(-1) ?? '', new RegExp(`^rm -f ${file} `));
    assert.ok(!(await onDevice()).includes('btrace-sampling'));
    await app.more('frame', 2);
  });

  it('is given up at once, whatever room there is for what was sampled', async () => {
    const app = await bench().launched(SHOP);
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

  it('leaves nothing on the device where a cable was pulled, and samples again', async () => {
    const app = await bench().launched(SHOP);
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
    await bench().launched(SHOP);
    await bench().connect();
    const session = await start(nothing(), { returnMs: 1 });
    bench().phone.cut();
    await bench().server.adb('disconnect', bench().phone.serial);
    const { reason, message } = await session.ended;
    assert.equal(reason, 'connection-lost');
    assert.match(message, /^The device went away .*, and what was sampled is on it\.$/);
    assert.ok((await traceOf(session)).complete);
  });

  it("leaves another one's alone that began while it was away", async () => {
    await bench().launched(SHOP);
    await bench().connect();
    for (const over of ['ended', 'stopped']) {
      const session = await start(nothing());
      await writeFile(claim(), `0123abcd ${BANK}`);
      const before = await onDevice();
      const { reason, message } = await (over === 'ended' ? session.ended : session.stop());
      assert.equal(reason, 'connection-lost');
      assert.match(message, /another recording from outside has ended this one/);
      assert.deepEqual(await onDevice(), before);
      await rm(claim());
    }
  });

  it('is not begun where the device has no room, and says so', async () => {
    await bench().launched(SHOP);
    await bench().connect();
    await symlink('/dev/full', claim());
    await assert.rejects(start(nothing()), {
      message: `${SHOP} cannot be recorded from outside: the device has no room in /data/local/tmp.`,
      nextStep: 'Free some storage on the device.',
    });
    assert.deepEqual(await onDevice(), []);
  });
});
