/** A thread that was sampled: its samples → intervals (stack-diff.ts) → calls (calls.ts), and what they say besides. */
import { type ThreadTrack } from '../model/trace.js';
import { type Thread } from '../recording/messages.js';
import { type SampleBlockReader, sliceRows } from '../recording/samples.js';
import { WaitTable, EventTable } from './waits.js';
import { callBytes, intervalBytes, noteBytes, notedThreadBytes } from './budget.js';
import { CallTable, fewCalls } from './calls.js';
import { type FileBounds } from './file-bounds.js';
import { type NodeTable } from './nodes.js';
import { type PathTable } from './paths.js';
import { type SampledIntervals } from './sampled-intervals.js';
import { mostRowsASample, type Sampling, StackDiff } from './stack-diff.js';

/** Some samples make two or three intervals. Room for more than is expected saves copies; what is never written takes no memory. */
const inReserve = 1.25;

/** Calls are counted at one interval of so many, unless stacks are deeper than this. */
const lookedAt = 8;
const deepStack = 1000;

/** With more, a thread keeps its calls. */
const fewIntervals = 512;

/**
 * The threads whose calls were asked for last. Whoever goes through all threads of a program that starts one for each task
 * would otherwise leave calls with each of them.
 */
export class RecentCalls {
  readonly #threads: SampledThread[] = [];
  #next = 0;

  add(thread: SampledThread): void {
    this.#threads[this.#next]?.forgetFewCalls();
    this.#threads[this.#next] = thread;
    this.#next = (this.#next + 1) % mostRecent;
  }
}
const mostRecent = 256;

export class SampledThread implements ThreadTrack {
  tid = 0;
  javaId = 0;
  kind = 0;
  name = '';
  isMain = false;
  beginNs = 0;
  endNs = 0;
  creator = 0;
  sampleCount = 0;
  readonly intervals: SampledIntervals;
  readonly waits = new WaitTable();
  readonly events = new EventTable();

  /** What was read with the samples: CounterBit bits. */
  counters = 0;
  /** Of all its samples together. */
  flags = 0;
  readonly diff = new StackDiff();
  #callTable: CallTable | undefined;
  readonly #paths: PathTable;
  readonly #recentCalls: RecentCalls;

  constructor(
    readonly index: number,
    paths: PathTable,
    recentCalls: RecentCalls,
  ) {
    this.#paths = paths;
    this.#recentCalls = recentCalls;
    this.intervals = this.diff.intervals;
  }

  /**
   * Built when somebody asks: all figures come from intervals, and so does the page's chart. What is open is closed,
   * provisionally, at the end of the last interval.
   */
  get calls(): CallTable {
    const { intervals } = this;
    if (this.#callTable === undefined) {
      this.#callTable = new CallTable();
      this.#recentCalls.add(this);
    }
    const callTable = this.#callTable;
    const paths = this.#paths;
    callTable.extend(intervals, paths);
    callTable.settle();
    return callTable;
  }

