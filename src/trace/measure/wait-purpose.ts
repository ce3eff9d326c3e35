/** What a wait is for, as far as rules tell waits apart. */
import { isRest } from './rest.js';
import { SampleKind } from '../model/kinds.js';
import type { Trace, Waits } from '../model/trace.js';

export type WaitPurpose = 'lock' | 'result' | 'collection' | 'io' | 'disk' | 'binder' | 'sleep' | 'other';

const byKind = new Map<number, WaitPurpose>([
  [SampleKind.Monitor, 'lock'],
  [SampleKind.Mutex, 'lock'],
  [SampleKind.Gc, 'collection'],
  [SampleKind.Io, 'io'],
  [SampleKind.SyncToDisk, 'disk'],
  [SampleKind.Binder, 'binder'],
  [SampleKind.Sleep, 'sleep'],
]);

/** Classes of java.util.concurrent that a thread waits for until another one has done something, and that are no locks. */
const results =
  /^java\.util\.concurrent\.(FutureTask|CompletableFuture|CountDownLatch|CyclicBarrier|Phaser|Exchanger|SynchronousQueue|LinkedTransferQueue|ForkJoin|CountedCompleter|AbstractExecutorService)/;

/** `result`: another thread has to come to an end or to hand something over. */
export function purposeOf(trace: Trace, waits: Waits, row: number): WaitPurpose {
  const kind = waits.kind[row] as number;
  const known = byKind.get(kind);
  if (known !== undefined) return known;
  const className = trace.className(waits.type[row] as number);
  if (kind === SampleKind.Wait) return isThreadClass(trace, waits, row, className) ? 'result' : 'other';
  if (kind !== SampleKind.Park) return 'other';
  if (results.test(className)) return 'result';
  // An owner tells a park for a lock from other parks. A condition is no lock: its owner is who ended the wait.
  const owner = waits.owner[row] as number;
  return owner !== 0 && !isRest(kind, owner, className) ? 'lock' : 'other';
}

/** `Thread.join` waits on the thread's object. */
function isThreadClass({ paths, methods }: Trace, waits: Waits, row: number, className: string): boolean {
  if (className === 'java.lang.Thread') return true;
  for (let path = waits.path[row] as number, left = 3; path !== 0 && left > 0; left--) {
    const method = paths.method[path] as number;
    if (methods.className(method) === 'java.lang.Thread' && methods.name(method) === 'join') return true;
    path = paths.parent[path] as number;
  }
  return false;
}
