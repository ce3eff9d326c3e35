/** A thread's times as `sumScope` sums them, without its columns by path: for lists of threads and figures of whole runs. */
import { type Intervals, IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import { type IntervalRange, intervalsIn, isWait, type Scope, shareIn, wholeTrace } from './scope.js';

export interface ThreadTimes {
  /** Gaps included: what shares are of. */
  readonly wallNs: number;
  readonly cpuNs: number;
  readonly waitNs: number;
  readonly gapNs: number;
}

/** Over the whole recording. Costs a pass over the intervals. */
export const threadTimes = (intervals: Intervals): ThreadTimes =>
  timesOf(intervals, { first: 0, last: intervals.count }, wholeTrace);

export function threadTimesIn(trace: Trace, thread: ThreadTrack, range: Omit<Scope, 'threads'>): ThreadTimes {
  const scope = { ...range, threads: [thread.index] };
  return timesOf(thread.intervals, intervalsIn(thread, scope, trace.endNs), scope);
}

function timesOf(
  { begin, end, state, cpu, countsWith }: Intervals,
  { first, last }: IntervalRange,
  scope: Scope,
): ThreadTimes {
  const hasUnseen = countsWith.length > 0;
  let wallNs = 0;
  let cpuNs = 0;
  let waitNs = 0;
  let gapNs = 0;
  for (let row = first; row < last; row++) {
    const [from, to] = [begin[row] as number, end[row] as number];
    const share = shareIn(from, to, scope);
    const used = (cpu[row] as number) * share;
    let own = (to - from) * share;
    wallNs += own;
    cpuNs += used;
    // What was used here unseen counts with the interrupt, and as much of the time.
    if (hasUnseen && (countsWith[row] as number) > 0) own -= Math.min(used, own);
    const how = state[row] as number;
    if (how === IntervalState.Gap) gapNs += own;
    else if (isWait(how)) waitNs += own;
  }
  return { wallNs, cpuNs, waitNs, gapNs };
}
