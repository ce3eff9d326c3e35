/** The tables of counters: the tracks and their values. */
import type { RawTable } from './raw-table.js';
import type { NumberedSource } from './sources.js';

/** Of all counters before this trace's: their tracks follow those of the threads. */
function firstCounterTrack(sources: readonly NumberedSource[]): number {
  const last = sources.at(-1);
  return last === undefined ? 1 : last.firstUtid + last.trace.threads.length;
}

export const rawCounterTrack: RawTable = {
  name: 'counter_track',
  columns: [
    ['id', 'INTEGER'],
    ['name', 'VARCHAR'],
    ['unit', 'VARCHAR'],
    ['upid', 'INTEGER'],
  ],
  *fill(sources, batch) {
    let track = firstCounterTrack(sources);
    for (const { id, trace } of sources)
      for (const { name, unit } of trace.counters) {
        batch.put(0, [track++, name, unit, id]);
        yield 1;
      }
  },
};

export const rawCounter: RawTable = {
  name: 'counter',
  columns: [
    ['track_id', 'INTEGER'],
    ['ts', 'BIGINT'],
    ['value', 'DOUBLE'],
  ],
  *fill(sources, batch) {
    let track = firstCounterTrack(sources);
    for (const { trace } of sources)
      for (const { count, time, value } of trace.counters) {
        for (let from = 0; from < count; from += batch.size) {
          const rows = Math.min(batch.size, count - from);
          batch.int32(0).fill(track, 0, rows);
          for (let row = 0; row < rows; row++) batch.int64(1).set(row, time[from + row] as number);
          batch.float(2).set(value.subarray(from, from + rows));
          yield rows;
        }
        track++;
      }
  },
};
