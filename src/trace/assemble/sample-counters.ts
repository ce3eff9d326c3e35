/**
 * What was counted between samples (allocations, faults, switches), by interval. The columns are read from the bytes
 * of the samples when they are asked for; until then those bytes are kept, which are fewer.
 */
import { CounterBit } from '../model/kinds.js';
import { type Intervals } from '../model/trace.js';
import { SampleBlockReader } from '../recording/samples.js';
import { grown, grownTogether, nextCapacity, noBytes, noFloats, noUints } from './grow.js';

/** What a sample made of itself and of the time before it. */
export const Made = {
  /** Nothing: it has no stack, and its time is left to the next one that has. */
  Nothing: 0,
  /** One interval, up to the sample. */
  Work: 1,
  /** A gap, then what it vouches for. */
  GapAndWork: 2,
  /** The work before it, then the call that it shows the begin of. */
  WorkAndCall: 3,
  /** The same, of work that nobody saw: what was allocated there is the next sampled allocation's. */
  UnseenAndCall: 4,
} as const;
/** Added to that of a sampled allocation, which stands for what was allocated unseen before it. */
export const madeByAllocation = 8;
/** Added to that of an interrupt that came late: one more interval, the last, of what it does not stand for. Nothing is counted there. */
export const madeLate = 16;

const mayBeAdded = madeByAllocation | madeLate;

interface Block {
  readonly payload: Uint8Array;
  readonly begin: number;
  readonly end: number;
  readonly rows: number;
}

export interface Counted {
  allocations: Float64Array;
  allocatedBytes: Float64Array;
  faults: Float64Array;
  switches: Float64Array;
  samples: Uint32Array;
}

/** Of the slice at hand: what its samples made; the interval of the work before each, −1 for none; that of the sample; the gap's share. */
interface Slice {
  readonly rows: number;
  readonly made: Uint8Array;
  readonly work: Int32Array;
  readonly last: Int32Array;
  readonly gapShare: Float64Array;
}

/** One of each for all threads, made when first needed. */
let reader: SampleBlockReader | undefined;
let bytesReader: SampleBlockReader | undefined;

