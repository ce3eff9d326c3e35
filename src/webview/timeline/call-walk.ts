/** From call to call in columns ordered by depth: each step is a bisection. */
import { lowerBound, upperBound } from '../../trace/model/bisect.js';
import type { ChartColumns } from '../worker/messages.js';

function rowsAt(chart: ChartColumns, depth: number): readonly [number, number] {
  const low = chart.depthStart[depth];
  const high = chart.depthStart[depth + 1];
  return depth < 0 || low === undefined || high === undefined ? [0, 0] : [low, high];
}

/** Row of the call of `depth` that begins at `beginNs`, −1 if there is none. Only the last of several has a length. */
export function callRow(chart: ChartColumns, depth: number, beginNs: number): number {
  const [low, high] = rowsAt(chart, depth);
  const row = upperBound(chart.begin, beginNs, low, high) - 1;
  return row >= low && chart.begin[row] === beginNs ? row : -1;
}

/** Row of the call of `depth` that spans `timeNs`, else the nearest one within `slackNs`, else −1. */
export function callAt(chart: ChartColumns, depth: number, timeNs: number, slackNs = 0): number {
  const [low, high] = rowsAt(chart, depth);
  const row = upperBound(chart.end, timeNs, low, high);
  if (row < high && (chart.begin[row] as number) <= timeNs) return row;
  const after = row < high ? (chart.begin[row] as number) - timeNs : Infinity;
  const before = row > low ? timeNs - (chart.end[row - 1] as number) : Infinity;
  if (Math.min(after, before) > slackNs) return -1;
  return after < before ? row : row - 1;
}

export function callerOf(chart: ChartColumns, depth: number, row: number): number {
  const [low, high] = rowsAt(chart, depth - 1);
  const caller = upperBound(chart.begin, chart.begin[row] as number, low, high) - 1;
  return caller >= low && (chart.end[caller] as number) >= (chart.end[row] as number) ? caller : -1;
}

/** Rows [first, last) of the calls that a call made. */
export function calleesOf(chart: ChartColumns, depth: number, row: number): readonly [number, number] {
  const [low, high] = rowsAt(chart, depth + 1);
  const first = lowerBound(chart.begin, chart.begin[row] as number, low, high);
  const last = upperBound(chart.end, chart.end[row] as number, first, high);
  return [first, Math.max(first, last)];
}

/** The longest callee, −1 if there is none: what one most likely wants to go down into. */
export function longestCallee(chart: ChartColumns, depth: number, row: number): number {
  const [first, last] = calleesOf(chart, depth, row);
  let longest = -1;
  let length = -1;
  for (let callee = first; callee < last; callee++) {
    const wall = (chart.end[callee] as number) - (chart.begin[callee] as number);
    if (wall > length) {
      longest = callee;
      length = wall;
    }
  }
  return longest;
}

/** The next call of the same depth towards `step` that is at least `shortestNs` long; else just the next one; else −1. */
export function neighbourOf(
  chart: ChartColumns,
  depth: number,
  row: number,
  step: 1 | -1,
  shortestNs: number,
): number {
  const [low, high] = rowsAt(chart, depth);
  let next = row + step;
  // Calls without a length that begin where this one does cannot be told from it.
  while (step < 0 && next >= low && chart.begin[next] === chart.begin[row]) next += step;
  if (next < low || next >= high) return -1;
  // Bounded: a million short calls are not walked for one key.
  for (let look = next, steps = 0; look >= low && look < high && steps < 10_000; look += step, steps++) {
    if ((chart.end[look] as number) - (chart.begin[look] as number) >= shortestNs) return look;
  }
  return next;
}
