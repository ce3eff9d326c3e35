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

export class VirtualWaitReader extends RowReader<typeof columns> {
  constructor() {
    super('waits of virtual threads', columns);
  }
}

export interface VirtualWaitRows {
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
export function encodeVirtualWaits(rows: VirtualWaitRows): Uint8Array {
  const out = new WireWriter();
  writeRows(out, columns, rows);
  return out.finish();
}
