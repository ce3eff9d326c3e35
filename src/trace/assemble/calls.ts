/**
 * Intervals → calls. A call is open from the interval in which its frame appears to the last one that keeps it; what is
 * open at the end is closed there, provisionally: more intervals may follow.
 *
 * A call is kept as its first and last interval, 8 bytes. What else there is to say of it follows from these and is made into
 * columns when it is asked for. `extend` costs what the new intervals cost.
 */
import { IntervalState, type Calls, type Intervals, type Paths } from '../model/trace.js';
import { grown, grownTogether, nextCapacity, noInts } from './grow.js';

/** Short runs of a loop are compiled once, with their ends: one run over all of a thread was compiled anew for each thread. */
const sliceIntervals = 4096;
/** Room for more calls than the first slice lets expect saves copies, and what is never written takes no memory. */
const inReserve = 1.25;
/** Calls that are expected of an interval at most: a few very deep ones must not ask for more memory than there is. */
const mostExpected = 8;

export class CallTable implements Calls {
  count = 0;
  firstInterval = noInts;
  lastInterval = noInts;

  /** Rows of the open calls by depth. */
  #openRow = noInts;
  #open = 0;
  /** Intervals taken in. */
  #taken = 0;
  #source: { intervals: Intervals; paths: Paths } | undefined;
  #made: Partial<Made> = {};

  /** Takes in the intervals that are new since the last time. Call `settle` before anybody looks. */
  extend(intervals: Intervals, paths: Paths): void {
    const { count } = intervals;
    this.#source = { intervals, paths };
    if (this.#taken === count) return;
    this.#made = {};
    this.#expect(intervals, paths);
    while (this.#taken < count) this.#take(intervals, paths, Math.min(this.#taken + sliceIntervals, count));
  }

  /** Closes what is open at the end of the last interval, until more come. Costs the depth of the open stack. */
  settle(): void {
    for (let level = 0; level < this.#open; level++)
      this.lastInterval[this.#openRow[level] as number] = this.#taken - 1;
  }

  get begin(): Float64Array {
    return (this.#made.begin ??= this.#column(Float64Array, ({ intervals }) => {
      const { begin } = intervals;
      return (row) => begin[this.firstInterval[row] as number] as number;
    }));
  }

  get end(): Float64Array {
    return (this.#made.end ??= this.#column(Float64Array, ({ intervals }) => {
      const { end } = intervals;
      return (row) => end[this.lastInterval[row] as number] as number;
    }));
  }

