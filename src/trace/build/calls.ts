/**
 * Intervals → calls. A call is open from the interval in which its frame appears to the last one that keeps it; what is
 * open at the end is closed there, provisionally: more intervals may follow.
 *
 * `extend` costs what the new intervals cost: a row is written once when its call begins and once when it ends. What a
 * list of calls does not need (their CPU time and intervals, who called) is found by a second walk when it is asked for.
 */
import { IntervalState, type Calls, type Intervals, type Paths } from '../model/trace.js';
import { grown, nextCapacity } from './grow.js';

export class CallTable implements Calls {
  count = 0;
  begin = new Float64Array(0);
  end = new Float64Array(0);
  depth = new Uint16Array(0);
  method = new Uint32Array(0);

  /** Rows of the open calls by depth. */
  private openRow = new Int32Array(64);
  private open = 0;
  /** Intervals taken in. */
  private taken = 0;
  private source: { intervals: Intervals; paths: Paths } | undefined;
  private origins: Origins | undefined;

  private reserve(rows: number): void {
    const needed = this.count + rows;
    if (needed <= this.begin.length) return;
    const size = nextCapacity(this.begin.length, needed);
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.depth = grown(this.depth, size);
    this.method = grown(this.method, size);
  }

  /** CPU ns in the call and what it called, outside gaps. */
  get cpu(): Float64Array {
    return this.whence().cpu;
  }

  /** Row of the calling call, −1 for outermost ones. */
  get parent(): Int32Array {
    return this.whence().parent;
  }

  get firstInterval(): Int32Array {
    return this.whence().firstInterval;
  }

  get lastInterval(): Int32Array {
    return this.whence().lastInterval;
  }

  /** Takes in the intervals that are new since the last time. Call `settle` before anybody looks. */
  extend(intervals: Intervals, paths: Paths): void {
    const { count } = intervals;
    const { begin: times, end: ends, path: pathOf, keep: keeps } = intervals;
    const pathParent = paths.parent;
    const pathMethod = paths.method;
    const pathDepth = paths.depth;
    this.source = { intervals, paths };
    if (this.taken === count) return;
    this.reserve(this.coming(intervals, pathDepth));
    let { open, openRow } = this;
    const { begin, end, depth, method } = this;
    let rows = this.count;
    for (let interval = this.taken; interval < count; interval++) {
      const path = pathOf[interval] as number;
      const frames = pathDepth[path] as number;
      let keep = keeps[interval] as number;
      if (keep > frames) keep = frames;
      if (keep > open) keep = open;
      if (open > keep) {
        const at = ends[interval - 1] as number;
        for (let level = keep; level < open; level++) end[openRow[level] as number] = at;
      }
      if (frames > keep) {
        const added = frames - keep;
        if (frames > openRow.length) {
          this.openRow = openRow = grown(openRow, nextCapacity(openRow.length, frames));
        }
        const at = times[interval] as number;
        // From the innermost frame outwards, as a path knows its parent only.
        let frame = path;
        let row = rows + added - 1;
        for (let level = frames - 1; level >= keep; level--, row--) {
          begin[row] = at;
          depth[row] = level;
          method[row] = pathMethod[frame] as number;
          openRow[level] = row;
          frame = pathParent[frame] as number;
        }
        rows += added;
      }
      open = frames;
    }
    this.count = rows;
    this.open = open;
    this.taken = count;
  }

  /** Calls that the new intervals begin: room is made for just so many, once. */
  private coming({ count, path, keep }: Intervals, depth: Uint16Array): number {
    let { open } = this;
    let calls = 0;
    for (let interval = this.taken; interval < count; interval++) {
      const frames = depth[path[interval] as number] as number;
      calls += frames - Math.min(keep[interval] as number, frames, open);
      open = frames;
    }
    return calls;
  }

  /** Closes what is open at the end of the last interval, until more come. Costs the depth of the open stack. */
  settle(intervals: Intervals): void {
    if (this.taken === 0) return;
    const at = intervals.end[this.taken - 1] as number;
    for (let level = 0; level < this.open; level++) this.end[this.openRow[level] as number] = at;
  }

  private whence(): Origins {
    if (this.origins?.taken !== this.taken) {
      this.origins =
        this.source === undefined
          ? noOrigins
          : originsOf(this.source.intervals, this.source.paths, this.taken, this.count);
    }
    return this.origins;
  }
}

/** Where calls come from; one entry a call. */
interface Origins {
  /** How many intervals it was made from. */
  readonly taken: number;
  readonly cpu: Float64Array;
  readonly parent: Int32Array;
  readonly firstInterval: Int32Array;
  readonly lastInterval: Int32Array;
}

const noOrigins: Origins = {
  taken: 0,
  cpu: new Float64Array(0),
  parent: new Int32Array(0),
  firstInterval: new Int32Array(0),
  lastInterval: new Int32Array(0),
};

/** The same walk as `extend`: calls come in the same order. */
function originsOf(intervals: Intervals, paths: Paths, taken: number, calls: number): Origins {
  const { path: pathOf, keep: keeps, state: states, cpu: cpus } = intervals;
  const cpu = new Float64Array(calls);
  const parent = new Int32Array(calls);
  const firstInterval = new Int32Array(calls);
  const lastInterval = new Int32Array(calls);
  const openRow: number[] = [];
  let rows = 0;
  let cpuSoFar = 0;
  for (let interval = 0; interval < taken; interval++) {
    const frames = paths.depth[pathOf[interval] as number] as number;
    const keep = Math.min(keeps[interval] as number, frames, openRow.length);
    for (let level = keep; level < openRow.length; level++) {
      const row = openRow[level] as number;
      lastInterval[row] = interval - 1;
      cpu[row] = cpuSoFar - (cpu[row] as number);
    }
    openRow.length = keep;
    for (let level = keep; level < frames; level++) {
      parent[rows] = level === 0 ? -1 : (openRow[level - 1] as number);
      firstInterval[rows] = interval;
      // What the thread had used when it began, until it ends.
      cpu[rows] = cpuSoFar;
      openRow.push(rows++);
    }
    if (states[interval] !== IntervalState.Gap) cpuSoFar += cpus[interval] as number;
  }
  for (const row of openRow) {
    lastInterval[row] = taken - 1;
    cpu[row] = cpuSoFar - (cpu[row] as number);
  }
  return { taken, cpu, parent, firstInterval, lastInterval };
}
