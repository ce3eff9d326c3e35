/** Locks that the main thread waited for, by owner: where it waited, and where the owner was meanwhile. */
import { activityIn, ownerPlace, placeOfWait } from './activity.js';
import { Owners } from './wait-owner.js';
import { purposeOf } from './wait-purpose.js';
import type { ThreadTrack, Trace } from '../model/trace.js';
import type { Scope } from './scope.js';

export interface MainLock {
  /** Class of the lock, empty if unknown. */
  readonly type: string;
  /** Thread index, 0 unknown. */
  readonly owner: number;
  readonly count: number;
  readonly totalNs: number;
  readonly longestNs: number;
  /** Of the wait with the longest part. */
  readonly thread: number;
  readonly beginNs: number;
  /** Of the same; −1 and 0 if unknown. */
  readonly method: number;
  readonly line: number;
  readonly ownerMethod: number;
  readonly ownerLine: number;
  /** The owner took the lock there, as the trace says; else that is where it was for most of the wait. */
  readonly isTaken: boolean;
}

/** The waits, or parts of them, for the locks of one class while one thread owned them. */
interface Group {
  readonly type: string;
  readonly owner: number;
  count: number;
  totalNs: number;
  longestNs: number;
  /** Of the longest part. */
  thread: ThreadTrack;
  row: number;
  fromNs: number;
}

/** At most so many, the longest sum first. One pass over the waits of main threads. */
export function mainLocks(trace: Trace, { beginNs, endNs }: Scope, most = Infinity): MainLock[] {
  /** By owner, then by class. */
  const groups = new Map<number, Map<number, Group>>();
  const owners = new Owners(trace);
  for (const thread of trace.threads) {
    if (!thread.isMain) continue;
    const { waits } = thread;
    for (let row = 0; row < waits.count; row++) {
      const [waitBegin, waitEnd] = [waits.begin[row] as number, waits.end[row] as number];
      if (waitEnd <= beginNs || waitBegin >= endNs || purposeOf(trace, waits, row) !== 'lock') continue;
      const type = waits.type[row] as number;
      const add = (owner: number, partBegin: number, partEnd: number): void => {
        const fromNs = Math.max(partBegin, beginNs);
        const ns = Math.min(partEnd, endNs) - fromNs;
        if (ns <= 0) return;
        let byType = groups.get(owner);
        if (byType === undefined) groups.set(owner, (byType = new Map<number, Group>()));
        let group = byType.get(type);
        if (group === undefined) {
          const none = { count: 0, totalNs: 0, longestNs: 0, thread, row, fromNs };
          byType.set(type, (group = { type: trace.className(type), owner, ...none }));
        }
        group.count++;
        group.totalNs += ns;
        if (ns > group.longestNs)
          [group.longestNs, group.thread, group.row, group.fromNs] = [ns, thread, row, fromNs];
      };
      let knownFrom = waitEnd;
      owners.eachOf(waits, row, (owner, fromNs, toNs) => {
        add(owner, fromNs, toNs);
        knownFrom = fromNs;
      });
      add(0, waitBegin, knownFrom);
    }
  }
  return [...groups.values()]
    .flatMap((byType) => [...byType.values()])
    .sort((a, b) => b.totalNs - a.totalNs)
    .slice(0, most)
    .map((group) => withPlaces(trace, group));
}

function withPlaces(trace: Trace, { thread, row, fromNs, ...lock }: Group): MainLock {
  const { waits } = thread;
  const { method, line } = placeOfWait(trace, thread, row);
  const owner = trace.threads.find(({ index }) => index === lock.owner);
  const told = ownerPlace(waits, row);
  const did = told ?? (owner && activityIn(trace, owner, fromNs, fromNs + lock.longestNs));
  const place = { thread: thread.index, beginNs: waits.begin[row] as number };
  return {
    ...lock,
    ...place,
    method,
    line,
    ownerMethod: did?.method ?? -1,
    ownerLine: did?.line ?? 0,
    isTaken: told !== undefined,
  };
}
