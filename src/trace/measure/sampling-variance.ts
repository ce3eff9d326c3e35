/** How far figures that come of samples may be off: docs/MEASURES.md, "Comparing". */
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import { intervalsIn, type Scope, shareIn, threadsIn } from './scope.js';
import { Sums } from './sums.js';

/**
 * By path the variance of its figures, as sums: whatever adds up figures adds up these. What is seen from begin to end, as a wait, has
 * none, nor has a trace of exact events. Costs a pass over the intervals of the scope, and reads what was counted.
 */
export function samplingVariance(trace: Trace, scope: Scope): Sums {
  const variance = new Sums(trace.paths, scope);
  if (trace.info.exact) return variance;
  for (const thread of threadsIn(trace, scope)) addThread(variance, thread, trace);
  const { self, sum } = variance;
  for (const weight of ['wall', 'cpu', 'allocations', 'allocatedBytes'] as const)
    for (const own of self[weight]) sum[weight] += own;
  return variance;
}

function addThread({ self, scope }: Sums, thread: ThreadTrack, trace: Trace): void {
  const { intervals } = thread;
  const { begin, end, path, state, cpu, countsWith, samples, allocations, allocatedBytes } = intervals;
  const { first, last } = intervalsIn(thread, scope, trace.endNs);
  const areEstimates = trace.info.hasAllocations && trace.info.allocationsEstimated;
  // What counts with an interrupt comes or goes with it.
  const work = new Float64Array(intervals.count);
  const used = new Float64Array(intervals.count);
  for (let row = first; row < last; row++) {
    const share = shareIn(begin[row] as number, end[row] as number, scope);
    const wall = ((end[row] as number) - (begin[row] as number)) * share;
    const ownCpu = (cpu[row] as number) * share;
    const interrupt = (countsWith[row] ?? 0) > 0 ? (countsWith[row] as number) : row;
    const away = interrupt === row ? 0 : Math.min(ownCpu, wall);
    used[interrupt] = (used[interrupt] as number) + ownCpu;
    work[interrupt] = (work[interrupt] as number) + away;
    if (state[row] === IntervalState.Evidence) work[row] = (work[row] as number) + wall - away;
  }
  for (let row = 0; row < intervals.count; row++) {
    const taken = samples[row] as number;
    if (taken === 0) continue;
    const at = path[row] as number;
    const add = (to: Float64Array, weight: number): void => {
      if (weight > 0) to[at] = (to[at] as number) + (weight * weight) / taken;
    };
    add(self.wall, work[row] as number);
    add(self.cpu, used[row] as number);
    if (!areEstimates || row < first || row >= last) continue;
    add(self.allocations, allocations[row] as number);
    add(self.allocatedBytes, allocatedBytes[row] as number);
  }
}