export class SampleCounters {
  /** `Made` of each sample that came: `made[0]` is the first one's that is not counted yet. */
  made = noBytes;
  madeCount = 0;
  /** Of each `GapAndWork`, the share of the time before the sample that was its gap. */
  gapShares: number[] = [];
  /** How many of those are counted. */
  #gaps = 0;
  #blocks: Block[] = [];
  /** Intervals that are counted. */
  #done = 0;
  readonly #counted: Counted = {
    allocations: noFloats,
    allocatedBytes: noFloats,
    faults: noFloats,
    switches: noFloats,
    samples: noUints,
  };
  /** Intervals with bytes that wait for the sampled allocation that stands for them. */
  readonly #unseen: number[] = [];
  /** CounterBit bits that the totals below are valid for. */
  #known = 0;
  readonly #totals = { allocations: 0, allocatedBytes: 0, faults: 0, switches: 0 };

  reserve(samples: number): void {
    const needed = this.madeCount + samples;
    if (needed > this.made.length) this.made = grown(this.made, nextCapacity(this.made.length, needed));
  }

  /** The bytes of a block whose samples were taken. They must not change afterwards. */
  add(payload: Uint8Array, begin: number, end: number, rows: number): void {
    if (rows > 0) this.#blocks.push({ payload, begin, end, rows });
  }

  of(intervals: Intervals): Counted {
    if (this.#done < intervals.count) this.#count(intervals);
    return this.#counted;
  }

  /** Of all intervals. The column is not made for it. */
  sumOfAllocatedBytes(intervals: Intervals): number {
    let sum = 0;
    const { allocatedBytes } = this.#counted;
    for (let row = 0; row < this.#done; row++) sum += allocatedBytes[row] as number;
    if (this.#done >= intervals.count) return sum;
    const block = (bytesReader ??= new SampleBlockReader('allocatedBytes'));
    let total = (this.#known & CounterBit.AllocatedBytes) !== 0 ? this.#totals.allocatedBytes : NaN;
    let first = 0;
    for (const { payload, begin, end, rows } of this.#blocks) {
      block.open(payload, begin, end);
      if ((block.counters & CounterBit.AllocatedBytes) !== 0) {
        let left = rows;
        for (let read = block.next(); left > 0 && read > 0; read = block.next()) {
          const taken = Math.min(read, left);
          for (let row = 0; row < taken; row++) {
            if (((this.made[first + rows - left + row] as number) & ~mayBeAdded) === Made.Nothing) continue;
            const now = block.allocatedBytes[row] as number;
            if (now > total) sum += now - total;
            total = now;
          }
          left -= taken;
        }
      }
      first += rows;
    }
    return sum;
  }

  #count(intervals: Intervals): void {
    const counted = this.#counted;
    const size = intervals.begin.length;
    if (counted.samples.length < size) {
      [counted.allocations, counted.allocatedBytes, counted.faults, counted.switches, counted.samples] =
        grownTogether(
          size,
          counted.allocations,
          counted.allocatedBytes,
          counted.faults,
          counted.switches,
          counted.samples,
        );
    }
    const block = (reader ??= new SampleBlockReader('counters'));
    let first = 0;
    for (const { payload, begin, end, rows } of this.#blocks) {
      block.open(payload, begin, end);
      for (let left = rows, read = block.next(); left > 0 && read > 0; read = block.next()) {
        const slice = this.#slice(first, Math.min(read, left));
        this.#countSlice(block, slice);
        first += slice.rows;
        left -= slice.rows;
      }
    }
    this.#blocks = [];
    this.gapShares = [];
    this.#gaps = 0;
    this.made = noBytes;
    this.madeCount = 0;
  }

  /** Which intervals the samples from `first` on made. */
  #slice(first: number, rows: number): Slice {
    const { made } = this;
    const work = new Int32Array(rows);
    const last = new Int32Array(rows);
    const gapShare = new Float64Array(rows);
    let next = this.#done;
    for (let row = 0; row < rows; row++) {
      const how = made[first + row] as number;
      const what = how & ~mayBeAdded;
      work[row] = last[row] = -1;
      if (what === Made.Nothing) continue;
      if (what === Made.GapAndWork) {
        gapShare[row] = this.gapShares[this.#gaps++] as number;
        next++;
      }
      work[row] = next;
      if (what === Made.WorkAndCall || what === Made.UnseenAndCall) next++;
      last[row] = next++;
      if ((how & madeLate) !== 0) next++;
    }
    this.#done = next;
    return { rows, made: made.subarray(first, first + rows), work, last, gapShare };
  }

  #countSlice(block: SampleBlockReader, slice: Slice): void {
    const counted = this.#counted;
    const totals = this.#totals;
    const { rows, last } = slice;
    const { counters, merged, voluntarySwitches, involuntarySwitches } = block;
    for (let row = 0; row < rows; row++) {
      const at = last[row] as number;
      if (at >= 0) counted.samples[at] = 1 + Math.max(merged[row] as number, 0);
    }
    const has = (bit: number): boolean => (counters & bit) !== 0;
    const grew = (
      bit: number,
      column: Float64Array,
      before: number,
      out: Float64Array,
      isEstimate = false,
      into = slice.work,
    ): number => {
      if (!has(bit)) return before;
      const isKnown = (this.#known & bit) !== 0;
      return growth(column, isKnown ? before : NaN, out, slice, isEstimate, into);
    };
    const bit = CounterBit;
    totals.allocations = grew(
      bit.Allocations,
      block.allocations,
      totals.allocations,
      counted.allocations,
      has(bit.AllocationsEstimated),
    );
    totals.allocatedBytes = grew(
      bit.AllocatedBytes,
      block.allocatedBytes,
      totals.allocatedBytes,
      counted.allocatedBytes,
      has(bit.BytesEstimated),
    );
    // A thread may have lost its timers since: the next sampled allocation stands for what was unseen before all the same.
    const mayGather = has(bit.CpuTimed) || this.#unseen.length > 0;
    if (mayGather && has(bit.AllocatedBytes)) this.#gatherUnseen(slice);
    totals.faults = grew(bit.Faults, block.majorFaults, totals.faults, counted.faults);
    if (has(bit.Switches)) {
      const both = voluntarySwitches.map((count, row) => count + (involuntarySwitches[row] as number));
      // A wait is what a thread is switched for.
      totals.switches = grew(bit.Switches, both, totals.switches, counted.switches, false, last);
    }
    this.#known |= counters;
  }

  /** Bytes that were allocated unseen go to the sampled allocation that stands for them. */
  #gatherUnseen({ rows, made, work }: Slice): void {
    const counted = this.#counted;
    const unseen = this.#unseen;
    const { allocatedBytes } = counted;
    for (let row = 0; row < rows; row++) {
      const at = work[row] as number;
      if (made[row] === Made.UnseenAndCall && (allocatedBytes[at] as number) > 0) unseen.push(at);
      if (((made[row] as number) & madeByAllocation) === 0) continue;
      for (const from of unseen) {
        allocatedBytes[at] = (allocatedBytes[at] as number) + (allocatedBytes[from] as number);
        allocatedBytes[from] = 0;
      }
      unseen.length = 0;
    }
  }
}

/**
 * What a running total grew by since `before` (NaN: not known), into the intervals `into`; of a gap before it, its share of
 * the time where the total was read. An estimate is what this very sample stands for: none of it is the gap's. Gives
 * the latest total.
 */
function growth(
  column: Float64Array,
  before: number,
  out: Float64Array,
  { rows, gapShare }: Slice,
  isEstimate: boolean,
  into: Int32Array,
): number {
  let total = before;
  for (let row = 0; row < rows; row++) {
    const at = into[row] as number;
    if (at < 0) continue;
    const now = column[row] as number;
    if (now > total) {
      const grew = now - total;
      const share = isEstimate ? 0 : (gapShare[row] as number);
      out[at] = grew - grew * share;
      if (share > 0) out[at - 1] = grew * share;
    }
    total = now;
  }
  return total;
}
