import { EventBuilder, type EventCounter, type EventThread } from '../build/event-builder.js';
import { endOf, endTop } from '../build/event-columns.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { AsyncSlices } from './async-slices.js';
import { ExportedClocks } from './chrome-clocks.js';
import { markPhases } from './chrome-phases.js';
import { Flows } from './flows.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { JsonDocument, readItem, skipValue, type JsonVisitor } from './json-document.js';
import { JsonReader, Lack, unescaped } from './json-reader.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';

/** Roles of the containers that are entered. */
const rootObject = 1;
const eventArray = 2;
const otherData = 3;
const stackSamples = 4;

/** Thread and process ids that are words get numbers from here downwards: there are ids below 0. */
const firstWord = -(2 ** 40);

/** Stretches of the bytes at hand: what an event holds that is looked at only when its kind is known. */
interface Stretch {
  from: number;
  to: number;
  escaped: boolean;
}

/**
 * Reads the JSON trace format: begin and end, complete and asynchronous events, counters, flows, names; in an object or a bare
 * array, which need not be closed. Times are µs with places; they are counted from the first event, so that they stay exact.
 *
 * Cost: one pass over the bytes. Memory: 12–32 bytes an event until `finish`.
 */
export class ChromeImporter implements TraceImporter, JsonVisitor {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names);
  readonly #async = new AsyncSlices(this.#builder);
  readonly #document = new JsonDocument(this);
  readonly #signal: AbortSignal | undefined;

  readonly #threads = new Map<number, Map<number, EventThread>>();
  #lastPid = NaN;
  #lastTid = NaN;
  #lastThread: EventThread | undefined;
  readonly #words = new NameTable();
  readonly #processNames = new Map<number, string>();
  readonly #counters = new Map<string, EventCounter>();
  readonly #flows = new Flows<string>(this.#builder);

  #baseUs = NaN;
  #noTime = 0;
  #stackSamples = 0;
  #hasKernelText = false;
  readonly #ignored = new Map<string, number>();
  readonly #clocks = new ExportedClocks();

  // The event at hand.
  readonly #name: Stretch = { from: 0, to: -1, escaped: false };
  readonly #args: Stretch = { from: 0, to: -1, escaped: false };
  readonly #id: Stretch = { from: 0, to: -1, escaped: false };
  readonly #category: Stretch = { from: 0, to: -1, escaped: false };

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#document.append(bytes);
    const held = this.#names.memoryBytes + this.#async.memoryBytes;
    this.#builder.read(bytes.length, held + this.#flows.memoryBytes);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    if (!this.#document.finish()) {
      this.#builder.problem(this.#document.offset, 'The trace ends inside an event; that event was left out');
    }
    this.#async.finish((method) => this.#names.text(method));
    if (this.#noTime > 0)
      this.#builder.remark(
        counted(
          this.#noTime,
          'event has no time; it was left out',
          'events have no time; they were left out',
        ),
      );
    const samples = this.#stackSamples + (this.#ignored.get('P') ?? 0);
    this.#ignored.delete('P');
    if (samples > 0)
      this.#builder.remark(`${counted(samples, 'sample of a stack was', 'samples of stacks were')} not read`);
    if (this.#hasKernelText)
      this.#builder.remark(
        'The kernel’s events in "systemTraceEvents" were not read: open them as a file of their own',
      );
    for (const [phase, count] of this.#ignored) {
      this.#builder.remark(
        counted(
          count,
          `event of the kind "${phase}" is not a call; it was left out`,
          `events of the kind "${phase}" are not calls; they were left out`,
        ),
      );
    }
    this.#builder.retain((thread) => !thread.events.isEmpty);
    this.#nameThreads();
    const pid = this.#builder.threads[0]?.pid ?? 0;
    return this.#builder.finish(
      this.#methods,
      { format: 'chrome', pid: Math.max(0, pid), targetName: this.#processNames.get(pid) ?? this.#word(pid) },
      this.#clocks.after(this.#baseUs),
    );
  }

  wants(role: number, key: JsonReader | undefined, first: number): number {
    if (role === 0) return first === 0x5b ? eventArray : rootObject;
    if (role === eventArray) return readItem;
    if (role === rootObject && key !== undefined) {
      const name = key.text();
      if (name === 'traceEvents') return eventArray;
      if (name === 'otherData') return otherData;
      if (name === 'samples') return stackSamples;
      if (name === 'systemTraceEvents') this.#hasKernelText = true;
      return skipValue;
    }
    if (role === stackSamples) this.#stackSamples++;
    if (role === otherData && key !== undefined && first === 0x22)
      return this.#clocks.wants(key.text()) ? readItem : skipValue;
    return skipValue;
  }

  item(role: number, reader: JsonReader): boolean {
    return role === otherData ? this.#clocks.read(reader) : this.#event(reader);
  }

  leave(): void {
    // Nothing hangs on where a container ends.
  }

  problem(offset: number, what: string): void {
    this.#builder.problem(offset, what);
  }

  /** Reads an event's members, in any order, then acts on them. */
  #event(reader: JsonReader): boolean {
    const { bytes } = reader;
    if (!reader.expect(0x7b)) return false;
    let phase = 0;
    let hasTime = false;
    let us = 0;
    let ns = 0;
    let duration = NaN;
    let threadUs = NaN;
    let threadDuration = NaN;
    let pid = 0;
    let tid = 0;
    this.#name.to = this.#args.to = this.#id.to = this.#category.to = -1;
    for (;;) {
      let byte = reader.peek();
      if (byte === 0x2c) {
        reader.at++;
        byte = reader.peek();
      }
      if (byte < 0) return false;
      if (byte === 0x7d) break;
      if (!reader.string()) return false;
      const { from, to } = reader;
      if (!reader.expect(0x3a)) return false;
      let understood = true;
      const first = bytes[from] as number;
      switch (to - from) {
        case 2:
          if (first === 0x70 && bytes[from + 1] === 0x68) {
            if (!reader.string()) return false;
            phase = bytes[reader.from] as number;
          } else if (first === 0x74 && bytes[from + 1] === 0x73) {
            if (!this.#number(reader)) return false;
            us = reader.whole;
            ns = reader.thousandths;
            hasTime = us === us;
          } else if (first === 0x69) {
            if (!take(reader, this.#id)) return false;
          } else understood = false;
          break;
        case 3:
          if (first === 0x70 && bytes[from + 1] === 0x69) {
            if (!this.#number(reader, true)) return false;
            pid = reader.value;
          } else if (first === 0x74 && bytes[from + 1] === 0x69) {
            if (!this.#number(reader, true)) return false;
            tid = reader.value;
          } else if (first === 0x64 && bytes[from + 1] === 0x75) {
            if (!this.#number(reader)) return false;
            duration = reader.whole * 1000 + reader.thousandths;
          } else if (first === 0x74 && bytes[from + 1] === 0x74) {
            if (!this.#number(reader)) return false;
            threadUs = reader.whole * 1000 + reader.thousandths;
          } else if (first === 0x63) {
            if (!take(reader, this.#category)) return false;
          } else if (first === 0x69) {
            if (!take(reader, this.#id)) return false;
          } else understood = false;
          break;
        case 4:
          if (first === 0x6e) {
            if (reader.peek() !== 0x22) understood = false;
            else if (!take(reader, this.#name)) return false;
          } else if (first === 0x61) {
            if (!take(reader, this.#args)) return false;
          } else if (first === 0x74) {
            if (!this.#number(reader)) return false;
            threadDuration = reader.whole * 1000 + reader.thousandths;
          } else understood = false;
          break;
        default:
          understood = false;
      }
      if (!understood && !reader.skip()) return false;
    }
    reader.at++;
    if (phase === 0x4d) {
      this.#metadata(reader, pid, tid);
      return true;
    }
    if (this.#builder.isFull) return true;
    if (!hasTime) {
      if (phase !== 0) this.#noTime++;
      return true;
    }
    if (this.#baseUs !== this.#baseUs) this.#baseUs = us;
    const time = (us - this.#baseUs) * 1000 + ns;
    switch (phase) {
      case 0x42: {
        const { events } = this.#thread(pid, tid);
        const method = this.#intern(bytes, this.#name);
        if (threadUs === threadUs) events.pushWithCpu(time, method, threadUs);
        else events.push(time, method);
        break;
      }
      case 0x45: {
        const { events } = this.#thread(pid, tid);
        const what = this.#name.to < 0 ? endTop : endOf(this.#intern(bytes, this.#name));
        if (threadUs === threadUs) events.pushWithCpu(time, what, threadUs);
        else events.push(time, what);
        break;
      }
      case 0x58: {
        const { events } = this.#thread(pid, tid);
        const method = this.#intern(bytes, this.#name);
        const length = duration > 0 ? duration : 0;
        // A call that had not ended when tracing did.
        if (duration !== duration) events.push(time, method);
        else if (threadUs === threadUs && threadDuration === threadDuration) {
          events.sliceWithCpu(time, time + length, method, threadUs, threadUs + threadDuration);
        } else events.slice(time, time + length, method);
        break;
      }
      case 0x43:
        this.#counter(reader, pid, time);
        break;
      case 0x62:
      case 0x53:
        this.#async.begin(pid, this.#idText(reader), time, this.#intern(bytes, this.#name));
        break;
      case 0x65:
      case 0x46:
        this.#async.end(pid, this.#idText(reader), time, this.#intern(bytes, this.#name));
        break;
      case 0x73:
        this.#flows.begin(this.#idText(reader), this.#thread(pid, tid), time);
        break;
      case 0x74:
      case 0x66:
        this.#flows.step(this.#idText(reader), this.#thread(pid, tid), time, phase === 0x66);
        break;
      default: {
        const kind = phase === 0 ? '' : String.fromCharCode(phase);
        if (!markPhases.includes(kind) || kind === '') {
          this.#ignored.set(kind, (this.#ignored.get(kind) ?? 0) + 1);
        }
      }
    }
    return true;
  }

  /** A number, also one in quotes, as some producers write ids and times. What is none is NaN, and an id that is a word its number. */
  #number(reader: JsonReader, isId = false): boolean {
    const first = reader.peek();
    if (first !== 0x22) {
      if (first === 0x6e) {
        reader.value = reader.whole = reader.thousandths = isId ? 0 : NaN;
        return reader.skip();
      }
      return reader.number();
    }
    if (!reader.string()) return false;
    const { from, to, bytes } = reader;
    const value = from < to ? Number(reader.text()) : NaN;
    if (Number.isFinite(value)) reader.value = value;
    else reader.value = isId ? firstWord - this.#words.intern(bytes, from, to) : NaN;
    reader.whole = Math.trunc(reader.value);
    reader.thousandths = Math.round((reader.value - reader.whole) * 1000);
    return true;
  }

  #thread(pid: number, tid: number): EventThread {
    if (pid === this.#lastPid && tid === this.#lastTid && this.#lastThread !== undefined)
      return this.#lastThread;
    let ofProcess = this.#threads.get(pid);
    if (ofProcess === undefined) this.#threads.set(pid, (ofProcess = new Map<number, EventThread>()));
    let thread = ofProcess.get(tid);
    if (thread === undefined) {
      thread = this.#builder.thread(Math.max(0, tid), pid, this.#word(tid));
      ofProcess.set(tid, thread);
    }
    this.#lastPid = pid;
    this.#lastTid = tid;
    this.#lastThread = thread;
    return thread;
  }

  /** Empty where the id is no word. */
  #word(id: number): string {
    return id <= firstWord ? this.#words.text(firstWord - id) : '';
  }

  #intern(bytes: Uint8Array, { from, to, escaped }: Stretch): number {
    if (to < from) return this.#names.internText('(no name)');
    if (!escaped) return this.#names.intern(bytes, from, to);
    const plain = unescaped(bytes, from, to);
    return this.#names.intern(plain, 0, plain.length);
  }

  #text(reader: JsonReader, { from, to, escaped }: Stretch): string {
    if (to < from) return '';
    reader.from = from;
    reader.to = to;
    reader.escaped = escaped;
    return reader.text();
  }

  #idText(reader: JsonReader): string {
    return `${this.#text(reader, this.#category)} ${this.#text(reader, this.#id)}`;
  }

  #metadata(reader: JsonReader, pid: number, tid: number): void {
    const kind = this.#text(reader, this.#name);
    const name = this.#argument(reader, 'name');
    if (name === '') return;
    if (kind === 'thread_name') this.#thread(pid, tid).name = name;
    else if (kind === 'process_name') this.#processNames.set(pid, name);
  }

  /** A text among the arguments of the event at hand, empty if there is none. */
  #argument(reader: JsonReader, wanted: string): string {
    let found = '';
    this.#eachArgument(reader, (key, inner) => {
      if (key === wanted && inner.peek() === 0x22 && inner.string()) {
        found = inner.text();
        return true;
      }
      return inner.skip();
    });
    return found;
  }

  #counter(reader: JsonReader, pid: number, time: number): void {
    const name = this.#text(reader, this.#name);
    this.#eachArgument(reader, (key, inner) => {
      const first = inner.peek();
      if (!(first === 0x2d || (first >= 0x30 && first <= 0x39))) return inner.skip();
      if (!inner.number()) return false;
      const unit = ['ns', 'bytes', '1'].includes(key) ? key : '';
      const title = unit !== '' || key === 'value' || key === name ? name : `${name} ${key}`;
      const known = `${pid} ${title}`;
      let counter = this.#counters.get(known);
      if (counter === undefined) this.#counters.set(known, (counter = this.#builder.counter(title, unit)));
      counter.push(time, inner.value);
      return true;
    });
  }

  #eachArgument(reader: JsonReader, visit: (key: string, inner: JsonReader) => boolean): void {
    const { from, to } = this.#args;
    if (to < from || reader.bytes[from] !== 0x7b) return;
    const inner = new JsonReader();
    inner.bytes = reader.bytes;
    inner.at = from + 1;
    inner.end = to;
    inner.final = true;
    for (;;) {
      let byte = inner.peek();
      if (byte === 0x2c) {
        inner.at++;
        byte = inner.peek();
      }
      if (byte !== 0x22 || !inner.string()) return;
      const key = inner.text();
      if (!inner.expect(0x3a) || !visit(key, inner)) return;
    }
  }

  #nameThreads(): void {
    const processes = new Set(this.#builder.threads.map((thread) => thread.pid));
    for (const thread of this.#builder.threads) {
      thread.isMain ||= thread.name === 'CrRendererMain' || thread.name === 'CrBrowserMain';
      if (processes.size < 2) continue;
      const process = this.#processNames.get(thread.pid) ?? (this.#word(thread.pid) || String(thread.pid));
      thread.name = thread.name === '' ? process : `${thread.name} (${process})`;
    }
  }
}

/** Notes where a value is: a string without its quotes, anything else whole. */
function take(reader: JsonReader, into: Stretch): boolean {
  if (reader.peek() === 0x22) {
    if (!reader.string()) return false;
    into.escaped = reader.escaped;
  } else {
    if (!reader.skip()) return false;
    into.escaped = false;
  }
  into.from = reader.from;
  into.to = reader.to;
  return reader.lack === Lack.Nothing;
}
