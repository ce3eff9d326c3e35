/** Chunk kind 22: sampled allocations that were not freed, as columns. */
import { type Columns, encodeRows, RowReader, type RowsOf } from './rows.js';

const columns = {
  /** Index of the thread that allocated. */
  thread: { field: 1, coding: 'sparse delta' },
  time: { field: 2, coding: 'plain delta' },
  stack: { field: 3, coding: 'plain delta' },
  /** That the allocation stands for. */
  bytes: { field: 4, coding: 'plain' },
} as const satisfies Columns;

export class HeldMemoryReader extends RowReader<typeof columns> {
  constructor() {
    super('memory that was still held', columns);
  }
}

export type HeldMemoryRows = RowsOf<typeof columns>;

/** A HeldMemory message. */
export const encodeHeldMemory = (rows: HeldMemoryRows): Uint8Array => encodeRows(columns, rows);
