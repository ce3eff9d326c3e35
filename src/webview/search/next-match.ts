/** The next call in time that the search found. O(calls between here and there), in the columns that are drawn. */
import { lowerBound } from '../../trace/model/bisect.js';
import type { CallKey } from '../store.js';
import type { ThreadSnapshot } from '../worker/messages.js';

/**
 * Calls are visited thread by thread; in a thread by begin, callers before callees; after the last thread comes the
 * first again. `from` itself is passed over.
 */
export function nextMatch(
  threads: readonly ThreadSnapshot[],
  matches: Uint8Array,
  from: CallKey | undefined,
  step: 1 | -1,
): CallKey | undefined {
  // To look for nothing among millions of calls takes as long as it can.
  if (threads.length === 0 || !matches.includes(1)) return undefined;
  const at = threads.findIndex((thread) => thread.index === from?.thread);
  if (at >= 0 && from !== undefined) {
    const near = nearest(threads[at] as ThreadSnapshot, matches, from, step);
    if (near !== undefined) return near;
  }
  for (let more = 1; more <= threads.length; more++) {
    const next =
      threads[(Math.max(at, step > 0 ? -1 : 0) + step * more + threads.length * 2) % threads.length];
    const found = next === undefined ? undefined : nearest(next, matches, undefined, step);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nearest(
  { chart, index }: ThreadSnapshot,
  matches: Uint8Array,
  from: CallKey | undefined,
  step: 1 | -1,
): CallKey | undefined {
  let best: CallKey | undefined;
  const isNearer = (beginNs: number, depth: number): boolean =>
    best === undefined ||
    (step > 0
      ? beginNs < best.beginNs || (beginNs === best.beginNs && depth < best.depth)
      : beginNs > best.beginNs || (beginNs === best.beginNs && depth > best.depth));
  for (let depth = 0; depth + 1 < chart.depthStart.length; depth++) {
    const low = chart.depthStart[depth] ?? 0;
    const high = chart.depthStart[depth + 1] ?? 0;
    let row = firstRow(chart.begin, low, high, from, depth, step);
    for (; row >= low && row < high; row += step) {
      const beginNs = chart.begin[row] ?? 0;
      if (best !== undefined && !isNearer(beginNs, depth)) break;
      if (matches[chart.method[row] ?? 0] !== 1) continue;
      best = { kind: 'call', thread: index, depth, beginNs };
      break;
    }
  }
  return best;
}

/** Calls that begin with `from` come after it when they are deeper. */
function firstRow(
  begin: Float64Array,
  low: number,
  high: number,
  from: CallKey | undefined,
  depth: number,
  step: 1 | -1,
): number {
  if (from === undefined) return step > 0 ? low : high - 1;
  const row = lowerBound(begin, from.beginNs, low, high);
  const isSame = row < high && begin[row] === from.beginNs;
  if (step > 0) return isSame && depth <= from.depth ? row + 1 : row;
  return isSame && depth < from.depth ? row : row - 1;
}
