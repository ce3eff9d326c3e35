/** Chunk kind 9: waits that somebody ended, as columns. */
import { type Columns, RowReader, writeRows } from './rows.js';
import { WireWriter } from './wire.js';

const columns = {
  /** Index of the thread that waited, and when it began to. */
  waiter: { field: 1, coding: 'plain' },
  waiterTime: { field: 2, coding: 'plain delta' },
  /** Index of the thread that ended the wait, and when it did. */
  waker: { field: 3, coding: 'plain' },
  wakerTime: { field: 4, coding: 'plain delta' },
  /** LinkCertainty. */
  certainty: { field: 5, coding: 'sparse' },
} as const satisfies Columns;

export class LinkReader extends RowReader<typeof columns> {
  constructor() {
    super('links', columns);
  }
}

export interface LinkRows {
  readonly waiter: ArrayLike<number>;
  readonly waiterTime: ArrayLike<number>;
  readonly waker: ArrayLike<number>;
  readonly wakerTime: ArrayLike<number>;
  readonly certainty: ArrayLike<number>;
}

/** A Links message. */
export function encodeLinks(rows: LinkRows): Uint8Array {
  const out = new WireWriter();
  writeRows(out, columns, rows);
  return out.finish();
}
