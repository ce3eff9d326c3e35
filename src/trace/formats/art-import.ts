import { EventBuilder, type EventThread } from '../assemble/event-builder.js';
import { endOf } from '../assemble/event-columns.js';
import { idIn, wholeOr0 } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { ArtKey } from './art-key.js';
import { ByteWindow } from './byte-window.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';

/** "SLOW", little-endian. */
const magic = 0x574f4c53;
const two32 = 4294967296;
/** Streamed traces say so in the version. */
const streamedBits = 0xf0;
const maxBlockBytes = 64 << 20;
const maxLineBytes = 1 << 20;

/** Where reading stands. Packets are those of versions 4 and 5, and of streamed versions 2 and 3. */
type Place = 'key' | 'header' | 'records' | 'streamed' | 'packets' | 'done';

/**
 * Reads ART's and Dalvik's method traces: a text with names, then records of fixed size (versions 1 to 3, one clock or
 * two); the same streamed, names as they come; and the packets of versions 4 and 5.
 *
 * Memory: 20 bytes a record until `finish`.
 */
export class ArtImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names, 'signature');
  readonly #key = new ArtKey(this.#names, this.#methods);
  readonly #window = new ByteWindow();
  readonly #signal: AbortSignal | undefined;
  #place: Place = 'key';
  #version = 0;
  #recordBytes = 0;
  /** That were read, of those of fixed size: the text before them says how many there are. */
  #records = 0;
  #startUs = 0n;
  readonly #threads = new Map<number, EventThread>();
  /** µs clocks are 32 bits and pass their end after 71 minutes: what has to be added, by thread. */
  readonly #wall = new Map<number, WideClock>();
  readonly #cpu = new Map<number, WideClock>();

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#window.add(bytes);
    while (this.#step());
    this.#builder.read(bytes.length, this.#names.memoryBytes);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    const window = this.#window;
    const stated = this.#place === 'records' ? idIn(this.#key.get('num-method-calls')) : 0;
    if (this.#place === 'key') this.#builder.problem(window.offset, 'The trace ends before its first record');
    else if (stated > this.#records)
      this.#builder.problem(
        window.offset,
        `The trace ends after ${this.#records} of its ${counted(stated, 'record', 'records')}`,
      );
    else if (window.at < window.end) {
      this.#builder.problem(
        window.offset,
        `The trace ends inside a record; its last ${counted(window.end - window.at, 'byte was', 'bytes were')} left out`,
      );
    }
    if (this.#key.get('data-file-overflow') === 'true') {
      this.#builder.problem(
        window.offset,
        'The buffer was full before tracing ended: what came after is missing. Record with a larger buffer, or for less time',
      );
    }
    for (const [id, thread] of this.#threads) {
      thread.name = this.#key.threadName(id);
      thread.isMain = thread.name === 'main';
    }
    const pid = idIn(this.#key.get('pid'));
    const onlyCpu = this.#clock() === 'thread-cpu';
    return this.#builder.finish(
      this.#methods,
      {
        format: 'art',
        pid,
        runtime: this.#key.get('vm') ?? '',
        modeReason: onlyCpu ? 'The trace has the thread CPU clock only: times are CPU time' : '',
      },
      { monotonicNs: this.#startUs },
    );
  }

  #step(): boolean {
    switch (this.#place) {
      case 'key':
        return this.#readKey();
      case 'header':
        return this.#readHeader();
      case 'records':
        return this.#readRecords();
      case 'streamed':
        return this.#readStreamed();
      case 'packets':
        return this.#readPacket();
      case 'done':
        this.#window.at = this.#window.end;
        return false;
    }
  }

  /** The text before the records, line by line, to "*end". */
  #readKey(): boolean {
    const window = this.#window;
    if (window.end - window.at < 4) return false;
    if (u32(window.bytes, window.at) === magic) {
      this.#place = 'header';
      return true;
    }
    const end = window.bytes.indexOf(0x0a, window.at);
    if (end < 0 || end >= window.end) {
      if (window.end - window.at < maxLineBytes) return false;
      this.#builder.problem(
        window.offset,
        'The text before the records has no end; nothing after it was read',
      );
      this.#place = 'done';
      return true;
    }
    const ended = this.#key.line(window.bytes, window.at, end);
    window.at = end + 1;
    if (ended) this.#place = 'header';
    return true;
  }

  #readHeader(): boolean {
    const { bytes, at, end } = this.#window;
    if (end - at < 16) return false;
    if (u32(bytes, at) !== magic) {
      this.#builder.problem(
        this.#window.offset,
        'The records do not begin with their mark "SLOW"; nothing after it was read',
      );
      this.#place = 'done';
      return true;
    }
    const stated = u16(bytes, at + 4);
    const streamed = (stated & streamedBits) === streamedBits;
    this.#version = streamed ? stated & ~streamedBits : stated;
    if (this.#version < 1 || this.#version > 5) {
      this.#builder.problem(
        this.#window.offset,
        `Version ${this.#version} of ART's trace is not known here; versions 1 to 5 are`,
      );
      this.#place = 'done';
      return true;
    }
    if (this.#version >= 4) {
      if (end - at < 32) return false;
      this.#startUs = wholeOr0(u64(bytes, at + 6));
      this.#window.at = at + 32;
      this.#place = 'packets';
      return true;
    }
    const dataAt = Math.max(16, u16(bytes, at + 6));
    if (end - at < dataAt) return false;
    this.#startUs = wholeOr0(u64(bytes, at + 8)) * 1000n;
    const usual = this.#version === 1 ? 9 : this.#version === 2 ? 10 : 14;
    const own = this.#version >= 2 && dataAt >= 18 ? u16(bytes, at + 16) : 0;
    this.#recordBytes = own >= usual && own <= 256 ? own : usual;
    this.#window.at = at + dataAt;
    this.#place = streamed ? 'streamed' : 'records';
    return true;
  }

  #readRecords(): boolean {
    const window = this.#window;
    const { bytes } = window;
    const size = this.#recordBytes;
    let at = window.at;
    for (; window.end - at >= size; at += size) {
      if (this.#version === 1) this.#record(bytes[at] ?? 0, bytes, at + 1);
      else this.#record(u16(bytes, at), bytes, at + 2);
    }
    this.#records += (at - window.at) / size;
    window.at = at;
    return false;
  }

  /** Records, and between them, marked by thread 0, names and at last the text. */
  #readStreamed(): boolean {
    const window = this.#window;
    const { bytes, at, end } = window;
    if (end - at < 3) return false;
    const thread = u16(bytes, at);
    if (thread !== 0) {
      if (end - at < this.#recordBytes) return false;
      this.#record(thread, bytes, at + 2);
      window.at = at + this.#recordBytes;
      return true;
    }
    const kind = bytes[at + 2];
    const headBytes = kind === 2 || kind === 3 ? 7 : 5;
    if (end - at < headBytes) return false;
    const length = kind === 3 ? u32(bytes, at + 3) : u16(bytes, at + headBytes - 2);
    if (kind === undefined || kind < 1 || kind > 3 || length > maxBlockBytes) {
      this.#builder.problem(window.offset, 'What stands here is no record; nothing after it was read');
      this.#place = 'done';
      return true;
    }
    if (end - at < headBytes + length) return false;
    const from = at + headBytes;
    if (kind === 1) this.#key.method(bytes, from, from + length);
    else if (kind === 2) this.#key.thread(u16(bytes, at + 3), bytes, from, from + length);
    else {
      this.#key.text(bytes, from, from + length);
      this.#place = 'done';
    }
    window.at = from + length;
    return true;
  }

  #readPacket(): boolean {
    const window = this.#window;
    const { bytes, at, end } = window;
    if (end - at < 3) return false;
    switch (bytes[at]) {
      case 0: {
        if (end - at < 7) return false;
        const length = u16(bytes, at + 5);
        if (end - at < 7 + length) return false;
        this.#key.thread(u32(bytes, at + 1), bytes, at + 7, at + 7 + length);
        window.at = at + 7 + length;
        return true;
      }
      case 1: {
        if (end - at < 11) return false;
        const length = u16(bytes, at + 9);
        if (end - at < 11 + length) return false;
        this.#key.methodLine(u64(bytes, at + 1), bytes, at + 11, at + 11 + length);
        window.at = at + 11 + length;
        return true;
      }
      case 2: {
        if (end - at < 12) return false;
        const count = u16(bytes, at + 5) + (bytes[at + 7] ?? 0) * 65536;
        const length = u32(bytes, at + 8);
        if (length <= maxBlockBytes) {
          if (end - at < 12 + length) return false;
          this.#block(u32(bytes, at + 1), count, bytes, at + 12, at + 12 + length);
          window.at = at + 12 + length;
          return true;
        }
        break;
      }
      case 3: {
        const length = u16(bytes, at + 1);
        if (end - at < 3 + length) return false;
        this.#key.text(bytes, at + 3, at + 3 + length);
        window.at = at + 3 + length;
        return true;
      }
      default:
    }
    this.#builder.problem(window.offset, 'What stands here is no packet; nothing after it was read');
    this.#place = 'done';
    return true;
  }

  /** Events of one thread as differences: method and action, wall clock, thread clock, in ns. */
  #block(tid: number, count: number, bytes: Uint8Array, from: number, to: number): void {
    if (this.#builder.isFull) return;
    const { events } = this.#thread(tid);
    const dual = this.#version === 5;
    let at = from;
    let encoded = 0;
    let time = 0;
    let cpu = 0;
    const unsigned = (): number => {
      let value = 0;
      for (let scale = 1; at < to; scale *= 128) {
        const byte = bytes[at++] ?? 0;
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) break;
      }
      return value;
    };
    for (let i = 0; i < count && at < to; i++) {
      let difference = 0;
      for (let scale = 1; at < to; scale *= 128) {
        const byte = bytes[at++] ?? 0;
        difference += (byte & 0x7f) * scale;
        if (byte < 0x80) {
          if ((byte & 0x40) !== 0) difference -= scale * 128;
          break;
        }
      }
      encoded += difference;
      time += unsigned();
      if (dual) cpu += unsigned();
      const action = ((encoded % 4) + 4) % 4;
      const method = this.#key.methodOf(encoded - action);
      const what = action === 0 ? method : endOf(method);
      if (dual) events.pushWithCpu(time, what, cpu);
      else events.push(time, what);
    }
  }

  #record(id: number, bytes: Uint8Array, at: number): void {
    if (this.#builder.isFull) return;
    const encoded = u32(bytes, at);
    const action = encoded & 3;
    const method = this.#key.methodOf(encoded - action);
    const { events } = this.#thread(id);
    const what = action === 0 ? method : endOf(method);
    const first = u32(bytes, at + 4);
    if (this.#version === 3) {
      const wall = wide(this.#wall, id, u32(bytes, at + 8));
      events.pushWithCpu(wall * 1000, what, wide(this.#cpu, id, first) * 1000);
    } else if (this.#clock() === 'thread-cpu') {
      const cpu = wide(this.#cpu, id, first) * 1000;
      events.pushWithCpu(cpu, what, cpu);
    } else events.push(wide(this.#wall, id, first) * 1000, what);
  }

  #thread(id: number): EventThread {
    let thread = this.#threads.get(id);
    if (thread === undefined) this.#threads.set(id, (thread = this.#builder.thread(id)));
    return thread;
  }

  #clock(): string {
    return this.#key.get('clock') ?? 'wall';
  }
}

interface WideClock {
  last: number;
  high: number;
}

function wide(clocks: Map<number, WideClock>, thread: number, value: number): number {
  let clock = clocks.get(thread);
  if (clock === undefined) clocks.set(thread, (clock = { last: value, high: 0 }));
  if (clock.last - value > two32 / 2) clock.high += two32;
  clock.last = value;
  return clock.high + value;
}

function u16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function u32(bytes: Uint8Array, at: number): number {
  return (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0;
}

function u64(bytes: Uint8Array, at: number): number {
  return u32(bytes, at) + u32(bytes, at + 4) * two32;
}
