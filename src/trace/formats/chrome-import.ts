import { EventBuilder, type EventThread } from '../assemble/event-builder.js';
import type { EventCounter } from '../assemble/event-counter.js';
import { endOf, endTop } from '../assemble/event-columns.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { AsyncSlices } from './async-slices.js';
import { ExportedClocks } from './chrome-clocks.js';
import { isTime } from '../assemble/number-gate.js';
import { ChromeEvent, type TextPlace } from './chrome-event.js';
import { ChromeProfiles } from './chrome-profiles.js';
import { markPhases } from './chrome-phases.js';
import { Flows } from './flows.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { JsonDocument, readItem, skipValue, type JsonVisitor } from './json-document.js';
import { JsonReader, unescaped } from './json-reader.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';

/** Roles of the containers that are entered. */
const rootObject = 1;
const eventArray = 2;
const otherData = 3;
const stackSamples = 4;

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
  readonly #profiles = new ChromeProfiles(this.#builder, this.#names, this.#methods);
  readonly #document = new JsonDocument(this);
  readonly #signal: AbortSignal | undefined;

  readonly #threads = new Map<number, Map<number, EventThread>>();
  #lastPid = NaN;
  #lastTid = NaN;
  #lastThread: EventThread | undefined;
  readonly #processNames = new Map<number, string>();
  readonly #counters = new Map<string, EventCounter>();
  readonly #flows = new Flows<string>(this.#builder);

  #baseUs = NaN;
  #noTime = 0;
  #stackSamples = 0;
  #hasKernelText = false;
  readonly #ignored = new Map<string, number>();
  readonly #clocks = new ExportedClocks();

  readonly #current = new ChromeEvent();

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#document.append(bytes);
    const held = this.#names.memoryBytes + this.#async.memoryBytes;
    this.#builder.read(bytes.length, held + this.#flows.memoryBytes + this.#profiles.memoryBytes);
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
    const samples = this.#stackSamples;
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
    this.#profiles.finish(this.#baseUs, (pid, tid) => this.#threads.get(pid)?.get(tid)?.name ?? '');
    this.#builder.retain(({ events, sampled }) => !events.isEmpty || (sampled?.rows.count ?? 0) > 0);
    this.#nameThreads();
    const pid = this.#builder.threads[0]?.pid ?? 0;
    return this.#builder.finish(
      this.#methods,
      {
        format: 'chrome',
        pid: Math.max(0, pid),
        targetName: this.#processNames.get(pid) ?? this.#current.word(pid),
      },
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

  #event(reader: JsonReader): boolean {
    const event = this.#current;
    if (!event.read(reader)) return false;
    const { bytes } = reader;
    const { phase, pid, tid, us, ns, duration, threadTime, threadDuration, name } = event;
    if (phase === 0x4d) {
      this.#metadata(reader, pid, tid);
      return true;
    }
    if (this.#builder.isFull) return true;
    if (!event.hasTime) {
      if (phase !== 0) this.#noTime++;
      return true;
    }
    // The first of them is what all others are counted from.
    if (!isTime(us * 1000)) {
      this.#builder.refuseNumber();
      return true;
    }
    if (this.#baseUs !== this.#baseUs) this.#baseUs = us;
    const time = (us - this.#baseUs) * 1000 + ns;
    switch (phase) {
      case 0x42: {
        const { events } = this.#thread(pid, tid);
        const method = this.#intern(bytes, name);
        if (threadTime === threadTime) events.pushWithCpu(time, method, threadTime);
        else events.push(time, method);
        break;
      }
      case 0x45: {
        const { events } = this.#thread(pid, tid);
        const what = name.to < 0 ? endTop : endOf(this.#intern(bytes, name));
        if (threadTime === threadTime) events.pushWithCpu(time, what, threadTime);
        else events.push(time, what);
        break;
      }
      case 0x58: {
        const { events } = this.#thread(pid, tid);
        const method = this.#intern(bytes, name);
        if (duration < 0) this.#builder.tellNegative();
        const length = duration > 0 ? duration : 0;
        // A call that had not ended when tracing did.
        if (duration !== duration) events.push(time, method);
        else if (threadTime === threadTime && threadDuration === threadDuration) {
          events.sliceWithCpu(time, time + length, method, threadTime, threadTime + threadDuration);
        } else events.slice(time, time + length, method);
        break;
      }
      case 0x43:
        this.#counter(reader, pid, time);
        break;
      case 0x62:
      case 0x53:
        this.#async.begin(pid, event.idText(reader), time, this.#intern(bytes, name));
        break;
      case 0x65:
      case 0x46:
        this.#async.end(pid, event.idText(reader), time, this.#intern(bytes, name));
        break;
      case 0x73:
        this.#flows.begin(event.idText(reader), this.#thread(pid, tid), time);
        break;
      case 0x74:
      case 0x66:
        this.#flows.step(event.idText(reader), this.#thread(pid, tid), time, phase === 0x66);
        break;
      case 0x50:
        if (this.#profile(reader, event)) break;
        this.#stackSamples++;
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

  /** A piece of a profile of JavaScript; false for another kind of sample. */
  #profile(reader: JsonReader, { pid, tid, name, id, args }: ChromeEvent): boolean {
    const kind = this.#current.text(reader, name);
    if ((kind !== 'Profile' && kind !== 'ProfileChunk') || args.to < args.from) return false;
    const profile = this.#current.text(reader, id);
    const inner = new JsonReader();
    inner.bytes = reader.bytes;
    inner.at = args.from;
    inner.end = args.to;
    inner.final = true;
    if (kind === 'Profile') this.#profiles.begin(profile, pid, tid, inner);
    else this.#profiles.chunk(profile, pid, tid, inner);
    return true;
  }

  #thread(pid: number, tid: number): EventThread {
    if (pid === this.#lastPid && tid === this.#lastTid && this.#lastThread !== undefined)
      return this.#lastThread;
    let ofProcess = this.#threads.get(pid);
    if (ofProcess === undefined) this.#threads.set(pid, (ofProcess = new Map<number, EventThread>()));
    let thread = ofProcess.get(tid);
    if (thread === undefined) {
      thread = this.#builder.thread(Math.max(0, tid), pid, this.#current.word(tid));
      ofProcess.set(tid, thread);
    }
    this.#lastPid = pid;
    this.#lastTid = tid;
    this.#lastThread = thread;
    return thread;
  }

  #intern(bytes: Uint8Array, { from, to, escaped }: TextPlace): number {
    if (to < from) return this.#names.internText('(no name)');
    if (!escaped) return this.#names.intern(bytes, from, to);
    const plain = unescaped(bytes, from, to);
    return this.#names.intern(plain, 0, plain.length);
  }

  #metadata(reader: JsonReader, pid: number, tid: number): void {
    const kind = this.#current.text(reader, this.#current.name);
    const name = this.#current.argument(reader, 'name');
    if (name === '') return;
    if (kind === 'thread_name') this.#thread(pid, tid).name = name;
    else if (kind === 'process_name') this.#processNames.set(pid, name);
  }

  #counter(reader: JsonReader, pid: number, time: number): void {
    const name = this.#current.text(reader, this.#current.name);
    this.#current.eachArgument(reader, (key, inner) => {
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

  #nameThreads(): void {
    const processes = new Set(this.#builder.threads.map((thread) => thread.pid));
    for (const thread of this.#builder.threads) {
      thread.isMain ||= thread.name === 'CrRendererMain' || thread.name === 'CrBrowserMain';
      if (processes.size < 2) continue;
      const process =
        this.#processNames.get(thread.pid) ?? (this.#current.word(thread.pid) || String(thread.pid));
      thread.name = thread.name === '' ? process : `${thread.name} (${process})`;
    }
  }
}
