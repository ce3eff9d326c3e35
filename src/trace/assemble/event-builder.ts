import { counted } from '../model/counted.js';
import type { Waits, Events, Links, Methods, ThreadTrack, Trace, TraceInfo } from '../model/trace.js';
import { pathBytes } from './budget.js';
import { CallTable } from './calls.js';
import { EventColumns } from './event-columns.js';
import { EventCounter, LeftOutCounter, mostCounters } from './event-counter.js';
import type { FrameTable } from './frame-table.js';
import type { IntervalTable } from './intervals.js';
import { PathTable } from './paths.js';
import { idOr0, isTime, readingOr0 } from './number-gate.js';
import type { KernelTable } from './kernel-table.js';
import { ProblemList } from './problem-list.js';
import { Replay } from './replay.js';
import type { SampledRows } from './sampled-rows.js';
import { applySchedule, type Schedule } from './schedule.js';
import { type ToldWait, type WaitSlice, WaitsOfSlices } from './wait-slices.js';

/** A file decides how many threads it names, and each costs some forty columns: what is beyond shares one. */
const maxThreads = 1 << 14;
/** An estimate: an object and its columns. */
const linkBytes = 100;

export interface EventThread {
  /** From 1, given when the trace is finished. */
  index: number;
  tid: number;
  /** 0 where the format knows no processes. */
  pid: number;
  name: string;
  isMain: boolean;
  events: EventColumns;
  /** Set for formats that hold stacks instead of events. */
  sampled: SampledRows | undefined;
  /** How far it goes at least, where the file says so: calls without an end end with the trace. */
  endNs: number;
  /** Set where the file says when the thread was on a CPU. */
  schedule: Schedule | undefined;
  /** Where the file says when the thread began and ended. */
  bornNs?: number;
  diedNs?: number;
  /** Who started it, where the file says that. */
  creator?: EventThread | undefined;
  /** ThreadKind of recording.proto, and Java's own id; 0 where the format knows none. */
  kind?: number;
  javaId?: number;
}

/** Clock readings in ns; 0 where a clock is not known. */
export interface ZeroReadings {
  readonly monotonicNs: bigint;
  readonly boottimeNs: bigint;
  readonly realtimeNs: bigint;
}

interface EventLink {
  readonly waiter: EventThread;
  readonly waiterTime: number;
  readonly waker: EventThread;
  readonly wakerTime: number;
  readonly certainty: number;
}

/**
 * Gathers what an importer finds and makes a Trace of it. Times may come in any order and around any zero: `finish` moves
 * them so that the first is 0.
 */
export class EventBuilder {
  readonly paths = new PathTable();
  readonly threads: EventThread[] = [];
  readonly counters: EventCounter[] = [];
  /** What the scheduler did, where the file says it. */
  system: KernelTable | undefined;
  /** Frames of apps, where the file has any. */
  frames: FrameTable | undefined;
  /** By method: its slices are waits. */
  readonly waitSlices = new Map<number, WaitSlice>();
  readonly #toldWaits = new Map<EventThread, Map<number, ToldWait>>();
  readonly #classNames: string[] = [''];
  readonly #classIds = new Map<string, number>([['', 0]]);
  /** Events are taken in until they, with the intervals and calls that come of them, take so much. */
  mostBytes = Infinity;
  /** They do: importers leave out the events that follow, and go on with names. */
  isFull = false;
  #fileBytes = 0;
  #takenBytes = 0;
  readonly #links: EventLink[] = [];
  /** Numbers that the gate refused before they came to a thread or a counter; those of threads that are left out. */
  #refused = 0;
  #negative = 0;
  readonly #problems = new ProblemList();
  #others: EventThread | undefined;
  readonly #leftOutCounter = new LeftOutCounter();

  /** So many bytes more of the file were read; what the importer holds besides the builder takes `othersBytes` in all. */
  read(bytes: number, othersBytes: number): void {
    this.#fileBytes += bytes;
    if (this.isFull) return;
    this.#takenBytes = this.#fileBytes;
    this.isFull = this.mostBytes < Infinity && this.#heldBytes() + othersBytes > this.mostBytes;
  }

  get isPart(): boolean {
    return this.#takenBytes < this.#fileBytes;
  }

