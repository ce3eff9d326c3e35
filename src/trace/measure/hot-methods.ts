/**
 * Whose code a weight went to: a method of one's own has its own weight and that of all libraries it called, up to the next
 * method of one's own. Costs three passes over the paths.
 */
import type { Paths, Trace } from '../model/trace.js';
import type { Sums } from './sums.js';
import type { Weight } from './weights.js';

export interface HotMethods {
  readonly rows: readonly HotMethod[];
  /** All of the scope, gaps included: what shares are of. */
  readonly sum: number;
  /** What of it was in own code and what that called. */
  readonly own: number;
  /** What no own method called, by the outermost method: what a thread is there for, such as to compile. */
  readonly others: readonly OtherMethod[];
  /** The rows are of own methods; else nothing is anybody's own, and they are of all methods. */
  readonly isMyCode: boolean;
}

export interface OtherMethod {
  readonly method: number;
  readonly value: number;
}

export interface HotMethod {
  readonly method: number;
  /** With the libraries that it called. */
  readonly value: number;
  /** In the method itself. */
  readonly self: number;
  /** The library's method that it called and that has the most of it, −1 none; and how much. */
  readonly called: number;
  readonly calledValue: number;
}

/** These say what else there is; all of them are in the other views. */
const mostOthers = 2;

/** `isMyCode`: 1 by method. */
export function hotMethods(
  { waitSlices }: Pick<Trace, 'waitSlices'>,
  sums: Sums,
  weight: Weight,
  isMyCode: Uint8Array,
  most: number,
): HotMethods {
  const self = withoutSlices(sums.paths, sums.self[weight], waitSlices);
  return hotOf(sums.paths, self, sums.sum[weight], isMyCode, most);
}

/** Wall time without waits: where CPU time is not known, the work. */
export function hotWork(
  { waitSlices }: Pick<Trace, 'waitSlices'>,
  sums: Sums,
  isMyCode: Uint8Array,
  most: number,
): HotMethods {
  const { wall, wait } = sums.self;
  const work = wall.map((ns, path) => ns - (wait[path] as number));
  const self = withoutSlices(sums.paths, work, waitSlices);
  return hotOf(sums.paths, self, sums.sum.wall - sums.sum.wait, isMyCode, most);
}

/** What was worked within waits, on the way into a lock for example, is the work of the method that waits. */
function withoutSlices(
  { parent, method, count }: Paths,
  self: Float64Array,
  slices: ReadonlySet<number> | undefined,
): Float64Array {
  if (slices === undefined || slices.size === 0) return self;
  const moved = self.slice();
  for (let path = count - 1; path > 0; path--) {
    if (!slices.has(method[path] as number)) continue;
    const around = parent[path] as number;
    moved[around] = (moved[around] as number) + (moved[path] as number);
    moved[path] = 0;
  }
  return moved;
}

function hotOf(
  paths: Paths,
  self: Float64Array,
  sum: number,
  isMyCode: Uint8Array,
  most: number,
): HotMethods {
  const { parent, method: methodOf, count } = paths;
  /** By path: the nearest own path at or above it, and the first path below that one; 0 none. */
  const myAbove = new Int32Array(count);
  const firstBelow = new Int32Array(count);
  const outermost = new Int32Array(count);
  const byMethod = new Float64Array(isMyCode.length);
  const selfOf = new Float64Array(isMyCode.length);
  const otherOf = new Float64Array(isMyCode.length);
  let own = 0;
  for (let path = 1; path < count; path++) {
    const method = methodOf[path] as number;
    const above = parent[path] as number;
    const value = self[path] as number;
    selfOf[method] = (selfOf[method] as number) + value;
    outermost[path] = above === 0 ? path : (outermost[above] as number);
    if (isMyCode[method] === 1) {
      myAbove[path] = path;
    } else {
      myAbove[path] = myAbove[above] as number;
      firstBelow[path] = myAbove[above] === above ? path : (firstBelow[above] as number);
    }
    const owner = myAbove[path] as number;
    if (owner === 0) {
      const entry = methodOf[outermost[path] as number] as number;
      otherOf[entry] = (otherOf[entry] as number) + value;
      continue;
    }
    const myMethod = methodOf[owner] as number;
    byMethod[myMethod] = (byMethod[myMethod] as number) + value;
    own += value;
  }
  const isMyCodeShown = own > 0;
  const values = isMyCodeShown ? byMethod : selfOf;
  const top = largest(values, most);
  const called = isMyCodeShown ? mostCalled(top, self) : new Map<number, readonly [number, number]>();
  const rows = top.map((method): HotMethod => {
    const [callee, calledValue] = called.get(method) ?? [-1, 0];
    return {
      method,
      value: values[method] as number,
      self: selfOf[method] as number,
      called: callee,
      calledValue,
    };
  });
  const others = isMyCodeShown ? largest(otherOf, mostOthers) : [];
  return {
    rows,
    sum,
    own,
    others: others.map((method) => ({ method, value: otherOf[method] as number })),
    isMyCode: isMyCodeShown,
  };

  /** Of each of `methods`, the library's method that has the most of its weight. */
  function mostCalled(
    methods: readonly number[],
    weights: Float64Array,
  ): Map<number, readonly [number, number]> {
    const sumsOf = new Map(methods.map((method) => [method, new Map<number, number>()]));
    for (let path = 1; path < count; path++) {
      const value = weights[path] as number;
      const below = firstBelow[path] as number;
      if (value === 0 || below === 0) continue;
      const of = sumsOf.get(methodOf[myAbove[path] as number] as number);
      if (of === undefined) continue;
      const callee = methodOf[below] as number;
      of.set(callee, (of.get(callee) ?? 0) + value);
    }
    const best = new Map<number, readonly [number, number]>();
    for (const [method, of] of sumsOf) {
      let found: readonly [number, number] = [-1, 0];
      for (const entry of of) if (entry[1] > found[1]) found = entry;
      best.set(method, found);
    }
    return best;
  }
}

/** Indexes of the largest values above 0, the largest first. O(values · log most). */
export function largest(values: Float64Array, most: number): number[] {
  const top: number[] = [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (value <= 0) continue;
    const last = top[top.length - 1];
    if (top.length === most && last !== undefined && (values[last] as number) >= value) continue;
    let low = 0;
    let high = top.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((values[top[middle] as number] as number) >= value) low = middle + 1;
      else high = middle;
    }
    top.splice(low, 0, at);
    if (top.length > most) top.pop();
  }
  return top;
}
