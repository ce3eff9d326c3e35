/** The tables with a row for each call and for each interval: the long ones, filled column by column. */
import type { Intervals, Paths, ThreadTrack } from '../trace/index.js';
import type { RawTable } from './raw-table.js';
import { stackIds } from './stack-ids.js';

export const rawCall: RawTable = {
  name: 'call',
  columns: [
    ['id', 'INTEGER'],
    ['ts', 'BIGINT'],
    ['dur', 'BIGINT'],
    ['cpu', 'BIGINT'],
    ['utid', 'INTEGER'],
    ['method_id', 'INTEGER'],
    ['path_id', 'INTEGER'],
    ['parent_id', 'INTEGER'],
    ['depth', 'INTEGER'],
    ['stack_id', 'BIGINT'],
  ],
  *fill(sources, batch) {
    let firstId = 0;
    for (const { trace, firstMethod, firstPath, firstUtid } of sources) {
      const { paths } = trace;
      const stacks = stackIds(trace);
      for (const [position, thread] of trace.threads.entries()) {
        const { calls, intervals } = thread;
        const { count, firstInterval, lastInterval, cpu, parent } = calls;
        const pathOf = callPaths(thread, paths);
        for (let from = 0; from < count; from += batch.size) {
          const rows = Math.min(batch.size, count - from);
          const [ts, dur, used, stack] = [batch.int64(1), batch.int64(2), batch.int64(3), batch.int64(9)];
          const [id, utid, method, path] = [batch.int32(0), batch.int32(4), batch.int32(5), batch.int32(6)];
          const [caller, depth] = [batch.int32(7), batch.int32(8)];
          utid.fill(firstUtid + position, 0, rows);
          for (let row = 0; row < rows; row++) {
            const at = from + row;
            const begin = intervals.begin[firstInterval[at] as number] as number;
            const own = pathOf[at] as number;
            const above = parent[at] as number;
            id[row] = firstId + at;
            ts.set(row, begin);
            // From the rounded begin to the rounded end: a child never ends after its caller.
            dur.set(row, Math.round(intervals.end[lastInterval[at] as number] as number) - Math.round(begin));
            used.set(row, cpu[at] as number);
            method[row] = firstMethod + (paths.method[own] as number);
            path[row] = firstPath + own;
            caller[row] = above < 0 ? -1 : firstId + above;
            depth[row] = (paths.depth[own] as number) - 1;
            stack.set(row, stacks[own] as number);
          }
          yield rows;
        }
        firstId += count;
      }
    }
  },
};

/** Calls that begin together are on the path of their interval, the last one innermost. */
function callPaths({ calls, intervals }: ThreadTrack, paths: Paths): Int32Array {
  const column = new Int32Array(calls.count);
  let inner = -1;
  let frame = 0;
  for (let row = calls.count - 1; row >= 0; row--) {
    const first = calls.firstInterval[row] as number;
    frame = (first === inner ? paths.parent[frame] : intervals.path[first]) as number;
    inner = first;
    column[row] = frame;
  }
  return column;
}

const counted = [
  'allocations',
  'allocatedBytes',
  'faults',
  'switches',
] as const satisfies (keyof Intervals)[];

export const rawSample: RawTable = {
  name: 'sample',
  columns: [
    ['id', 'INTEGER'],
    ['ts', 'BIGINT'],
    ['dur', 'BIGINT'],
    ['cpu', 'BIGINT'],
    ['utid', 'INTEGER'],
    ['path_id', 'INTEGER'],
    ['method_id', 'INTEGER'],
    ['state', 'INTEGER'],
    ['samples', 'INTEGER'],
    ['allocations', 'DOUBLE'],
    ['allocated_bytes', 'DOUBLE'],
    ['faults', 'DOUBLE'],
    ['switches', 'DOUBLE'],
  ],
  *fill(sources, batch) {
    let firstId = 0;
    for (const { trace, firstMethod, firstPath, firstUtid } of sources) {
      const { paths } = trace;
      for (const [position, { intervals }] of trace.threads.entries()) {
        const { begin, end, cpu, path: pathOf, state, samples, count } = intervals;
        for (let from = 0; from < count; from += batch.size) {
          const rows = Math.min(batch.size, count - from);
          const [ts, dur, used] = [batch.int64(1), batch.int64(2), batch.int64(3)];
          const [id, utid, path, method] = [batch.int32(0), batch.int32(4), batch.int32(5), batch.int32(6)];
          utid.fill(firstUtid + position, 0, rows);
          batch.int32(7).set(state.subarray(from, from + rows));
          batch.int32(8).set(samples.subarray(from, from + rows));
          counted.forEach((name, column) => {
            const values = intervals[name];
            // What was not recorded has no column.
            if (values.length >= from + rows) batch.float(9 + column).set(values.subarray(from, from + rows));
            else batch.float(9 + column).fill(0, 0, rows);
          });
          for (let row = 0; row < rows; row++) {
            const at = from + row;
            const own = pathOf[at] as number;
            id[row] = firstId + at;
            ts.set(row, begin[at] as number);
            dur.set(row, (end[at] as number) - (begin[at] as number));
            used.set(row, cpu[at] as number);
            path[row] = firstPath + own;
            method[row] = own === 0 ? -1 : firstMethod + (paths.method[own] as number);
          }
          yield rows;
        }
        firstId += count;
      }
    }
  },
};
