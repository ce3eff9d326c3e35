/**
 * Messages that are rows, kept as columns: declared once, for reading and writing. Read a slice of rows at a time into
 * arrays that stay in the cache. Samples, by far the most, have a reader of their own (samples.ts).
 */
import { ColumnReader, differences, writePlain, writeSparse } from './columns.js';
import { DamageError, WireReader, WireWriter } from './wire.js';

/** docs/FORMAT.md, "Columns". */
export interface Column {
  readonly field: number;
  readonly coding: 'plain' | 'plain delta' | 'sparse' | 'sparse delta';
}

/** In the order of their fields. */
export type Columns = Readonly<Record<string, Column>>;

const sliceRows = 1024;

interface OpenColumn extends Column {
  readonly name: string;
  readonly out: Float64Array;
  readonly reader: ColumnReader;
  isThere: boolean;
}

/** `eachSlice`, or `open`, then `next` until it gives 0; the columns hold the rows of the last slice. */
export class RowReader<C extends Columns> {
  readonly columns: { readonly [Name in keyof C]: Float64Array };
  /** What was wrong with the message that was read to its end, or empty. */
  damage = '';

  readonly #all: readonly OpenColumn[];
  readonly #plain: readonly OpenColumn[];
  readonly #sparse: readonly OpenColumn[];
  #ended = true;
  readonly #what: string;

  /** `what` the rows are, in words. */
  constructor(what: string, declared: C) {
    this.#what = what;

    this.#all = Object.entries(declared).map(([name, { field, coding }]) => ({
      ...{ name, field, coding, isThere: false },
      ...{ out: new Float64Array(sliceRows), reader: new ColumnReader() },
    }));
    this.#plain = this.#all.filter(({ coding }) => coding.startsWith('plain'));
    this.#sparse = this.#all.filter(({ coding }) => coding.startsWith('sparse'));
    this.columns = Object.fromEntries(this.#all.map(({ name, out }) => [name, out])) as typeof this.columns;
  }

  /** Whether any row has something in it. */
  has(name: keyof C): boolean {
    return this.#all.some((column) => column.name === name && column.isThere);
  }

  /**
   * Throws a DamageError when the message cannot be taken apart at all. `takeNumber` is given what the message has beside
   * its columns.
   */
  open(payload: Uint8Array, takeNumber?: (field: number, value: number) => void): void {
    this.damage = '';
    this.#ended = false;
    for (const column of this.#all) {
      column.isThere = false;
      column.reader.open(payload, 0, 0, 0);
    }
    const reader = new WireReader(payload);
    while (reader.more) {
      const tag = reader.varint();
      const [field, wireType] = [Math.floor(tag / 8), tag % 8];
      const column = wireType === 2 ? this.#all.find((one) => one.field === field) : undefined;
      if (column !== undefined) {
        if (column.isThere) throw new DamageError(`${this.#what} have a column twice`);
        const end = reader.delimited();
        column.reader.open(payload, reader.pos, end, 0);
        column.isThere = true;
        reader.pos = end;
      } else if (wireType === 0) {
        const value = reader.uint32();
        takeNumber?.(field, value);
      } else {
        reader.skip(wireType);
      }
    }
  }

  /** How many rows there are is how long the shortest plain column is. */
  next(): number {
    if (this.#ended) return 0;
    let most = sliceRows;
    let rows = sliceRows;
    for (const [at, { coding, reader, out }] of this.#plain.entries()) {
      rows = coding === 'plain' ? reader.plain(out, rows) : reader.plainDelta(out, rows);
      if (at === 0) most = rows;
    }
    for (const { coding, reader, out } of this.#sparse) {
      if (coding === 'sparse') reader.sparse(out, rows);
      else reader.sparseDelta(out, rows);
    }
    this.#ended = rows < sliceRows;
    if (rows < most) this.damage = `a block of ${this.#what} is cut`;
    else if (this.#ended && !this.#all.every(({ reader }) => reader.exhausted))
      this.damage = `a block of ${this.#what} has columns of different lengths`;
    return rows;
  }

  /** Hands over how many rows each slice of a message has. Returns what is wrong with the message, or nothing. */
  eachSlice(payload: Uint8Array, take: (rows: number) => void): string {
    this.open(payload);
    for (let rows = this.next(); rows > 0; rows = this.next()) take(rows);
    return this.damage;
  }
}

/** What a message of these columns is made of. */
export type RowsOf<C extends Columns> = { readonly [Name in keyof C]: ArrayLike<number> };

export function encodeRows<C extends Columns>(columns: C, rows: RowsOf<C>): Uint8Array {
  const out = new WireWriter();
  writeRows(out, columns, rows);
  return out.finish();
}

/** The columns that there is something of. */
export function writeRows<C extends Columns>(
  out: WireWriter,
  columns: C,
  rows: { readonly [Name in keyof C]?: ArrayLike<number> | undefined },
): void {
  const content = new WireWriter();
  for (const [name, { field, coding }] of Object.entries(columns)) {
    const values = rows[name];
    if (values === undefined) continue;
    const entries = coding.endsWith('delta') ? differences(values, 0) : values;
    content.reset();
    if (coding.startsWith('plain')) writePlain(content, entries);
    else writeSparse(content, entries);
    if (content.length === 0) continue;
    out.tag(field, 2);
    out.delimited(content.finish());
  }
}
