/** Threads that waited for a lock when the recording ended, and circles of them: docs/MEASURES.md, "Deadlocks". */
import { lowerBound } from '../model/bisect.js';
import { SampleFlag, SampleKind } from '../model/kinds.js';
import { type ThreadTrack, type Trace } from '../model/trace.js';
import { programPath } from './platform.js';

export interface LockWait {
  /** Thread index. */
  readonly thread: number;
  /** Row in its waits: what it waits for, and since when. */
  readonly row: number;
  /** Index of the thread that has the lock, 0 unknown. */
  readonly owner: number;
  /** The owner was seen when the wait began; it may have been another one at the end. */
  readonly isEstimated: boolean;
  /** Where it waits: the innermost method that is not the platform's, else the innermost; −1 unknown. */
  readonly method: number;
  /** 0 unknown. */
  readonly line: number;
}

export interface LockWaits {
  /** Each in a circle: every thread waits for a lock that the next one has, the last for one of the first's. */
  readonly deadlocks: readonly (readonly LockWait[])[];
  /** In no circle, the longest first: those who wait behind a deadlock, and those who have waited for long. */
  readonly others: readonly LockWait[];
}

/** Any busy program has threads that wait for a lock at any moment: shorter waits are nothing to speak of. */
export const longLockWaitNs = 1e9;

/** Costs a pass over the waits of each thread. */
export function lockWaitsAtEnd(trace: Trace): LockWaits {
  const waits = new Map<number, LockWait>();
  const lasted = new Map<LockWait, number>();
  for (const thread of trace.threads) {
    const wait = lockWait(trace, thread);
    if (wait === undefined) continue;
    waits.set(thread.index, wait);
    const { begin, end } = thread.waits;
    lasted.set(wait, (end[wait.row] as number) - (begin[wait.row] as number));
  }
  const deadlocks: LockWait[][] = [];
  /** Those that wait for good: in a circle, or behind one. */
  const stuck = new Set<LockWait>();
  const seen = new Set<LockWait>();
  for (const first of waits.values()) {
    const chain: LockWait[] = [];
    let at: LockWait | undefined = first;
    for (; at !== undefined && !seen.has(at); at = waits.get(at.owner)) {
      seen.add(at);
      chain.push(at);
    }
    if (at === undefined) continue;
    const circle = chain.indexOf(at);
    if (circle >= 0) deadlocks.push(chain.slice(circle));
    else if (!stuck.has(at)) continue;
    for (const wait of chain) stuck.add(wait);
  }
  const inCircle = new Set(deadlocks.flat());
  const length = (wait: LockWait): number => lasted.get(wait) ?? 0;
  const others = [...waits.values()]
    .filter((wait) => !inCircle.has(wait) && (stuck.has(wait) || length(wait) >= longLockWaitNs))
    .sort((a, b) => length(b) - length(a));
  return { deadlocks, others };
}

/** The lock that a thread waited for at the end. It is in one wait at most. */
function lockWait(trace: Trace, { index, waits, intervals }: ThreadTrack): LockWait | undefined {
  const { count, end, kind, path, owner, flags } = waits;
  const last = count - 1;
  const flag = flags[last] as number;
  if (count === 0 || (flag & SampleFlag.OpenWait) === 0) return undefined;
  const by = owner[last] as number;
  // Whatever has an owner is a lock; parking has one where what it parks for is a lock.
  if (by === 0 && kind[last] !== SampleKind.Monitor && kind[last] !== SampleKind.Mutex) return undefined;
  const interval = lowerBound(intervals.end, end[last] as number, 0, intervals.count);
  const isThere = interval < intervals.count && intervals.path[interval] === path[last];
  return {
    thread: index,
    row: last,
    owner: by,
    isEstimated: (flag & SampleFlag.OwnerEstimated) !== 0,
    ...placeOf(trace, path[last] as number, isThere ? (intervals.node[interval] as number) : 0),
  };
}

/** The innermost method of the program on `path`, and its line at `node`; −1 and 0 where they are not known. */
export function placeOf(trace: Trace, path: number, node: number): { method: number; line: number } {
  const { paths, methods, nodes } = trace;
  const at = programPath(trace, path);
  if (at === 0) return { method: -1, line: 0 };
  const method = paths.method[at] as number;
  let frame = nodes === undefined ? 0 : node;
  while (frame !== 0 && nodes?.path[frame] !== at) frame = nodes?.parent[frame] ?? 0;
  const position = nodes?.position[frame] ?? 0;
  return { method, line: frame === 0 || position === 0 ? 0 : methods.lineAt(method, position - 1) };
}
