/** A phone whose runtime exports none of the functions that the agent asks for: their names are in its packed debug information alone. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { Session } from '../../src/targets/target.js';
import { HookState } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { elfFile } from '../rigs/elf-file.js';
import { hiddenRuntime, packed } from '../rigs/art/hidden-runtime.js';
import { assertSlowFrames, traceOf } from '../rigs/art/read-trace.js';
import { recordOptions } from '../rigs/record-options.js';
import type { ArtApp } from '../rigs/art/runtime.js';
import type { Phone } from '../rigs/phone/phone.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';

const shop = 'com.example.shop';

onEachPhone('an app on a phone whose runtime hides its functions', (bench) => {
  let phone: Phone;

  async function connected(debugData?: Parameters<typeof hiddenRuntime>[2]): Promise<void> {
    const folder = path.join(await mkdtemp(path.join(bench().folder, 'runtime-')), 'lib64');
    await mkdir(folder);
    // As of a module that Play has updated: its name, and version 351010040.
    const manifest = Buffer.from('\x0a\x0fcom.android.art\x10\xf8\xf9\xaf\xa7\x01', 'latin1');
    await writeFile(path.join(folder, '../apex_manifest.pb'), manifest);
    phone = await bench().another({}, await hiddenRuntime(bench().runtime, folder, debugData));
    await phone.apps.install(shop);
    await bench().connect(phone);
  }

  async function start(changes = {}): Promise<Session> {
    const target = await new AndroidTargets(bench().options()).choose({ app: shop, device: phone.serial });
    return await target.start({ ...recordOptions(bench().file()), ...changes });
  }

  const libartOf = (trace: Trace): string =>
    trace.hooks.find(({ name }) => name === 'libart')?.why ?? 'no such hook';

  /** CPU time of a method against what the app itself measured of it. */
  async function assertTrue(session: Session, app: ArtApp): Promise<Trace> {
    await app.more('frame', 40);
    assert.equal((await session.stop()).message, '');
    const trace = await traceOf(session.file);
    assertSlowFrames(trace, app);
    assert.deepEqual(
      trace.hooks.filter(({ state }) => state !== HookState.Removed),
      [],
    );
    assert.match(
      libartOf(trace),
      /^build id \w{40}; com\.android\.art 351010040; from \.gnu_debugdata: \S+, .*WalkStack.*SuspendThreadByThreadId/,
    );
    return trace;
  }

  /** The recording is made all the same, without what could not be found. */
  async function assertWithout(reason: RegExp): Promise<void> {
    const app = await phone.apps.launch(shop);
    const session = await start();
    await app.more('frame', 2);
    assert.deepEqual([(await session.stop()).reason, app.process.exitCode], ['stopped', null]);
    await app.kill();
    const { hooks } = await traceOf(session.file);
    const walk = hooks.find(({ name }) => name === 'walk');
    assert.deepEqual([walk?.state, walk?.why], [HookState.Failed, 'this ART does not show its StackVisitor']);
    assert.match(hooks.find(({ name }) => name === 'libart')?.why ?? '', reason);
  }

  it('is recorded as any other, as it runs and from launch', async () => {
    await connected();
    const app = await phone.apps.launch(shop);
    await assertTrue(await start(), app);
    // As a runtime before its update left it, and a cable that was pulled.
    const pushed = phone.resolve('/data/local/tmp');
    const symbols = async () => (await readdir(pushed)).filter((file) => file.includes('.symbols'));
    const [name = ''] = await symbols();
    const text = await readFile(path.join(pushed, name), 'utf8');
    await rename(
      path.join(pushed, name),
      path.join(pushed, name.replace(/\.\w+\.symbols$/, '.00ff.symbols')),
    );
    await writeFile(path.join(pushed, `${name}.part`), text.slice(0, 100));
    const launched = await start({ fromLaunch: true });
    await assertTrue(launched, phone.apps.app(shop)!);
    assert.deepEqual(await symbols(), [name]);
  });

  it('is recorded without what is torn, missing or not of this runtime, and says so', async () => {
    await connected(async (functions) => (await packed(elfFile(functions))).subarray(0, 300));
    await assertWithout(/; \.gnu_debugdata is not used: it cannot be unpacked; not in it: .*WalkStack/);
    // As where another version of the runtime was left behind.
    const copies = phone.resolve('/data/local/tmp');
    const [name = ''] = (await readdir(copies)).filter((file) => file.endsWith('.symbols'));
    const text = await readFile(path.join(copies, name), 'utf8');
    await writeFile(path.join(copies, name), text.replace(/^build-id \w+/, 'build-id 00ff'));
    await assertWithout(
      /; \.gnu_debugdata is not used: what was handed over is of another build, 00ff; not in it/,
    );
    const beyond = (functions: Parameters<typeof elfFile>[0]) =>
      packed(elfFile(functions.map(({ name: of }) => ({ name: of, start: 0x7fff0000 }))));
    await connected(beyond);
    await assertWithout(/^build id \w{40}; com\.android\.art 351010040; not in it: .*WalkStack/);
  });
});
