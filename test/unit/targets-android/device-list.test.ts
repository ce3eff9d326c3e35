import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AdbServer, findAdb } from '../../../src/targets/android/adb-server.js';
import { parseProcesses } from '../../../src/targets/android/apps.js';
import { deviceName, deviceRefusal, parseDevices } from '../../../src/targets/android/device-list.js';
import { quoted } from '../../../src/targets/android/device-shell.js';

describe('devices as adb lists them', () => {
  const text = [
    '39171FDJH00ABC         device usb:1-4 product:shiba model:Pixel_8 device:shiba transport_id:12',
    'adb-R5CT-abc (2)._adb-tls-connect._tcp  offline transport_id:3',
    'emulator-5554          unauthorized transport_id:4',
    '0123456789ABCDEF       no permissions (missing udev rules? user is in the plugdev group); see [http://developer.android.com/tools/device.html] usb:1-1 transport_id:5',
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
        ['HT7', 'recovery', 'y', 6n],
      ],
    );
  });

  it('says what each that is not ready needs', () => {
    const [ready, offline, unknown, forbidden, recovery] = parseDevices(text).map(deviceRefusal);
    assert.equal(ready, undefined);
    assert.match(offline ?? '', /cable/);
    assert.match(unknown ?? '', /allow USB debugging/);
    assert.match(forbidden ?? '', /udev/);
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
      parseProcesses(text).map(({ pid, process, packageName }) => [pid, process, packageName]),
      [
        [4711, 'com.example.shop', 'com.example.shop'],
        [4712, 'com.example.shop:sync', 'com.example.shop'],
        [4714, 'org.work.mail', 'org.work.mail'],
      ],
    );
  });

  it('quotes words for the shell whatever is in them', () => {
    assert.equal(quoted(`it's $HOME; "x"`), `'it'\\''s $HOME; "x"'`);
  });
});

describe('adb on this machine', () => {
  it('is found by ANDROID_HOME before PATH, and only where it is asked for', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'btrace-adb-'));
    try {
      const files = ['sdk/platform-tools/adb', 'bin/adb'].map((name) => path.join(folder, name));
      for (const file of files) {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, '#!/bin/sh\n');
        await chmod(file, 0o755);
      }
      const env = { ANDROID_HOME: path.join(folder, 'sdk'), PATH: path.join(folder, 'bin') };
      assert.equal(await findAdb(undefined, env), files[0]);
      assert.equal(await findAdb(undefined, { PATH: env.PATH }), files[1]);
      assert.equal(await findAdb(path.join(folder, 'none'), env), undefined);
      assert.equal(await findAdb(undefined, { PATH: folder }), undefined);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says what to do when no server answers and none can be started', async () => {
    // Port 1 of another loopback address: nobody listens there, and a server elsewhere is never started.
    const server = new AdbServer({ host: '127.0.0.2', port: 1 });
    await assert.rejects(server.devices(), {
      message: 'No adb server answers at 127.0.0.2:1.',
      nextStep: 'Start one there: adb -a nodaemon server.',
    });
  });
});