  #heldBytes(): number {
    let bytes = pathBytes * this.paths.count + linkBytes * this.#links.length;
    for (const { events } of this.threads) bytes += events.memoryBytes;
    for (const { memoryBytes } of this.counters) bytes += memoryBytes;
    return bytes;
  }

  thread(tid: number, pid = 0, name = ''): EventThread {
    if (this.threads.length < maxThreads) return this.#newThread(tid, pid, name);
    if (this.#others === undefined) {
      this.#others = this.#newThread(0, 0, 'other threads');
      this.remark(`There are more than ${maxThreads} threads and tracks; those after them are one`);
    }
    return this.#others;
  }

  #newThread(tid: number, pid: number, name: string): EventThread {
    const thread: EventThread = {
      index: 0,
      tid: idOr0(tid),
      pid: idOr0(pid),
      name,
      isMain: pid > 0 && pid === tid,
      events: new EventColumns(),
      sampled: undefined,
      endNs: -Infinity,
      schedule: undefined,
    };
    this.threads.push(thread);
    return thread;
  }

  counter(name: string, unit: string): EventCounter {
    if (this.counters.length >= mostCounters) return this.#leftOutCounter;
    const counter = new EventCounter(name, unit);
    this.counters.push(counter);
    return counter;
  }

  /** Of counters that are too many. */
  leaveOutCounterValues(count: number): void {
    this.#leftOutCounter.values += count;
  }

  /** The number of what waits are for, as `Trace.className` takes it. */
  className(name: string): number {
    let id = this.#classIds.get(name);
    if (id === undefined) {
      id = this.#classNames.push(name) - 1;
      this.#classIds.set(name, id);
    }
    return id;
  }

  /** Says more of the wait that a slice of this thread is, which begins then. */
  tellWait(thread: EventThread, begin: number, told: ToldWait): void {
    const of = this.#toldWaits.get(thread);
    if (of === undefined) this.#toldWaits.set(thread, new Map([[begin, told]]));
    else of.set(begin, told);
  }

  /** Returns the link's row, for the block that it ends. */
  link(
    waiter: EventThread,
    waiterTime: number,
    waker: EventThread,
    wakerTime: number,
    certainty: number,
  ): number {
    if (!isTime(waiterTime) || !isTime(wakerTime)) {
      this.#refused++;
      return -1;
    }
    this.#links.push({ waiter, waiterTime, waker, wakerTime, certainty });
    return this.#links.length - 1;
  }

  /** An event was left out because a number of it is none that can be (`number-gate.ts`). */
  refuseNumber(): void {
    this.#refused++;
  }

  /** A length below 0 was taken for 0. */
  tellNegative(): void {
    this.#negative++;
  }

  problem(offset: number, what: string): void {
    this.#problems.add({ offset, what });
  }

  /** `lost` of `all` were left out: told first, and loudly where they are more than a few. */
  loss(lost: number, all: number, what: string, offset?: number): void {
    this.#problems.loss(lost, all, what, offset);
  }

  /** Of what is not at one place. */
  remark(what: string): void {
    this.#problems.add({ what });
  }

  /** Leaves threads out of the trace; links to them go too. Before `finish`. */
  retain(keep: (thread: EventThread) => boolean): void {
    let kept = 0;
    for (const thread of this.threads) {
      if (keep(thread)) this.threads[kept++] = thread;
      else this.#refused += refusedIn(thread);
    }
    this.threads.length = kept;
  }

  /**
   * `zero` is what the clocks read at the importer's 0, where that is known. `firstNs`: what times count from then; the first
   * of all where nobody says.
   */
  finish(
    methods: Methods,
    info: Partial<TraceInfo>,
    zero: Partial<ZeroReadings> = {},
    firstNs?: number,
  ): Trace {
    let first = Infinity;
    let last = -Infinity;
    this.#tellNumbers();
    this.threads.forEach((thread, i) => (thread.index = i + 1));
    const links = this.#links.filter((link) => link.waiter.index > 0 && link.waker.index > 0);
    const linkRows = new Map(links.map((link, row) => [link, row]));
    const see = (time: number): void => {
      if (time < first) first = time;
      if (time > last) last = time;
    };
    for (const thread of this.threads) extentOf(thread, see);
    for (const counter of this.counters) for (let i = 0; i < counter.count; i++) see(counter.time[i] ?? 0);
    this.frames?.eachTime(see);
    if (first === Infinity) first = last = 0;
    if (firstNs !== undefined) first = firstNs;

    let hasCpu = false;
    const { waitSlices } = this;
    const within = (method: number): number => waitSlices.get(method)?.within ?? -1;
    const waitsOfSlices = waitSlices.size > 0 ? new WaitsOfSlices(waitSlices, this.paths) : undefined;
    const tracks: ThreadTrack[] = [];
    for (const thread of this.threads) {
      const sampled = thread.sampled;
      let intervals: IntervalTable;
      let waits = noBlocks;
      if (sampled !== undefined) {
        intervals = sampled.rows;
        waits = sampled.waits;
      } else {
        const replay = new Replay(this.paths, waitsOfSlices && within);
        replay.run(thread.events, last);
        // What was replayed is not needed again, and is the larger part of the memory.
        thread.events = new EventColumns();
        this.#listFaults(thread, replay);
        let rows = replay.rows;
        hasCpu ||= replay.hasCpu;
        if (thread.schedule !== undefined) {
          const scheduled = applySchedule(rows, thread.schedule, this.paths);
          rows = scheduled.rows;
          waits = scheduled.waits;
          hasCpu = true;
        }
        if (waitsOfSlices !== undefined)
          waits = waitsOfSlices.of(
            { pid: thread.pid, rows, sleeps: waits, known: this.#toldWaits.get(thread) },
            last,
            (link) => this.#links[link]?.waker,
          );
        if (thread.schedule !== undefined)
          for (let row = 0; row < waits.count; row++) {
            const link = this.#links[waits.link[row] ?? -1];
            waits.link[row] = link === undefined ? -1 : (linkRows.get(link) ?? -1);
          }
        intervals = rows;
      }
      if (first !== 0) {
        shift(intervals.begin, intervals.count, first);
        shift(intervals.end, intervals.count, first);
        shift(waits.begin, waits.count, first);
        shift(waits.end, waits.count, first);
      }
      tracks.push(this.#track(thread, intervals, waits, first));
    }
    if (this.system !== undefined) {
      this.system.source = info.format ?? '';
      this.system.shift(first);
    }
    this.frames?.shift(first);
    const shifted = (reading: bigint | undefined): bigint =>
      reading === undefined || reading === 0n ? 0n : readingOr0(reading + BigInt(Math.round(first)));
    return {
      info: {
        ...unknownInfo,
        hasCpu,
        startMonotonicNs: shifted(zero.monotonicNs),
        startBoottimeNs: shifted(zero.boottimeNs),
        startRealtimeNs: shifted(zero.realtimeNs),
        ...info,
      },
      beginNs: 0,
      endNs: last - first,
      complete: true,
      endReason: 0,
      part: this.isPart ? { fileShare: this.#takenBytes / this.#fileBytes } : undefined,
      threads: tracks,
      methods,
      paths: this.paths,
      waitSlices: new Set(waitSlices.keys()),
      links: linkColumns(links, first),
      counters: this.counters.map((counter) => counter.finish(first)),
      system: this.system,
      frames: this.frames,
      hooks: [],
      losses: [],
      status: undefined,
      problems: this.#problems.listed,
      className: (id) => this.#classNames[id] ?? '',
      text: () => '',
    };
  }

  #track(thread: EventThread, intervals: IntervalTable, waits: Waits, first: number): ThreadTrack {
    const calls = new CallTable();
    calls.extend(intervals, this.paths);
    calls.settle();
    let sampleCount = 0;
    for (let i = 0; i < intervals.count; i++) sampleCount += intervals.samples[i] ?? 0;
    return {
      index: thread.index,
      tid: thread.tid,
      pid: thread.pid,
      javaId: idOr0(thread.javaId ?? 0),
      kind: thread.kind ?? 0,
      name: thread.name,
      isMain: thread.isMain,
      beginNs: sinceFirst(thread.bornNs, first) ?? (intervals.count > 0 ? (intervals.begin[0] ?? 0) : 0),
      endNs: sinceFirst(thread.diedNs, first) ?? 0,
      creator: thread.creator?.index ?? 0,
      intervals,
      calls,
      waits,
      events: noEvents,
      message: intervals.message,
      sampleCount,
    };
  }

  #listFaults(thread: EventThread, replay: Replay): void {
    const { unmatchedEnds, cut, leftOpen, tooDeep } = replay.faults;
    const who = thread.name === '' ? `thread ${thread.tid}` : `thread "${thread.name}"`;
    const list = (count: number, one: string, many: string): void => {
      if (count > 0) this.remark(`${who}: ${counted(count, one, many)}`);
    };
    list(unmatchedEnds, 'end had no begin; it was left out', 'ends had no begin; they were left out');
    list(
      cut,
      'call went on after the call it is in; it was cut at its end',
      'calls went on after the call they are in; they were cut at its end',
    );
    // Where the rest was left out, so were their ends.
    if (!this.isFull)
      list(
        leftOpen,
        'call was still open; it ends with the trace',
        'calls were still open; they end with the trace',
      );
    list(
      tooDeep,
      'call was deeper than 65535 frames; it was left out',
      'calls were deeper than 65535 frames; they were left out',
    );
  }

  #tellNumbers(): void {
    let refused = this.#refused;
    let taken = 0;
    for (const thread of this.threads) {
      refused += refusedIn(thread);
      taken += thread.events.count + thread.events.sliceCount + (thread.sampled?.rows.count ?? 0);
    }
    for (const counter of this.counters) refused += counter.refused;
    const { values } = this.#leftOutCounter;
    if (values > 0)
      this.remark(
        counted(
          values,
          'value of a counter was left out: there are too many counters',
          'values of counters were left out: there are too many counters',
        ),
      );
    if (refused > 0)
      this.loss(
        refused,
        refused + taken,
        counted(
          refused,
          'event has a time or a value that cannot be one; it was left out',
          'events have a time or a value that cannot be one; they were left out',
        ),
      );
    if (this.#negative > 0)
      this.remark(
        counted(this.#negative, 'length is below 0; it counts as 0', 'lengths are below 0; they count as 0'),
      );
  }
}

function linkColumns(links: readonly EventLink[], first: number): Links {
  return {
    count: links.length,
    waiter: Uint32Array.from(links, (link) => link.waiter.index),
    waiterTime: Float64Array.from(links, (link) => link.waiterTime - first),
    waker: Uint32Array.from(links, (link) => link.waker.index),
    wakerTime: Float64Array.from(links, (link) => link.wakerTime - first),
    certainty: Uint8Array.from(links, (link) => link.certainty),
  };
}

function refusedIn({ events, sampled }: EventThread): number {
  return events.refused + (sampled?.refused ?? 0);
}

function extentOf(thread: EventThread, see: (time: number) => void): void {
  const { events, sampled, schedule, endNs } = thread;
  if (isTime(endNs)) see(endNs);
  for (let i = 0; i < events.count; i++) see(events.time[i] ?? 0);
  for (let i = 0; i < events.sliceCount; i++) {
    see(events.sliceBegin[i] ?? 0);
    see(events.sliceEnd[i] ?? 0);
  }
  if (sampled !== undefined && sampled.rows.count > 0) {
    see(sampled.rows.begin[0] ?? 0);
    see(sampled.rows.end[sampled.rows.count - 1] ?? 0);
  }
  if (schedule !== undefined && schedule.count > 0) {
    see(schedule.begin[0] ?? 0);
    see(schedule.end[schedule.count - 1] ?? 0);
  }
}

function sinceFirst(time: number | undefined, first: number): number | undefined {
  return time !== undefined && isTime(time) ? Math.max(0, time - first) : undefined;
}

function shift(column: Float64Array, count: number, by: number): void {
  if (by === 0) return;
  for (let i = 0; i < count; i++) column[i] = (column[i] ?? 0) - by;
}

const none = new Float64Array(0);
export const noBlocks: Waits = {
  count: 0,
  begin: none,
  end: none,
  kind: new Uint8Array(0),
  path: new Int32Array(0),
  type: new Uint32Array(0),
  object: none,
  owner: new Uint32Array(0),
  flags: new Uint16Array(0),
  link: new Int32Array(0),
};
const noEvents: Events = {
  count: 0,
  time: none,
  kind: new Uint8Array(0),
  path: new Int32Array(0),
  type: new Uint32Array(0),
  object: none,
  peer: new Uint32Array(0),
  text: new Uint32Array(0),
};

/** Mode.IMPORTED of recording.proto. */
const imported = 2;

const unknownInfo: TraceInfo = {
  format: '',
  targetName: '',
  pid: 0,
  runtime: '',
  os: '',
  arch: '',
  device: '',
  agentVersion: '',
  mode: imported,
  modeReason: '',
  buildId: '',
  startMonotonicNs: 0n,
  startBoottimeNs: 0n,
  startRealtimeNs: 0n,
  syncIntervalNs: 0,
  asyncIntervalNs: 0,
  hasCpu: false,
  hasAllocations: false,
  hasAllocationCounts: false,
  hasFaults: false,
  hasSwitches: false,
  exact: true,
  linesNearSafepoints: false,
  allocationsEstimated: false,
};
