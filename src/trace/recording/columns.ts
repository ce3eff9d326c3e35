/**
 * The columns of docs/FORMAT.md: packed zigzag varints, plain or sparse, as they are or as differences.
 *
 * Reading is the engine's hottest loop: about seven entries a sample. A column is read a slice of rows at a time into
 * a scratch array that stays in the cache; one call decodes one column, so that the loop holds one cursor in registers.
 * Values are float64, exact to 2^53.
 */
import { type WireWriter } from './wire.js';

export class ColumnReader {
  /** Where the next entry is; beyond `end` when the last one was cut off. */
  private pos = 0;
  private end = 0;
  private zeros = 0;
  /** Begins as what is no small integer, so that the engine keeps it as a float64 from the start. */
  private sum = NaN;

  constructor(private bytes: Uint8Array = new Uint8Array(0)) {}

  /** Points the reader at a column; differences start from `base`. */
  open(bytes: Uint8Array, begin: number, end: number, base: number): void {
    this.bytes = bytes;
    this.pos = begin;
    this.end = end;
    this.zeros = 0;
    this.sum = base;
  }

  /** Nothing was left over, and nothing was cut off. */
  get exhausted(): boolean {
    return this.pos === this.end && this.zeros === 0;
  }

  /** The next up to `rows` values; how many there were. */
  plain(out: Float64Array, rows: number): number {
    const { bytes, end } = this;
    let p = this.pos;
    let row = 0;
    while (row < rows && p < end) {
      let byte = bytes[p++] as number;
      let v = byte & 0x7f;
      if (byte >= 0x80) {
        byte = bytes[p++] as number;
        v |= (byte & 0x7f) << 7;
        if (byte >= 0x80) {
          byte = bytes[p++] as number;
          v |= (byte & 0x7f) << 14;
          if (byte >= 0x80) {
            byte = bytes[p++] as number;
            v |= (byte & 0x7f) << 21;
            if (byte >= 0x80) {
              this.pos = p;
              out[row++] = this.long(v);
              p = this.pos;
              continue;
            }
          }
        }
      }
      out[row++] = (v >>> 1) ^ -(v & 1);
    }
    this.pos = p;
    return p > end ? Math.max(row - 1, 0) : row;
  }

  plainDelta(out: Float64Array, rows: number): number {
    const { bytes, end } = this;
    let p = this.pos;
    let row = 0;
    let sum = this.sum;
    while (row < rows && p < end) {
      let byte = bytes[p++] as number;
      let v = byte & 0x7f;
      if (byte >= 0x80) {
        byte = bytes[p++] as number;
        v |= (byte & 0x7f) << 7;
        if (byte >= 0x80) {
          byte = bytes[p++] as number;
          v |= (byte & 0x7f) << 14;
          if (byte >= 0x80) {
            byte = bytes[p++] as number;
            v |= (byte & 0x7f) << 21;
            if (byte >= 0x80) {
              this.pos = p;
              sum += this.long(v);
              p = this.pos;
              out[row++] = sum;
              continue;
            }
          }
        }
      }
      sum += (v >>> 1) ^ -(v & 1);
      out[row++] = sum;
    }
    this.pos = p;
    this.sum = sum;
    return p > end ? Math.max(row - 1, 0) : row;
  }

  /** Always fills `rows`: a short column goes on as zeros. */
  sparse(out: Float64Array, rows: number): void {
    const { bytes, end } = this;
    let p = this.pos;
    let zeros = this.zeros;
    let row = 0;
    while (row < rows) {
      if (zeros > 0) {
        const run = Math.min(zeros, rows - row);
        out.fill(0, row, row + run);
        row += run;
        zeros -= run;
        continue;
      }
      if (p >= end) {
        out.fill(0, row, rows);
        break;
      }
      let byte = bytes[p++] as number;
      let v = byte & 0x7f;
      if (byte >= 0x80) {
        byte = bytes[p++] as number;
        v |= (byte & 0x7f) << 7;
        if (byte >= 0x80) {
          byte = bytes[p++] as number;
          v |= (byte & 0x7f) << 14;
          if (byte >= 0x80) {
            byte = bytes[p++] as number;
            v |= (byte & 0x7f) << 21;
            if (byte >= 0x80) {
              this.pos = p;
              out[row++] = this.long(v);
              p = this.pos;
              continue;
            }
          }
        }
      }
      if (v !== 0) {
        out[row++] = (v >>> 1) ^ -(v & 1);
      } else {
        this.pos = p;
        zeros = this.run();
        p = this.pos;
      }
    }
    this.pos = p;
    this.zeros = zeros;
  }

