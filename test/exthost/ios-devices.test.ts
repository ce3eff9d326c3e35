/** iPhones and iPads in the list of what can be recorded, by a stand-in for the service that knows them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import * as vscode from 'vscode';
import { UsbmuxdStandIn, type StandIn } from '../rigs/usbmux/usbmuxd.js';
import { btrace, withSetting } from './btrace.js';
import { withPerson } from './person.js';
import { until } from '../rigs/until.js';

const token = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef';

describe('an iPhone on a cable', () => {
  const address = process.env['USBMUXD_SOCKET_ADDRESS'];
  // What listens there need not be an app: the list only looks whether something does.
  const app = createServer((socket) => socket.destroy());
  let server: UsbmuxdStandIn;

  before(async () => {
    app.listen(0, '127.0.0.1');
    await once(app, 'listening');
    server = await UsbmuxdStandIn.start();
    process.env['USBMUXD_SOCKET_ADDRESS'] = `UNIX:${server.path}`;
  });
  after(async () => {
    if (address === undefined) delete process.env['USBMUXD_SOCKET_ADDRESS'];
    else process.env['USBMUXD_SOCKET_ADDRESS'] = address;
    await server.close();
    app.close();
  });

  it('is listed as it comes, with its app once there is a token for it', async () => {
    await btrace();
    const phone: StandIn = {
      id: 3,
      serial: '00008110-000A1B2C3D4E5F60',
      facts: { DeviceName: 'Ada’s iPhone', ProductVersion: '17.4' },
      ports: new Map([[27184, (app.address() as AddressInfo).port]]),
    };
    const rowsOf = (pick: vscode.QuickPick<vscode.QuickPickItem>): string[] =>
      pick.items
        .map(({ label, detail }) => `${label}: ${detail}`)
        .filter((row) => row.includes('Ada’s iPhone'));
    await withPerson({}, async ({ picks }) => {
      const asked = vscode.commands.executeCommand('btrace.record');
      const pick = await until('it asks', () => picks[0]);
      await until('it has looked', () => !pick.busy);
      assert.deepEqual(rowsOf(pick), []);
      server.attach(phone);
      await until('the device is listed', () => rowsOf(pick).length > 0);
      assert.match(rowsOf(pick).join(), /circle-slash.*Ada’s iPhone: Its apps have a token/);
      pick.hide();
      await asked;
    });
    await withSetting('ios.token', token, () =>
      withPerson({}, async ({ picks }) => {
        const asked = vscode.commands.executeCommand('btrace.record');
        const pick = await until('it asks again', () => picks[0]);
        await until('the app is listed', () => rowsOf(pick).some((row) => row.includes('27184')));
        assert.deepEqual(rowsOf(pick), ['$(device-mobile) app on port 27184: Ada’s iPhone · iOS 17.4']);
        assert.ok(pick.items.some(({ label }) => label === 'iPhones and iPads'));
        pick.hide();
        await asked;
      }),
    );
  });
});
