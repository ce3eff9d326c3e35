import type { CounterTrack, Links, ThreadTrack, Trace } from '../model/trace.js';
import { cpuBefore, type ExportedIds, idsOf, threadsToWrite, totalBefore, walkCalls } from './call-events.js';
import type { ExportOptions, Sink } from './importer.js';
import { writeStackSamples } from './perfetto-samples-export.js';
import { threadsWithSections } from './perfetto-sections-export.js';
import { writePerfettoSystem } from './perfetto-system-export.js';
import { ProtobufWriter } from './protobuf-writer.js';
import {
  Clock,
  Counter,
  CounterType,
  CounterUnit,
  Event,
  EventType,
  Interned,
  InternedName,
  Packet,
  PacketDefaults,
  Process,
  Snapshot,
  SnapshotClock,
  Source,
  Thread,
  Track,
} from './perfetto-fields.js';

/** A piece goes to the sink when it has grown to this. */
const pieceBytes = 1 << 18;
/** Above what a tracing service hands out, so that a system trace can be appended; two bytes as a varint. */
const firstSequence = 10000;
/** Bits of `sequence_flags`. */
const stateCleared = 1;
const needsState = 2;

/**
 * Writes a trace as Perfetto TrackEvents. Each thread is a sequence of its own with its track as default, its names
 * interned, times as differences, and beside each begin and end the thread's CPU clock and what it had allocated, as far
 * as they changed: about 17 bytes an event, and 3 where something was allocated. Links become flows between instants; counters become counter tracks.
 * Samples are written beside the calls that come of them.
 */
export function writePerfetto(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const threads = threadsToWrite(trace, options);
  const writer = new PerfettoWriter(trace, sink, threads);
  writer.clocks();
  writer.processes();
  for (const thread of threads) writer.thread(thread);
  for (const counter of trace.counters) writer.counter(counter);
  writer.samples(threads);
  // Perfetto's format cannot say that others ran: between a program's threads it would show idle cores.
  if (trace.system?.isOfProgram === false) writePerfettoSystem(trace.system, writer.startNs, sink);
  writer.end();
}

class PerfettoWriter {
  readonly #trace: Trace;
  readonly #sink: Sink;
  readonly #out = new ProtobufWriter(pieceBytes + (1 << 16));
  readonly #processUuid: number;
  readonly #ids: ReadonlyMap<number, ExportedIds>;
  /** Times are written on BOOTTIME, so that a system trace fits beside; where it is not known, it is counted as MONOTONIC, or from 0. */
  readonly #clock = Clock.boottime;
  readonly startNs: bigint;
  /** Threads that the kernel's trace has slices of: these lie on tracks of their own, as they do not nest with calls. */
  readonly #withSections: ReadonlySet<number>;
  #sequence = firstSequence;

  constructor(trace: Trace, sink: Sink, threads: readonly ThreadTrack[]) {
    this.#trace = trace;
    this.#sink = sink;
    this.#ids = idsOf(trace, threads);
    this.#processUuid = uuidOf(`process ${trace.info.pid}`);
    this.#withSections = threadsWithSections(trace.system);
    const { startBoottimeNs, startMonotonicNs } = trace.info;
    this.startNs = startBoottimeNs > 0n ? startBoottimeNs : startMonotonicNs;
  }

