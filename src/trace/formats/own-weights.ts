import { wholeTrace } from '../measure/scope.js';
import { sumScope } from '../measure/sums.js';
import { isTime } from '../measure/weights.js';
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import type { StackWeight } from './importer.js';

/** What of a weight is each path's own, in one thread. */
export function ownWeights(
  trace: Trace,
  { index, intervals }: ThreadTrack,
  weight: StackWeight,
): Float64Array {
  if (weight !== 'samples') {
    const scope = { ...wholeTrace, threads: [index] };
    return sumScope(trace, scope, isTime(weight) ? 'times' : 'all').self[weight];
  }
  const own = new Float64Array(trace.paths.count);
  for (let i = 0; i < intervals.count; i++) {
    if (intervals.state[i] === IntervalState.Gap) continue;
    const path = intervals.path[i] ?? 0;
    own[path] = (own[path] ?? 0) + (intervals.samples[i] ?? 0);
  }
  return own;
}
