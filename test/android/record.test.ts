/** The whole way: our targets → Tango → the real adb server → a device → real ART → the real agent → a file. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { Session, Target, TargetError } from '../../src/targets/target.js';
import { assertFrames, findMethod, traceOf as traceIn } from '../rigs/art/read-trace.js';
import { recordOptions } from '../rigs/record-options.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';

const shop = 'com.example.shop';
const bank = 'com.example.bank';

onEachPhone('recording an app on a device, over adb', (bench) => {
  let targets: AndroidTargets;

  before(() => void (targets = new AndroidTargets(bench().options())));

  const options = () => recordOptions(bench().file());
  const targetNamed = async (name: string): Promise<Target> =>
    await targets.choose({ app: name, device: undefined });
  const traceOf = (session: Session) => traceIn(session.file);

  for (const engine of Object.keys(engines) as Engine[])
    it(`records an app that runs, tells what it did by name and time, and leaves it running (${engine})`, async () => {
      const app = await bench().launched(shop, { engine });
      await bench().connect();
      const before = app.truths('frame').length;
      const session = await (await targetNamed(shop)).start(options());
      // Names and lines are in the file soon, while it is being recorded and the app goes on.
      for (let seen = ''; seen !== 'Jank.java:22';) {
        await app.more('frame', 1);
        const trace = await traceOf(session);
        assert.ok(!trace.complete);
        const method = findMethod(trace, 'sample.Jank.doFrame');
        if (method >= 0) seen = `${trace.methods.file(method)}:${trace.methods.firstLine(method)}`;
      }
      await app.more('frame', 35);
      const end = await session.stop();
      assert.deepEqual([end.reason, end.message], ['stopped', '']);
      const trace = await traceOf(session);
      assert.equal(trace.info.targetName, shop);
      assert.deepEqual(trace.problems, []);
      assertFrames(trace, app, before);
      await app.more('frame', 2);
    });

  it('records any app, and a part of one, where the shell is root, as the app and as nobody else', async () => {
    const { phone } = bench();
    await phone.becomeRoot();
    await phone.apps.install(bank, { debuggable: false });
    const app = await phone.apps.launch(bank, undefined, `${bank}:sync`);
    await bench().connect();
    const target = await targetNamed(`${bank}:sync`);
    assert.deepEqual(
      [target.refusal, target.pid, target.launchable, target.abi],
      [undefined, app.pid, false, 'x86_64'],
    );
    const session = await target.start(options());
    await app.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    assert.equal((await traceOf(session)).info.targetName, `${bank}:sync`);
    assert.ok(phone.commands.every((command) => !command.includes('run-as')));
    assert.equal((await phone.agentsIn(`/data/data/${bank}/code_cache`)).length, 1);
  });

  // ActivityManager's words changed with API 30.
  for (const sdk of [26, 34])
    it(`understands Android by its words: API ${sdk}`, async () => {
      const phone = await bench().another({ sdk, release: String(sdk), model: `Phone ${sdk}` });
      await phone.apps.install(shop);
      const app = await phone.apps.launch(shop);
      await bench().connect(phone);
      const target = await targetNamed(shop);
      assert.equal(target.runtime, `ART (API ${sdk})`);
      const session = await target.start(options());
      await app.more('frame', 2);
      assert.equal((await session.stop()).message, '');
      if (sdk === 26)
        await assert.rejects(target.start({ ...options(), fromLaunch: true }), {
          message: 'Android 8.0 starts no app with an agent.',
        });
      await phone.refuseAgents('java.lang.SecurityException: Process not debuggable: ProcessRecord{1:shop}');
      const external = await target.start(options());
      assert.match(
        (await external.stop()).message,
        /did not attach the agent: Process not debuggable: ProcessRecord\{1:shop\}\.$/,
      );
      await app.kill();
      await assert.rejects(target.start(options()), { message: `${shop} does not run any more.` });
    });

  it('pushes the agent once, and copies it once, however often it records', async () => {
    const app = await bench().launched(shop);
    await bench().connect();
    /** Of the runtime's file, for what it hides: all that is wanted of it once, and which build it is each time. */
    const reads = () => bench().phone.commands.filter((command) => command.startsWith('dd ')).length;
    let first = 0;
    for (let round = 0; round < 3; round++) {
      const session = await (await targetNamed(shop)).start(options());
      first ||= reads();
      await app.more('frame', 1);
      assert.equal((await session.stop()).reason, 'stopped');
    }
    assert.equal(reads(), first + 2);
    const copies = await bench().phone.agentsIn(`/data/data/${shop}/code_cache`);
    assert.equal(copies.length, 1);
    assert.equal((await bench().phone.agentsIn('/data/local/tmp')).length, 1);
    // One agent in the app, not three.
    const maps = await readFile(`/proc/${app.pid}/maps`, 'utf8');
    const loaded = new Set(maps.split('\n').map((line) => /\S*btrace-agent-\S*/.exec(line)?.[0]));
    loaded.delete(undefined);
    assert.deepEqual([...loaded], [bench().phone.resolve(`/data/data/${shop}/code_cache/${copies[0]}`)]);
  });

  it('says that the storage is full, and leaves no file', async () => {
    await bench().launched(shop);
    await bench().connect();
    bench().phone.faults.full = true;
    const asked = options();
    await assert.rejects((await targetNamed(shop)).start(asked), (error: TargetError) => {
      assert.match(error.message, /No space left on device/);
      assert.match(error.nextStep, /storage/);
      return true;
    });
    await assert.rejects(readFile(asked.file), { code: 'ENOENT' });
  });

  it('says that the app does not run any more', async () => {
    const app = await bench().launched(shop);
    await bench().connect();
    const target = await targetNamed(shop);
    await app.kill();
    await assert.rejects(target.start(options()), { message: `${shop} does not run any more.` });
  });
});