  /** 0 for outermost calls. */
  get depth(): Uint16Array {
    return (this.#made.depth ??= this.#column(Uint16Array, ({ paths }) => {
      const path = this.#path;
      const { depth } = paths;
      return (row) => (depth[path[row] as number] as number) - 1;
    }));
  }

  get method(): Uint32Array {
    return (this.#made.method ??= this.#column(Uint32Array, ({ paths }) => {
      const path = this.#path;
      const { method } = paths;
      return (row) => method[path[row] as number] as number;
    }));
  }

  /** Row of the calling call, −1 for outermost ones. */
  get parent(): Int32Array {
    return (this.#made.parent ??= this.#column(Int32Array, ({ paths }) => {
      const path = this.#path;
      const { depth } = paths;
      // A call's parent is the latest one of the depth above.
      const latest: number[] = [];
      return (row) => {
        const level = depth[path[row] as number] as number;
        latest[level] = row;
        return level === 1 ? -1 : (latest[level - 1] as number);
      };
    }));
  }

  /** Calls that begin together are on the path of that interval: the last one is its innermost frame, others are outside of it. */
  get #path(): Int32Array {
    if (this.#made.path !== undefined) return this.#made.path;
    const { count, firstInterval } = this;
    const source = this.#source;
    const column = this.#empty(Int32Array);
    this.#made.path = column;
    if (source === undefined) return column;
    const { path } = source.intervals;
    const { parent } = source.paths;
    let inner = -1;
    let frame = 0;
    for (let row = count - 1; row >= 0; row--) {
      const first = firstInterval[row] as number;
      frame = (first === inner ? parent[frame] : path[first]) as number;
      inner = first;
      column[row] = frame;
    }
    return column;
  }

  /** CPU ns in the call and what it called, outside gaps. */
  get cpu(): Float64Array {
    return (this.#made.cpu ??= this.#column(Float64Array, ({ intervals }) => {
      const { state, cpu } = intervals;
      // What the thread had used before each interval.
      const before = new Float64Array(this.#taken + 1);
      for (let at = 0; at < this.#taken; at++)
        before[at + 1] = (before[at] as number) + (state[at] === IntervalState.Gap ? 0 : (cpu[at] as number));
      return (row) =>
        (before[(this.lastInterval[row] as number) + 1] as number) -
        (before[this.firstInterval[row] as number] as number);
    }));
  }

  /** Of a few calls all columns lie in one buffer (grow.ts says why). */
  #empty<A extends Column>(type: ColumnType<A>): A {
    const { count } = this;
    if (count > fewCalls) return new type(count);
    const buffer = (this.#made.buffer ??= new ArrayBuffer(count * bytesOfAll + 8 * columnsOfAll));
    const begin = this.#made.used ?? 0;
    // Each begins where a float64 may.
    this.#made.used = (begin + count * type.BYTES_PER_ELEMENT + 7) & ~7;
    return new type(buffer, begin, count);
  }

  #column<A extends Column>(
    type: ColumnType<A>,
    from: (source: { intervals: Intervals; paths: Paths }) => (row: number) => number,
  ): A {
    const column = this.#empty(type);
    if (this.#source === undefined) return column;
    const valueOf = from(this.#source);
    for (let row = 0; row < column.length; row++) column[row] = valueOf(row);
    return column;
  }

  #take({ path, keep: keeps }: Intervals, { depth }: Paths, to: number): void {
    let { firstInterval, lastInterval } = this;
    let openRow = this.#openRow;
    let open = this.#open;
    let rows = this.count;
    for (let interval = this.#taken; interval < to; interval++) {
      const frames = depth[path[interval] as number] as number;
      let keep = keeps[interval] as number;
      if (keep > frames) keep = frames;
      if (keep > open) keep = open;
      for (let level = keep; level < open; level++) lastInterval[openRow[level] as number] = interval - 1;
      if (frames > openRow.length) {
        this.#openRow = openRow = grown(openRow, nextCapacity(openRow.length, frames));
      }
      if (rows + frames - keep > firstInterval.length) {
        this.#reserve(rows + frames - keep);
        ({ firstInterval, lastInterval } = this);
      }
      for (let level = keep; level < frames; level++) {
        firstInterval[rows] = interval;
        openRow[level] = rows++;
      }
      open = frames;
    }
    this.count = rows;
    this.#open = open;
    this.#taken = to;
  }

  #reserve(rows: number): void {
    const { length } = this.firstInterval;
    if (rows <= length) return;
    const size = nextCapacity(length, rows);
    [this.firstInterval, this.lastInterval] = grownTogether(size, this.firstInterval, this.lastInterval);
  }

  /** Makes room for the calls that the new intervals begin, if all begin as many as the first of them. */
  #expect({ count, path, keep }: Intervals, { depth }: Paths): void {
    const taken = this.#taken;
    const looked = Math.min(count - taken, sliceIntervals);
    let open = this.#open;
    let calls = 0;
    for (let interval = taken; interval < taken + looked; interval++) {
      const frames = depth[path[interval] as number] as number;
      calls += frames - Math.min(keep[interval] as number, frames, open);
      open = frames;
    }
    const unseen = count - taken - looked;
    const expected = unseen * Math.min((calls / looked) * inReserve, mostExpected);
    this.#reserve(this.count + calls + Math.ceil(expected));
  }
}

type Column = Float64Array | Int32Array | Uint32Array | Uint16Array;
interface ColumnType<A extends Column> {
  new (length: number): A;
  new (buffer: ArrayBuffer, at: number, length: number): A;
  readonly BYTES_PER_ELEMENT: number;
}

/** With fewer, room for columns that nobody asks for costs less than a buffer for each. */
export const fewCalls = 128;
/** Of a call: what all columns of `Made` take. */
const bytesOfAll = 3 * 8 + 3 * 4 + 2;
const columnsOfAll = 7;

/** Columns that were asked for. */
interface Made {
  buffer: ArrayBuffer;
  /** Bytes of `buffer`. */
  used: number;
  path: Int32Array;
  begin: Float64Array;
  end: Float64Array;
  depth: Uint16Array;
  method: Uint32Array;
  parent: Int32Array;
  cpu: Float64Array;
}