  /** Like `sparse`, of differences: a run of zeros repeats the value. */
  sparseDelta(out: Float64Array, rows: number): void {
    const { bytes, end } = this;
    let p = this.pos;
    let zeros = this.zeros;
    let sum = this.sum;
    let row = 0;
    while (row < rows) {
      if (zeros > 0) {
        const run = Math.min(zeros, rows - row);
        out.fill(sum, row, row + run);
        row += run;
        zeros -= run;
        continue;
      }
      if (p >= end) {
        out.fill(sum, row, rows);
        break;
      }
      let byte = bytes[p++] as number;
      let v = byte & 0x7f;
      if (byte >= 0x80) {
        byte = bytes[p++] as number;
        v |= (byte & 0x7f) << 7;
        if (byte >= 0x80) {
          byte = bytes[p++] as number;
          v |= (byte & 0x7f) << 14;
          if (byte >= 0x80) {
            byte = bytes[p++] as number;
            v |= (byte & 0x7f) << 21;
            if (byte >= 0x80) {
              this.pos = p;
              sum += this.long(v);
              p = this.pos;
              out[row++] = sum;
              continue;
            }
          }
        }
      }
      if (v !== 0) {
        sum += (v >>> 1) ^ -(v & 1);
        out[row++] = sum;
      } else {
        this.pos = p;
        zeros = this.run();
        p = this.pos;
      }
    }
    this.pos = p;
    this.zeros = zeros;
    this.sum = sum;
  }

  /** Rows of zero that begin here: the entry after a zero, and the zero itself. */
  private run(): number {
    if (this.pos >= this.end) return 1;
    let zigzag = 0;
    let scale = 1;
    for (let size = 0; size < 10; size++) {
      const byte = this.bytes[this.pos++] as number;
      zigzag += (byte & 0x7f) * scale;
      scale *= 128;
      if (!(byte >= 0x80)) break;
    }
    return zigzag % 2 === 0 ? zigzag / 2 + 1 : 1;
  }

  /** The rest of an entry of more than 28 bits, whose low 28 are `low`; at most ten bytes in all. */
  private long(low: number): number {
    const bytes = this.bytes;
    let high = 0;
    let scale = 1;
    let p = this.pos;
    for (let size = 4; size < 10; size++) {
      const byte = bytes[p++] as number;
      high += (byte & 0x7f) * scale;
      scale *= 128;
      if (!(byte >= 0x80)) break;
    }
    this.pos = p;
    // Half of the zigzag number, so that nothing is lost up to 2^53.
    const half = high * 0x8000000 + (low >>> 1);
    return low & 1 ? -half - 1 : half;
  }
}

/** One entry a value. */
export function writePlain(out: WireWriter, values: ArrayLike<number>): void {
  for (let row = 0; row < values.length; row++) out.sint(values[row] as number);
}

/** Runs of zeros folded. */
export function writeSparse(out: WireWriter, values: ArrayLike<number>): void {
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number;
    out.sint(value);
    if (value !== 0) continue;
    const first = row;
    while (row + 1 < values.length && values[row + 1] === 0) row++;
    out.sint(row - first);
  }
}

/** What is stored for `values` in a delta column: each one's difference to the one before, the first's to `base`. */
export function differences(values: ArrayLike<number>, base: number): Float64Array {
  const result = new Float64Array(values.length);
  let before = base;
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number;
    result[row] = value - before;
    before = value;
  }
  return result;
}
