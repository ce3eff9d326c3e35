/** What is listed of the devices of an adb server, and what is said of those that cannot be used. */
import assert from 'node:assert/strict';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import { type Target, TargetError } from '../../src/targets/target.js';
import { apkOf } from '../rigs/phone/apps.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';
import { recordOptions } from '../rigs/record-options.js';

const shopApp = 'com.example.shop';
const bank = 'com.example.bank';

onEachPhone('the devices of an adb server, and their apps', (bench) => {
  let targets: AndroidTargets;

  before(() => void (targets = new AndroidTargets(bench().options())));

  const options = () => recordOptions(bench().file());

  it('lists debuggable apps first, and says why others cannot be recorded', async () => {
    const { phone } = bench();
    await phone.apps.install(bank, { debuggable: false });
    await phone.apps.launch(bank, { engine: 'quick', app: 'Jank', arguments: [0] });
    const shop = await bench().launched(shopApp);
    await bench().connect();
    const [first, second, ...rest] = await targets.list();
    assert.deepEqual(rest, []);
    assert.equal(first?.name, shopApp);
    assert.equal(first.pid, shop.pid);
    assert.equal(first.refusal, undefined);
    assert.equal(first.runtime, 'ART (API 30)');
    assert.deepEqual([first.abi, second?.abi], ['x86_64', undefined]);
    assert.equal(first.detail, `Rig Phone (${phone.serial}) · Android 11 · x86_64`);
    assert.equal(second?.name, bank);
    assert.match(
      second.refusal ?? '',
      /package not debuggable: com\.example\.bank.*Install a debuggable or profileable build/,
    );
    await assert.rejects(second.start(options()), TargetError);
  });

  it('lists a device by a serial as long as those of wireless debugging, and records on it', async () => {
    const app = await bench().launched(shopApp);
    const serial = await bench().connectWireless();
    const target = await targets.choose({ app: shopApp, device: serial });
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
      await bench().launched(shopApp);
      const shown = async () => (await targets.list()).some(({ name }) => name === shopApp);
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
    await phone.apps.install(shopApp);
    await phone.apps.install('com.example.till', { apk: apkOf('bank') });
    await phone.apps.install('com.example.torn', { apk: apkOf('shop').subarray(0, 1000) });
    await phone.apps.install(bank, { debuggable: false });
    await phone.apps.launch(bank);
    await bench().connect();
    const others = [
      ['com.example.torn', undefined],
      [bank, undefined], // it cannot be recorded, so it is not read
    ];
    assert.deepEqual(await labels(), [[shopApp, undefined], ['com.example.till', undefined], ...others]);
    assert.equal(await targets.readLabels(), true);
    const named = [[shopApp, 'Ładen ☂ 店'], ['com.example.till', 'Rig Bank'], ...others];
    assert.deepEqual(await labels(), named);
    assert.equal((await targets.choose({ app: 'rig bank', device: undefined })).name, 'com.example.till');
    const reads = () => phone.commands.filter((command) => command.startsWith('dd ')).length;
    const before = reads();
    assert.ok(before > 0);
    assert.equal(await targets.readLabels(), false);
    assert.deepEqual([await labels(), reads()], [named, before]);
    await phone.apps.upgrade('com.example.till', { apk: apkOf('shop') });
    assert.deepEqual((await labels())[1], ['com.example.till', undefined]);
    assert.equal(await targets.readLabels(), true);
    assert.deepEqual((await labels())[1], ['com.example.till', 'Ładen ☂ 店']);
  });

  it('names an app in the language of its device, where it has one for it', async () => {
    const phone = await bench().another({ locale: 'de-AT' });
    await phone.apps.install(shopApp);
    await phone.apps.install('com.example.till', { apk: apkOf('bank') });
    await bench().connect(phone);
    const named = async () => {
      await targets.list();
      await targets.readLabels();
      return (await labels()).map(([, label]) => label);
    };
    assert.deepEqual(await named(), ['auf Deutsch', 'Rig Bank']);
    await phone.setLocale('pl-PL');
    assert.deepEqual(await named(), ['Ładen ☂ 店', 'Rig Bank']);
  });

  it('tells who watches when labels have come', async () => {
    await watching(async (until) => {
      await bench().phone.apps.install(shopApp);
      await bench().connect();
      await until(async () => (await labels())[0]?.[1] === 'Ładen ☂ 店');
    });
  });

  it('says the ABI of each app that it can look into, with the probe that it asks each process once', async () => {
    const phone = await bench().another({ abis: 'arm64-v8a,armeabi-v7a,armeabi' });
    for (const [name, is32] of [
      [shopApp, false],
      [bank, true],
      ['com.example.idle', false],
    ] as const)
      await phone.apps.install(name, { is32 });
    await phone.apps.launch(shopApp);
    await phone.apps.launch(shopApp, undefined, `${shopApp}:sync`);
    await phone.apps.launch(bank);
    await bench().connect(phone);
    const list = async () => (await targets.list()).map(({ name, abi, detail }) => [name, abi, detail]);
    const where = `Rig Phone (${phone.serial}) · Android 11`;
    const all = [
      [bank, 'armeabi-v7a', `${where} · armeabi-v7a`],
      ['com.example.idle', undefined, `${where} · not running`],
      [shopApp, 'arm64-v8a', `${where} · arm64-v8a`],
      [`${shopApp}:sync`, 'arm64-v8a', `${where} · arm64-v8a`],
    ];
    assert.deepEqual(await list(), all);
    assert.equal(phone.commands.length, 4, phone.commands.join('\n')); // processes, packages, version, the probe
    assert.deepEqual(await list(), all);
    assert.equal(phone.commands.length, 7, 'nothing is probed again');
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
});
