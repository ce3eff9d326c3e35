/**
 * Stacks as exporters write them, with lines where these are known. A stack is a number: of a node, twice it; where no node
 * is known, of a path, twice it and one. 0 is no call.
 */
import { isWait } from '../measure/scope.js';
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import type { StackWeight } from './importer.js';

export const isPath = (stack: number): boolean => (stack & 1) === 1;

export function callerOf({ nodes, paths }: Trace, stack: number): number {
  const own = stack >>> 1;
  if (!isPath(stack)) return 2 * (nodes?.parent[own] ?? 0);
  const parent = paths.parent[own] ?? 0;
  return parent === 0 ? 0 : 2 * parent + 1;
}

/** Of an interval; 0 of one in a gap. */
export function stackOf({ node, path, state }: ThreadTrack['intervals'], at: number): number {
  if (state[at] === IntervalState.Gap || path[at] === 0) return 0;
  const own = node[at] ?? 0;
  return own > 0 ? 2 * own : 2 * (path[at] ?? 0) + 1;
}

export function methodOf({ nodes, paths }: Trace, stack: number): number {
  return paths.method[isPath(stack) ? stack >>> 1 : (nodes?.path[stack >>> 1] ?? 0)] ?? 0;
}

/** 0 unknown. */
export function lineOf({ nodes, methods }: Trace, stack: number, method: number): number {
  const position = isPath(stack) ? 0 : (nodes?.position[stack >>> 1] ?? 0);
  return position > 0 ? methods.lineAt(method, position - 1) : 0;
}

/**
 * What of each weight is each stack's own in one thread, in the order of `weights`. One pass over the intervals; sums over
 * the stacks of a path are the figures of docs/MEASURES.md.
 */
export function weightsOfStacks(
  { intervals }: ThreadTrack,
  weights: readonly StackWeight[],
): Map<number, Float64Array> {
  const own = new Map<number, Float64Array>();
  const { begin, end, cpu, state, samples, allocations, allocatedBytes, countsWith } = intervals;
  const add = (stack: number, weight: StackWeight, value: number): void => {
    const column = weights.indexOf(weight);
    if (stack === 0 || value === 0 || column < 0) return;
    let values = own.get(stack);
    if (values === undefined) own.set(stack, (values = new Float64Array(weights.length)));
    values[column] = (values[column] ?? 0) + value;
  };
  for (let row = 0; row < intervals.count; row++) {
    const stack = stackOf(intervals, row);
    let wall = (end[row] as number) - (begin[row] as number);
    let used = cpu[row] as number;
    const other = countsWith[row] ?? 0;
    if (other > 0) {
      const worked = stackOf(intervals, other);
      const spent = Math.min(used, wall);
      add(worked, 'wall', spent);
      add(worked, 'cpu', used);
      wall -= spent;
      used = 0;
    }
    add(stack, 'wall', wall);
    add(stack, 'cpu', used);
    if (isWait(state[row] as number)) add(stack, 'wait', wall);
    add(stack, 'samples', samples[row] as number);
    add(stack, 'allocations', allocations[row] as number);
    add(stack, 'allocatedBytes', allocatedBytes[row] as number);
  }
  return own;
}
