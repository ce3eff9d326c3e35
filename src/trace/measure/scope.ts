/** What a figure is about, and the pass over its intervals that every figure starts with. */
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';

/** Threads by index (empty: all) and a stretch of time, its end excluded unless the trace ends there. */
export interface Scope {
  readonly threads: readonly number[];
  readonly beginNs: number;
  readonly endNs: number;
  /** The program's counter that the weight `counted` is of. */
  readonly counter?: string;
}

export const wholeTrace: Scope = { threads: [], beginNs: -Infinity, endNs: Infinity };

/** Rows [first, last) of a thread's intervals that lie in the scope, wholly or in part. */
export interface IntervalRange {
  readonly first: number;
  readonly last: number;
}

export function threadsIn(trace: Trace, scope: Scope): readonly ThreadTrack[] {
  if (scope.threads.length === 0) return trace.threads;
  const wanted = new Set(scope.threads);
  return trace.threads.filter(({ index }) => wanted.has(index));
}

/** Two bisections. */
export function intervalsIn(thread: ThreadTrack, scope: Scope, traceEndNs: number): IntervalRange {
  const { begin, end, count } = thread.intervals;
  // The first that ends after the scope's begin, or lies at it with no length.
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = end[middle] as number;
    if (at < scope.beginNs || (at === scope.beginNs && (begin[middle] as number) < at)) low = middle + 1;
    else high = middle;
  }
  const first = low;
  const closed = scope.endNs >= traceEndNs;
  high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = begin[middle] as number;
    if (at < scope.endNs || (closed && at === scope.endNs)) low = middle + 1;
    else high = middle;
  }
  return { first, last: low };
}

/** How much of an interval lies in the scope, 0 to 1. One of no length lies in it wholly or is not in the range. */
export function shareIn(begin: number, end: number, scope: Scope): number {
  if (begin >= scope.beginNs && end <= scope.endNs) return 1;
  const length = end - begin;
  if (length <= 0) return 1;
  return (Math.min(end, scope.endNs) - Math.max(begin, scope.beginNs)) / length;
}

/** Whether an interval's time counts as wait: seen waiting, or told so by the wait itself. */
export function isWait(state: number): boolean {
  return state === IntervalState.Wait || state === IntervalState.InferredWait;
}
