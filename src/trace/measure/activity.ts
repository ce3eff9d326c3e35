/** What a thread did during a stretch of time: the method of the program in which it spent most of it, and how. */
import { SchedState, isAsleep } from '../system/kernel-sink.js';
import { placeOf } from './lock-waits.js';
import { programPath } from './platform.js';
import { statesOf } from './scheduling.js';
import { intervalsIn } from './scope.js';
import { lowerBound } from '../model/bisect.js';
import { ThreadKind } from '../model/kinds.js';
import { IntervalState, type ThreadTrack, type Trace, type Waits } from '../model/trace.js';

/**
 * `waited`: a wait was recorded and nobody had ended it yet, or the kernel had it asleep. `ready`: the kernel had it
 * ready and gave it no core. `stopped`: it used no CPU time, and nothing tells which of the two it was.
 */
export type Doing = 'ran' | 'waited' | 'ready' | 'stopped';

export interface Activity {
  readonly method: number;
  /** 0 unknown. */
  readonly line: number;
  readonly how: Doing;
  readonly ns: number;
}

interface Sum {
  ns: number;
  /** Of `ns`, in inferred waits. */
  stoppedNs: number;
  longestNs: number;
  /** Of the longest interval. */
  row: number;
  readonly isWait: boolean;
}

/** A pass over the intervals of the stretch. Undefined if nothing is known of the thread then, but waits if these do not count. */
export function activityIn(
  trace: Trace,
  thread: ThreadTrack,
  beginNs: number,
  endNs: number,
  doWaitsCount = true,
): Activity | undefined {
  const { path, node } = thread.intervals;
  const sums = new Map<number, Sum>();
  eachInterval(trace, thread, beginNs, endNs, (row, from, to, state) => {
    if (isBetweenInterrupts(trace, thread, row)) return;
    const isWait = state === IntervalState.Wait;
    if (isWait && !doWaitsCount) return;
    const key = programPath(trace, path[row] as number) * 2 + (isWait ? 1 : 0);
    let sum = sums.get(key);
    if (sum === undefined) sums.set(key, (sum = { ns: 0, stoppedNs: 0, longestNs: 0, row, isWait }));
    const ns = (isWait ? wokenAt(trace, thread, from, to) : to) - from;
    sum.ns += ns;
    if (state === IntervalState.InferredWait) sum.stoppedNs += ns;
    if (ns > sum.longestNs) [sum.longestNs, sum.row] = [ns, row];
  });
  const most = mostOf(sums);
  if (most === undefined) return undefined;
  const [key, { ns, stoppedNs, row, isWait }] = most;
  const place = placeOf(trace, path[row] as number, node[row] as number);
  if (isWait) return { ...place, how: 'waited', ns };
  if (stoppedNs * 2 <= ns) return { ...place, how: 'ran', ns };
  return { ...place, how: whyStopped(trace, thread, key >> 1, beginNs, endNs), ns };
}

/** First whether it waited for more than half of the time: work is spread over methods, a wait stands in one. */
function mostOf(sums: ReadonlyMap<number, Sum>): readonly [number, Sum] | undefined {
  let waitedMoreNs = 0;
  for (const { isWait, ns } of sums.values()) waitedMoreNs += isWait ? ns : -ns;
  let most: readonly [number, Sum] | undefined;
  for (const one of sums) {
    const [, { isWait, ns }] = one;
    if (isWait === waitedMoreNs > 0 && (most === undefined || ns > most[1].ns)) most = one;
  }
  return most;
}

/** When somebody ended a wait of this stretch, `to` if nobody is known: then it is over, though the thread has no core yet. */
function wokenAt({ links }: Trace, { waits }: ThreadTrack, from: number, to: number): number {
  const row = lowerBound(waits.end, from + 1, 0, waits.count); // they are in order of their ends
  const link = row < waits.count && (waits.begin[row] as number) < to ? (waits.link[row] as number) : -1;
  return link < 0 ? to : Math.min(Math.max(links.wakerTime[link] as number, from), to);
}

/** What the kernel says of a thread's inferred waits in a method: equal stacks do not tell a wait from a missing core. */
function whyStopped(trace: Trace, thread: ThreadTrack, at: number, beginNs: number, endNs: number): Doing {
  const states = trace.system && statesOf(trace.system, trace).get(thread.tid);
  if (states === undefined) return 'stopped';
  const { path } = thread.intervals;
  const times = new Float64Array(Object.keys(SchedState).length);
  eachInterval(trace, thread, beginNs, endNs, (row, from, to, state) => {
    if (state === IntervalState.InferredWait && programPath(trace, path[row] as number) === at)
      states.timesIn(from, to, times);
  });
  const readyNs = times[SchedState.Runnable] as number;
  const asleepNs = times.reduce((sum, ns, state) => (isAsleep(state) ? sum + ns : sum), 0);
  if (readyNs === asleepNs) return 'stopped';
  return readyNs > asleepNs ? 'ready' : 'waited';
}

/** Visits a thread's intervals with a stack, with the part of each within the stretch. */
function eachInterval(
  trace: Trace,
  thread: ThreadTrack,
  beginNs: number,
  endNs: number,
  visit: (row: number, fromNs: number, toNs: number, state: number) => void,
): void {
  const { begin, end, path, state } = thread.intervals;
  const { first, last } = intervalsIn(thread, { threads: [], beginNs, endNs }, trace.endNs);
  for (let row = first; row < last; row++) {
    const from = Math.max(begin[row] as number, beginNs);
    const to = Math.min(end[row] as number, endNs);
    if (to > from && path[row] !== 0 && state[row] !== IntervalState.Gap)
      visit(row, from, to, state[row] as number);
  }
}

/**
 * A native thread is known by its interrupts alone: until shortly before the next one it stands in its outermost frame, wherever it
 * is (docs/MEASURES.md, "Threads of the runtime's own").
 */
export function isBetweenInterrupts(
  { paths }: Trace,
  { kind, intervals }: ThreadTrack,
  row: number,
): boolean {
  if (kind !== ThreadKind.Native && kind !== ThreadKind.Runtime) return false;
  const isOutermost = paths.depth[intervals.path[row] as number] === 1;
  return isOutermost && intervals.state[row] === IntervalState.InferredWait;
}

/** The method and line of the program at which a thread began to wait. */
export function placeOfWait(
  trace: Trace,
  thread: ThreadTrack,
  row: number,
): { method: number; line: number } {
  const { waits, intervals } = thread;
  const at = waits.path[row] as number;
  const line = waits.told?.line[row] ?? 0;
  if (line > 0) return { method: placeOf(trace, at, 0).method, line };
  const [from, to] = [waits.begin[row] as number, waits.end[row] as number];
  const { first, last } = intervalsIn(thread, { threads: [], beginNs: from, endNs: to }, trace.endNs);
  for (let one = first; one < last; one++)
    if (intervals.path[one] === at) return placeOf(trace, at, intervals.node[one] as number);
  return placeOf(trace, at, 0);
}

/** Where the owner took what a thread waits for, if the trace itself says that. */
export function ownerPlace(
  { told }: Waits,
  row: number,
): { readonly method: number; readonly line: number } | undefined {
  const method = told?.ownerMethod[row] ?? -1;
  return method < 0 ? undefined : { method, line: told?.ownerLine[row] ?? 0 };
}
