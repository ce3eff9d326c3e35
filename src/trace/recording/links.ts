/** Chunk kind 9: waits that somebody ended, as columns. */
import { ColumnReader, differences, writePlain, writeSparse } from './columns.js';
import { WireReader, WireWriter } from './wire.js';

export interface LinkRows {
  readonly waiter: ArrayLike<number>;
  readonly waiterTime: ArrayLike<number>;
  readonly waker: ArrayLike<number>;
  readonly wakerTime: ArrayLike<number>;
  readonly certainty: ArrayLike<number>;
}

/** Throws a DamageError for a message that cannot be taken apart; a short column cuts the rows. */
export function decodeLinks(payload: Uint8Array): LinkRows & { readonly count: number } {
  const ranges: [number, number][] = [];
  const reader = new WireReader(payload);
  while (reader.more) {
    const tag = reader.varint();
    if (tag % 8 !== 2) {
      reader.skip(tag % 8);
      continue;
    }
    const end = reader.delimited();
    ranges[Math.min(Math.floor(tag / 8), 6)] = [reader.pos, end];
    reader.pos = end;
  }
  const [begin, end] = ranges[1] ?? [0, 0];
  const most = end - begin;
  const column = (field: number, base: 'plain' | 'delta' | 'sparse'): [Float64Array, number] => {
    const values = new Float64Array(most);
    const source = new ColumnReader();
    const [from, to] = ranges[field] ?? [0, 0];
    source.open(payload, from, to, 0);
    if (base === 'sparse') {
      source.sparse(values, most);
      return [values, most];
    }
    return [values, base === 'plain' ? source.plain(values, most) : source.plainDelta(values, most)];
  };
  const [waiter, waiters] = column(1, 'plain');
  const [waiterTime, waiterTimes] = column(2, 'delta');
  const [waker, wakers] = column(3, 'plain');
  const [wakerTime, wakerTimes] = column(4, 'delta');
  const [certainty] = column(5, 'sparse');
  const count = Math.min(waiters, waiterTimes, wakers, wakerTimes);
  return { count, waiter, waiterTime, waker, wakerTime, certainty };
}

/** A Links message. */
export function encodeLinks(rows: LinkRows): Uint8Array {
  const out = new WireWriter();
  const content = new WireWriter();
  const column = (field: number): void => {
    out.tag(field, 2);
    out.delimited(content.finish());
    content.reset();
  };
  writePlain(content, rows.waiter);
  column(1);
  writePlain(content, differences(rows.waiterTime, 0));
  column(2);
  writePlain(content, rows.waker);
  column(3);
  writePlain(content, differences(rows.wakerTime, 0));
  column(4);
  writeSparse(content, rows.certainty);
  column(5);
  return out.finish();
}
