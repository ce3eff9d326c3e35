/**
 * Calls ordered by begin → calls ordered by depth, then begin: a counting sort, O(calls), 24 bytes a call.
 */
import type { Calls } from '../../trace/model/trace.js';
import type { ChartColumns } from './messages.js';

export function chartColumns(calls: Calls): ChartColumns {
  const perDepth: number[] = [];
  for (let row = 0; row < calls.count; row++) {
    const d = calls.depth[row] ?? 0;
    perDepth[d] = (perDepth[d] ?? 0) + 1;
  }
  const depthStart = new Int32Array(perDepth.length + 1);
  for (let d = 0; d < perDepth.length; d++) depthStart[d + 1] = (depthStart[d] ?? 0) + (perDepth[d] ?? 0);

  const next = depthStart.slice();
  const begin = new Float64Array(calls.count);
  const end = new Float64Array(calls.count);
  const method = new Uint32Array(calls.count);
  const cpu = new Float32Array(calls.count);
  for (let row = 0; row < calls.count; row++) {
    const d = calls.depth[row] ?? 0;
    const at = next[d] ?? 0;
    next[d] = at + 1;
    begin[at] = calls.begin[row] ?? 0;
    end[at] = calls.end[row] ?? 0;
    method[at] = calls.method[row] ?? 0;
    cpu[at] = calls.cpu[row] ?? 0;
  }
  return { count: calls.count, depthStart, begin, end, method, cpu };
}