  /** Frees the calls if they are so few that they are soon built again. */
  forgetFewCalls(): void {
    if (this.intervals.count <= fewIntervals && (this.#callTable?.count ?? 0) <= fewCalls)
      this.#callTable = undefined;
  }

  get message(): Uint32Array {
    return this.intervals.message;
  }

  /** Adds to and replaces what is set, as docs of recording.proto say. */
  describe(thread: Thread): void {
    if (thread.tid !== 0) this.tid = thread.tid;
    if (thread.javaId !== 0) this.javaId = thread.javaId;
    if (thread.kind !== 0) this.kind = thread.kind;
    if (thread.name !== '') this.name = thread.name;
    if (thread.beginNs !== 0) this.beginNs = thread.beginNs;
    if (thread.endNs !== 0) this.endNs = thread.endNs;
    if (thread.creator !== 0) this.creator = thread.creator;
    if (thread.isMain) this.isMain = true;
  }

  /**
   * The block that was opened, all of it: its bytes, at [begin, end) of the payload, must not change afterwards. `expected`:
   * samples that are known to come of this thread, the block's included. False when its last rows had no room.
   */
  take(
    block: SampleBlockReader,
    payload: Uint8Array,
    begin: number,
    end: number,
    expected: number,
    nodes: NodeTable,
    sampling: Sampling,
    bounds: FileBounds,
  ): boolean {
    this.counters |= block.counters;
    this.#reserve(Math.min(block.count, end - begin), expected);
    let taken = 0;
    let intervals = this.intervals.count;
    let notes = this.waits.count + this.events.count;
    for (let rows = block.next(); rows > 0; rows = block.next()) {
      if (nodes.isExpanded) {
        const { stack } = block;
        for (let row = 0; row < rows; row++) stack[row] = nodes.own(stack[row] as number);
      }
      if (block.hasDetails || block.hasDurations) this.#note(block, rows, nodes);
      if (block.hasFlags) this.flags |= flagsIn(block.flags, rows);
      const before = this.diff.leftOut;
      this.diff.take(block, rows, nodes, this.#paths, sampling);
      const captures = rows + (block.hasMerged ? mergedIn(block.merged, rows) : 0);
      this.sampleCount += captures - (this.diff.leftOut - before);
      taken += rows;
      if (this.#hasRoom(bounds, intervals, notes)) {
        intervals = this.intervals.count;
        notes = this.waits.count + this.events.count;
      } else {
        this.intervals.counters.add(payload, begin, end, taken);
        return false;
      }
    }
    this.intervals.counters.add(payload, begin, end, taken);
    return true;
  }

  /** Keeps what samples say besides their stacks: waits and events. */
  #note(block: SampleBlockReader, rows: number, nodes: NodeTable): void {
    const {
      time: times,
      duration,
      kind: kinds,
      type: types,
      object: objects,
      peer: peers,
      text: texts,
      stack,
    } = block;
    for (let row = 0; row < rows; row++) {
      const lasted = duration[row] as number;
      const type = types[row] as number;
      const object = objects[row] as number;
      const peer = peers[row] as number;
      const text = texts[row] as number;
      if (lasted <= 0 && type === 0 && object === 0 && peer === 0 && text === 0) continue;
      const path = nodes.pathOf(stack[row] as number);
      const time = times[row] as number;
      const kind = kinds[row] as number;
      if (lasted > 0) {
        const { waits } = this;
        const at = waits.push(time, time + lasted, kind, path);
        waits.type[at] = type;
        waits.object[at] = object;
        waits.owner[at] = peer;
        waits.flags[at] = block.flags[row] as number;
      } else {
        const { events } = this;
        const at = events.push(time, kind, path);
        events.type[at] = type;
        events.object[at] = object;
        events.peer[at] = peer;
        events.text[at] = text;
      }
    }
  }

  /** Whether there was room for what came after so many intervals, waits and events. */
  #hasRoom(bounds: FileBounds, before: number, notes: number): boolean {
    const { intervals, waits, events } = this;
    const paths = this.#paths;
    const { path, keep, count } = intervals;
    // Those of a thread are alike, but for its first. Where stacks are very deep one that is not may cost much.
    const step = paths.deepest > deepStack || count - before < lookedAt * lookedAt ? 1 : lookedAt;
    let calls = 0;
    for (let row = before; row < count; row += step)
      calls += step * Math.max((paths.depth[path[row] as number] as number) - (keep[row] as number), 0);
    const notesNow = waits.count + events.count;
    const bytes = intervalBytes * (count - before) + callBytes * calls + noteBytes * (notesNow - notes);
    const tables = notes === 0 && notesNow > 0 ? notedThreadBytes : 0;
    if (!bounds.hasRoom('samples', bytes) || !bounds.hasRoom('threads', tables)) return false;
    bounds.spend('samples', bytes);
    bounds.spend('threads', tables);
    return true;
  }

  /** Makes room for a block, and for those that are known to follow it: columns then grow once and not by and by. */
  #reserve(rows: number, expected: number): void {
    const { intervals } = this;
    if (intervals.count + rows <= intervals.begin.length) return;
    const likely = Math.ceil(expected * inReserve) + mostRowsASample * Math.min(rows, sliceRows);
    intervals.reserve(Math.min(likely, mostRowsASample * expected));
    intervals.counters.reserve(expected);
  }
}

function flagsIn(flags: Float64Array, rows: number): number {
  let all = 0;
  for (let row = 0; row < rows; row++) all |= flags[row] as number;
  return all;
}

/** Captures that equal neighbours stand for. */
function mergedIn(merged: Float64Array, rows: number): number {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum += Math.max(merged[row] as number, 0);
  return sum;
}
