/** The whole way: our targets → Tango → the real adb server → a device → real ART → the real agent → a file. */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import { type Session, type Target, TargetError } from '../../src/targets/target.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import {
  assertBetween,
  assertSlowFrames,
  blocksOf,
  cpuWithin,
  findMethod,
  mainThread,
  messagesWithin,
  methodNamed,
  near,
  traceOf as traceIn,
} from '../rigs/art/read-trace.js';
import { agentLibrary } from '../rigs/art/record.js';
import { recordOptions } from '../rigs/record-options.js';
import { type ArtApp, type Engine, engines } from '../rigs/art/runtime.js';
import { apkOf } from '../rigs/phone/phone.js';
import { withPhone } from '../rigs/phone/with-phone.js';

/** Beside each may be what it reads. */
const agentsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.so'));

const SHOP = 'com.example.shop';
const BANK = 'com.example.bank';

describe('recording an app on a device, over adb', () => {
  const bench = withPhone();
  let targets: AndroidTargets;

  before(() => {
    targets = new AndroidTargets({
      agentRoots: [bench().agents],
      port: bench().server.port,
      startServer: false,
    });
  });

  const options = () => recordOptions(bench().file());
  const targetNamed = async (name: string): Promise<Target> =>
    await targets.choose({ app: name, device: undefined });
  const traceOf = (session: Session) => traceIn(session.file);

  it('lists debuggable apps first, and says why others cannot be recorded', async () => {
    const { phone } = bench();
    await phone.install(BANK, { debuggable: false });
    await phone.launch(BANK, { engine: 'quick', app: 'Jank', arguments: [0] });
    const shop = await bench().launched(SHOP);
    await bench().connect();
    const [first, second, ...rest] = await targets.list();
    assert.deepEqual(rest, []);
    assert.equal(first?.name, SHOP);
    assert.equal(first.pid, shop.pid);
    assert.equal(first.refusal, undefined);
    assert.equal(first.runtime, 'ART (API 30)');
    assert.deepEqual([first.abi, second?.abi], ['x86_64', undefined]);
    assert.equal(first.detail, `Rig Phone (${phone.serial}) · Android 11 · x86_64`);
    assert.equal(second?.name, BANK);
    assert.match(
      second.refusal ?? '',
      /package not debuggable: com\.example\.bank.*Install a debuggable or profileable build/,
    );
    await assert.rejects(second.start(options()), TargetError);
  });

  it('lists a device by a serial as long as those of wireless debugging, and records on it', async () => {
    const app = await bench().launched(SHOP);
    const serial = await bench().connectWireless();
    const target = await targets.choose({ app: SHOP, device: serial });
    assert.equal(target.detail, `Rig Phone (${serial}) · Android 11 · x86_64`);
    const session = await target.start(options());
    await app.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    await bench().server.adb('disconnect', serial);
  });

  /** Watches, and waits for something that each change may have brought. */
  async function watching(use: (until: (what: () => Promise<boolean>) => Promise<void>) => Promise<void>) {
    let told = 0;
    let wake = (): void => undefined;
    const stop = targets.watch(() => {
      told++;
      wake();
    });
    try {
      await use(async (what) => {
        for (let before = told; !(await what()); before = told)
          if (told === before) await new Promise<void>((resolve) => (wake = resolve));
      });
    } finally {
      stop();
    }
  }

  it('is told when devices come and go, also by a server that was restarted', async () => {
    await watching(async (until) => {
      await bench().launched(SHOP);
      const shown = async () => (await targets.list()).some(({ name }) => name === SHOP);
      await bench().connect();
      await until(shown);
      await bench().server.adb('disconnect', bench().phone.serial);
      await until(async () => !(await shown()));
      await bench().server.restart();
      await bench().connect();
      await until(shown);
    });
  });

  const labels = async () => (await targets.list()).map(({ name, label }) => [name, label]);

  it('names apps as their users do, each package read once', async () => {
    const { phone } = bench();
    await phone.install(SHOP);
    await phone.install('com.example.till', { apk: apkOf('bank') });
    await phone.install('com.example.torn', { apk: apkOf('shop').subarray(0, 1000) });
    await phone.install(BANK, { debuggable: false });
    await phone.launch(BANK);
    await bench().connect();
    const others = [
      ['com.example.torn', undefined],
      [BANK, undefined], // it cannot be recorded, so it is not read
    ];
    assert.deepEqual(await labels(), [[SHOP, undefined], ['com.example.till', undefined], ...others]);
    assert.equal(await targets.readLabels(), true);
    const named = [[SHOP, 'Ładen ☂ 店'], ['com.example.till', 'Rig Bank'], ...others];
    assert.deepEqual(await labels(), named);
    assert.equal((await targets.choose({ app: 'rig bank', device: undefined })).name, 'com.example.till');
    const reads = () => phone.commands.filter((command) => command.startsWith('dd ')).length;
    const before = reads();
    assert.ok(before > 0);
    assert.equal(await targets.readLabels(), false);
    assert.deepEqual([await labels(), reads()], [named, before]);
    await phone.upgrade('com.example.till', { apk: apkOf('shop') });
    assert.deepEqual((await labels())[1], ['com.example.till', undefined]);
    assert.equal(await targets.readLabels(), true);
    assert.deepEqual((await labels())[1], ['com.example.till', 'Ładen ☂ 店']);
  });

  it('tells who watches when labels have come', async () => {
    await watching(async (until) => {
      await bench().phone.install(SHOP);
      await bench().connect();
      await until(async () => (await labels())[0]?.[1] === 'Ładen ☂ 店');
    });
  });

  for (const engine of Object.keys(engines) as Engine[])
    it(`records an app that runs, tells what it did by name and time, and leaves it running (${engine})`, async () => {
      const app = await bench().launched(SHOP, { engine });
      await bench().connect();
      const before = app.truths('frame').length;
      const session = await (await targetNamed(SHOP)).start(options());
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
      assert.equal(trace.info.targetName, SHOP);
      assert.deepEqual(trace.problems, []);
      assertSlowFrames(trace, app);
      // Each frame is a message of its own, with the same stacks; one may be under way.
      const messages = messagesWithin(trace, mainThread(trace), methodNamed(trace, 'sample.Jank.doFrame'));
      assertBetween(messages.size, 6, app.truths('frame').length - before + 1);
      const sleeps = blocksOf(trace, mainThread(trace), SampleKind.Sleep);
      assert.ok(sleeps.length >= 3);
      for (const { stack } of sleeps) assert.match(stack, /^java\.lang\.Thread\.sleep .*sample\.Jank\./);
      await app.more('frame', 2);
    });

  for (const { app: name, truth: what, kind, ends, whom } of [
    { app: 'Contention', truth: 'monitor', kind: SampleKind.Monitor, ends: ['end'], whom: 'owner' },
    { app: 'WaitNotify', truth: 'wait', kind: SampleKind.Wait, ends: ['end'], whom: 'waker' },
    { app: 'Parking', truth: 'park', kind: SampleKind.Park, ends: ['entered', 'end'], whom: 'waker' },
  ] as const)
    it(`tells the ${whom} of each ${what}, over adb as without`, async () => {
      const app = await bench().launched(SHOP, { app: name });
      await bench().connect();
      const session = await (await targetNamed(SHOP)).start(options());
      const truths = await app.more(what, 4);
      assert.equal((await session.stop()).message, '');
      const trace = await traceOf(session);
      const blocks = blocksOf(trace, mainThread(trace), kind);
      for (const truth of truths.slice(1, 4))
        for (const end of ends) {
          const block = blocks.find((one) => near(one.end, truth.number(end)));
          const owner = trace.threads.find(({ index }) => index === block?.owner)?.tid;
          assert.equal(whom === 'owner' ? owner : block?.waker, truth.number(whom), app.output());
        }
    });

  it('says the ABI of each app that it can look into, with the probe that it asks each process once', async () => {
    const phone = await bench().another({ abis: 'arm64-v8a,armeabi-v7a,armeabi' });
    for (const [name, is32] of [
      [SHOP, false],
      [BANK, true],
      ['com.example.idle', false],
    ] as const)
      await phone.install(name, { is32 });
    await phone.launch(SHOP);
    await phone.launch(SHOP, undefined, `${SHOP}:sync`);
    await phone.launch(BANK);
    await bench().connect(phone);
    const list = async () => (await targets.list()).map(({ name, abi, detail }) => [name, abi, detail]);
    const where = `Rig Phone (${phone.serial}) · Android 11`;
    const all = [
      [BANK, 'armeabi-v7a', `${where} · armeabi-v7a`],
      ['com.example.idle', undefined, `${where} · not running`],
      [SHOP, 'arm64-v8a', `${where} · arm64-v8a`],
      [`${SHOP}:sync`, 'arm64-v8a', `${where} · arm64-v8a`],
    ];
    assert.deepEqual(await list(), all);
    assert.equal(phone.commands.length, 4, phone.commands.join('\n')); // processes, packages, version, the probe
    assert.deepEqual(await list(), all);
    assert.equal(phone.commands.length, 7, 'nothing is probed again');
  });

  it('records an app from its first message, started anew', async () => {
    const launched = { engine: 'quick', app: 'Startup' } as const;
    await bench().phone.install(SHOP, { launch: launched });
    await bench().connect();
    const target = await targetNamed(SHOP);
    assert.deepEqual([target.pid, target.launchable], [0, true]);
    assert.match(target.detail, /not running$/);
    const session = await target.start({ ...options(), fromLaunch: true });
    assert.ok(session.target.pid > 0);
    const end = await session.ended; // this app ends after its first frame
    assert.equal(end.reason, 'target-exited');
    const trace = await traceOf(session);
    const app = bench().phone.app(SHOP)!;
    assert.equal(trace.info.pid, app.pid);
    const main = mainThread(trace);
    // Its first message took 10 ms of CPU time, then 20; the recording has both. Where one ends and the other begins is known to a sample, and
    // on a busy machine that is some milliseconds.
    assert.ok(cpuWithin(trace, main, methodNamed(trace, 'sample.Startup.initCrashReporter')) > 0);
    const ms = cpuWithin(trace, main, methodNamed(trace, 'sample.Startup.onCreate')) / 1e6;
    assertBetween(ms, 23, 38);
  });

  it('waits for who else starts the app, once, and leaves no agent for later launches', async () => {
    await bench().phone.install(SHOP);
    await bench().connect();
    const target = await targetNamed(SHOP);
    let app: Promise<ArtApp> | undefined;
    const startedElsewhere = () => void (app = bench().phone.launch(SHOP));
    const session = await target.start({ ...options(), fromLaunch: true, startedElsewhere });
    const started = await app!;
    assert.equal(session.target.pid, started.pid);
    await started.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    const properties = await readFile(bench().phone.resolve('/props'), 'utf8');
    for (const name of ['app', 'listen', 'token', 'answer', 'wait'])
      assert.equal(
        properties.match(new RegExp(`^debug\\.btrace\\.${name}=.*$`, 'gm'))?.at(-1),
        `debug.btrace.${name}=`,
      );
    const cache = bench().phone.resolve(`/data/data/${SHOP}/code_cache`);
    assert.equal((await agentsIn(cache)).length, 1);
    const waiting = await readdir(path.join(cache, 'startup_agents')).catch(() => []);
    assert.deepEqual(waiting, []);
    // The same agent takes the next recording.
    const again = await (await targetNamed(SHOP)).start(options());
    await started.more('frame', 2);
    assert.equal((await again.stop()).message, '');
    const maps = await readFile(`/proc/${started.pid}/maps`, 'utf8');
    assert.equal(new Set(maps.match(/\S*btrace-agent-\S*/g)).size, 1);
  });

  it('starts an app that runs already anew, and says when it cannot be started', async () => {
    const before = await bench().launched(SHOP);
    await bench().connect();
    const target = await targetNamed(SHOP);
    const session = await target.start({ ...options(), fromLaunch: true });
    await before.ended;
    const app = bench().phone.app(SHOP)!;
    assert.notEqual(app.pid, before.pid);
    assert.equal(session.target.pid, app.pid);
    await app.more('frame', 2);
    assert.equal((await session.stop()).reason, 'stopped');
    await bench().phone.uninstall(SHOP);
    await assert.rejects(target.start({ ...options(), fromLaunch: true }), TargetError);
  });

  it('records an app of a store from its launch when our library is in it, and leaves nothing', async () => {
    const { phone } = bench();
    await phone.install(BANK, {
      debuggable: false,
      apk: apkOf('bank'),
      launch: { engine: 'quick', app: 'Shipped', arguments: [0, agentLibrary] },
    });
    const before = await phone.launch(BANK);
    assert.equal(before.truths('asked')[0]?.number('for'), 0);
    await bench().connect();
    const target = await targetNamed(BANK);
    // Android 11 tells nobody which apps may be profiled: it is asked to, and says that this one may not.
    await assert.rejects(target.start(options()), {
      message: `Android does not sample ${BANK}: Process not debuggable, and not profileable by shell: ${BANK}.`,
    });
    const session = await target.start({ ...options(), fromLaunch: true });
    const app = phone.app(BANK)!;
    assert.notEqual(app.pid, before.pid);
    assert.equal(session.target.pid, app.pid);
    await app.more('round', 3);
    assert.deepEqual([(await session.stop()).message, app.truths('asked')[0]?.number('for')], ['', 1]);
    const trace = await traceOf(session);
    assert.deepEqual(trace.problems, []);
    const main = mainThread(trace);
    assertBetween(cpuWithin(trace, main, methodNamed(trace, 'sample.Shipped.setUp')) / 1e6, 14, 26);
    const { events } = main;
    const said = Array.from({ length: events.count }, (_, row) => trace.text(events.text[row]!));
    assert.ok(said.filter((text) => text === 'round').length >= 3, said.join());
    assert.deepEqual(await readdir(phone.resolve('/data/local/tmp')), []);
    assert.match(await readFile(phone.resolve('/props'), 'utf8'), /^debug\.btrace\.token=\n(?!.*token)/ms);
    await app.more('round', 2);
  });

  it('says at once of an app of a store that our library is not in it, and leaves it running', async () => {
    const { phone } = bench();
    await phone.install(BANK, { debuggable: false });
    const app = await phone.launch(BANK);
    await bench().connect();
    const target = await targetNamed(BANK);
    await assert.rejects(target.start({ ...options(), fromLaunch: true }), {
      message: `${BANK} takes no agent, and has not BTrace's library in it.`,
    });
    assert.ok(phone.commands.every((command) => !command.includes('force-stop')));
    await app.more('frame', 2);
  });

  it('records any app, and a part of one, where the shell is root, as the app and as nobody else', async () => {
    const { phone } = bench();
    await phone.becomeRoot();
    await phone.install(BANK, { debuggable: false });
    const app = await phone.launch(BANK, undefined, `${BANK}:sync`);
    await bench().connect();
    const target = await targetNamed(`${BANK}:sync`);
    assert.deepEqual(
      [target.refusal, target.pid, target.launchable, target.abi],
      [undefined, app.pid, false, 'x86_64'],
    );
    const session = await target.start(options());
    await app.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    assert.equal((await traceOf(session)).info.targetName, `${BANK}:sync`);
    assert.ok(phone.commands.every((command) => !command.includes('run-as')));
    assert.equal((await agentsIn(phone.resolve(`/data/data/${BANK}/code_cache`))).length, 1);
  });

  // ActivityManager's words changed with API 30.
  for (const sdk of [26, 34])
    it(`understands Android by its words: API ${sdk}`, async () => {
      const phone = await bench().another({ sdk, release: String(sdk), model: `Phone ${sdk}` });
      await phone.install(SHOP);
      const app = await phone.launch(SHOP);
      await bench().connect(phone);
      const target = await targetNamed(SHOP);
      assert.equal(target.runtime, `ART (API ${sdk})`);
      const session = await target.start(options());
      await app.more('frame', 2);
      assert.equal((await session.stop()).message, '');
      if (sdk === 26)
        await assert.rejects(target.start({ ...options(), fromLaunch: true }), {
          message: 'Android 8.0 starts no app with an agent.',
        });
      await phone.refuseAgents('java.lang.SecurityException: Process not debuggable: ProcessRecord{1:shop}');
      const outside = await target.start(options());
      assert.match(
        (await outside.stop()).message,
        /did not attach the agent: Process not debuggable: ProcessRecord\{1:shop\}\.$/,
      );
      await app.kill();
      await assert.rejects(target.start(options()), { message: `${SHOP} does not run any more.` });
    });

  it('pushes the agent once, and copies it once, however often it records', async () => {
    const app = await bench().launched(SHOP);
    await bench().connect();
    /** Of the runtime's file, for what it hides: all that is wanted of it once, and which build it is each time. */
    const reads = () => bench().phone.commands.filter((command) => command.startsWith('dd ')).length;
    let first = 0;
    for (let round = 0; round < 3; round++) {
      const session = await (await targetNamed(SHOP)).start(options());
      first ||= reads();
      await app.more('frame', 1);
      assert.equal((await session.stop()).reason, 'stopped');
    }
    assert.equal(reads(), first + 2);
    const copies = await agentsIn(bench().phone.resolve(`/data/data/${SHOP}/code_cache`));
    assert.equal(copies.length, 1);
    assert.equal((await agentsIn(bench().phone.resolve('/data/local/tmp'))).length, 1);
    // One agent in the app, not three.
    const maps = await readFile(`/proc/${app.pid}/maps`, 'utf8');
    const loaded = new Set(maps.split('\n').map((line) => /\S*btrace-agent-\S*/.exec(line)?.[0]));
    loaded.delete(undefined);
    assert.deepEqual([...loaded], [bench().phone.resolve(`/data/data/${SHOP}/code_cache/${copies[0]}`)]);
  });

  it('says what to do about a device that does not trust this computer', async () => {
    bench().phone.faults.unauthorized = true;
    await bench().connect();
    const [device] = await targets.list();
    assert.equal(device?.pid, 0);
    assert.match(device.refusal ?? '', /allow USB debugging/);
  });

  it('says what to do about a device that hangs', async () => {
    await bench().connect();
    bench().phone.faults.silent = true;
    bench().phone.cut();
    // adb comes back to it by itself, and waits for its answer: that is no moment between two states.
    let device: Target | undefined;
    for (let seen = 0; seen < 5;) {
      [device] = await targets.list();
      seen = device?.detail === 'offline' && bench().phone.isConnected ? seen + 1 : 0;
    }
    assert.ok(device);
    assert.match(device.refusal ?? '', /does not answer\. Pull the cable/);
    await assert.rejects(device.start(options()), { kind: 'not-permitted', nextStep: /Pull the cable/ });
  });

  it('says that the storage is full, and leaves no file', async () => {
    await bench().launched(SHOP);
    await bench().connect();
    bench().phone.faults.full = true;
    const asked = options();
    await assert.rejects((await targetNamed(SHOP)).start(asked), (error: TargetError) => {
      assert.match(error.message, /No space left on device/);
      assert.match(error.nextStep, /storage/);
      return true;
    });
    await assert.rejects(readFile(asked.file), { code: 'ENOENT' });
  });

  it('says that the app does not run any more', async () => {
    const app = await bench().launched(SHOP);
    await bench().connect();
    const target = await targetNamed(SHOP);
    await app.kill();
    await assert.rejects(target.start(options()), { message: `${SHOP} does not run any more.` });
  });
});
