/** A usbmuxd with devices that are not there (README.md). */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type PropertyValue,
  readPropertyList,
  valueAt,
  writePropertyList,
} from '../../../src/targets/ios/property-list.js';
import { decodeUsbmux, encodeUsbmux } from '../../../src/targets/ios/usbmux.js';

export interface StandIn {
  readonly id: number;
  readonly serial: string;
  readonly facts: Readonly<Record<string, string>>;
  /** The device's port → a port of this machine. */
  readonly ports: ReadonlyMap<number, number>;
}

const lockdownPort = 62078;
const result = { done: 0, badCommand: 1, noDevice: 2, refused: 3 } as const;

export class UsbmuxdStandIn {
  readonly path: string;
  readonly devices: StandIn[] = [];
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'usbmux-'));
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #listeners = new Set<Socket>();

  private constructor() {
    this.path = path.join(this.#folder, 'usbmuxd');
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<UsbmuxdStandIn> {
    const made = new UsbmuxdStandIn();
    made.#server.listen(made.path);
    await once(made.#server, 'listening');
    return made;
  }

  attach(device: StandIn): void {
    this.devices.push(device);
    for (const socket of this.#listeners) socket.write(encodeUsbmux(attached(device), 0));
  }

  /** Its cable is pulled: what goes through it breaks. */
  detach(device: StandIn): void {
    this.devices.splice(this.devices.indexOf(device), 1);
    for (const socket of this.#listeners)
      socket.write(encodeUsbmux({ MessageType: 'Detached', DeviceID: device.id }, 0));
    for (const socket of this.#sockets) if (!this.#listeners.has(socket)) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#listeners.delete(socket);
    });
    let got: Buffer = Buffer.alloc(0);
    const take = (bytes: Buffer): void => {
      got = Buffer.concat([got, bytes]);
      for (let one = decodeUsbmux(got); one !== undefined; one = decodeUsbmux(got)) {
        got = one.rest;
        if (this.#answer(socket, one.message, one.tag)) {
          socket.off('data', take);
          return;
        }
      }
    };
    socket.on('data', take);
  }

  /** True when the socket is a device's from then on. */
  #answer(socket: Socket, message: PropertyValue, tag: number): boolean {
    const say = (answer: PropertyValue): void => void socket.write(encodeUsbmux(answer, tag));
    const end = (number: number): void => say({ MessageType: 'Result', Number: number });
    switch (valueAt(message, 'MessageType')) {
      case 'ListDevices':
        say({ DeviceList: this.devices.map(attached) });
        return false;
      case 'Listen':
        end(result.done);
        this.#listeners.add(socket);
        for (const device of this.devices) socket.write(encodeUsbmux(attached(device), 0));
        return false;
      case 'ReadBUID':
        say({ BUID: '00000000-0000-0000-0000-000000000000' });
        return false;
      case 'Connect': {
        const device = this.devices.find(({ id }) => id === valueAt(message, 'DeviceID'));
        const swapped = Number(valueAt(message, 'PortNumber'));
        const port = ((swapped & 0xff) << 8) | (swapped >> 8);
        if (device === undefined) end(result.noDevice);
        else if (port === lockdownPort) {
          end(result.done);
          answerLockdown(socket, device);
          return true;
        } else return this.#lead(socket, device.ports.get(port), end);
        return false;
      }
      case 'ReadPairRecord':
        end(result.noDevice);
        return false;
      default:
        end(result.badCommand);
        return false;
    }
  }

  #lead(socket: Socket, port: number | undefined, end: (number: number) => void): boolean {
    if (port === undefined) {
      end(result.refused);
      return false;
    }
    const inner = connect(port, '127.0.0.1');
    inner.once('connect', () => {
      end(result.done);
      socket.pipe(inner).pipe(socket);
      socket.once('close', () => inner.destroy());
    });
    inner.once('error', () => end(result.refused));
    inner.once('close', () => socket.end());
    return true;
  }
}

function attached({ id, serial }: StandIn): Record<string, PropertyValue> {
  return {
    MessageType: 'Attached',
    DeviceID: id,
    Properties: {
      ConnectionSpeed: 480_000_000,
      ConnectionType: 'USB',
      DeviceID: id,
      LocationID: 1,
      ProductID: 4776,
      SerialNumber: serial,
    },
  };
}

/** Messages are a length of four bytes, the high one first, and a property list. */
function answerLockdown(socket: Socket, { facts }: StandIn): void {
  let got: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    got = Buffer.concat([got, bytes]);
    while (got.length >= 4 && got.length >= 4 + got.readUInt32BE(0)) {
      const end = 4 + got.readUInt32BE(0);
      const asked = readPropertyList(got.subarray(4, end));
      got = got.subarray(end);
      const body = writePropertyList(lockdownAnswer(asked, facts));
      const head = Buffer.alloc(4);
      head.writeUInt32BE(body.length);
      socket.write(Buffer.concat([head, body]));
    }
  });
}

function lockdownAnswer(
  asked: PropertyValue,
  facts: Readonly<Record<string, string>>,
): Record<string, PropertyValue> {
  const [request, key] = [textOf(asked, 'Request') ?? '', textOf(asked, 'Key')];
  if (request === 'QueryType') return { Request: request, Type: 'com.apple.mobile.lockdown' };
  if (request !== 'GetValue') return { Request: request, Error: 'PasswordProtected' };
  if (key === undefined) return { Request: request, Value: facts };
  const value = facts[key];
  return value === undefined
    ? { Request: request, Error: 'MissingValue' }
    : { Request: request, Key: key, Value: value };
}

function textOf(value: PropertyValue, key: string): string | undefined {
  const found = valueAt(value, key);
  return typeof found === 'string' ? found : undefined;
}
