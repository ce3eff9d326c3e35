/** What phones differ in, and an emulator and a car: users, the freezer, icons, ABIs. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import type { AndroidTarget } from '../../src/targets/android/app-target.js';
import type { Session } from '../../src/targets/target.js';
import { traceOf } from '../rigs/art/read-trace.js';
import type { ArtApp } from '../rigs/art/runtime.js';
import type { Installed } from '../rigs/phone/apps.js';
import type { Phone } from '../rigs/phone/phone.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';
import { recordOptions } from '../rigs/record-options.js';

const shop = 'com.example.shop';

onEachPhone('recording on phones of many kinds', (bench) => {
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

  it('takes the app of the user that is meant, with the agent and externally', async () => {
    const { phone } = bench();
    await phone.apps.install(shop, { users: [0, 10] });
    const first = await phone.apps.launch(shop);
    const work = await phone.apps.launch(shop, undefined, shop, 10);
    await bench().connect();
    const all = await list();
    assert.deepEqual(new Set(all.map(({ id }) => id)).size, 2);
    assert.match(all.find(({ pid }) => pid === work.pid)?.detail ?? '', / · user 10 · x86_64$/);
    await assert.rejects(choose(shop), (error: Error) =>
      error.message.includes(`2 apps are called "${shop}":\n  ${shop}  on Rig Phone`),
    );
    const target = await choose(`${shop}@10`);
    await assertRecords(await target.start(options()), work);
    const agents = async (folder: string) =>
      (await readdir(phone.resolve(`${folder}/${shop}/code_cache`)).catch(() => [])).length;
    assert.deepEqual([await agents('/data/data'), (await agents('/data/user/10')) > 0], [0, true]);
    await phone.refuseAgents("java.lang.SecurityException: Can't attach agent");
    const external = await target.start(options());
    await work.until(/system: profile start/);
    assert.equal((await external.stop()).reason, 'stopped');
    assert.ok(!first.output().includes('system:'), first.output());
  });

  it('records a process that has a name of its own, or that of another package', async () => {
    const { phone } = bench();
    await phone.apps.install(shop);
    await phone.apps.install('com.example.till', { debuggable: false });
    const processes = ['org.sync.engine', 'com.example.till'];
    for (const process of processes) await phone.apps.launch(shop, undefined, process);
    await bench().connect();
    for (const process of processes) {
      const target = await choose(process);
      const app = phone.apps.app(process)!;
      assert.deepEqual([target.pid, target.abi, target.launchable], [app.pid, 'x86_64', false]);
      await assertRecords(await target.start(options()), app);
      await phone.apps.freeze(app);
      await assert.rejects(target.start(options()), { message: new RegExp(`has frozen ${process}, `) });
      await phone.apps.unfreeze(app);
    }
    assert.deepEqual(await readdir(phone.resolve('/data/data')), ['com.example.shop', 'com.example.till']);
    assert.deepEqual(await readdir(phone.resolve('/data/data/com.example.till')), []);
    assert.match((await readdir(phone.resolve(`/data/data/${shop}/code_cache`))).join(), /btrace-agent-/);
  });

  it('lists an app once whose process has another name, and restarts it', async () => {
    const { phone } = bench();
    await phone.apps.install(shop, { mainProcess: 'org.shop.main' });
    const app = await phone.apps.launch(shop);
    await phone.apps.launch(shop, undefined, 'org.sync.engine');
    await bench().connect();
    const listed = async () => (await list()).map(({ name, pid, launchable }) => [name, pid, launchable]);
    const engine = phone.apps.app('org.sync.engine')!;
    assert.deepEqual(await listed(), [
      ['org.shop.main', app.pid, true],
      ['org.sync.engine', engine.pid, false],
    ]);
    const session = await (await choose('org.shop.main')).start(options({ fromLaunch: true }));
    assert.notEqual(session.target.pid, app.pid);
    await assertRecords(session, phone.apps.app('org.shop.main')!);
    // What is no main process hides none.
    await phone.apps.app('org.shop.main')!.kill();
    assert.deepEqual(await listed(), [
      [shop, 0, true],
      ['org.sync.engine', engine.pid, false],
    ]);
  });

  it('does not take a system process for a package that is not installed', async () => {
    const { phone } = bench();
    await phone.becomeRoot();
    await phone.apps.install(shop);
    await phone.apps.install('com.android.providers.contacts', { debuggable: false, ofSystem: true });
    const app = await phone.apps.launch('com.android.providers.contacts', undefined, 'android.process.acore');
    // A daemon that is called like an app.
    const row = `${process.pid} network_stack com.android.networkstack.process app_process64\n`;
    await appendFile(phone.resolve('/processes'), row);
    await bench().connect();
    assert.deepEqual(
      (await list()).map(({ name }) => name),
      ['android.process.acore', shop],
    );
    await assertRecords(await (await choose('android.process.acore')).start(options()), app);
    const copies = await readdir(phone.resolve('/data/data/com.android.providers.contacts/code_cache'));
    assert.match(copies.join(), /btrace-agent-/);
  });

  it('records while another user is in the foreground, as in a car, also from launch', async () => {
    const { phone } = bench();
    await phone.switchUser(10);
    await phone.apps.install(shop, { users: [10] });
    await bench().connect();
    const target = await choose();
    assert.deepEqual([target.name, target.pid], [shop, 0]);
    const session = await target.start(options({ fromLaunch: true }));
    await assertRecords(session, phone.apps.app(shop, 10)!);
    await assertRecords(await (await choose(shop)).start(options()), phone.apps.app(shop, 10)!);
  });

  it('says that Android has frozen an app, leaves it as it is, and records it when it runs again', async () => {
    const app = await bench().launched(shop);
    const { phone } = bench();
    await bench().connect();
    const target = await choose();
    await phone.apps.freeze(app);
    await assert.rejects(target.start(options()), {
      message: `Android has frozen ${shop}, because it is in the background: nothing in it runs.`,
      nextStep: /Bring it to the front/,
    });
    assert.ok(phone.commands.every((command) => !command.includes('attach-agent')));
    await phone.apps.unfreeze(app);
    await assertRecords(await target.start(options()), app);
  });

  it('ends a recording whose app was frozen meanwhile, with what had come', async () => {
    const app = await bench().launched(shop);
    await bench().connect();
    const session = await (await choose()).start(options());
    while (!(await traceOf(session.file)).threads.some(({ sampleCount }) => sampleCount > 10))
      await app.more('frame', 1);
    await bench().phone.apps.freeze(app);
    const { reason, message } = await session.stop();
    assert.equal(reason, 'stopped');
    assert.match(message, /^Android has frozen com\.example\.shop in the background/);
    const trace = await traceOf(session.file);
    assert.deepEqual([trace.complete, trace.problems], [true, []]);
    await bench().phone.apps.unfreeze(app);
    await app.more('frame', 2);
    await assertRecords(await (await choose()).start(options()), app);
  });

  it('looks into many apps a part at a time', async () => {
    const { phone } = bench();
    for (let app = 0; app < 50; app++) await phone.apps.install(`com.example.app${app}`);
    await bench().connect();
    assert.equal((await list()).filter(({ refusal }) => refusal === undefined).length, 50);
    assert.equal(phone.commands.filter((command) => command.includes('look ')).length, 2);
  });

  async function launchedFrom(packageName: string, installed: Partial<Installed>, phone: Phone) {
    await phone.apps.install(packageName, installed);
    await bench().connect(phone);
    const session = await (await choose(packageName)).start(options({ fromLaunch: true }));
    await assertRecords(session, phone.apps.app(packageName)!);
    return phone.commands.find((command) => command.includes('am start')) ?? '';
  }

  it("starts an app by its own icon, not by a library's", async () => {
    const leaks = 'leakcanary.internal.activity.LeakLauncherActivity';
    const installed = { launchers: [leaks, 'com.example.shop.ui.Main', 'com.example.shop.Second'] };
    const command = await launchedFrom(`${shop}.debug`, installed, bench().phone);
    assert.match(command, /-n 'com\.example\.shop\.debug\/com\.example\.shop\.ui\.Main'/);
  });

  it('does not take an app name for an error message', async () => {
    await launchedFrom(
      'com.example.exceptions',
      { launchers: ['.java.ErrorActivity', '.Error'] },
      bench().phone,
    );
  });

  it('brings an app of 32 bits the agent for them, as it runs and as it is started', async () => {
    const phone = await bench().another({ abis: 'x86_64,armeabi-v7a' });
    await phone.apps.install(shop, { is32: true, nativeAbi: 'armeabi-v7a' });
    await bench().connect(phone);
    const folder = path.join(bench().folder, 'narrow');
    await mkdir(path.join(folder, 'agents'), { recursive: true });
    const of = (abi: string) => path.join('agents', abi);
    await symlink(path.join(bench().agents, of('android-x86_64')), path.join(folder, of('android-armv7')));
    const target = async () => await bench().target(shop, folder);
    await assertRecords(await (await target()).start(options({ fromLaunch: true })), phone.apps.app(shop)!);
    await assertRecords(await (await target()).start(options()), phone.apps.app(shop)!);
  });

  it("brings an emulator's own agent to an app whose native code it translates", async () => {
    const emulator = await bench().another({ abis: 'x86_64,arm64-v8a' });
    await launchedFrom(shop, { nativeAbi: 'arm64-v8a' }, emulator);
  });
});
