import { EventBuilder } from '../assemble/event-builder.js';
import type { EventCounter } from '../assemble/event-counter.js';
import { endOf } from '../assemble/event-columns.js';
import { wholeOr0 } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { AsyncSlices } from './async-slices.js';
import { ByteWindow } from './byte-window.js';
import { Flows } from './flows.js';
import { FuchsiaArguments } from './fuchsia-arguments.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { SchedState } from '../system/kernel-sink.js';
import { KernelTrace } from './kernel-trace.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';

const two32 = 4294967296;
/** Kinds of records, of events, and of the kernel's objects. */
const Kind = {
  metadata: 0,
  initialization: 1,
  text: 2,
  thread: 3,
  event: 4,
  kernelObject: 7,
  scheduling: 8,
  large: 15,
} as const;
const Event = {
  counter: 1,
  begin: 2,
  end: 3,
  complete: 4,
  asyncBegin: 5,
  asyncEnd: 7,
  flowBegin: 8,
  flowStep: 9,
  flowEnd: 10,
} as const;
const ObjectType = { process: 1, thread: 2 } as const;
const maxRecordBytes = 64 << 20;

/** What a provider's records refer to by number. */
interface Provider {
  readonly texts: Map<number, string>;
  /** Methods of the texts that were names of events. */
  readonly methods: Map<number, number>;
  readonly threads: Map<number, readonly [process: number, thread: number]>;
}

/**
 * Reads Fuchsia's trace format (.fxt): durations, asynchronous events, counters, flows, names of processes and threads, context
 * switches and wake-ups. Records are whole words of 8 bytes and say their length, so what is unknown is passed over.
 */
