/** A client of usbmuxd, which speaks to devices through their cables: Apple's own, or the one of Linux distributions. */
import { connect, type Socket } from 'node:net';
import { TargetError } from '../target.js';
import {
  type PropertyValue,
  PropertyListError,
  readPropertyList,
  valueAt,
  writePropertyList,
} from './property-list.js';

export type UsbmuxAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export interface UsbmuxDevice {
  /** usbmuxd's number, until the device goes. */
  readonly id: number;
  /** The same whenever it comes. */
  readonly serial: string;
  readonly isOnCable: boolean;
}

const headBytes = 16;
const propertyListKind = 8;
const mostMessageBytes = 1 << 20;
const answerMs = 10_000;
const usualPath = '/var/run/usbmuxd';
/** Where Apple's driver for Windows listens. */
const windowsPort = 27015;

/** As libimobiledevice's tools find it. */
export function usbmuxAddress(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): UsbmuxAddress {
  const given = env['USBMUXD_SOCKET_ADDRESS'] ?? '';
  if (given.toUpperCase().startsWith('UNIX:')) return { path: given.slice('UNIX:'.length) };
  const colon = given.lastIndexOf(':');
  if (colon > 0) return { host: given.slice(0, colon), port: Number(given.slice(colon + 1)) };
  return platform === 'win32' ? { host: '127.0.0.1', port: windowsPort } : { path: usualPath };
}

export function encodeUsbmux(message: PropertyValue, tag: number): Buffer {
  const body = writePropertyList(message);
  const head = Buffer.alloc(headBytes);
  [headBytes + body.length, 1, propertyListKind, tag].forEach((word, at) => head.writeUInt32LE(word, at * 4));
  return Buffer.concat([head, body]);
}

/** The first message in the bytes, with what follows it; undefined: not all of it has come. */
export function decodeUsbmux(
  bytes: Buffer,
): { message: PropertyValue; tag: number; rest: Buffer } | undefined {
  if (bytes.length < headBytes) return undefined;
  const length = bytes.readUInt32LE(0);
  if (length < headBytes || length > mostMessageBytes) throw new PropertyListError('a message of no length');
  if (bytes.length < length) return undefined;
  return {
    message: readPropertyList(bytes.subarray(headBytes, length)),
    tag: bytes.readUInt32LE(12),
    rest: bytes.subarray(length),
  };
}

interface Answer {
  /** Where usbmuxd listens on, and what a device says from then on. */
  readonly socket: Socket;
  readonly message: PropertyValue;
}

async function ask(address: UsbmuxAddress, message: Record<string, PropertyValue>): Promise<Answer> {
  const socket = connect(address);
  return await new Promise<Answer>((resolve, reject) => {
    let got: Buffer = Buffer.alloc(0);
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const limit = setTimeout(() => fail(silent()), answerMs);
    const take = (bytes: Buffer): void => {
      got = Buffer.concat([got, bytes]);
      try {
        const answer = decodeUsbmux(got);
        if (answer === undefined) return;
        clearTimeout(limit);
        socket.pause();
        socket.removeAllListeners();
        // A connection that breaks before its owner listens must not end this process; it is seen to be closed.
        socket.on('error', () => undefined);
        if (answer.rest.length > 0) socket.unshift(answer.rest);
        resolve({ socket, message: answer.message });
      } catch (error) {
        clearTimeout(limit);
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    };
    socket.on('data', take);
    socket.once('connect', () =>
      socket.write(encodeUsbmux({ ClientVersionString: 'btrace', ProgName: 'btrace', ...message }, 1)),
    );
    socket.once('error', (error) => {
      clearTimeout(limit);
      fail(missing(error));
    });
    socket.once('close', () => {
      clearTimeout(limit);
      reject(silent());
    });
  });
}

const next = 'Connect the device by its cable, unlock it and trust this computer; on Linux, install usbmuxd.';

function missing(cause: Error): TargetError {
  return new TargetError('not-found', `No service for iPhones and iPads runs here: ${cause.message}.`, next, {
    cause,
  });
}

function silent(): TargetError {
  return new TargetError('io', 'usbmuxd, which speaks to iPhones and iPads, gave no answer.', next);
}

export async function listUsbmux(address: UsbmuxAddress): Promise<UsbmuxDevice[]> {
  const { socket, message } = await ask(address, { MessageType: 'ListDevices' });
  socket.destroy();
  const list = valueAt(message, 'DeviceList');
  return Array.isArray(list) ? list.flatMap((one: PropertyValue) => deviceOf(one)) : [];
}

function deviceOf(entry: PropertyValue): UsbmuxDevice[] {
  const id = valueAt(entry, 'DeviceID');
  const properties = valueAt(entry, 'Properties');
  const serial = valueAt(properties, 'SerialNumber');
  if (typeof id !== 'number' || typeof serial !== 'string') return [];
  return [{ id, serial, isOnCable: valueAt(properties, 'ConnectionType') !== 'Network' }];
}

const result = { done: 0, noDevice: 2, refused: 3 } as const;

/** A stream to a TCP port of the device. */
export async function connectUsbmux(
  address: UsbmuxAddress,
  device: UsbmuxDevice,
  port: number,
): Promise<Socket> {
  // The number goes as two bytes in the network's order, whatever this machine's order is.
  const swapped = ((port & 0xff) << 8) | (port >> 8);
  const { socket, message } = await ask(address, {
    MessageType: 'Connect',
    DeviceID: device.id,
    PortNumber: swapped,
  });
  const code = valueAt(message, 'Number');
  if (code === result.done) return socket;
  socket.destroy();
  if (code === result.noDevice)
    throw new TargetError('not-found', `The device ${device.serial} is no longer there.`, next);
  if (code === result.refused)
    throw new TargetError(
      'not-found',
      `Nothing listens on port ${port} of the device ${device.serial}.`,
      'Start the app that has BTrace in it, bring it to the front, and see that it has this port (docs/IOS.md).',
    );
  throw new TargetError('io', `usbmuxd refused the connection (${JSON.stringify(code)}).`, next);
}

/** Calls `changed` when a device comes or goes, and once when it begins; returns how to stop. A lost connection ends it. */
export function watchUsbmux(address: UsbmuxAddress, changed: () => void): () => void {
  const socket = connect(address);
  let got: Buffer = Buffer.alloc(0);
  socket.once('connect', () => socket.write(encodeUsbmux({ MessageType: 'Listen' }, 1)));
  socket.on('data', (bytes: Buffer) => {
    got = Buffer.concat([got, bytes]);
    try {
      for (let one = decodeUsbmux(got); one !== undefined; one = decodeUsbmux(got)) {
        got = one.rest;
        changed();
      }
    } catch {
      socket.destroy();
    }
  });
  socket.on('error', () => undefined);
  return () => socket.destroy();
}
