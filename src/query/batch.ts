/** Rows on their way into the database: a stretch of a table as columns, which the next stretch is written over. */

export type RawType = 'BIGINT' | 'INTEGER' | 'DOUBLE' | 'VARCHAR';

const wordRange = 2 ** 32;

/** Numbers as 64-bit integers, without making a BigInt for each: that takes fifty times as long. */
export class Int64Column {
  readonly values: BigInt64Array;
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.values = new BigInt64Array(size);
    this.#words = new Uint32Array(this.values.buffer);
  }

  /** `value` is rounded; exact to 2^53. */
  set(row: number, value: number): void {
    const whole = Math.round(value);
    // Storing takes the low 32 bits, also of negative numbers. Little-endian, as DuckDB's machines are.
    this.#words[row * 2] = whole;
    this.#words[row * 2 + 1] = Math.floor(whole / wordRange);
  }
}

export type BatchColumn = Int64Column | Int32Array | Float64Array | string[];

export class Batch {
  readonly columns: readonly BatchColumn[];

  constructor(
    types: readonly RawType[],
    /** Rows at most. */
    readonly size: number,
  ) {
    this.columns = types.map((type) => {
      switch (type) {
        case 'BIGINT':
          return new Int64Column(size);
        case 'INTEGER':
          return new Int32Array(size);
        case 'DOUBLE':
          return new Float64Array(size);
        case 'VARCHAR':
          return new Array<string>(size).fill('');
      }
    });
  }

  int64(at: number): Int64Column {
    const column = this.columns[at];
    if (!(column instanceof Int64Column)) throw new TypeError(`column ${at} is no BIGINT`);
    return column;
  }

  int32(at: number): Int32Array {
    const column = this.columns[at];
    if (!(column instanceof Int32Array)) throw new TypeError(`column ${at} is no INTEGER`);
    return column;
  }

  float(at: number): Float64Array {
    const column = this.columns[at];
    if (!(column instanceof Float64Array)) throw new TypeError(`column ${at} is no DOUBLE`);
    return column;
  }

  text(at: number): string[] {
    const column = this.columns[at];
    if (!Array.isArray(column)) throw new TypeError(`column ${at} is no VARCHAR`);
    return column;
  }

  /** One row, for small tables. `values` in the order of the columns. */
  put(row: number, values: readonly (number | string)[]): void {
    values.forEach((value, at) => {
      const column = this.columns[at];
      if (column instanceof Int64Column) column.set(row, value as number);
      else if (column !== undefined) column[row] = value;
    });
  }
}
