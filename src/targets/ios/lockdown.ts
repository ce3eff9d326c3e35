/** What a device says of itself to every computer, paired or not: its name and its system. */
import type { Socket } from 'node:net';
import { type PropertyValue, readPropertyList, valueAt, writePropertyList } from './property-list.js';
import { connectUsbmux, type UsbmuxAddress, type UsbmuxDevice } from './usbmux.js';

const lockdownPort = 62078;
const mostAnswerBytes = 1 << 20;
const answerMs = 5000;

export interface DeviceFacts {
  /** As its owner calls it; its serial where it does not tell. */
  readonly name: string;
  /** "17.4"; empty where it does not tell. */
  readonly version: string;
}

/** Never throws: a device that is locked or not trusted has its serial alone. */
export async function readDeviceFacts(address: UsbmuxAddress, device: UsbmuxDevice): Promise<DeviceFacts> {
  let socket: Socket | undefined;
  try {
    socket = await connectUsbmux(address, device, lockdownPort);
    const name = await ask(socket, 'DeviceName');
    const version = await ask(socket, 'ProductVersion');
    return { name: name === '' ? device.serial : name, version };
  } catch {
    return { name: device.serial, version: '' };
  } finally {
    socket?.destroy();
  }
}

/** The value as text; empty where the device gives none. */
async function ask(socket: Socket, key: string): Promise<string> {
  const body = writePropertyList({ Label: 'btrace', Request: 'GetValue', Key: key });
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  socket.write(Buffer.concat([head, body]));
  const value = valueAt(await answerOf(socket), 'Value');
  return typeof value === 'string' ? value : '';
}

async function answerOf(socket: Socket): Promise<PropertyValue> {
  let got = Buffer.alloc(0);
  const limit = setTimeout(() => socket.destroy(new Error('no answer')), answerMs);
  try {
    for (;;) {
      const length = got.length < 4 ? undefined : got.readUInt32BE(0);
      if (length !== undefined && length > mostAnswerBytes) throw new Error('an answer of no length');
      if (length !== undefined && got.length >= 4 + length)
        return readPropertyList(got.subarray(4, 4 + length));
      got = Buffer.concat([got, await bytesFrom(socket)]);
    }
  } finally {
    clearTimeout(limit);
  }
}

async function bytesFrom(socket: Socket): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const end = (error?: Error): void => {
      socket.off('data', take).off('error', end).off('close', end);
      reject(error ?? new Error('the device closed the connection'));
    };
    const take = (bytes: Buffer): void => {
      socket.pause();
      socket.off('data', take).off('error', end).off('close', end);
      resolve(bytes);
    };
    socket.once('error', end).once('close', end).once('data', take).resume();
  });
}
