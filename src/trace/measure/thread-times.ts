/** A thread's times over the whole recording, as `sumScope` sums them, without its columns by path: for lists of threads. */
import { type Intervals, IntervalState } from '../model/trace.js';
import { isBlocked } from './scope.js';

export interface ThreadTimes {
  /** Gaps included: what shares are of. */
  readonly wallNs: number;
  readonly cpuNs: number;
  readonly blockedNs: number;
  readonly gapNs: number;
}

/** Costs a pass over the intervals. */
export function threadTimes({ begin, end, state, cpu, countsWith, count }: Intervals): ThreadTimes {
  const hasUnseen = countsWith.length > 0;
  let wallNs = 0;
  let cpuNs = 0;
  let blockedNs = 0;
  let gapNs = 0;
  for (let row = 0; row < count; row++) {
    const used = cpu[row] as number;
    let own = (end[row] as number) - (begin[row] as number);
    wallNs += own;
    cpuNs += used;
    // What was used here unseen counts with the interrupt, and as much of the time.
    if (hasUnseen && (countsWith[row] as number) > 0) own -= Math.min(used, own);
    const how = state[row] as number;
    if (how === IntervalState.Gap) gapNs += own;
    else if (isBlocked(how)) blockedNs += own;
  }
  return { wallNs, cpuNs, blockedNs, gapNs };
}
