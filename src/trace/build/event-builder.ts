import { counted } from '../model/counted.js';
import type {
  Blocks,
  CounterTrack,
  Events,
  Links,
  Methods,
  Problem,
  ThreadTrack,
  Trace,
  TraceInfo,
} from '../model/trace.js';
import { pathBytes } from './budget.js';
import { CallTable } from './calls.js';
import { EventColumns } from './event-columns.js';
import { grown } from './grow.js';
import type { IntervalTable } from './intervals.js';
import { PathTable } from './paths.js';
import { Replay } from './replay.js';
import type { SampledRows } from './sampled-rows.js';
import { applySchedule, type Schedule } from './schedule.js';

/** At most so many problems are listed; the rest are counted in one more. */
const maxProblems = 100;
/** A file decides how many threads it names, and each costs some forty columns: what is beyond shares one. */
const maxThreads = 1 << 14;
/** Estimates: an object and its columns, a row of two columns. */
const linkBytes = 100;
const counterBytes = 16;

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
}

export class EventCounter {
  count = 0;
  time = new Float64Array(16);
  value = new Float64Array(16);
  constructor(
    public name: string,
    public unit: string,
  ) {}

  push(time: number, value: number): void {
    if (this.count === this.time.length) {
      this.time = grown(this.time, this.count * 2);
      this.value = grown(this.value, this.count * 2);
    }
    this.time[this.count] = time;
    this.value[this.count++] = value;
  }
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
  /** Events are taken in until they, with the intervals and calls that come of them, take so much. */
  mostBytes = Infinity;
  /** They do: importers leave out the events that follow, and go on with names. */
  isFull = false;
  #fileBytes = 0;
  #takenBytes = 0;
  readonly #links: EventLink[] = [];
  readonly #problems: Problem[] = [];
  #problemsLeftOut = 0;
  #others: EventThread | undefined;

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
    for (const { count } of this.counters) bytes += counterBytes * count;
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
      tid,
      pid,
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
    const counter = new EventCounter(name, unit);
    this.counters.push(counter);
    return counter;
  }

  /** Returns the link's row, for the block that it ends. */
  link(
    waiter: EventThread,
    waiterTime: number,
    waker: EventThread,
    wakerTime: number,
    certainty: number,
  ): number {
    this.#links.push({ waiter, waiterTime, waker, wakerTime, certainty });
    return this.#links.length - 1;
  }

  problem(offset: number, what: string): void {
    this.#list({ offset, what });
  }

  /** Of what is not at one place. */
  remark(what: string): void {
    this.#list({ what });
  }

  #list(problem: Problem): void {
    if (this.#problems.length < maxProblems) this.#problems.push(problem);
    else this.#problemsLeftOut++;
  }

  /** Leaves threads out of the trace; links to them go too. Before `finish`. */
  retain(keep: (thread: EventThread) => boolean): void {
    let kept = 0;
    for (const thread of this.threads) if (keep(thread)) this.threads[kept++] = thread;
    this.threads.length = kept;
  }

  /** `zero` is what the clocks read at the importer's 0, where that is known. */
  finish(methods: Methods, info: Partial<TraceInfo>, zero: Partial<ZeroReadings> = {}): Trace {
    let first = Infinity;
    let last = -Infinity;
    this.threads.forEach((thread, i) => (thread.index = i + 1));
    const links = this.#links.filter((link) => link.waiter.index > 0 && link.waker.index > 0);
    const linkRows = new Map(links.map((link, row) => [link, row]));
    const see = (time: number): void => {
      if (time < first) first = time;
      if (time > last) last = time;
    };
    for (const thread of this.threads) extentOf(thread, see);
    for (const counter of this.counters) for (let i = 0; i < counter.count; i++) see(counter.time[i] ?? 0);
    if (first === Infinity) first = last = 0;

    let hasCpu = false;
    const tracks: ThreadTrack[] = [];
    for (const thread of this.threads) {
      const sampled = thread.sampled;
      let intervals: IntervalTable;
      let blocks = noBlocks;
      if (sampled !== undefined) intervals = sampled.rows;
      else {
        const replay = new Replay(this.paths);
        replay.run(thread.events, last);
        // What was replayed is not needed again, and is the larger part of the memory.
        thread.events = new EventColumns();
        this.#listFaults(thread, replay);
        let rows = replay.rows;
        hasCpu ||= replay.hasCpu;
        if (thread.schedule !== undefined) {
          const scheduled = applySchedule(rows, thread.schedule, this.paths);
          rows = scheduled.rows;
          blocks = scheduled.blocks;
          for (let row = 0; row < blocks.count; row++) {
            const link = this.#links[blocks.link[row] ?? -1];
            blocks.link[row] = link === undefined ? -1 : (linkRows.get(link) ?? -1);
          }
          hasCpu = true;
        }
        intervals = rows;
      }
      if (first !== 0) {
        shift(intervals.begin, intervals.count, first);
        shift(intervals.end, intervals.count, first);
        shift(blocks.begin, blocks.count, first);
        shift(blocks.end, blocks.count, first);
      }
      tracks.push(this.#track(thread, intervals, blocks));
    }
    for (const counter of this.counters) shift(counter.time, counter.count, first);
    const shifted = (reading: bigint | undefined): bigint =>
      reading === undefined || reading === 0n ? 0n : reading + BigInt(Math.round(first));
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
      links: linkColumns(links, first),
      counters: this.counters.map(finishCounter),
      hooks: [],
      losses: [],
      status: undefined,
      problems: this.#listedProblems(),
      className: () => '',
      text: () => '',
    };
  }

  #track(thread: EventThread, intervals: IntervalTable, blocks: Blocks): ThreadTrack {
    const calls = new CallTable();
    calls.extend(intervals, this.paths);
    calls.settle();
    let sampleCount = 0;
    for (let i = 0; i < intervals.count; i++) sampleCount += intervals.samples[i] ?? 0;
    return {
      index: thread.index,
      tid: thread.tid,
      javaId: 0,
      kind: 0,
      name: thread.name,
      isMain: thread.isMain,
      beginNs: intervals.count > 0 ? (intervals.begin[0] ?? 0) : 0,
      endNs: 0,
      creator: 0,
      intervals,
      calls,
      blocks,
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

  #listedProblems(): Problem[] {
    if (this.#problemsLeftOut === 0) return this.#problems;
    return [
      ...this.#problems,
      {
        what: `${counted(this.#problemsLeftOut, 'more problem is', 'more problems are')} not listed`,
      },
    ];
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

function extentOf(thread: EventThread, see: (time: number) => void): void {
  const { events, sampled, schedule, endNs } = thread;
  if (endNs > -Infinity) see(endNs);
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

function shift(column: Float64Array, count: number, by: number): void {
  if (by === 0) return;
  for (let i = 0; i < count; i++) column[i] = (column[i] ?? 0) - by;
}

function finishCounter(counter: EventCounter): CounterTrack {
  const { name, unit, count, time, value } = counter;
  return { name, unit, count, time: time.subarray(0, count), value: value.subarray(0, count) };
}

const none = new Float64Array(0);
export const noBlocks: Blocks = {
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