  clocks(): void {
    const { startMonotonicNs, startRealtimeNs } = this.#trace.info;
    const out = this.#out;
    // What is not known stands in no reading: one of 0 would tie clocks that nobody read together.
    if (this.startNs === 0n && startRealtimeNs === 0n) return;
    out.begin(1);
    out.begin(Packet.clockSnapshot);
    if (startMonotonicNs > 0n) this.#reading(Clock.monotonic, startMonotonicNs);
    this.#reading(Clock.boottime, this.startNs);
    if (startRealtimeNs > 0n) this.#reading(Clock.realtime, startRealtimeNs);
    out.integer(Snapshot.primary, this.#clock);
    out.end();
    out.integer(Packet.sequenceId, this.#sequence);
    out.end();
  }

  processes(): void {
    const { pid, targetName } = this.#trace.info;
    this.#process(pid, targetName);
    for (const other of new Set([...this.#ids.values()].map((own) => own.pid)))
      if (other !== pid) this.#process(other, '');
  }

  #process(pid: number, name: string): void {
    const out = this.#out;
    out.begin(1);
    out.integer(Packet.sequenceId, this.#sequence);
    out.begin(Packet.trackDescriptor);
    out.integer(Track.uuid, uuidOf(`process ${pid}`));
    out.begin(Track.process);
    out.integer(Process.pid, pid);
    if (name !== '') out.text(Process.name, name);
    out.end();
    out.end();
    out.end();
  }

  thread(thread: ThreadTrack): void {
    const { calls } = thread;
    const { firstInterval, lastInterval } = calls;
    const { methods } = this.#trace;
    const out = this.#out;
    const totals = this.#totalsOf(thread);
    const sequence = ++this.#sequence;
    const wakes = instantsOf(this.#trace.links, thread);
    const firstNs = Math.min(
      calls.count > 0 ? (calls.begin[0] ?? 0) : Infinity,
      wakes.length > 0 ? (wakes[0]?.time ?? 0) : Infinity,
    );
    if (firstNs === Infinity) return;
    const uuid = uuidOf(`thread ${this.#trace.info.pid} ${thread.index}`);
    this.#threadHead(thread, sequence, uuid, Math.round(firstNs), totals);

    let lastNs = Math.round(firstNs);
    const told = totals.map(() => 0);
    /** An event without the CPU clock would be one where it is not known. */
    const clocks = this.#trace.info.hasCpu && thread.tid > 0 ? 1 : 0;
    let nextWake = 0;
    const interned = new Set<number>();

    const begin = (timeNs: number, type: number): void => {
      if (out.length > pieceBytes) this.#sink(out.take());
      out.begin(1);
      const roundNs = Math.max(lastNs, Math.round(timeNs));
      out.integer(Packet.timestamp, roundNs - lastNs);
      lastNs = roundNs;
      out.integer(Packet.sequenceId, sequence);
      out.integer(Packet.sequenceFlags, needsState);
      out.begin(Packet.trackEvent);
      out.integer(Event.type, type);
    };
    /** The totals where an interval begins, as differences; what was counted and did not change is left out at the end. */
    const counted = (interval: number): void => {
      const now = (at: number): number => Math.round(totals[at]?.before[interval] ?? 0);
      let changed = totals.length;
      while (changed > clocks && now(changed - 1) === told[changed - 1]) changed--;
      for (let at = 0; at < changed; at++) {
        out.integer(Event.extraCounterValues, now(at) - (told[at] ?? 0));
        told[at] = now(at);
      }
    };
    const instantsUntil = (timeNs: number): void => {
      for (let wake = wakes[nextWake]; wake !== undefined && wake.time <= timeNs; wake = wakes[++nextWake]) {
        begin(wake.time, EventType.instant);
        out.text(Event.name, wake.name);
        out.fixed64(wake.ends ? Event.terminatingFlowIds : Event.flowIds, wake.flow);
        out.end();
        out.end();
      }
    };

    walkCalls(
      calls,
      (row) => {
        const method = calls.method[row] ?? 0;
        instantsUntil(calls.begin[row] ?? 0);
        begin(calls.begin[row] ?? 0, EventType.begin);
        out.integer(Event.nameIid, method + 1);
        counted(firstInterval[row] ?? 0);
        const first = !interned.has(method);
        const file = first ? methods.file(method) : '';
        if (file !== '') {
          out.begin(Event.source);
          out.text(Source.file, file);
          out.integer(Source.line, methods.firstLine(method));
          out.end();
        }
        out.end();
        if (first) {
          interned.add(method);
          out.begin(Packet.internedData);
          out.begin(Interned.eventNames);
          out.integer(InternedName.iid, method + 1);
          out.text(InternedName.name, methods.qualifiedName(method));
          out.end();
          out.end();
        }
        out.end();
      },
      (row) => {
        instantsUntil(calls.end[row] ?? 0);
        begin(calls.end[row] ?? 0, EventType.end);
        counted((lastInterval[row] ?? 0) + 1);
        out.end();
        out.end();
      },
    );
    instantsUntil(Infinity);
  }

  /** Running totals of a thread that are told beside its events. */
  #totalsOf(thread: ThreadTrack): Total[] {
    const { hasCpu, hasAllocations } = this.#trace.info;
    const { count, allocations, allocatedBytes } = thread.intervals;
    const own = `${this.#trace.info.pid} ${thread.index}`;
    const totals: Total[] = [];
    // A track that is no thread has no CPU clock.
    if (hasCpu && thread.tid > 0) {
      totals.push({ uuid: uuidOf(`cpu ${own}`), name: '', unit: 0, before: cpuBefore(thread) });
    }
    if (hasAllocations) {
      const add = (name: string, unit: number, column: Float64Array): void => {
        const before = totalBefore(count, column);
        if ((before[count] ?? 0) === 0) return;
        totals.push({ uuid: uuidOf(`${name} ${own}`), name: `${name} by ${thread.name}`, unit, before });
      };
      add('allocated bytes', CounterUnit.bytes, allocatedBytes);
      add('allocations', CounterUnit.count, allocations);
    }
    return totals;
  }

  samples(threads: readonly ThreadTrack[]): void {
    if (this.#out.length > 0) this.#sink(this.#out.take());
    writeStackSamples(this.#trace, threads, {
      sink: this.#sink,
      sequence: ++this.#sequence,
      startNs: this.startNs,
      idsOf: (thread) => this.#idsOf(thread),
    });
  }

  #idsOf({ index, tid }: ThreadTrack): ExportedIds {
    return this.#ids.get(index) ?? { pid: this.#trace.info.pid, tid };
  }

  counter(counter: CounterTrack): void {
    const out = this.#out;
    const sequence = ++this.#sequence;
    const uuid = uuidOf(`counter ${this.#trace.info.pid} ${counter.name}`);
    out.begin(1);
    out.integer(Packet.sequenceId, sequence);
    out.begin(Packet.trackDescriptor);
    out.integer(Track.uuid, uuid);
    out.integer(Track.parent, this.#processUuid);
    out.text(Track.name, counter.name);
    out.begin(Track.counter);
    const unit = { ns: CounterUnit.timeNs, bytes: CounterUnit.bytes, '1': CounterUnit.count }[counter.unit];
    if (unit !== undefined) out.integer(Counter.unit, unit);
    else if (counter.unit !== '') out.text(Counter.unitName, counter.unit);
    out.end();
    out.end();
    out.end();
    for (let row = 0; row < counter.count; row++) {
      if (out.length > pieceBytes) this.#sink(out.take());
      const value = counter.value[row] ?? 0;
      out.begin(1);
      out.big(Packet.timestamp, this.startNs + BigInt(Math.round(counter.time[row] ?? 0)));
      out.integer(Packet.sequenceId, sequence);
      out.integer(Packet.clockId, this.#clock);
      out.begin(Packet.trackEvent);
      out.integer(Event.type, EventType.counter);
      out.integer(Event.trackUuid, uuid);
      if (Number.isSafeInteger(value)) out.integer(Event.counterValue, value);
      else out.double(Event.doubleCounterValue, value);
      out.end();
      out.end();
    }
  }

  end(): void {
    if (this.#out.length > 0) this.#sink(this.#out.take());
  }

  /** The thread's track, those of its totals, and what holds for every event of its sequence. */
  #threadHead(
    thread: ThreadTrack,
    sequence: number,
    uuid: number,
    firstNs: number,
    totals: readonly Total[],
  ): void {
    const out = this.#out;
    out.begin(1);
    out.integer(Packet.sequenceId, sequence);
    out.integer(Packet.sequenceFlags, stateCleared);
    out.begin(Packet.clockSnapshot);
    const at = this.startNs + BigInt(firstNs);
    this.#reading(this.#clock, at);
    this.#reading(Clock.firstOfSequence, at, true);
    out.end();
    out.begin(Packet.defaults);
    out.integer(PacketDefaults.clockId, Clock.firstOfSequence);
    out.begin(PacketDefaults.trackEvent);
    out.integer(Event.trackUuid, uuid);
    for (const total of totals) out.integer(Event.extraCounterTracks, total.uuid);
    out.end();
    out.end();
    out.end();

    out.begin(1);
    out.integer(Packet.sequenceId, sequence);
    out.integer(Packet.sequenceFlags, needsState);
    out.begin(Packet.trackDescriptor);
    out.integer(Track.uuid, uuid);
    const { pid, tid } = this.#idsOf(thread);
    out.integer(Track.parent, uuidOf(`process ${pid}`));
    if (thread.tid > 0) {
      out.begin(Track.thread);
      out.integer(Thread.pid, pid);
      out.integer(Thread.tid, tid);
      if (thread.name !== '') out.text(Thread.name, thread.name);
      out.end();
      if (this.#withSections.has(thread.tid)) out.integer(Track.disallowMerging, 1);
    } else if (thread.name !== '') out.text(Track.name, thread.name);
    out.end();
    out.end();

    for (const total of totals) {
      out.begin(1);
      out.integer(Packet.sequenceId, sequence);
      out.integer(Packet.sequenceFlags, needsState);
      out.begin(Packet.trackDescriptor);
      out.integer(Track.uuid, total.uuid);
      out.integer(Track.parent, uuid);
      if (total.name !== '') out.text(Track.name, total.name);
      out.begin(Track.counter);
      if (total.unit === 0) out.integer(Counter.type, CounterType.threadTime);
      else out.integer(Counter.unit, total.unit);
      out.integer(Counter.incremental, 1);
      out.end();
      out.end();
      out.end();
    }
  }

  #reading(clock: number, timestamp: bigint, incremental = false): void {
    this.#out.begin(Snapshot.clocks);
    this.#out.integer(SnapshotClock.id, clock);
    this.#out.big(SnapshotClock.timestamp, timestamp);
    if (incremental) this.#out.integer(SnapshotClock.incremental, 1);
    this.#out.end();
  }
}

interface Total {
  readonly uuid: number;
  /** Empty for the thread's CPU clock, which Perfetto knows. */
  readonly name: string;
  /** CounterUnit; 0 for the CPU clock. */
  readonly unit: number;
  /** What it came to before each interval, and after the last. */
  readonly before: Float64Array;
}

interface WakeInstant {
  readonly time: number;
  readonly name: string;
  readonly flow: number;
  /** True in the thread that was woken: the flow ends there. */
  readonly ends: boolean;
}

/** Both ends of the links that touch a thread, in order of time. A wait's end is where it was ended, not where it began. */
function instantsOf(links: Links, thread: ThreadTrack): WakeInstant[] {
  const instants: WakeInstant[] = [];
  const { waits } = thread;
  const endOfLink = new Map<number, number>();
  for (let row = 0; row < waits.count; row++) {
    const link = waits.link[row] ?? -1;
    if (link >= 0) endOfLink.set(link, waits.end[row] ?? 0);
  }
  for (let link = 0; link < links.count; link++) {
    if (links.waker[link] === thread.index) {
      instants.push({ time: links.wakerTime[link] ?? 0, name: 'wakes', flow: link + 1, ends: false });
    }
    if (links.waiter[link] === thread.index) {
      const time = endOfLink.get(link) ?? Math.max(links.waiterTime[link] ?? 0, links.wakerTime[link] ?? 0);
      instants.push({ time, name: 'woken', flow: link + 1, ends: true });
    }
  }
  return instants.sort((a, b) => a.time - b.time || a.flow - b.flow);
}

/** A track's id: the same for the same name, 52 bits. */
function uuidOf(name: string): number {
  let low = 0x811c9dc5 | 0;
  let high = 0x1b873593 | 0;
  for (let i = 0; i < name.length; i++) {
    low = Math.imul(low ^ name.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ name.charCodeAt(i), 0x85ebca6b);
    high ^= high >>> 13;
  }
  return ((high >>> 0) % (1 << 20)) * 4294967296 + (low >>> 0) + 1;
}
