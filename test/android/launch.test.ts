/** Apps that are started for it: recorded from their first message on. */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import { type Session, type Target, TargetError } from '../../src/targets/target.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import { agentLibrary } from '../rigs/art/record.js';
import {
  assertBetween,
  assertFirstMessage,
  cpuWithin,
  eventsOf,
  mainThread,
  methodNamed,
  traceOf as traceIn,
} from '../rigs/art/read-trace.js';
import { type ArtApp, type Engine, engines } from '../rigs/art/runtime.js';
import { apkOf } from '../rigs/phone/apps.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';
import { recordOptions } from '../rigs/record-options.js';

const shop = 'com.example.shop';
const bank = 'com.example.bank';

onEachPhone('recording an app from its launch, over adb', (bench) => {
  let targets: AndroidTargets;

  before(() => void (targets = new AndroidTargets(bench().options())));

  const options = () => recordOptions(bench().file());
  const targetNamed = async (name: string): Promise<Target> =>
    await targets.choose({ app: name, device: undefined });
  const traceOf = (session: Session) => traceIn(session.file);

  for (const engine of Object.keys(engines) as Engine[])
    it(`records an app from its first message, started anew (${engine})`, async () => {
      const launched = { engine, app: 'Startup' } as const;
      await bench().phone.apps.install(shop, { launch: launched });
      await bench().connect();
      const target = await targetNamed(shop);
      assert.deepEqual([target.pid, target.launchable], [0, true]);
      assert.match(target.detail, /not running$/);
      const session = await target.start({ ...options(), fromLaunch: true, budgetPpm: 0 });
      assert.ok(session.target.pid > 0);
      const end = await session.ended; // this app ends after its first frame
      assert.equal(end.reason, 'target-exited');
      const trace = await traceOf(session);
      const app = bench().phone.apps.app(shop)!;
      assert.equal(trace.info.pid, app.pid);
      assertFirstMessage(trace, app);
    });

  it('sees each class that is loaded, by its name and where', async () => {
    await bench().phone.apps.install(shop, { launch: { engine: 'quick', app: 'Startup' } });
    await bench().connect();
    const target = await targetNamed(shop);
    const session = await target.start({ ...options(), fromLaunch: true, syncIntervalNs: 0, budgetPpm: 0 });
    assert.equal((await session.ended).reason, 'target-exited');
    const trace = await traceOf(session);
    const loads = eventsOf(trace, mainThread(trace), SampleKind.ClassLoad);
    for (const name of ['sample.Startup', 'sample.Startup$FirstFrame', 'sample.Cpu']) {
      const load = loads.find(({ type }) => type === name);
      assert.match(load?.stack ?? 'it was not seen', /android\.app\.ActivityThread\.main$/, name);
    }
  });

  it('starts an app with the agent as Android 8.1 can: after its first code', async () => {
    const phone = await bench().another({ sdk: 27, release: '8.1.0' });
    await phone.apps.install(shop);
    await bench().connect(phone);
    const session = await (await targetNamed(shop)).start({ ...options(), fromLaunch: true });
    await phone.apps.app(shop)!.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    assert.match(phone.commands.find((command) => command.includes('am start')) ?? '', / --attach-agent '/);
  });

  it('waits while another host starts the app, and leaves no agent for later launches', async () => {
    await bench().phone.apps.install(shop);
    await bench().connect();
    const target = await targetNamed(shop);
    let app: Promise<ArtApp> | undefined;
    const startedElsewhere = () => void (app = bench().phone.apps.launch(shop));
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
    const cache = `/data/data/${shop}/code_cache`;
    assert.equal((await bench().phone.agentsIn(cache)).length, 1);
    const waiting = await readdir(bench().phone.resolve(`${cache}/startup_agents`)).catch(() => []);
    assert.deepEqual(waiting, []);
    // The same agent takes the next recording.
    const again = await (await targetNamed(shop)).start(options());
    await started.more('frame', 2);
    assert.equal((await again.stop()).message, '');
    const maps = await readFile(`/proc/${started.pid}/maps`, 'utf8');
    assert.equal(new Set(maps.match(/\S*btrace-agent-\S*/g)).size, 1);
  });

  it('restarts an app that runs already, and says when it cannot be started', async () => {
    const before = await bench().launched(shop);
    await bench().connect();
    const target = await targetNamed(shop);
    const session = await target.start({ ...options(), fromLaunch: true });
    await before.ended;
    const app = bench().phone.apps.app(shop)!;
    assert.notEqual(app.pid, before.pid);
    assert.equal(session.target.pid, app.pid);
    await app.more('frame', 2);
    assert.equal((await session.stop()).reason, 'stopped');
    await bench().phone.apps.uninstall(shop);
    await assert.rejects(target.start({ ...options(), fromLaunch: true }), TargetError);
  });

  it('records a release app from its launch through its in-app library, and leaves nothing', async () => {
    const { phone } = bench();
    await phone.apps.install(bank, {
      debuggable: false,
      apk: apkOf('bank'),
      launch: { engine: 'quick', app: 'Shipped', arguments: [0, agentLibrary] },
    });
    const before = await phone.apps.launch(bank);
    assert.equal(before.truths('asked')[0]?.number('for'), 0);
    await bench().connect();
    const target = await targetNamed(bank);
    // Android 11 tells nobody which apps may be profiled: it is asked to, and says that this one may not.
    await assert.rejects(target.start(options()), {
      message: `Android does not sample ${bank}: Process not debuggable, and not profileable by shell: ${bank}.`,
    });
    assert.deepEqual(await readdir(phone.resolve('/data/local/tmp')), []);
    const session = await target.start({ ...options(), fromLaunch: true });
    const app = phone.apps.app(bank)!;
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

  it('says at once that a release app lacks the in-app library, and leaves it running', async () => {
    const { phone } = bench();
    await phone.apps.install(bank, { debuggable: false });
    const app = await phone.apps.launch(bank);
    await bench().connect();
    const target = await targetNamed(bank);
    await assert.rejects(target.start({ ...options(), fromLaunch: true }), {
      message: `${bank} takes no agent, and has not BTrace's library in it.`,
    });
    assert.ok(phone.commands.every((command) => !command.includes('force-stop')));
    await app.more('frame', 2);
  });
});
