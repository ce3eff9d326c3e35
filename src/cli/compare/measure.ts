/** What a comparison says: sums, methods and calls that differ. */
import {
  compareTraces,
  type Compared,
  type Comparison,
  lengthRatio,
} from '../../trace/compare/comparison.js';
import {
  type DifferenceNode,
  differenceTree,
  isClear,
  methodDifferences,
  sumNoise,
} from '../../trace/compare/differences.js';
import type { SortKey } from '../report/measure.js';
import type { Limit, NamePattern } from './limit.js';

export interface CompareRequest {
  readonly top: number;
  readonly sort: string;
  readonly key: SortKey;
  /** Figures before are those of a recording as long as the one after. */
  readonly isScaled: boolean;
  /** Also what sampling alone may have made. */
  readonly all: boolean;
  readonly limit: Limit | undefined;
  readonly exempt: NamePattern | undefined;
}

export interface DifferenceRow {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly before: number;
  readonly after: number;
  /** So much of the difference sampling may have made. */
  readonly noise: number;
  readonly isClear: boolean;
  /** Seen in one of the traces only. */
  readonly only: 'before' | 'after' | undefined;
}

export interface ChainRow {
  readonly depth: number;
  readonly chain: readonly string[];
  readonly before: number;
  readonly after: number;
}

export interface Differences {
  readonly before: Compared;
  readonly after: Compared;
  readonly comparison: Comparison;
  readonly request: CompareRequest;
  readonly sum: { readonly before: number; readonly after: number; readonly noise: number };
  /** The largest differences first. */
  readonly methods: readonly DifferenceRow[];
  /** Methods that differ, clearly or, if asked for, at all. */
  readonly methodCount: number;
  readonly seenCount: number;
  readonly chains: readonly ChainRow[];
  /** Clearly more than is allowed; the sum of all first, without a name. */
  readonly failed: readonly { readonly name: string; readonly before: number; readonly after: number }[];
}

const mostChains = 16;
/** Of the largest difference: smaller ones are not told in the tree. */
const leastOfLargest = 0.05;

export function measureDifferences(before: Compared, after: Compared, request: CompareRequest): Differences {
  const { by, weight } = request.key;
  const scale = request.isScaled ? lengthRatio(before, after) : 1;
  const comparison = compareTraces(before, after, scale);
  const { methods } = comparison;
  const found = methodDifferences(comparison, by, weight);
  const difference = found.after.map((now, at) => now - (found.before[at] ?? 0));
  const seen = [...difference.keys()].filter((at) => (found.before[at] ?? 0) + (found.after[at] ?? 0) > 0);
  const isTold = (at: number): boolean =>
    request.all ? difference[at] !== 0 : isClear(difference[at] ?? 0, found.noise[at] ?? 0);
  const isExempt = (at: number): boolean => request.exempt?.test(nameOf(comparison, at)) === true;
  const told = seen
    .filter((at) => isTold(at) && !isExempt(at))
    .sort((a, b) => Math.abs(difference[b] ?? 0) - Math.abs(difference[a] ?? 0));
  const rowOf = (at: number): DifferenceRow => {
    const [names, own] = methods.of(at);
    const [was, is, noise] = [found.before[at] ?? 0, found.after[at] ?? 0, found.noise[at] ?? 0];
    return {
      name: names.qualifiedName(own),
      file: names.file(own),
      line: names.firstLine(own),
      before: was,
      after: is,
      noise,
      isClear: isClear(is - was, noise),
      only: was === 0 ? 'after' : is === 0 ? 'before' : undefined,
    };
  };
  const sum = {
    before: comparison.before.sums.sum[weight],
    after: comparison.after.sums.sum[weight],
    noise: sumNoise(comparison, weight),
  };
  const rows = told.map(rowOf);
  const least = leastOfLargest * Math.abs(difference[told[0] ?? -1] ?? Infinity);
  return {
    before,
    after,
    comparison,
    request,
    sum,
    methods: rows.slice(0, request.top),
    methodCount: rows.length,
    seenCount: seen.length,
    chains: differenceTree(comparison, weight, least, mostChains).map((node) => chainOf(comparison, node)),
    failed: [{ name: '', ...sum, isClear: isClear(sum.after - sum.before, sum.noise) }, ...rows]
      .filter((row) => row.isClear && isAbove(row, sum.before, request.limit))
      .map(({ name, before: was, after: is }) => ({ name, before: was, after: is })),
  };
}

function isAbove(
  { before, after }: { before: number; after: number },
  sumBefore: number,
  limit: Limit | undefined,
): boolean {
  return limit !== undefined && after - before > limit.amount * (limit.isShare ? sumBefore : 1);
}

function nameOf({ methods }: Comparison, at: number): string {
  const [names, own] = methods.of(at);
  return names.qualifiedName(own);
}

function chainOf(comparison: Comparison, { depth, chain, before, after }: DifferenceNode): ChainRow {
  return { depth, chain: chain.map((at) => nameOf(comparison, at)), before, after };
}
