/** Figures of one call. */
import { lowerBound } from '../model/bisect.js';
import { IntervalState, type Intervals, type Paths, type Trace } from '../model/trace.js';
import { StateCursor, statesOf } from './scheduling.js';
import { type IntervalRange, isWait, shareIn } from './scope.js';
import { byWeight, type ByWeight } from './weights.js';

export interface CallFigures {
  readonly method: number;
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

/** A call is told by its thread, its depth (0 for outermost ones) and its begin; of several it is the last, the only one with a length. */
export interface CallPlace {
  readonly thread: number;
  readonly depth: number;
  readonly beginNs: number;
}

/**
 * Of the part of the call that lies between the two times; they default to all of it. Costs a pass over the intervals that
 * the call spans. Undefined when there is no such call.
 */
export function callFigures(
  trace: Trace,
  place: CallPlace,
  within = { beginNs: -Infinity, endNs: Infinity },
): CallFigures | undefined {
  const thread = trace.threads.find(({ index }) => index === place.thread);
  const range = thread === undefined ? undefined : intervalsOfCall(thread.intervals, trace.paths, place);
  if (thread === undefined || range === undefined) return undefined;
  const { intervals } = thread;
  const { depth } = place;
  const { first, last } = range;
  const self = byWeight(() => 0);
  const total = byWeight(() => 0);
  const states = trace.system && statesOf(trace.system, trace).get(thread.tid);
  const cursor = states && new StateCursor(states);
  let gapNs = 0;
  let samples = 0;
  for (let at = first; at < last; at++) {
    const [from, to] = [intervals.begin[at] as number, intervals.end[at] as number];
    if (to < within.beginNs || from > within.endNs) continue;
    const share = shareIn(from, to, { threads: [], ...within });
    const wall = (to - from) * share;
    samples += intervals.samples[at] as number;
    const state = intervals.state[at] as number;
    if (state === IntervalState.Gap) {
      gapNs += wall;
      continue;
    }
    const isSelf = trace.paths.depth[intervals.path[at] as number] === depth + 1;
    cursor?.sum(Math.max(from, within.beginNs), Math.min(to, within.endNs));
    for (const sums of isSelf ? [total, self] : [total]) {
      sums.wall += wall;
      sums.cpu += (intervals.cpu[at] as number) * share;
      if (isWait(state)) sums.wait += wall;
      sums.allocations += (intervals.allocations[at] as number) * share;
      sums.allocatedBytes += (intervals.allocatedBytes[at] as number) * share;
      sums.faults += (intervals.faults[at] as number) * share;
      sums.switches += (intervals.switches[at] as number) * share;
      sums.schedulerCpu += cursor?.runningNs ?? 0;
      sums.coreWait += cursor?.runnableNs ?? 0;
    }
  }
  let path = intervals.path[first] as number;
  while ((trace.paths.depth[path] as number) > depth + 1) path = trace.paths.parent[path] as number;
  const method = trace.paths.method[path] as number;
  return { method, self, total, gapNs, samples, message: thread.message[first] ?? 0, depth };
}

/** It goes on while its frame is kept. */
function intervalsOfCall(intervals: Intervals, paths: Paths, place: CallPlace): IntervalRange | undefined {
  const { begin, path, keep, count } = intervals;
  const frames = (row: number): number => paths.depth[path[row] as number] as number;
  const { depth } = place;
  let found: IntervalRange | undefined;
  for (
    let first = lowerBound(begin, place.beginNs, 0, count);
    first < count && begin[first] === place.beginNs;
    first++
  ) {
    const open = first === 0 ? 0 : frames(first - 1);
    if (frames(first) <= depth || Math.min(keep[first] as number, open) > depth) continue;
    let last = first + 1;
    while (last < count && Math.min(keep[last] as number, frames(last)) > depth) last++;
    found = { first, last };
  }
  return found;
}
