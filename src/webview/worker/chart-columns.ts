/**
 * Intervals → calls ordered by depth, then begin, straight into the columns that travel to the page: O(intervals + calls),
 * 24 bytes a call, and nothing else is kept. A call is open from the interval in which its frame appears to the last one
 * that keeps it.
 */
import { IntervalState } from '../../trace/model/trace.js';
import type { Intervals, Paths } from '../../trace/model/trace.js';
import type { ChartColumns } from './messages.js';

/** A chart with as many rows, whose calls are to come. */
export function emptyChart(depthStart: Int32Array): ChartColumns {
  return {
    ...noCalls,
    count: depthStart[depthStart.length - 1] ?? 0,
    depthStart: new Int32Array(depthStart.length),
  };
}

/** The same for all threads: what is in a message several times travels once. */
const noCalls = {
  begin: new Float64Array(0),
  end: new Float64Array(0),
  method: new Uint32Array(0),
  cpu: new Float32Array(0),
};

/** Marks the methods of calls that are long enough to carry a label in a chart of all of it. */
export interface WideCalls {
  readonly shortestNs: number;
  /** By method; set to 1. */
  readonly methods: Uint8Array;
}

export function chartColumns(
  intervals: Intervals,
  paths: Paths,
  depthStart = rowsByDepth(intervals, paths),
  wide?: WideCalls,
): ChartColumns {
  const calls = depthStart[depthStart.length - 1] ?? 0;
  // One buffer: four cost more than what most threads of a program with very many have in them.
  const buffer = new ArrayBuffer(calls * (8 + 8 + 4 + 4));
  const begin = new Float64Array(buffer, 0, calls);
  const end = new Float64Array(buffer, calls * 8, calls);
  const method = new Uint32Array(buffer, calls * 16, calls);
  const cpu = new Float32Array(buffer, calls * 20, calls);

  const { count, begin: begins, end: ends, path: pathOf, keep: keeps, state: states, cpu: cpus } = intervals;
  const { depth: pathDepth, parent: pathParent, method: pathMethod } = paths;
  const shortestNs = wide?.shortestNs ?? Infinity;
  const wideMethods = wide?.methods ?? new Uint8Array(0);
  // By depth: where the next call goes, and the CPU time of the thread when the open one began.
  const next = depthStart.slice();
  const cpuAtBegin = new Float64Array(depthStart.length);
  let cpuSoFar = 0;
  let open = 0;
  // One turn more than there are intervals: it closes what is open at the end.
  for (let interval = 0; interval <= count; interval++) {
    const path = interval < count ? (pathOf[interval] as number) : 0;
    const frames = pathDepth[path] as number;
    let keep = interval < count ? (keeps[interval] as number) : 0;
    if (keep > frames) keep = frames;
    if (keep > open) keep = open;
    if (open > keep) {
      const at = ends[interval - 1] as number;
      for (let level = keep; level < open; level++) {
        const row = (next[level] as number) - 1;
        end[row] = at;
        cpu[row] = cpuSoFar - (cpuAtBegin[level] as number);
        if (at - (begin[row] as number) >= shortestNs) wideMethods[method[row] as number] = 1;
      }
    }
    if (interval === count) break;
    const at = begins[interval] as number;
    // From the innermost frame outwards, as a path knows its parent only.
    let frame = path;
    for (let level = frames - 1; level >= keep; level--) {
      const row = next[level] as number;
      next[level] = row + 1;
      begin[row] = at;
      method[row] = pathMethod[frame] as number;
      cpuAtBegin[level] = cpuSoFar;
      frame = pathParent[frame] as number;
    }
    open = frames;
    if (states[interval] !== IntervalState.Gap) cpuSoFar += cpus[interval] as number;
  }
  return { count: calls, depthStart, begin, end, method, cpu };
}

/** Where the rows of each depth begin, and, last, how many calls there are. */
export function rowsByDepth({ count, path, keep: keeps }: Intervals, { depth }: Paths): Int32Array {
  let deepest = 0;
  for (let interval = 0; interval < count; interval++) {
    const frames = depth[path[interval] as number] as number;
    if (frames > deepest) deepest = frames;
  }
  // An interval begins a call at each depth from `keep` up to its own: +1 there, −1 after, summed up below.
  const change = new Int32Array(deepest + 1);
  let open = 0;
  for (let interval = 0; interval < count; interval++) {
    const frames = depth[path[interval] as number] as number;
    const keep = Math.min(keeps[interval] as number, frames, open);
    change[keep] = (change[keep] as number) + 1;
    change[frames] = (change[frames] as number) - 1;
    open = frames;
  }
  const starts = new Int32Array(deepest + 1);
  let calls = 0;
  for (let level = 0; level < deepest; level++) {
    calls += change[level] as number;
    starts[level + 1] = (starts[level] as number) + calls;
  }
  return starts;
}
