/** When an app is recorded externally: where the agent cannot go, or where the app died of it before. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { Session } from '../../src/targets/target.js';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import { Mode } from '../../src/trace/model/kinds.js';
import { type ArtApp, type Engine, engines } from '../rigs/art/runtime.js';
import { recordOptions } from '../rigs/record-options.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';
import { until } from '../rigs/until.js';

const shop = 'com.example.shop';
const bank = 'com.example.bank';

onEachPhone('falling back to external recording', (bench) => {
  const start = async (agents?: string): Promise<Session> =>
    await (await bench().target(shop, agents)).start(recordOptions(bench().file()));
  const traceOf = async (session: Session) => decodeRecording(await readFile(session.file)).trace();

  for (const engine of Object.keys(engines) as Engine[])
    describe(engine, () => {
      const launched = (): Promise<ArtApp> => bench().launched(shop, { engine });

      it('is used after the agent crashed the app once, until the agent is replaced', async () => {
        await launched();
        await bench().connect();
        bench().phone.faults.agentKills = true;
        await assert.rejects(start(), /com\.example\.shop ended while the agent was attached/);
        assert.deepEqual(await readdir(bench().phone.resolve(`/data/data/${shop}/code_cache`)), []);
        bench().phone.faults.agentKills = false;

        const app = await launched();
        const external = await start();
        await app.more('frame', 3);
        assert.match((await external.stop()).message, /the app died of the agent before/);
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
        const cache = `/data/data/${shop}/code_cache`;
        const [copy = '', ...older] = await bench().phone.agentsIn(cache);
        assert.deepEqual(older, []);
        assert.equal((await stat(bench().phone.resolve(`${cache}/${copy}`))).mode & 0o222, 0);
      });

      it('is used where Android refuses to attach the agent, and quotes the refusal', async () => {
        const app = await launched();
        await bench().connect();
        await bench().phone.refuseAgents(
          "java.lang.SecurityException: Can't attach agent, process is not debuggable.",
        );
        const session = await start();
        assert.deepEqual(await readdir(bench().phone.resolve(`/data/data/${shop}/code_cache`)), []);
        await app.more('frame', 2);
        const { message } = await session.stop();
        assert.match(
          message,
          /Android did not attach the agent: Can't attach agent, process is not debuggable/,
        );
        assert.equal((await traceOf(session)).info.mode, Mode.External);
      });
    });

  for (const { how, walks, onStack } of [
    { how: 'crashed in the middle of a walk', walks: 1, onStack: false },
    { how: 'died with the agent on its stack, as the crash log has it', walks: 0, onStack: true },
  ])
    it(`is done after an app ${how}`, async () => {
      const app = await bench().launched(shop);
      await bench().connect();
      const inside = await start();
      await app.more('frame', 2);
      await crashed(app.pid, shop, onStack);
      await app.kill(walks);
      assert.equal((await inside.ended).reason, 'target-exited');
      await bench().launched(shop);
      const external = await start();
      assert.match((await external.stop()).message, /the app died of the agent before/);
    });

  /** How the app is recorded now, and what then becomes of it. */
  async function recordedOnce(end: 'stop' | 'kill in a walk'): Promise<string> {
    const app = await bench().launched(shop);
    const session = await start();
    await app.more('frame', 2);
    if (end === 'stop') {
      const { message } = await session.stop();
      await app.kill();
      return message;
    }
    await app.kill(1);
    return (await session.ended).reason;
  }

  it('is not used after an app was killed in the middle of a walk, if not twice in a row', async () => {
    await bench().connect();
    // The crash of another process is none of its own.
    await crashed(1, 'com.example.other');
    assert.equal(await recordedOnce('kill in a walk'), 'target-exited');
    assert.equal(await recordedOnce('stop'), '');
    assert.equal(await recordedOnce('kill in a walk'), 'target-exited');
    assert.equal(await recordedOnce('kill in a walk'), 'target-exited');
    assert.match(await recordedOnce('stop'), /the app died of the agent before/);
  });

  it('is done after an app ended in the middle of a walk where the crash log cannot be read', async () => {
    await bench().connect();
    await writeFile(bench().phone.resolve('/no-crashes'), '');
    assert.equal(await recordedOnce('kill in a walk'), 'target-exited');
    assert.match(await recordedOnce('stop'), /the app died of the agent before/);
  });

  /** A crash as Android logs it, with this agent on the stack. */
  async function crashed(pid: number, name: string, onStack = true): Promise<void> {
    const [agent = ''] = await bench().phone.agentsIn('/data/local/tmp');
    const heading = `F DEBUG : pid: ${pid}, tid: ${pid}, name: main  >>> ${name} <<<`;
    const code = onStack ? `/data/data/${name}/code_cache/${agent}` : '/apex/com.android.art/lib64/libart.so';
    const frame = `F DEBUG :       #00 pc 1  ${code}`;
    await appendFile(bench().phone.resolve('/crashes'), `${heading}\n${frame}\n`);
  }

  it('is not used because the agent crashed another app or process', async () => {
    const { phone } = bench();
    const app = await bench().launched(shop);
    const part = await phone.apps.launch(shop, undefined, `${shop}:sync`);
    await bench().connect();
    const inside = await start();
    await app.more('frame', 2);
    const copies = phone.resolve(`/data/data/${shop}/code_cache`);
    const marker = (await readdir(copies)).find((name) => name.endsWith('.walking'))!;
    const ofPart = marker.replace('.walking', ':sync.walking');
    await writeFile(path.join(copies, ofPart), Buffer.from([1, 0, 0, 0]));
    await appendFile(
      phone.resolve('/crashes'),
      `F DEBUG : pid: ${app.pid}, tid: 1, name: a >>> ${shop} <<<\n`,
    );
    await crashed(part.pid, `${shop}:sync`);
    await app.kill();
    assert.equal((await inside.ended).reason, 'target-exited');
    await bench().launched(shop);
    const again = await start();
    assert.equal((await again.stop()).message, '');
  });

  it('is used after an app died at a launch with the agent', async () => {
    const { phone } = bench();
    const before = await bench().launched(shop);
    await bench().connect();
    await (await start()).stop();
    await before.kill();
    phone.faults.agentKills = true;
    const target = await bench().target(shop);
    const launching = target.start(recordOptions(bench().file(), { fromLaunch: true }));
    launching.catch(() => undefined);
    const looked = () => phone.commands.filter((command) => command.includes('pidof')).length;
    await until('the app is looked for twice', () => looked() >= 2, 5);
    await crashed(1, shop);
    await phone.apps.app(shop)!.kill();
    const looks = looked();
    await assert.rejects(launching, { message: `${shop} ended as it was started with the agent.` });
    // One look may have been under way. Where it is waited for all the same, there are dozens.
    assert.ok(looked() <= looks + 1, 'it was waited for though it had ended');
    assert.deepEqual(await readdir(phone.resolve(`/data/data/${shop}/code_cache`)), []);
    await bench().launched(shop);
    const external = await start();
    assert.match((await external.stop()).message, /the app died of the agent before/);
  });

  async function assertSampled(session: Session, app: ArtApp): Promise<void> {
    await app.until(/system: profile start/);
    await app.more('frame', 12);
    const { reason, message } = await session.stop();
    assert.equal(reason, 'stopped');
    assert.match(message, /Recorded externally.*it is not debuggable, and takes no agent/);
    const trace = await traceOf(session);
    assert.equal(trace.info.mode, Mode.External);
    const methods = Array.from({ length: trace.methods.count }, (_, at) => trace.methods.qualifiedName(at));
    // All that the app burns, it burns below this; a busy machine has few samples of each method there.
    assert.ok(methods.includes('sample.Jank.doFrame'), methods.join());
  }

  it('is offered for release apps that are profileable, and for no others', async () => {
    const phone = await bench().another({ sdk: 31 });
    await phone.apps.install(bank, { debuggable: false, profileable: true });
    await phone.apps.install('com.example.vault', { debuggable: false });
    const app = await phone.apps.launch(bank);
    await phone.apps.launch('com.example.vault');
    await bench().connect(phone);
    const targets = await new AndroidTargets(bench().options()).list();
    assert.deepEqual(
      targets.map(({ name, refusal, externalOnly, launchNeedsLibrary }) => [
        name,
        refusal === undefined,
        externalOnly,
        launchNeedsLibrary,
      ]),
      [
        [bank, true, true, true],
        ['com.example.vault', false, false, true],
      ],
    );
    await assertSampled(await targets[0]!.start(recordOptions(bench().file())), app);
    await assert.rejects(targets[1]!.start(recordOptions(bench().file())), {
      message: 'com.example.vault cannot be recorded.',
    });
    // What is asked for by no name is what is being worked on.
    await phone.apps.install(shop);
    await phone.apps.launch(shop);
    const chosen = await new AndroidTargets(bench().options()).choose({
      app: undefined,
      device: phone.serial,
    });
    assert.equal(chosen.name, shop);
  });

  it('is tried for a named app where Android does not say which are profileable', async () => {
    const { phone } = bench();
    await phone.apps.install(bank, { debuggable: false, profileable: true });
    const app = await phone.apps.launch(bank);
    await bench().connect();
    const target = await bench().target(bank);
    assert.match(target.refusal ?? '', /package not debuggable/);
    await assertSampled(await target.start(recordOptions(bench().file())), app);
  });
});
