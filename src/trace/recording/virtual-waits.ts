/** Chunk kind 16: waits of virtual threads while they were off their carriers, as columns. */
import { ColumnReader, differences, writePlain, writeSparse } from './columns.js';
import { DamageError, WireReader, WireWriter } from './wire.js';

const rowsPerSlice = 1024;
const columns = 8;

/** `open`, then `next` until it gives 0; the columns hold the rows of the last slice. */
export class VirtualWaitReader {
  /** Index of the thread it came back to; where it still waits, of the one it left. */
  readonly thread = new Float64Array(rowsPerSlice);
  /** Java's, its low 32 bits. 0: the row only tells what was left out. */
  readonly id = new Float64Array(rowsPerSlice);
  readonly begin = new Float64Array(rowsPerSlice);
  readonly duration = new Float64Array(rowsPerSlice);
  readonly stack = new Float64Array(rowsPerSlice);
  /** SampleFlag bits. */
  readonly flags = new Float64Array(rowsPerSlice);
  /** Waits before this one that were not captured, to stay within the budget, and how long they were together. */
  readonly leftOut = new Float64Array(rowsPerSlice);
  readonly leftOutNs = new Float64Array(rowsPerSlice);
  damage = '';

  private readonly readers = Array.from({ length: columns + 1 }, () => new ColumnReader());

  /** Throws a DamageError when the message cannot be taken apart at all. */
  open(payload: Uint8Array): void {
    this.damage = '';
    const none = new Uint8Array(0);
    for (const reader of this.readers) reader.open(none, 0, 0, 0);
    const seen = new Set<number>();
    const reader = new WireReader(payload);
    while (reader.more) {
      const tag = reader.varint();
      const field = Math.floor(tag / 8);
      if (tag % 8 !== 2) {
        reader.skip(tag % 8);
        continue;
      }
      const end = reader.delimited();
      if (seen.has(field)) throw new DamageError('waits of virtual threads have a column twice');
      seen.add(field);
      this.readers[field]?.open(payload, reader.pos, end, 0);
      reader.pos = end;
    }
  }

  next(): number {
    const [, threads, ids, begins, durations, stacks, flags, leftOut, leftOutNs] = this.readers as [
      ColumnReader,
      ColumnReader,
      ColumnReader,
      ColumnReader,
      ColumnReader,
      ColumnReader,
      ColumnReader,
      ColumnReader,
      ColumnReader,
    ];
    const first = ids.plainDelta(this.id, rowsPerSlice);
    let rows = Math.min(first, begins.plainDelta(this.begin, first));
    rows = Math.min(rows, durations.plain(this.duration, rows));
    rows = Math.min(rows, stacks.plainDelta(this.stack, rows));
    threads.sparseDelta(this.thread, rows);
    flags.sparse(this.flags, rows);
    leftOut.sparse(this.leftOut, rows);
    leftOutNs.sparse(this.leftOutNs, rows);
    if (rows < first) {
      this.damage = 'a block of waits of virtual threads is cut';
      ids.open(new Uint8Array(0), 0, 0, 0);
    } else if (rows < rowsPerSlice && !(begins.exhausted && durations.exhausted && stacks.exhausted)) {
      this.damage = 'a block of waits of virtual threads has columns of different lengths';
    }
    return rows;
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
  const content = new WireWriter();
  const column = (field: number): void => {
    if (content.length > 0) {
      out.tag(field, 2);
      out.delimited(content.finish());
    }
    content.reset();
  };
  writeSparse(content, differences(rows.thread, 0));
  column(1);
  writePlain(content, differences(rows.id, 0));
  column(2);
  writePlain(content, differences(rows.begin, 0));
  column(3);
  writePlain(content, rows.duration);
  column(4);
  writePlain(content, differences(rows.stack, 0));
  column(5);
  writeSparse(content, rows.flags ?? []);
  column(6);
  writeSparse(content, rows.leftOut ?? []);
  column(7);
  writeSparse(content, rows.leftOutNs ?? []);
  column(8);
  return out.finish();
}
