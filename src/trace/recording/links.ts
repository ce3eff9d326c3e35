/** Chunk kind 9: waits that somebody ended, as columns. */
import { type Columns, encodeRows, RowReader, type RowsOf } from './rows.js';

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

export type LinkRows = RowsOf<typeof columns>;

/** A Links message. */
export const encodeLinks = (rows: LinkRows): Uint8Array => encodeRows(columns, rows);
