/** Figures of one call. */
import { IntervalState, type Calls, type Trace } from '../model/trace.js';
import { isBlocked } from './scope.js';
import { byWeight, type ByWeight } from './weights.js';

export interface CallFigures {
  /** Outside the calls it made. */
  readonly self: ByWeight<number>;
  readonly total: ByWeight<number>;
  /** Within it, without evidence: in neither. */
  readonly gapNs: number;
  readonly samples: number;
  /** Message id at its begin, 0 none. */
  readonly message: number;
  readonly depth: number;
}

/** Row of the call of a method that begins at a time, −1 when there is none. The outermost, when it calls itself at once. */
export function findCall(calls: Calls, method: number, beginNs: number): number {
  let low = 0;
  let high = calls.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls.begin[middle] as number) < beginNs) low = middle + 1;
    else high = middle;
  }
  for (let row = low; row < calls.count && calls.begin[row] === beginNs; row++) {
    if (calls.method[row] === method) return row;
  }
  return -1;
}

/** Costs a pass over the intervals that the call spans. Undefined when there is no such call. */
export function callFigures(trace: Trace, threadIndex: number, row: number): CallFigures | undefined {
  const thread = trace.threads.find(({ index }) => index === threadIndex);
  if (thread === undefined || !(row >= 0 && row < thread.calls.count)) return undefined;
  const { calls, intervals } = thread;
  const depth = calls.depth[row] as number;
  const first = calls.firstInterval[row] as number;
  const last = calls.lastInterval[row] as number;
  const self = byWeight(() => 0);
  const total = byWeight(() => 0);
  let gapNs = 0;
  let samples = 0;
  for (let at = first; at <= last; at++) {
    const wall = (intervals.end[at] as number) - (intervals.begin[at] as number);
    samples += intervals.samples[at] as number;
    const state = intervals.state[at] as number;
    if (state === IntervalState.Gap) {
      gapNs += wall;
      continue;
    }
    const isSelf = trace.paths.depth[intervals.path[at] as number] === depth + 1;
    for (const sums of isSelf ? [total, self] : [total]) {
      sums.wall += wall;
      sums.cpu += intervals.cpu[at] as number;
      if (isBlocked(state)) sums.blocked += wall;
      sums.allocations += intervals.allocations[at] as number;
      sums.allocatedBytes += intervals.allocatedBytes[at] as number;
      sums.faults += intervals.faults[at] as number;
      sums.switches += intervals.switches[at] as number;
    }
  }
  return { self, total, gapNs, samples, message: thread.message[first] ?? 0, depth };
}
