import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  AdbServer,
  findAdb,
  parseServer,
  serverInEnvironment,
} from '../../../src/targets/android/adb-server.js';
import { parsePackages, parseProcesses } from '../../../src/targets/android/apps.js';
import type { AndroidTarget } from '../../../src/targets/android/app-target.js';
import { chooseTarget } from '../../../src/targets/android/choose-target.js';
import {
  deviceId,
  deviceName,
  deviceRefusal,
  parseDevices,
} from '../../../src/targets/android/device-list.js';
import type { TargetError } from '../../../src/targets/target.js';
import { quoted } from '../../../src/targets/android/device-shell.js';

describe('devices as adb lists them', () => {
  const text = [
    '39171FDJH00ABC         device usb:1-4 product:shiba model:Pixel_8 device:shiba transport_id:12',
    'adb-R5CT-abc (2)._adb-tls-connect._tcp offline transport_id:3',
    'emulator-5554          unauthorized transport_id:4',
    '0123456789ABCDEF       no permissions (missing udev rules? user is in the plugdev group); see [http://developer.android.com/tools/device.html] usb:1-1 transport_id:5',
    'adb-39171FDJH00ABC-4nTq8e._adb-tls-connect._tcp device product:shiba model:Pixel_8 device:shiba transport_id:7',
    'HT7      recovery usb:1-2 product:x model:y device:z transport_id:6',
    '',
  ].join('\n');

  it('reads serials with spaces, states of several words, models and transports', () => {
    assert.deepEqual(
      parseDevices(text).map(({ serial, state, model, transportId }) => [serial, state, model, transportId]),
      [
        ['39171FDJH00ABC', 'device', 'Pixel 8', 12n],
        ['adb-R5CT-abc (2)._adb-tls-connect._tcp', 'offline', '', 3n],
        ['emulator-5554', 'unauthorized', '', 4n],
        [
          '0123456789ABCDEF',
          'no permissions (missing udev rules? user is in the plugdev group); see [http://developer.android.com/tools/device.html]',
          '',
          5n,
        ],
        ['adb-39171FDJH00ABC-4nTq8e._adb-tls-connect._tcp', 'device', 'Pixel 8', 7n],
        ['HT7', 'recovery', 'y', 6n],
      ],
    );
  });

  it('says what each that is not ready needs', () => {
    const [ready, offline, unknown, forbidden, wireless, recovery] = parseDevices(text).map(deviceRefusal);
    assert.equal(ready, undefined);
    assert.match(offline ?? '', /cable/);
    assert.match(unknown ?? '', /allow USB debugging/);
    assert.match(forbidden ?? '', /udev/);
    assert.equal(wireless, undefined);
    assert.match(recovery ?? '', /recovery mode\. Start Android/);
    assert.equal(deviceName(parseDevices(text)[0]!), 'Pixel 8 (39171FDJH00ABC)');
  });
});

describe('apps as a device lists them', () => {
  it('takes apps and their parts, and nothing of the system', () => {
    const text = `  PID USER         NAME
    1 root         init
  812 system       com.android.systemui.service
 4711 u0_a123      com.example.shop
 4712 u0_a123      com.example.shop:sync
 4713 u0_i9        com.example.shop:isolated
 4714 u10_a5       org.work.mail
 4715 u0_a9        sh
`;
    assert.deepEqual(
      parseProcesses(text, false).map(({ pid, process, packageName, user }) => [
        pid,
        process,
        packageName,
        user,
      ]),
      [
        [4711, 'com.example.shop', 'com.example.shop', 0],
        [4712, 'com.example.shop:sync', 'com.example.shop', 0],
        [4714, 'org.work.mail', 'org.work.mail', 10],
      ],
    );
  });

  it('takes packages with the number of their user, of whichever of the users of Android', () => {
    const text = `package:/data/app/~~a==/com.example.shop-b==/base.apk=com.example.shop uid:10123
package:/data/app/till/base.apk=com.example.till uid:1010124
package:/data/app/bank/base.apk=com.example.bank uid:10125,1010125
package:/data/app/old/base.apk=com.example.old
Error: java.lang.SecurityException
`;
    assert.deepEqual(
      parsePackages(text, 0).map(({ packageName, appId, apk }) => [packageName, appId, apk]),
      [
        ['com.example.shop', 10123, '/data/app/~~a==/com.example.shop-b==/base.apk'],
        ['com.example.till', 10124, '/data/app/till/base.apk'],
        ['com.example.bank', 10125, '/data/app/bank/base.apk'],
        ['com.example.old', undefined, '/data/app/old/base.apk'],
      ],
    );
  });

  it('quotes words for the shell whatever is in them', () => {
    assert.equal(quoted(`it's $HOME; "x"`), `'it'\\''s $HOME; "x"'`);
  });
});

