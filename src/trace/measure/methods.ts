/** Figures by method: what the table shows, and what the editor shows above each declaration. */
import { type Sums } from './sums.js';
import { byWeight, type ByWeight, type Weight } from './weights.js';

/** A row for every method that was seen in the scope, in the order of method numbers. */
export interface MethodFigures {
  readonly count: number;
  readonly method: Uint32Array;
  /** A lower bound for samples. */
  readonly calls: Float64Array;
  readonly self: ByWeight<Float64Array>;
  /** With what was called; recursion is counted once. */
  readonly total: ByWeight<Float64Array>;
  /** All of the scope, gaps included: what shares are of. */
  readonly sum: ByWeight<number>;
  /** What of it lies in gaps and is nobody's. */
  readonly gap: ByWeight<number>;
}

/** Costs a pass over the paths for each weight that there is. */
export function methodFigures(sums: Sums, methodCount: number): MethodFigures {
  const { paths } = sums;
  const { method: methodOf, count: pathCount } = paths;
  const seenCalls = new Float64Array(methodCount);
  const isThere = new Uint8Array(methodCount);
  const wall = sums.total('wall');
  for (let path = 1; path < pathCount; path++) {
    const method = methodOf[path] as number;
    const calls = sums.calls[path] as number;
    seenCalls[method] = (seenCalls[method] as number) + calls;
    // Of a stretch of time that ends before an interrupt, what that stands for has time and no call.
    if (calls > 0 || (wall[path] as number) > 0) isThere[method] = 1;
  }
  const rows = new Int32Array(methodCount).fill(-1);
  let count = 0;
  for (let method = 0; method < methodCount; method++) if (isThere[method] === 1) rows[method] = count++;

  const method = new Uint32Array(count);
  const calls = new Float64Array(count);
  for (let at = 0; at < methodCount; at++) {
    const row = rows[at] as number;
    if (row < 0) continue;
    method[row] = at;
    calls[row] = seenCalls[at] as number;
  }
  const figures = (by: typeof selfByMethod): ByWeight<Float64Array> =>
    byWeight((weight) => {
      if (sums.sum[weight] === 0) return new Float64Array(count);
      const all = by(sums, weight, methodCount);
      return Float64Array.from(method, (at) => all[at] as number);
    });
  return {
    count,
    method,
    calls,
    self: figures(selfByMethod),
    total: figures(totalByMethod),
    sum: sums.sum,
    gap: sums.gap,
  };
}

/** By method, seen or not. */
export function selfByMethod({ paths, self }: Sums, weight: Weight, methodCount: number): Float64Array {
  const of = new Float64Array(methodCount);
  for (let path = 1; path < paths.count; path++) {
    const method = paths.method[path] as number;
    of[method] = (of[method] as number) + (self[weight][path] as number);
  }
  return of;
}

/** The same with what was called; recursion is counted once. */
export function totalByMethod(sums: Sums, weight: Weight, methodCount: number): Float64Array {
  const of = new Float64Array(methodCount);
  const total = sums.total(weight);
  const { method: methodOf, recursive, count } = sums.paths;
  for (let path = 1; path < count; path++) {
    const method = methodOf[path] as number;
    if (recursive[path] === 0) of[method] = (of[method] as number) + (total[path] as number);
  }
  return of;
}
