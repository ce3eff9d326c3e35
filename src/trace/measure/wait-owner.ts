/** Who held threads up, of one wait and of several. */
import { upperBound } from '../model/bisect.js';
import type { ThreadTrack, Trace, Waits } from '../model/trace.js';
import type { Scope } from './scope.js';

/** Thread index of the owner of what was waited for, else of the thread that ended the wait; 0 unknown. */
function ownerOrWaker({ links }: Trace, { owner, link }: Pick<Waits, 'owner' | 'link'>, row: number): number {
  const [told, ended] = [owner[row] as number, link[row] as number];
  return told === 0 && ended >= 0 ? (links.waker[ended] as number) : told;
}

/** Threads that wait in a row for one lock; and waits of one of them that are looked at. */
const mostInRow = 32;
const mostLooked = 256;

/**
 * Who had what a wait was for, part by part. Whoever ended the wait may have waited for the same lock before, and had it for the
 * last part alone: then it is asked who ended that wait, and so on. Parts of which nobody is known are left out.
 */
export class Owners {
  readonly #trace: Trace;
  #byIndex: Map<number, ThreadTrack> | undefined;

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  eachOf(waits: Waits, row: number, visit: (owner: number, fromNs: number, toNs: number) => void): void {
    const from = waits.begin[row] as number;
    let [of, at, to] = [waits, row, waits.end[row] as number];
    for (let left = mostInRow; left > 0 && to > from; left--) {
      const owner = ownerOrWaker(this.#trace, of, at);
      if (owner === 0) return;
      const own = this.#threadAt(owner)?.waits;
      const before = own === undefined ? -1 : lastForSame(own, of, at, from, to);
      const since = before < 0 ? from : (own?.end[before] as number);
      if (to > since) visit(owner, since, to);
      if (own === undefined || before < 0) return;
      [of, at, to] = [own, before, since];
    }
  }

  /** Adds for how long within the range each of them had it. */
  addTo(
    nsByThread: Map<number, number>,
    waits: Waits,
    row: number,
    { beginNs, endNs }: Pick<Scope, 'beginNs' | 'endNs'>,
  ): void {
    this.eachOf(waits, row, (owner, fromNs, toNs) => {
      const ns = Math.min(toNs, endNs) - Math.max(fromNs, beginNs);
      if (ns > 0) nsByThread.set(owner, (nsByThread.get(owner) ?? 0) + ns);
    });
  }

  #threadAt(index: number): ThreadTrack | undefined {
    this.#byIndex ??= new Map(this.#trace.threads.map((thread) => [thread.index, thread]));
    return this.#byIndex.get(index);
  }
}

/**
 * The last wait that ended within (from, to] and was for the same as that one of `of`; −1: there is none. Other formats have
 * waits within waits, whose ends are only nearly in order.
 */
function lastForSame(waits: Waits, of: Waits, row: number, from: number, to: number): number {
  const [object, kind] = [of.object[row] as number, of.kind[row] as number];
  if (object === 0) return -1;
  const last = upperBound(waits.end, to, 0, waits.count) - 1;
  for (let at = last; at >= 0 && at > last - mostLooked; at--) {
    const end = waits.end[at] as number;
    if (end <= from) break;
    if (end <= to && waits.object[at] === object && waits.kind[at] === kind) return at;
  }
  return -1;
}

/** The thread with the most ns, 0 for none; of equal ones the first. */
export function threadOfMost(nsByThread: ReadonlyMap<number, number>): number {
  let most = 0;
  for (const [thread, ns] of nsByThread) if (ns > (nsByThread.get(most) ?? 0)) most = thread;
  return most;
}
