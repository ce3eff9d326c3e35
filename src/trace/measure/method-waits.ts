/** What all calls of a method waited for, and who had it: one pass over the paths, one over the waits of the scope. */
import type { Trace } from '../model/trace.js';
import { isRest } from './rest.js';
import { type Scope, shareIn, threadsIn } from './scope.js';
import { Owners, threadOfMost } from './wait-owner.js';

/** Waits for things of one kind and class, whoever had them. */
export interface MethodWait {
  /** SampleKind. */
  readonly kind: number;
  /** Class of what was waited for, empty if unknown. */
  readonly type: string;
  readonly isRest: boolean;
  readonly count: number;
  readonly totalNs: number;
  /** Thread index of who had it, or ended the wait, for most of that time; 0 unknown. */
  readonly owner: number;
  /** How many threads had it. */
  readonly owners: number;
  /** The longest one: thread index and begin. */
  readonly thread: number;
  readonly beginNs: number;
}

interface Gathered {
  readonly kind: number;
  readonly type: string;
  readonly isRest: boolean;
  readonly byOwner: Map<number, number>;
  count: number;
  totalNs: number;
  longestNs: number;
  thread: number;
  beginNs: number;
}

/** Waits with the method anywhere on the stack, the longest sum first. */
export function methodWaits(trace: Trace, scope: Scope, method: number): MethodWait[] {
  const { paths } = trace;
  const isBelow = new Uint8Array(paths.count);
  for (let path = 1; path < paths.count; path++) {
    const isIn = paths.method[path] === method || isBelow[paths.parent[path] as number] === 1;
    isBelow[path] = isIn ? 1 : 0;
  }
  const known = new Map<string, Gathered>();
  const owners = new Owners(trace);
  for (const { index, waits } of threadsIn(trace, scope)) {
    for (let row = 0; row < waits.count; row++) {
      if (isBelow[waits.path[row] as number] !== 1) continue;
      const [begin, end] = [waits.begin[row] as number, waits.end[row] as number];
      if (end <= scope.beginNs || begin >= scope.endNs) continue;
      const [kind, type] = [waits.kind[row] as number, trace.className(waits.type[row] as number)];
      const told = waits.owner[row] as number;
      const rests = isRest(kind, told, type);
      const key = `${kind} ${rests ? 1 : 0} ${type}`;
      let found = known.get(key);
      if (found === undefined) {
        const none = { count: 0, totalNs: 0, longestNs: -1, thread: index, beginNs: begin };
        found = { kind, type, isRest: rests, byOwner: new Map<number, number>(), ...none };
        known.set(key, found);
      }
      const ns = (end - begin) * shareIn(begin, end, scope);
      found.count++;
      found.totalNs += ns;
      if (ns > found.longestNs) [found.longestNs, found.thread, found.beginNs] = [ns, index, begin];
      owners.addTo(found.byOwner, waits, row, scope);
    }
  }
  return [...known.values()]
    .sort((a, b) => b.totalNs - a.totalNs)
    .map(({ kind, type, isRest: rests, count, totalNs, thread, beginNs, byOwner }) => {
      const had = { owner: threadOfMost(byOwner), owners: byOwner.size };
      return { kind, type, isRest: rests, count, totalNs, ...had, thread, beginNs };
    });
}