describe('adb on this machine', () => {
  it('is found by ANDROID_HOME, then PATH, then where Android Studio puts it, and only where it is asked for', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'btrace-adb-'));
    try {
      const names = ['sdk/platform-tools/adb', 'bin/adb', 'home/Android/Sdk/platform-tools/adb'];
      const files = names.map((name) => path.join(folder, name));
      for (const file of files) {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, '#!/bin/sh\n');
        await chmod(file, 0o755);
      }
      const home = path.join(folder, 'home');
      const env = { ANDROID_HOME: path.join(folder, 'sdk'), PATH: path.join(folder, 'bin'), HOME: home };
      assert.equal(await findAdb(undefined, env), files[0]);
      assert.equal(await findAdb(undefined, { PATH: env.PATH, HOME: home }), files[1]);
      assert.equal(await findAdb(undefined, { PATH: folder, HOME: home }), files[2]);
      assert.equal(await findAdb(path.join(folder, 'none'), env), undefined);
      assert.equal(await findAdb(undefined, { PATH: folder }), undefined);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('has its server where the environment says', () => {
    for (const [env, where] of [
      [{}, {}],
      [
        { ADB_SERVER_SOCKET: 'tcp:box:5038', ANDROID_ADB_SERVER_PORT: '1' },
        { host: 'box', port: 5038 },
      ],
      [{ ADB_SERVER_SOCKET: 'tcp:5038' }, { port: 5038 }],
      [{ ADB_SERVER_SOCKET: 'tcp:[::1]:5038' }, { host: '::1', port: 5038 }],
      [{ ADB_SERVER_SOCKET: 'localfilesystem:/run/adb' }, {}],
      [
        { ANDROID_ADB_SERVER_ADDRESS: 'box', ANDROID_ADB_SERVER_PORT: '5038' },
        { host: 'box', port: 5038 },
      ],
      [{ ANDROID_ADB_SERVER_PORT: 'x' }, {}],
    ] as const)
      assert.deepEqual(serverInEnvironment(env), where);
  });

  it('says what to do when no server answers and none can be started', async () => {
    // Port 1 of another loopback address: nobody listens there, and a server elsewhere is never started.
    const server = new AdbServer({ host: '127.0.0.2', port: 1 });
    await assert.rejects(server.devices(true), {
      message: 'No adb server answers at 127.0.0.2:1.',
      nextStep: 'Start one there: adb -a nodaemon server.',
    });
  });
});

describe('which target is meant', () => {
  const target = (serial: string, transport: bigint, name: string, refusal?: string, label?: string) =>
    ({
      name,
      fullName: name,
      label,
      refusal,
      pid: refusal === 'unauthorized' ? 0 : 1,
      device: {
        serial,
        state: 'device',
        model: `Model ${serial}`,
        transportId: transport,
        sharesSerial: false,
      },
    }) as AndroidTarget;
  const all = [
    target('A1', 1n, 'com.example.shop'),
    target('A1', 1n, 'com.example.shop:sync'),
    target('A1', 1n, 'com.example.bank', 'not debuggable'),
    target('B2', 2n, 'com.example.mail', undefined, 'Post'),
    target('C3', 3n, 'Model C3', 'unauthorized'),
  ];
  const choose = (app?: string, device?: string, among = all) => chooseTarget(among, { app, device });
  const refused = (message: RegExp, nextStep: RegExp) => (error: TargetError) =>
    message.test(error.message) && nextStep.test(error.nextStep);

  it('takes parts of names where only one has them', () => {
    assert.equal(choose('shop'), all[0]);
    assert.equal(choose('shop:sync'), all[1]);
    assert.equal(choose('MAIL'), all[3]);
    assert.equal(choose('pos'), all[3]);
    assert.equal(choose(undefined, 'B2'), all[3]);
    assert.equal(choose(undefined, 'transport_id:2'), all[3]);
    assert.equal(choose('mail', 'model b'), all[3]);
  });

  it('finds an app that is refused, so that its reason is told', () => {
    assert.equal(choose('bank'), all[2]);
  });

  it('takes an app whose name begins that of another by its whole name', () => {
    const debug = target('A1', 1n, 'com.example.shop.debug');
    assert.equal(choose('com.example.shop', undefined, [debug, ...all]), all[0]);
  });

  it('asks back when there are several, and says why there is none', () => {
    assert.throws(
      () => choose('example'),
      refused(/^[34] apps are called "example":\n/, /--app and --device/),
    );
    assert.throws(() => choose(undefined), refused(/apps can be recorded:\n/, /--app/));
    assert.throws(() => choose('shop', 'C3'), refused(/Model C3 cannot be used/, /unauthorized/));
    assert.throws(
      () => choose('shop', 'Z'),
      refused(/No device .* called "Z".*Model A1 \(A1\)/s, /adb devices/),
    );
    assert.throws(() => choose('shop', undefined, []), refused(/No app runs on a device/, /USB debugging/));
  });

  it('tells two devices with one serial apart by their transport', () => {
    const listed = [7, 8, 9].map((id) => `${id < 9 ? '0123' : 'A1'} device model:Go transport_id:${id}`);
    const twins = parseDevices(listed.join('\n'));
    assert.deepEqual(twins.map(deviceName), [
      'Go (0123), transport_id:7',
      'Go (0123), transport_id:8',
      'Go (A1)',
    ]);
    assert.deepEqual(twins.map(deviceId), ['0123@7', '0123@8', 'A1']);
    const apps = twins.map((device) => ({ ...target('', 0n, 'com.example.shop'), device }));
    assert.throws(
      () => choose('shop', undefined, apps),
      refused(
        /^3 apps are called "shop":\n {2}com\.example\.shop {2}on Go \(0123\), transport_id:7\n/,
        /--device/,
      ),
    );
    assert.throws(
      () => choose('shop', '0123', apps),
      refused(/^2 devices are called "0123":\n {2}transport_id:7 {2}Go \(0123\)\n/, /transport_id:N/),
    );
    assert.equal(choose('shop', 'transport_id:8', apps), apps[1]);
    const twelfth = [target('D4', 12n, 'com.example.shop')];
    assert.throws(() => choose('shop', 'transport_id:1', twelfth), /called "transport_id:1"/);
  });
});

it('reads where an adb server is', () => {
  assert.deepEqual(parseServer('box:5038'), { host: 'box', port: 5038 });
  assert.deepEqual(parseServer('box'), { host: 'box' });
  assert.deepEqual(parseServer(':5038'), { port: 5038 });
  assert.deepEqual(parseServer('[::1]:5038'), { host: '::1', port: 5038 });
  for (const wrong of ['a:b', 'a:b:c', 'box:0', 'box:70000', 'a b'])
    assert.equal(parseServer(wrong), undefined);
});
