/**
 * The intervals of a thread that was sampled. What the diff of stacks needs is written as samples come; what was counted is
 * read from the samples' bytes when somebody asks for it (sample-counters.ts): most who open a recording look at one
 * weight of seven.
 *
 * Each begins where the one before it ends, so that `begin` and `end` are two views of one column of times.
 *
 * Memory: 31 bytes an interval, of which the message's are touched only where there are messages; 36 more once counted; 4 more in a
 * thread that is interrupted by its CPU clock.
 */
import { type Intervals, type IntervalState } from '../model/trace.js';
import { grown, grownTogether, nextCapacity, noBytes, noFloats, noInts, noShorts, noUints } from './grow.js';
import { SampleCounters } from './sample-counters.js';

export class SampledIntervals implements Intervals {
  count = 0;
  /** Where the first begins, then where each ends. */
  #times = noFloats;
  begin = noFloats;
  end = noFloats;
  path = noInts;
  keep = noShorts;
  state = noBytes;
  cpu = noFloats;
  node = noInts;
  countsWith = noInts;
  /** Intervals that `settle` has looked at. */
  #settled = 0;
  /** Message id of each interval: `ThreadTrack.message`. */
  message = noUints;
  readonly counters = new SampleCounters();

  get allocations(): Float64Array {
    return this.counters.of(this).allocations;
  }

  get allocatedBytes(): Float64Array {
    return this.counters.of(this).allocatedBytes;
  }

  get sumOfAllocatedBytes(): number {
    return this.counters.sumOfAllocatedBytes(this);
  }

  get faults(): Float64Array {
    return this.counters.of(this).faults;
  }

  get switches(): Float64Array {
    return this.counters.of(this).switches;
  }

  get samples(): Uint32Array {
    return this.counters.of(this).samples;
  }

  /** Makes room for `rows` more. Knowing the number beforehand saves copies and memory. */
  reserve(rows: number): void {
    const needed = this.count + rows;
    if (needed <= this.begin.length) return;
    const size = nextCapacity(this.begin.length, needed);
    let times;
    [times, this.cpu, this.path, this.node, this.message, this.keep, this.state] = grownTogether(
      size + 1,
      this.#times,
      this.cpu,
      this.path,
      this.node,
      this.message,
      this.keep,
      this.state,
    );
    this.#times = times;
    this.begin = times.subarray(0, size);
    this.end = times.subarray(1);
    if (this.countsWith.length > 0) this.countsWith = grown(this.countsWith, size);
  }

  /** Room must have been made. Node and CPU time are 0 until set. Only the first says where it begins. */
  push(
    begin: number,
    end: number,
    path: number,
    keep: number,
    state: IntervalState,
    messageId: number,
  ): number {
    const row = this.count++;
    if (row === 0) this.begin[0] = begin;
    this.end[row] = end;
    this.path[row] = path;
    this.keep[row] = keep;
    this.state[row] = state;
    this.message[row] = messageId;
    return row;
  }

  /** No interrupt saw the thread use this interval's CPU time: it waits for the interrupt that stands for it. */
  setUnseen(row: number): void {
    if (this.countsWith.length === 0) this.countsWith = new Int32Array(this.begin.length);
    this.countsWith[row] = -1;
  }

  /** The interrupt that ends interval `row` stands for what was used unseen since the one before it. */
  settle(row: number): void {
    const { countsWith } = this;
    if (countsWith.length > 0) {
      for (let at = this.#settled; at < row; at++) if (countsWith[at] === -1) countsWith[at] = row;
    }
    this.#settled = row;
  }
}
