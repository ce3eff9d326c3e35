/** What differs between two traces: by method, and by where in the call tree it comes from. */
import { selfByMethod, totalByMethod } from '../measure/methods.js';
import type { Weight } from '../measure/weights.js';
import type { ComparedSide, Comparison } from './comparison.js';

/** Of this many standard deviations that sampling alone would give, a difference is no chance: 19 of 20 are smaller. */
const clearFrom = 2;

/** By number of `Comparison.methods`; of one that was not seen nothing but zeros. */
export interface MethodDifferences {
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** How much of the difference sampling may have made. */
  readonly noise: Float64Array;
}

export function methodDifferences(
  { methods, before, after }: Comparison,
  by: 'self' | 'total',
  weight: Weight,
): MethodDifferences {
  const sum = by === 'self' ? selfByMethod : totalByMethod;
  return {
    before: sum(before.sums, weight, methods.count),
    after: sum(after.sums, weight, methods.count),
    noise: noiseOf(sum(before.variance, weight, methods.count), sum(after.variance, weight, methods.count)),
  };
}

/** Whether sampling alone would hardly have made it. */
export function isClear(difference: number, noise: number): boolean {
  return difference !== 0 && Math.abs(difference) > noise;
}

/** Of the sum of all that is compared. */
export function sumNoise({ before, after }: Comparison, weight: Weight): number {
  return clearFrom * Math.sqrt(before.variance.sum[weight] + after.variance.sum[weight]);
}

export function noiseOf(before: Float64Array, after: Float64Array): Float64Array {
  return before.map((variance, at) => clearFrom * Math.sqrt(variance + (after[at] as number)));
}

/** Calls that lead to a difference, the outermost first, and what they made together. */
export interface DifferenceNode {
  readonly depth: number;
  /** By number of `Comparison.methods`: one calls the next, and hardly any of the difference lies elsewhere. */
  readonly chain: readonly number[];
  readonly before: number;
  readonly after: number;
}

/** A call that has so much of its caller's difference is what made it. */
const most = 0.9;

/**
 * The call tree where it differs by `least` and more, and more than by chance: depth first, the largest first, at most `rows`. What two
 * calls have in common that outweigh each other is told, too, where it is neither's alone.
 */
export function differenceTree(
  { before, after, paths }: Comparison,
  weight: Weight,
  least: number,
  rows: number,
): DifferenceNode[] {
  const [was, is] = [before.sums.total(weight), after.sums.total(weight)];
  const noise = noiseOf(before.variance.total(weight), after.variance.total(weight));
  const difference = is.map((now, path) => now - (was[path] as number));
  const isTold = (path: number): boolean => {
    const own = difference[path] as number;
    return Math.abs(own) >= least && isClear(own, noise[path] as number);
  };
  const toldBelow = toldOf(before, isTold, paths.count);
  const found: DifferenceNode[] = [];
  const open = childrenOf(before, 0, difference, toldBelow).map((path) => ({ path, depth: 0 }));
  for (let next = open.shift(); next !== undefined && found.length < rows; next = open.shift()) {
    const chain = [paths.method[next.path] as number];
    let { path } = next;
    let below = childrenOf(before, path, difference, toldBelow);
    while (below.length === 1 && isMade(difference, path, below[0] as number, isTold)) {
      path = below[0] as number;
      chain.push(paths.method[path] as number);
      below = childrenOf(before, path, difference, toldBelow);
    }
    const { depth } = next;
    found.push({ depth, chain, before: was[path] as number, after: is[path] as number });
    open.unshift(...below.map((child) => ({ path: child, depth: depth + 1 })));
  }
  return found;
}

/** Whether the call below has all that matters of a call's difference, or that call has none of its own to tell. */
function isMade(
  difference: Float64Array,
  path: number,
  below: number,
  isTold: (path: number) => boolean,
): boolean {
  const [own, inner] = [difference[path] as number, difference[below] as number];
  return !isTold(path) || (inner / own >= most && own / inner >= most);
}

/** 1 for paths that are told or lead to one that is. Parents have smaller numbers. */
function toldOf({ sums }: ComparedSide, isTold: (path: number) => boolean, count: number): Uint8Array {
  const told = new Uint8Array(count);
  for (let path = count - 1; path > 0; path--) {
    if (told[path] === 0 && !isTold(path)) continue;
    told[path] = 1;
    told[sums.paths.parent[path] as number] = 1;
  }
  return told;
}

function childrenOf(
  { sums }: ComparedSide,
  path: number,
  difference: Float64Array,
  told: Uint8Array,
): number[] {
  const found: number[] = [];
  for (let child = sums.child(path); child !== 0; child = sums.sibling(child))
    if (told[child] === 1) found.push(child);
  return found.sort((a, b) => Math.abs(difference[b] as number) - Math.abs(difference[a] as number));
}