export class FuchsiaImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names);
  readonly #kernel = new KernelTrace(this.#builder, this.#names, this.#methods);
  readonly #async = new AsyncSlices(this.#builder);
  readonly #window = new ByteWindow();
  readonly #arguments = new FuchsiaArguments();
  readonly #signal: AbortSignal | undefined;
  readonly #providers = new Map<number, Provider>();
  #provider = this.#providerOf(0);
  #nsPerTick = 1;
  #zero: readonly [low: number, high: number] | undefined;
  readonly #counters = new Map<string, EventCounter>();
  readonly #flows = new Flows<number>(this.#builder);
  #damaged = false;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#window.add(bytes);
    while (this.#record());
    const held = this.#names.memoryBytes + this.#kernel.memoryBytes + this.#async.memoryBytes;
    this.#builder.read(bytes.length, held + this.#flows.memoryBytes);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    const window = this.#window;
    if (window.at < window.end && !this.#damaged) {
      this.#builder.problem(
        window.offset,
        `The trace ends inside a record; its last ${counted(window.end - window.at, 'byte was', 'bytes were')} left out`,
      );
    }
    this.#async.finish((method) => this.#names.text(method));
    this.#kernel.finish();
    const pid = this.#builder.threads[0]?.pid ?? 0;
    const [low, high] = this.#zero ?? [0, 0];
    const zeroNs = wholeOr0((high * two32 + low) * this.#nsPerTick);
    return this.#builder.finish(
      this.#methods,
      { format: 'fuchsia', pid, targetName: this.#kernel.processNames.get(pid) ?? '' },
      { monotonicNs: zeroNs },
    );
  }

  #record(): boolean {
    const window = this.#window;
    const { bytes, at, end } = window;
    if (end - at < 8 || this.#damaged) return false;
    const low = word(bytes, at);
    const high = word(bytes, at + 4);
    const kind = low & 15;
    const words = kind === Kind.large ? ((low >>> 4) | ((high & 15) << 28)) >>> 0 : (low >>> 4) & 0xfff;
    const length = words * 8;
    if (length === 0 || length > maxRecordBytes) {
      this.#builder.problem(window.offset, 'A record has no length; nothing after it was read');
      this.#damaged = true;
      return false;
    }
    if (end - at < length) return false;
    this.#read(kind, low, high, bytes, at + 8, at + length);
    window.at = at + length;
    return true;
  }

  #read(kind: number, low: number, high: number, bytes: Uint8Array, from: number, to: number): void {
    switch (kind) {
      case Kind.metadata: {
        // Kinds 1 and 2 name the provider of the records that follow.
        const metadata = (low >>> 16) & 15;
        if (metadata === 1 || metadata === 2)
          this.#provider = this.#providerOf(((low >>> 20) | ((high & 0xfffff) << 12)) >>> 0);
        break;
      }
      case Kind.initialization: {
        const ticks = number(bytes, from, to);
        if (ticks > 0) this.#nsPerTick = 1e9 / ticks;
        break;
      }
      case Kind.text: {
        const length = Math.min(high & 0x7fff, to - from);
        this.#provider.methods.delete((low >>> 16) & 0x7fff);
        this.#provider.texts.set((low >>> 16) & 0x7fff, this.#arguments.decode(bytes, from, from + length));
        break;
      }
      case Kind.thread:
        this.#provider.threads.set((low >>> 16) & 0xff, [
          number(bytes, from, to),
          number(bytes, from + 8, to),
        ]);
        break;
      case Kind.event:
        if (!this.#builder.isFull) this.#event(low, high, bytes, from, to);
        break;
      case Kind.kernelObject:
        this.#object(low, high, bytes, from, to);
        break;
      case Kind.scheduling:
        this.#scheduling(low, high, bytes, from, to);
        break;
      default:
    }
  }

  #event(low: number, high: number, bytes: Uint8Array, from: number, to: number): void {
    const event = (low >>> 16) & 15;
    const argumentCount = (low >>> 20) & 15;
    const time = this.#time(bytes, from, to);
    const reader = this.#arguments.open(bytes, from + 8, to, this.#provider.texts);
    const threadReference = low >>> 24;
    let ids = this.#provider.threads.get(threadReference) ?? [0, 0];
    if (threadReference === 0) ids = [reader.number(), reader.number()];
    reader.text(high & 0xffff);
    const name = reader.text(high >>> 16);
    const [process, thread] = ids;
    if (event === Event.counter) {
      for (let i = 0; i < argumentCount && reader.next(); i++) {
        if (reader.isNumber) this.#count(process, `${name} ${reader.name}`, time, reader.value);
      }
      return;
    }
    for (let i = 0; i < argumentCount && reader.next(); i++);
    const method = this.#method(high >>> 16, name);
    const { events } = this.#kernel.thread(thread, process);
    switch (event) {
      case Event.begin:
        events.push(time, method);
        break;
      case Event.end:
        events.push(time, endOf(method));
        break;
      case Event.complete: {
        const end = this.#time(bytes, reader.at, to);
        events.slice(time, Math.max(time, end), method);
        break;
      }
      case Event.asyncBegin:
        this.#async.begin(process, reader.number(), time, method);
        break;
      case Event.asyncEnd:
        this.#async.end(process, reader.number(), time, method);
        break;
      case Event.flowBegin:
        this.#flows.begin(reader.number(), this.#kernel.thread(thread, process), time);
        break;
      case Event.flowStep:
      case Event.flowEnd:
        this.#flows.step(
          reader.number(),
          this.#kernel.thread(thread, process),
          time,
          event === Event.flowEnd,
        );
        break;
      default:
    }
  }

  /** A name that is told by number is looked up once. */
  #method(reference: number, name: string): number {
    const isTold = (reference & 0x8000) === 0;
    let method = isTold ? this.#provider.methods.get(reference) : undefined;
    if (method === undefined) {
      method = this.#names.internText(name === '' ? '(no name)' : name);
      if (isTold) this.#provider.methods.set(reference, method);
    }
    return method;
  }

  #count(process: number, title: string, time: number, value: number): void {
    const key = `${process} ${title}`;
    let counter = this.#counters.get(key);
    if (counter === undefined) this.#counters.set(key, (counter = this.#builder.counter(title, '')));
    counter.push(time, value);
  }

  /** The kernel's name for a process or a thread, by its id. */
  #object(low: number, high: number, bytes: Uint8Array, from: number, to: number): void {
    const type = (low >>> 16) & 0xff;
    const reader = this.#arguments.open(bytes, from, to, this.#provider.texts);
    const id = reader.number();
    const name = reader.text(((low >>> 24) | ((high & 0xff) << 8)) & 0xffff);
    const argumentCount = (high >>> 8) & 15;
    if (type === ObjectType.process) this.#kernel.nameProcess(id, name);
    else if (type === ObjectType.thread) {
      let process = 0;
      for (let i = 0; i < argumentCount && reader.next(); i++)
        if (reader.name === 'process') process = reader.value;
      this.#kernel.nameThread(id, name, process);
    }
  }

  #scheduling(low: number, high: number, bytes: Uint8Array, from: number, to: number): void {
    const kind = high >>> 28;
    const core = (low >>> 20) | ((high & 15) << 12);
    const time = this.#time(bytes, from, to);
    if (kind === 1) {
      // States of the outgoing thread: 0 new, 1 running, 2 suspended, 3 blocked, 4 dying, 5 dead.
      const state = (high >>> 4) & 15;
      const became = state >= 4 ? SchedState.Dead : state <= 1 ? SchedState.Runnable : SchedState.Sleeping;
      this.#kernel.switched(time, number(bytes, from + 8, to), became, number(bytes, from + 16, to), core);
    } else if (kind === 2) this.#kernel.woken(time, number(bytes, from + 8, to), 0, core);
  }

  #time(bytes: Uint8Array, at: number, to: number): number {
    if (at + 8 > to) return 0;
    const low = word(bytes, at);
    const high = word(bytes, at + 4);
    // Beyond 63 bits it is no time, and none that others could be counted from.
    if (high >= 2 ** 31) return NaN;
    this.#zero ??= [low, high];
    return Math.round(((high - this.#zero[1]) * two32 + (low - this.#zero[0])) * this.#nsPerTick);
  }

  #providerOf(id: number): Provider {
    let provider = this.#providers.get(id);
    if (provider === undefined) {
      provider = { texts: new Map(), methods: new Map(), threads: new Map() };
      this.#providers.set(id, provider);
    }
    return provider;
  }
}

function word(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}

/** A word of 8 bytes; beyond 2^53 the nearest double; 0 where the record is too short. */
function number(bytes: Uint8Array, at: number, to: number): number {
  return at + 8 > to ? 0 : word(bytes, at + 4) * two32 + word(bytes, at);
}
