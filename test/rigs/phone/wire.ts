/** adb's transport protocol as a device speaks it: packets of 24 bytes and a payload, streams with one packet on the way each. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const Command = {
  connect: 0x4e584e43,
  auth: 0x48545541,
  open: 0x4e45504f,
  okay: 0x59414b4f,
  write: 0x45545257,
  close: 0x45534c43,
} as const;
const version = 0x01000001;
const maxPayloadBytes = 256 * 1024;
const headerBytes = 24;
const authToken = 1;

/** Pieces of an asked length out of a stream. Rejects at its end. */
export class ByteReader {
  readonly #source: AsyncIterator<unknown, undefined>;
  #held = Buffer.alloc(0);

  constructor(stream: Duplex) {
    this.#source = stream[Symbol.asyncIterator]() as AsyncIterator<unknown, undefined>;
  }

  async read(bytes: number): Promise<Buffer> {
    while (this.#held.length < bytes) {
      const { done, value } = await this.#source.next();
      if (done === true) throw new Error('the other side closed');
      this.#held = Buffer.concat([this.#held, value as Buffer]);
    }
    const piece = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return piece;
  }
}

export function words(...values: number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => buffer.writeUInt32LE(value >>> 0, 4 * index));
  return buffer;
}

/** One service's stream on the device's side. */
class ServiceStream extends Duplex {
  #waiting: (() => void) | undefined;
  #owed = 0;
  #open = true;
  readonly #device: DeviceConnection;
  readonly #local: number;
  readonly #remote: number;

  constructor(device: DeviceConnection, local: number, remote: number) {
    super({ allowHalfOpen: true });
    this.#device = device;
    this.#local = local;
    this.#remote = remote;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (!this.#open) {
      done();
      return;
    }
    const part = chunk.subarray(0, maxPayloadBytes);
    const rest = chunk.subarray(part.length);
    // The next packet goes when this one has been acknowledged.
    this.#waiting = () => (rest.length > 0 ? this._write(rest, encoding, done) : done());
    void this.#device.pace(part.length).then(() => {
      this.#device.send(Command.write, this.#local, this.#remote, part);
    });
  }

  override _read(): void {
    for (; this.#owed > 0; this.#owed--) this.#device.send(Command.okay, this.#local, this.#remote);
  }

  override _final(done: () => void): void {
    this.#shut();
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error) => void): void {
    this.#shut();
    done();
  }

  acknowledged(): void {
    const next = this.#waiting;
    this.#waiting = undefined;
    next?.();
  }

  arrived(data: Buffer): void {
    if (this.push(data)) this.#device.send(Command.okay, this.#local, this.#remote);
    else this.#owed++;
  }

  ended(): void {
    this.#open = false;
    this.#device.forget(this.#local);
    this.acknowledged();
    this.push(null);
    this.destroy();
  }

  #shut(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#device.forget(this.#local);
    this.#device.send(Command.close, this.#local, this.#remote);
    this.acknowledged();
    this.push(null);
  }
}

export type Serve = (stream: Duplex) => void | Promise<void>;

export interface DeviceFace {
  /** `device::ro.product.name=…;features=…` */
  readonly banner: string;
  /** How much a second goes through the link, in each direction; undefined: as fast as it can. */
  readonly bytesPerSecond: number | undefined;
  /** False: it hangs as it is connected. */
  readonly answers: boolean;
  /** False: asks for the computer's key and never takes it. */
  readonly trusts: boolean;
  /** What serves `service` on a stream; undefined: there is no such service. */
  serve(service: string): Promise<Serve | undefined>;
}

export class DeviceConnection {
  readonly #streams = new Map<number, ServiceStream>();
  #nextId = 1;
  readonly #tcp: Socket;
  readonly #face: DeviceFace;

  constructor(tcp: Socket, face: DeviceFace) {
    this.#tcp = tcp;
    this.#face = face;

    tcp.setNoDelay(true);
    tcp.on('error', () => undefined); // its close says enough
    tcp.once('close', () => {
      for (const stream of this.#streams.values()) stream.ended();
    });
    this.#run().catch(() => tcp.destroy());
  }

  send(command: number, first: number, second: number, data: Buffer = Buffer.alloc(0)): void {
    if (this.#tcp.destroyed) return;
    const sum = data.reduce((total, byte) => (total + byte) >>> 0, 0);
    this.#tcp.write(Buffer.concat([words(command, first, second, data.length, sum, ~command), data]));
  }

  /** The time that so many bytes take on the link. */
  async pace(bytes: number): Promise<void> {
    const { bytesPerSecond } = this.#face;
    if (bytesPerSecond !== undefined) await delay((bytes / bytesPerSecond) * 1000);
  }

  forget(local: number): void {
    this.#streams.delete(local);
  }

  async #run(): Promise<void> {
    const reader = new ByteReader(this.#tcp);
    for (;;) {
      const header = await reader.read(headerBytes);
      const [command, first, second, length] = [0, 4, 8, 12].map((at) => header.readUInt32LE(at)) as [
        number,
        number,
        number,
        number,
      ];
      const payload = Buffer.from(await reader.read(length));
      await this.pace(length);
      this.#handle(command, first, second, payload);
    }
  }

  #handle(command: number, first: number, second: number, data: Buffer): void {
    if (command === Command.connect || command === Command.auth) {
      if (!this.#face.answers) return;
      if (this.#face.trusts)
        this.send(Command.connect, version, maxPayloadBytes, Buffer.from(this.#face.banner));
      else this.send(Command.auth, authToken, 0, Buffer.alloc(20, 7));
    } else if (command === Command.open) {
      void this.#openStream(first, data.toString().replace(/\0$/, ''));
    } else {
      const stream = this.#streams.get(second);
      if (command === Command.okay) stream?.acknowledged();
      else if (command === Command.write && stream) stream.arrived(data);
      else if (command === Command.write) this.send(Command.close, 0, first);
      else if (command === Command.close) stream?.ended();
    }
  }

  async #openStream(remote: number, service: string): Promise<void> {
    const serve = await this.#face.serve(service);
    if (!serve) {
      this.send(Command.close, 0, remote);
      return;
    }
    const local = this.#nextId++;
    const stream = new ServiceStream(this, local, remote);
    stream.on('error', () => undefined);
    this.#streams.set(local, stream);
    this.send(Command.okay, local, remote);
    try {
      await serve(stream);
    } catch {
      stream.destroy();
    }
  }
}
