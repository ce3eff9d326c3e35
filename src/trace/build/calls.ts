/**
 * Intervals → calls. A call is open from the interval in which its frame appears to the last one that keeps it; what is
 * open at the end is closed there, provisionally: more intervals may follow.
 *
 * `extend` costs what the new intervals cost: rows are written once when a call begins and once when it ends.
 */
import { IntervalState, type Calls, type Intervals, type Paths } from '../model/trace.js';
import { grown, nextCapacity } from './grow.js';

export class CallTable implements Calls {
  count = 0;
  begin = new Float64Array(0);
  end = new Float64Array(0);
  cpu = new Float64Array(0);
  parent = new Int32Array(0);
  depth = new Uint16Array(0);
  method = new Uint32Array(0);
  firstInterval = new Int32Array(0);
  lastInterval = new Int32Array(0);

  /** Rows of the open calls by depth, and the thread's CPU time (outside gaps) when each began. */
  private openRow = new Int32Array(64);
  private openCpu = new Float64Array(64);
  private open = 0;
  private cpuSoFar = 0;
  /** Intervals taken in. */
  private taken = 0;

  reserve(rows: number): void {
    const needed = this.count + rows;
    if (needed <= this.begin.length) return;
    const size = nextCapacity(this.begin.length, needed);
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.cpu = grown(this.cpu, size);
    this.parent = grown(this.parent, size);
    this.depth = grown(this.depth, size);
    this.method = grown(this.method, size);
    this.firstInterval = grown(this.firstInterval, size);
    this.lastInterval = grown(this.lastInterval, size);
  }

  /** Takes in the intervals that are new since the last time. Call `settle` before anybody looks. */
  extend(intervals: Intervals, paths: Paths): void {
    const { count } = intervals;
    const { begin: times, end: ends, path: pathOf, keep: keeps, state: states, cpu: cpus } = intervals;
    const pathParent = paths.parent;
    const pathMethod = paths.method;
    const pathDepth = paths.depth;
    let { open, cpuSoFar } = this;
    let { openRow, openCpu, begin, end, cpu, parent, depth, method, firstInterval, lastInterval } = this;
    let rows = this.count;
    for (let interval = this.taken; interval < count; interval++) {
      const path = pathOf[interval] as number;
      const frames = pathDepth[path] as number;
      let keep = keeps[interval] as number;
      if (keep > frames) keep = frames;
      if (keep > open) keep = open;
      if (open > keep) {
        const at = ends[interval - 1] as number;
        for (let level = keep; level < open; level++) {
          const row = openRow[level] as number;
          end[row] = at;
          cpu[row] = cpuSoFar - (openCpu[level] as number);
          lastInterval[row] = interval - 1;
        }
      }
      if (frames > keep) {
        const added = frames - keep;
        if (rows + added > begin.length) {
          this.count = rows;
          this.reserve(added);
          ({ begin, end, cpu, parent, depth, method, firstInterval, lastInterval } = this);
        }
        if (frames > openRow.length) {
          this.openRow = openRow = grown(openRow, nextCapacity(openRow.length, frames));
          this.openCpu = openCpu = grown(openCpu, openRow.length);
        }
        const at = times[interval] as number;
        // From the innermost frame outwards, as a path knows its parent only.
        let frame = path;
        let row = rows + added - 1;
        for (let level = frames - 1; level >= keep; level--, row--) {
          begin[row] = at;
          depth[row] = level;
          method[row] = pathMethod[frame] as number;
          parent[row] = row - 1;
          firstInterval[row] = interval;
          openRow[level] = row;
          openCpu[level] = cpuSoFar;
          frame = pathParent[frame] as number;
        }
        parent[rows] = keep > 0 ? (openRow[keep - 1] as number) : -1;
        rows += added;
      }
      open = frames;
      if (states[interval] !== IntervalState.Gap) cpuSoFar += cpus[interval] as number;
    }
    this.count = rows;
    this.open = open;
    this.cpuSoFar = cpuSoFar;
    this.taken = count;
  }

  /** Closes what is open at the end of the last interval, until more come. Costs the depth of the open stack. */
  settle(intervals: Intervals): void {
    if (this.taken === 0) return;
    const last = this.taken - 1;
    const at = intervals.end[last] as number;
    for (let level = 0; level < this.open; level++) {
      const row = this.openRow[level] as number;
      this.end[row] = at;
      this.cpu[row] = this.cpuSoFar - (this.openCpu[level] as number);
      this.lastInterval[row] = last;
    }
  }
}
