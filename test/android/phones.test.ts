/** What phones differ in, and an emulator and a car: users, the freezer, icons, ABIs. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { AndroidTarget } from '../../src/targets/android/app-target.js';
import type { Session } from '../../src/targets/target.js';
import { traceOf } from '../rigs/art/read-trace.js';
import type { ArtApp } from '../rigs/art/runtime.js';
import type { Installed, Phone } from '../rigs/phone/phone.js';
import { withPhone } from '../rigs/phone/with-phone.js';
import { recordOptions } from '../rigs/record-options.js';

const SHOP = 'com.example.shop';

describe('recording on phones of many kinds', () => {
  const bench = withPhone();

  const choose = (app?: string): Promise<AndroidTarget> =>
    new AndroidTargets(bench().options()).choose({ app, device: undefined });
  const list = () => new AndroidTargets(bench().options()).list();
  const options = (changes = {}) => recordOptions(bench().file(), changes);

  async function assertRecords(session: Session, app: ArtApp): Promise<void> {
    assert.equal(session.target.pid, app.pid);
    await app.more('frame', 2);
    assert.equal((await session.stop()).message, '');
    assert.equal((await traceOf(session.file)).info.pid, app.pid);
  }

  it('takes the app of the user that is meant, from inside and from outside', async () => {
    const { phone } = bench();
    await phone.install(SHOP, { users: [0, 10] });
    const first = await phone.launch(SHOP);
    const work = await phone.launch(SHOP, undefined, SHOP, 10);
    await bench().connect();
    const all = await list();
    assert.deepEqual(new Set(all.map(({ id }) => id)).size, 2);
    assert.match(all.find(({ pid }) => pid === work.pid)?.detail ?? '', / · user 10 · x86_64$/);
    await assert.rejects(choose(SHOP), (error: Error) =>
      error.message.includes(`2 apps are called "${SHOP}":\n  ${SHOP}  on Rig Phone`),
    );
    const target = await choose(`${SHOP}@10`);
    await assertRecords(await target.start(options()), work);
    const agents = async (folder: string) =>
      (await readdir(phone.resolve(`${folder}/${SHOP}/code_cache`)).catch(() => [])).length;
    assert.deepEqual([await agents('/data/data'), (await agents('/data/user/10')) > 0], [0, true]);
    await phone.refuseAgents("java.lang.SecurityException: Can't attach agent");
    const outside = await target.start(options());
    await work.until(/system: profile start/);
    assert.equal((await outside.stop()).reason, 'stopped');
    assert.ok(!first.output().includes('system:'), first.output());
  });

  it('records a process that has a name of its own, or that of another package', async () => {
    const { phone } = bench();
    await phone.install(SHOP);
    await phone.install('com.example.till', { debuggable: false });
    const processes = ['org.sync.engine', 'com.example.till'];
    for (const process of processes) await phone.launch(SHOP, undefined, process);
    await bench().connect();
    for (const process of processes) {
      const target = await choose(process);
      const app = phone.app(process)!;
      assert.deepEqual([target.pid, target.abi, target.launchable], [app.pid, 'x86_64', false]);
      await assertRecords(await target.start(options()), app);
      await phone.freeze(app);
      await assert.rejects(target.start(options()), { message: new RegExp(`has frozen ${process}, `) });
      await phone.unfreeze(app);
    }
    assert.deepEqual(await readdir(phone.resolve('/data/data')), ['com.example.shop', 'com.example.till']);
    assert.deepEqual(await readdir(phone.resolve('/data/data/com.example.till')), []);
    assert.match((await readdir(phone.resolve(`/data/data/${SHOP}/code_cache`))).join(), /btrace-agent-/);
  });

  it('lists an app whose process is called otherwise once, and starts it anew', async () => {
    const { phone } = bench();
    await phone.install(SHOP, { mainProcess: 'org.shop.main' });
    const app = await phone.launch(SHOP);
    await phone.launch(SHOP, undefined, 'org.sync.engine');
    await bench().connect();
    const listed = async () => (await list()).map(({ name, pid, launchable }) => [name, pid, launchable]);
    const engine = phone.app('org.sync.engine')!;
    assert.deepEqual(await listed(), [
      ['org.shop.main', app.pid, true],
      ['org.sync.engine', engine.pid, false],
    ]);
    const session = await (await choose('org.shop.main')).start(options({ fromLaunch: true }));
    assert.notEqual(session.target.pid, app.pid);
    await assertRecords(session, phone.app('org.shop.main')!);
    // What is no main process hides none.
    await phone.app('org.shop.main')!.kill();
    assert.deepEqual(await listed(), [
      [SHOP, 0, true],
      ['org.sync.engine', engine.pid, false],
    ]);
  });

  it('takes no process of the system for a package that there is not', async () => {
    const { phone } = bench();
    await phone.becomeRoot();
    await phone.install(SHOP);
    await phone.install('com.android.providers.contacts', { debuggable: false, ofSystem: true });
    const app = await phone.launch('com.android.providers.contacts', undefined, 'android.process.acore');
    // A daemon that is called like an app.
    const row = `${process.pid} network_stack com.android.networkstack.process app_process64\n`;
    await appendFile(phone.resolve('/processes'), row);
    await bench().connect();
    assert.deepEqual(
      (await list()).map(({ name }) => name),
      ['android.process.acore', SHOP],
    );
    await assertRecords(await (await choose('android.process.acore')).start(options()), app);
    const copies = await readdir(phone.resolve('/data/data/com.android.providers.contacts/code_cache'));
    assert.match(copies.join(), /btrace-agent-/);
  });

  it('records where another user is before the screen, as in a car, also from launch', async () => {
    const { phone } = bench();
    await phone.switchUser(10);
    await phone.install(SHOP, { users: [10] });
    await bench().connect();
    const target = await choose();
    assert.deepEqual([target.name, target.pid], [SHOP, 0]);
    const session = await target.start(options({ fromLaunch: true }));
    await assertRecords(session, phone.app(SHOP, 10)!);
    await assertRecords(await (await choose(SHOP)).start(options()), phone.app(SHOP, 10)!);
  });

  it('says that Android has frozen an app, leaves it as it is, and records it when it runs again', async () => {
    const app = await bench().launched(SHOP);
    const { phone } = bench();
    await bench().connect();
    const target = await choose();
    await phone.freeze(app);
    await assert.rejects(target.start(options()), {
      message: `Android has frozen ${SHOP}, because it is in the background: nothing in it runs.`,
      nextStep: /Bring it to the front/,
    });
    assert.ok(phone.commands.every((command) => !command.includes('attach-agent')));
    await phone.unfreeze(app);
    await assertRecords(await target.start(options()), app);
  });

  it('ends a recording whose app was frozen meanwhile, with what had come', async () => {
    const app = await bench().launched(SHOP);
    await bench().connect();
    const session = await (await choose()).start(options());
    while (!(await traceOf(session.file)).threads.some(({ sampleCount }) => sampleCount > 10))
      await app.more('frame', 1);
    await bench().phone.freeze(app);
    const { reason, message } = await session.stop();
    assert.equal(reason, 'stopped');
    assert.match(message, /^Android has frozen com\.example\.shop in the background/);
    const trace = await traceOf(session.file);
    assert.deepEqual([trace.complete, trace.problems], [true, []]);
    await bench().phone.unfreeze(app);
    await app.more('frame', 2);
    await assertRecords(await (await choose()).start(options()), app);
  });

  it('looks into many apps a part at a time', async () => {
    const { phone } = bench();
    for (let app = 0; app < 50; app++) await phone.install(`com.example.app${app}`);
    await bench().connect();
    assert.equal((await list()).filter(({ refusal }) => refusal === undefined).length, 50);
    assert.equal(phone.commands.filter((command) => command.includes('look ')).length, 2);
  });

  async function launchedFrom(packageName: string, installed: Partial<Installed>, phone: Phone) {
    await phone.install(packageName, installed);
    await bench().connect(phone);
    const session = await (await choose(packageName)).start(options({ fromLaunch: true }));
    await assertRecords(session, phone.app(packageName)!);
    return phone.commands.find((command) => command.includes('am start')) ?? '';
  }

  it("starts an app by its own icon, not by a library's", async () => {
    const leaks = 'leakcanary.internal.activity.LeakLauncherActivity';
    const installed = { launchers: [leaks, 'com.example.shop.ui.Main', 'com.example.shop.Second'] };
    const command = await launchedFrom(`${SHOP}.debug`, installed, bench().phone);
    assert.match(command, /-n 'com\.example\.shop\.debug\/com\.example\.shop\.ui\.Main'/);
  });

  it('takes no name for a refusal', async () => {
    await launchedFrom(
      'com.example.exceptions',
      { launchers: ['.java.ErrorActivity', '.Error'] },
      bench().phone,
    );
  });

  it('brings an app of 32 bits the agent for them, as it runs and as it is started', async () => {
    const phone = await bench().another({ abis: 'x86_64,armeabi-v7a' });
    await phone.install(SHOP, { is32: true, nativeAbi: 'armeabi-v7a' });
    await bench().connect(phone);
    const folder = path.join(bench().folder, 'narrow');
    await mkdir(path.join(folder, 'agents'), { recursive: true });
    const of = (abi: string) => path.join('agents', abi);
    await symlink(path.join(bench().agents, of('android-x86_64')), path.join(folder, of('android-armv7')));
    const target = async () => await bench().target(SHOP, folder);
    await assertRecords(await (await target()).start(options({ fromLaunch: true })), phone.app(SHOP)!);
    await assertRecords(await (await target()).start(options()), phone.app(SHOP)!);
  });

  it("brings an emulator's own agent to an app whose native code it translates", async () => {
    const emulator = await bench().another({ abis: 'x86_64,arm64-v8a' });
    await launchedFrom(SHOP, { nativeAbi: 'arm64-v8a' }, emulator);
  });
});
