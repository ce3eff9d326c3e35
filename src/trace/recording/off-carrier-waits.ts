/** Chunk kind 16: waits of virtual threads while they were off their carriers, as columns. */
import { type Columns, RowReader, writeRows } from './rows.js';
import { WireWriter } from './wire.js';

const columns = {
  /** Index of the thread it came back to; where it still waits, of the one it left. */
  thread: { field: 1, coding: 'sparse delta' },
  /** Java's, its low 32 bits. 0: the row only tells what was left out. */
  id: { field: 2, coding: 'plain delta' },
  begin: { field: 3, coding: 'plain delta' },
  duration: { field: 4, coding: 'plain' },
  stack: { field: 5, coding: 'plain delta' },
  /** SampleFlag bits. */
  flags: { field: 6, coding: 'sparse' },
  /** Waits before this one that were not captured, to stay within the budget, and how long they were together. */
  leftOut: { field: 7, coding: 'sparse' },
  leftOutNs: { field: 8, coding: 'sparse' },
} as const satisfies Columns;

export class OffCarrierWaitReader extends RowReader<typeof columns> {
  constructor() {
    super('waits of virtual threads', columns);
  }
}

/** From the earliest begin to the latest end, for the footer's index; undefined where nobody waited. */
export function offCarrierWaitSpan(
  payload: Uint8Array,
  waits: OffCarrierWaitReader,
): { begin: number; end: number } | undefined {
  const { id, begin, duration } = waits.columns;
  let first = Infinity;
  let last = -Infinity;
  waits.open(payload);
  for (let rows = waits.next(); rows > 0; rows = waits.next()) {
    for (let row = 0; row < rows; row++) {
      if (id[row] === 0) continue;
      first = Math.min(first, begin[row] as number);
      last = Math.max(last, (begin[row] as number) + (duration[row] as number));
    }
  }
  return first <= last ? { begin: first, end: last } : undefined;
}

export interface OffCarrierWaitRows {
  readonly thread: ArrayLike<number>;
  readonly id: ArrayLike<number>;
  readonly begin: ArrayLike<number>;
  readonly duration: ArrayLike<number>;
  readonly stack: ArrayLike<number>;
  readonly flags?: ArrayLike<number>;
  readonly leftOut?: ArrayLike<number>;
  readonly leftOutNs?: ArrayLike<number>;
}

/** A VirtualWaits message. */
export function encodeOffCarrierWaits(rows: OffCarrierWaitRows): Uint8Array {
  const out = new WireWriter();
  writeRows(out, columns, rows);
  return out.finish();
}
