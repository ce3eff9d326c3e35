/** What one thread allocated, without its columns by path. */
import type { ThreadTrack, Trace } from '../model/trace.js';
import { intervalsIn, type Scope, shareIn } from './scope.js';

/** Allocated bytes in the scope. Of a part of the time it costs the counters of the thread's samples, if nobody has read them yet. */
export function allocatedBytesOf(trace: Trace, thread: ThreadTrack, scope: Omit<Scope, 'threads'>): number {
  const whole = { ...scope, threads: [thread.index] };
  const { begin, end, count, sumOfAllocatedBytes } = thread.intervals;
  const { first, last } = intervalsIn(thread, whole, trace.endNs);
  const isAll = count === 0 || (first === 0 && last === count && (end[last - 1] as number) <= scope.endNs);
  if (isAll && sumOfAllocatedBytes !== undefined) return sumOfAllocatedBytes;
  const { allocatedBytes } = thread.intervals;
  let bytes = 0;
  for (let row = first; row < last; row++)
    bytes += (allocatedBytes[row] as number) * shareIn(begin[row] as number, end[row] as number, whole);
  return bytes;
}
