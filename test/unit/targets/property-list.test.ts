import assert from 'node:assert/strict';
import {
  PropertyListError,
  type PropertyValue,
  readPropertyList,
  valueAt,
  writePropertyList,
} from '../../../src/targets/ios/property-list.js';
import { decodeUsbmux, encodeUsbmux, usbmuxAddress } from '../../../src/targets/ios/usbmux.js';
import { seeded } from '../../rigs/seed.js';

describe('property lists', () => {
  const value: PropertyValue = {
    text: 'a < b & "c" > d',
    empty: '',
    number: 4776,
    negative: -1,
    yes: true,
    no: false,
    bytes: Buffer.from([0, 1, 254, 255]),
    list: ['x', { inner: [] }, {}],
    'a & b': 1,
  };

  it('are read as they were written', () => {
    assert.deepEqual(readPropertyList(writePropertyList(value)), value);
  });

  it('are read as Apple writes them', () => {
    const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
\t<key>Number</key>
\t<integer>3</integer>
\t<key>Empty</key>
\t<array/>
\t<key>Name</key>
\t<string>Ada&apos;s iPhone</string>
</dict>
</plist>
`;
    assert.deepEqual(readPropertyList(Buffer.from(text)), { Number: 3, Empty: [], Name: "Ada's iPhone" });
  });

  it('say nothing of what they do not have', () => {
    assert.equal(valueAt(value, 'toString'), undefined);
    assert.equal(valueAt('text', 'length'), undefined);
  });

  it('that are damaged are refused, and nothing else happens', () => {
    const whole = writePropertyList(value);
    const random = seeded();
    for (let turn = 0; turn < 500; turn++) {
      const bytes = Buffer.from(whole);
      for (let change = 0; change < 3; change++)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      try {
        readPropertyList(turn % 3 === 0 ? bytes.subarray(0, turn % bytes.length) : bytes);
      } catch (error) {
        assert.ok(error instanceof PropertyListError, String(error));
      }
    }
    const deep = `<plist>${'<array>'.repeat(100_000)}`;
    assert.throws(() => readPropertyList(Buffer.from(deep)), PropertyListError);
  });
});

describe('messages of usbmuxd', () => {
  it('are taken one by one, when all of them has come', () => {
    const two = Buffer.concat([encodeUsbmux({ Number: 1 }, 7), encodeUsbmux({ Number: 2 }, 8)]);
    assert.equal(decodeUsbmux(two.subarray(0, 20)), undefined);
    const first = decodeUsbmux(two);
    assert.deepEqual([first?.message, first?.tag], [{ Number: 1 }, 7]);
    assert.deepEqual(decodeUsbmux(first!.rest)?.message, { Number: 2 });
    assert.throws(() => decodeUsbmux(Buffer.alloc(16)), PropertyListError);
  });

  it('go where the system has usbmuxd, or where the environment says', () => {
    assert.deepEqual(usbmuxAddress({}, 'darwin'), { path: '/var/run/usbmuxd' });
    assert.deepEqual(usbmuxAddress({}, 'win32'), { host: '127.0.0.1', port: 27015 });
    assert.deepEqual(usbmuxAddress({ USBMUXD_SOCKET_ADDRESS: 'UNIX:/tmp/x' }, 'linux'), { path: '/tmp/x' });
    assert.deepEqual(usbmuxAddress({ USBMUXD_SOCKET_ADDRESS: '127.0.0.1:99' }, 'linux'), {
      host: '127.0.0.1',
      port: 99,
    });
  });
});
