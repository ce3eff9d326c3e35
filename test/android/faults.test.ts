/** What goes wrong while an app is recorded: what had come opens with its names, the person is told, and the next recording works. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { RecordOptions, Session, TargetError } from '../../src/targets/target.js';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { recordOptions } from '../rigs/record-options.js';
import type { ArtApp } from '../rigs/art/runtime.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';
import { wide } from '../rigs/scale.js';
import { until } from '../rigs/until.js';

const shopApp = 'com.example.shop';

onEachPhone('recording over adb when something fails', (bench) => {
  const start = async (changes: Partial<RecordOptions> = {}, signal?: AbortSignal): Promise<Session> => {
    const target = await bench().target(shopApp);
    return await target.start(recordOptions(bench().file(), changes), signal);
  };
  const traceOf = async ({ file }: { file: string }): Promise<Trace> =>
    decodeRecording(await readFile(file)).trace();
  const names = ({ methods }: Trace): string[] =>
    Array.from({ length: methods.count }, (_, method) => methods.qualifiedName(method));

  /** What must be left of a recording: what every tenth frame does is in it, by name, and more than one sample. */
  const hasMuch = (trace: Trace): boolean =>
    names(trace).includes('sample.Jank.decodeRow') &&
    trace.threads.some(({ isMain, sampleCount }) => isMain && sampleCount > 10);

  /** A recording whose file has as much already. */
  async function recording(): Promise<Session> {
    const session = await start();
    await until('the file has much already', async () => hasMuch(await traceOf(session)), 50);
    return session;
  }

  async function assertWhole(session: Session): Promise<void> {
    const trace = await traceOf(session);
    assert.deepEqual(trace.problems, []);
    assert.ok(trace.complete, 'it has no end');
    assert.ok(hasMuch(trace), 'what had come is not in it');
  }

  async function assertRecordsAgain(app: ArtApp): Promise<void> {
    const session = await start();
    await app.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    assert.equal(session.target.pid, app.pid);
  }

  // What fails here is adb's, the device's or the app's, whatever engine runs it.
  for (const engine of wide ? (['interpreter', 'quick'] as const) : (['quick'] as const))
    describe(engine, () => {
      const launched = (): Promise<ArtApp> => bench().launched(shopApp, { engine });

      it('keeps what came before the adb server was restarted, and records again', async () => {
        const app = await launched();
        await bench().connect();
        const session = await recording();
        await bench().server.restart();
        const end = await session.ended;
        assert.equal(end.reason, 'connection-lost');
        assert.match(end.message, /connection to the agent in com\.example\.shop was lost/);
        await assertWhole(session);
        await bench().connect();
        await app.more('frame', 2);
        await assertRecordsAgain(app);
      });

      it('keeps what came before the cable was pulled, and records again when it is in', async () => {
        const app = await launched();
        await bench().connect();
        const session = await recording();
        bench().phone.cut();
        assert.equal((await session.ended).reason, 'connection-lost');
        await assertWhole(session);
        await bench().server.adb('disconnect', bench().phone.serial);
        await bench().connect();
        await app.more('frame', 2);
        await assertRecordsAgain(app);
      });

      it('keeps what came before the app was upgraded, and records the new one', async () => {
        await launched();
        await bench().connect();
        const session = await recording();
        await bench().phone.apps.upgrade(shopApp);
        const end = await session.ended;
        assert.equal(end.reason, 'target-exited');
        assert.match(end.message, /com\.example\.shop ended/);
        await assertWhole(session);
        await assertRecordsAgain(await bench().phone.apps.launch(shopApp));
      });

      it('leaves no copy of the agent in an app that has ended', async () => {
        const app = await launched();
        await bench().connect();
        const session = await recording();
        const copies = bench().phone.resolve(`/data/data/${shopApp}/code_cache`);
        assert.equal((await readdir(copies)).filter((name) => name.endsWith('.so')).length, 1);
        await app.kill();
        await session.ended;
        assert.deepEqual(await readdir(copies), []);
        await assertWhole(session);
      });

      it('keeps the copy of an app that has ended while another process of it has it loaded', async () => {
        const { phone } = bench();
        const app = await launched();
        const part = await phone.apps.launch(shopApp, undefined, `${shopApp}:sync`);
        await bench().connect();
        const ofPart = async () =>
          await new AndroidTargets(bench().options()).choose({ app: `${shopApp}:sync`, device: undefined });
        await (await (await ofPart()).start(recordOptions(bench().file()))).stop();
        const session = await recording();
        await app.kill();
        await session.ended;
        // The system's linker knows a library by its file: another one would be another agent.
        assert.equal((await phone.agentsIn(`/data/data/${shopApp}/code_cache`)).length, 1);
        await (await (await ofPart()).start(recordOptions(bench().file()))).stop();
        const maps = await readFile(`/proc/${part.pid}/maps`, 'utf8');
        const agents = maps
          .split('\n')
          .filter((line) => line.includes('btrace-agent-') && line.includes(' r-xp '));
        assert.equal(agents.length, 1, agents.join('\n'));
      });

      it('can be stopped while it begins, and can begin again at once', async () => {
        const app = await launched();
        await bench().connect();
        const { phone } = bench();
        const before = await readdir(bench().folder);
        for (const when of ['run-as', 'attach-agent']) {
          phone.commands.length = 0;
          const gaveUp = new AbortController();
          const starting = start({}, gaveUp.signal);
          starting.catch(() => undefined);
          await until(`${when} runs`, () => phone.commands.some((command) => command.includes(when)), 1);
          gaveUp.abort();
          await assert.rejects(starting, { name: 'AbortError' });
        }
        assert.deepEqual(await readdir(bench().folder), before);
        await until(
          'the agent listens no more',
          async () => !existsSync(`/proc/${app.pid}`) || !(await isListening(app.pid)),
        );
        await assertRecordsAgain(app);
      });

      it('records over a slow link, and nothing is lost on it', async () => {
        const app = await launched();
        await bench().connect();
        bench().phone.faults.bytesPerSecond = 300_000; // the agent takes a second
        const session = await recording();
        await app.more('frame', 2);
        assert.equal((await session.stop()).message, '');
        await assertWhole(session);
        // A capture that meets the agent at its thread's record is lost, one at a time; a buffer that is full would lose all that come.
        const { dropped, samples } = session.status();
        assert.ok(4 * dropped < samples, `${dropped} lost, ${samples} captured`);
      });

      it('says that somebody else records the app', async () => {
        await launched();
        await bench().connect();
        const first = await recording();
        await assert.rejects(start(), (error: TargetError) => {
          assert.equal(error.kind, 'busy');
          assert.match(error.message, /recorded already, from another window or computer/);
          return true;
        });
        assert.equal((await first.stop()).message, '');
        await assertWhole(first);
      });
    });

  it('offers to start an adb server where none runs, and does', async () => {
    await bench().launched(shopApp);
    await bench().server.end();
    const { port } = bench().server;
    const targets = new AndroidTargets({
      agentRoots: [bench().agents],
      port,
      program: await bench().server.program(),
      startServer: false,
    });
    try {
      const error = await targets.list().then(
        () => assert.fail('there was a server'),
        (problem: unknown) => problem as TargetError,
      );
      assert.match(error.message, /No adb server runs on this machine/);
      assert.equal(error.remedy?.title, 'Start the adb Server');
      await error.remedy.run();
      await bench().connect();
      assert.ok((await targets.list()).some(({ name }) => name === shopApp));
    } finally {
      await bench().server.restart();
    }
  });

  it('records what was listed before the adb server was restarted, which numbers devices anew', async () => {
    const app = await bench().launched(shopApp);
    await bench().connect();
    const targets = new AndroidTargets(bench().options());
    const target = await targets.choose({ app: shopApp, device: undefined });
    await bench().server.restart();
    const other = await bench().another({ model: 'Rig Tablet' });
    await bench().connect(other);
    await assert.rejects(target.start(recordOptions(bench().file())), {
      message: `${bench().phone.serial} could not be opened: it is not connected.`,
    });
    await bench().connect();
    const session = await target.start(recordOptions(bench().file()));
    await app.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    assert.deepEqual(other.commands, []);
  });

  it('removes its copy of the agent if it could not attach', async () => {
    const { phone } = bench();
    const app = await bench().launched(shopApp);
    await bench().connect();
    const copies = phone.resolve(`/data/data/${shopApp}/code_cache`);
    await phone.apps.freeze(app);
    await assert.rejects(start(), /has frozen/);
    assert.deepEqual(await readdir(copies), []);
    await phone.apps.unfreeze(app);
    // As a pulled cable leaves them: each launch of the app would load the agent.
    await mkdir(`${copies}/startup_agents`);
    await symlink('nowhere', `${copies}/startup_agents/btrace-agent-0.so`);
    await assertRecordsAgain(app);
    assert.ok(!(await readdir(copies)).includes('startup_agents'));
  });

  it('brings the agent from two computers at once', async () => {
    const { phone } = bench();
    const apps = [await bench().launched(shopApp), await bench().launched('com.example.bank')];
    await bench().connect();
    const targets = new AndroidTargets(bench().options());
    const [shop, bank] = [
      await targets.choose({ app: shopApp, device: undefined }),
      await targets.choose({ app: 'com.example.bank', device: undefined }),
    ];
    phone.faults.bytesPerSecond = 200_000;
    const first = shop.start(recordOptions(bench().file()));
    // The other one comes while the agent is on its way.
    await until(
      'the agent is on its way',
      async () => (await readdir(phone.resolve('/data/local/tmp'))).length > 0,
      5,
    );
    const sessions = await Promise.all([first, bank.start(recordOptions(bench().file()))]);
    phone.faults.bytesPerSecond = undefined;
    await Promise.all(apps.map((app) => app.more('frame', 2)));
    for (const session of sessions) assert.equal((await session.stop()).message, '');
    const pushed = (await readdir(phone.resolve('/data/local/tmp'))).map((name) => path.extname(name));
    assert.deepEqual(pushed.sort(), ['.so', '.symbols']);
  });

  it('gives up at once while the agent is on a slow way, and leaves nothing', async () => {
    const app = await bench().launched(shopApp);
    await bench().connect();
    const before = await readdir(bench().folder);
    bench().phone.faults.bytesPerSecond = 20_000;
    bench().phone.commands.length = 0;
    const gaveUp = new AbortController();
    const starting = start({}, gaveUp.signal);
    starting.catch(() => undefined);
    const isPushed = (): boolean =>
      bench().phone.commands.some((command) => command.includes('for f in btrace-agent-'));
    await until('the agent is pushed', isPushed, 5);
    gaveUp.abort();
    await assert.rejects(starting, { name: 'AbortError' });
    assert.deepEqual(await readdir(bench().folder), before);
    assert.deepEqual(await readdir(bench().phone.resolve('/data/local/tmp')), []);
    bench().phone.faults.bytesPerSecond = undefined;
    await assertRecordsAgain(app);
  });

  it('says that the app has no room for the agent, and leaves no torn copy', async () => {
    await bench().launched(shopApp);
    await bench().connect();
    await bench().phone.fillApps();
    await assert.rejects(start(), (error: TargetError) => {
      assert.match(error.message, /could not be copied into com\.example\.shop: .*No space left/);
      assert.match(error.nextStep, /Free some storage/);
      return true;
    });
    assert.deepEqual(await readdir(bench().phone.resolve(`/data/data/${shopApp}/code_cache`)), []);
  });
});

async function isListening(pid: number): Promise<boolean> {
  return (await readFile('/proc/net/unix', 'utf8')).includes(`@btrace-${pid}-`);
}
