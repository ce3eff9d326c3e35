/**
 * A thread's intervals, appended in time order. All measures come from these; calls are built from them (calls.ts).
 */
import { IntervalState, type Intervals } from '../model/trace.js';
import { grown, nextCapacity, noBytes, noFloats, noInts, noShorts, noUints } from './grow.js';

export class IntervalTable implements Intervals {
  count = 0;
  begin = noFloats;
  end = noFloats;
  path = noInts;
  keep = noShorts;
  state = noBytes;
  cpu = noFloats;
  allocations = noFloats;
  allocatedBytes = noFloats;
  faults = noFloats;
  switches = noFloats;
  samples = noUints;
  node = noInts;
  readonly countsWith = noInts;
  /** Message id of each interval: `ThreadTrack.message`. */
  message = noUints;

  /** Makes room for `rows` more. Knowing the number beforehand saves copies and memory. */
  reserve(rows: number): void {
    const needed = this.count + rows;
    if (needed <= this.begin.length) return;
    const size = nextCapacity(this.begin.length, needed);
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.path = grown(this.path, size);
    this.keep = grown(this.keep, size);
    this.state = grown(this.state, size);
    this.cpu = grown(this.cpu, size);
    this.allocations = grown(this.allocations, size);
    this.allocatedBytes = grown(this.allocatedBytes, size);
    this.faults = grown(this.faults, size);
    this.switches = grown(this.switches, size);
    this.samples = grown(this.samples, size);
    this.node = grown(this.node, size);
    this.message = grown(this.message, size);
  }

  /**
   * Appends an interval and gives its row; other columns are 0 until set. `keep` frames, from the root, are the same
   * calls as in the interval before: less than both depths have in common where a call ended and began anew.
   */
  push(
    begin: number,
    end: number,
    path: number,
    keep: number,
    state: IntervalState = IntervalState.Evidence,
  ): number {
    if (this.count === this.begin.length) this.reserve(1);
    const row = this.count++;
    this.begin[row] = begin;
    this.end[row] = end;
    this.path[row] = path;
    this.keep[row] = keep;
    this.state[row] = state;
    return row;
  }
}
