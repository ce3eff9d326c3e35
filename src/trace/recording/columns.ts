/**
 * The columns of docs/FORMAT.md: packed zigzag varints, plain or sparse, as they are or as differences.
 *
 * Reading is the engine's hottest loop: about seven entries a sample. A column is read a slice of rows at a time into
 * a scratch array that stays in the cache; one call decodes one column, so that the loop holds one cursor in registers.
 * Plain columns have an entry a row: four bytes are looked at at once, without a branch for each, as lengths change too often to
 * be guessed. Values are float64, exact to 2^53. Zigzag is undone by `0 -`: `-` makes −0 of each even entry, which is no small
 * integer to code that is not compiled yet.
 */
import { type WireWriter } from './wire.js';

/** In place of four bytes that would end beyond all: looks like an entry that is longer than these. */
const noWord = -1;

/** The seven bits of each of four bytes. */
function joined(word: number): number {
  return (word & 0x7f) | ((word >>> 1) & 0x3f80) | ((word >>> 2) & 0x1fc000) | ((word >>> 3) & 0xfe00000);
}

export class ColumnReader {
  /** Where the next entry is; beyond `end` when the last one was cut off. */
  #pos = 0;
  #end = 0;
  #zeros = 0;
  /** Begins as what is no small integer, so that the engine keeps it as a float64 from the start. */
  #sum = NaN;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);

  /** Points the reader at a column; differences start from `base`. */
  open(bytes: Uint8Array, begin: number, end: number, base: number): void {
    if (begin < end && bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    this.#pos = begin;
    this.#end = end;
    this.#zeros = 0;
    this.#sum = base;
  }

  /** Nothing was left over, and nothing was cut off. */
  get exhausted(): boolean {
    return this.#pos === this.#end && this.#zeros === 0;
  }

  /** The next up to `rows` values; how many there were. */
  plain(out: Float64Array, rows: number): number {
    const end = this.#end;
    const view = this.#view;
    const wordsTo = Math.min(end, view.byteLength - 3);
    let p = this.#pos;
    let row = 0;
    while (row < rows && p < end) {
      const word = p < wordsTo ? view.getInt32(p, true) : noWord;
      const ends = ~word & 0x80808080;
      if (ends !== 0) {
        const last = 31 - Math.clz32(ends & -ends);
        p += (last + 1) >>> 3;
        const v = joined(word & ((2 << last) - 1));
        out[row++] = (v >>> 1) ^ (0 - (v & 1));
      } else {
        this.#pos = p;
        out[row++] = this.#entry();
        p = this.#pos;
      }
    }
    this.#pos = p;
    return p > end ? Math.max(row - 1, 0) : row;
  }

  plainDelta(out: Float64Array, rows: number): number {
    const end = this.#end;
    const view = this.#view;
    const wordsTo = Math.min(end, view.byteLength - 3);
    let p = this.#pos;
    let row = 0;
    let sum = this.#sum;
    while (row < rows && p < end) {
      const word = p < wordsTo ? view.getInt32(p, true) : noWord;
      const ends = ~word & 0x80808080;
      if (ends !== 0) {
        const last = 31 - Math.clz32(ends & -ends);
        p += (last + 1) >>> 3;
        const v = joined(word & ((2 << last) - 1));
        sum += (v >>> 1) ^ (0 - (v & 1));
      } else {
        this.#pos = p;
        sum += this.#entry();
        p = this.#pos;
      }
      out[row++] = sum;
    }
    this.#pos = p;
    this.#sum = sum;
    return p > end ? Math.max(row - 1, 0) : row;
  }

  /** Always fills `rows`: a short column goes on as zeros. */
  sparse(out: Float64Array, rows: number): void {
    const end = this.#end;
    let row = 0;
    while (row < rows) {
      if (this.#zeros > 0) {
        const run = Math.min(this.#zeros, rows - row);
        out.fill(0, row, row + run);
        row += run;
        this.#zeros -= run;
      } else if (this.#pos >= end) {
        out.fill(0, row, rows);
        break;
      } else {
        const value = this.#entry();
        if (value !== 0) out[row++] = value;
        else this.#zeros = this.#run();
      }
    }
  }

  /** Like `sparse`, of differences: a run of zeros repeats the value. */
  sparseDelta(out: Float64Array, rows: number): void {
    const end = this.#end;
    let row = 0;
    while (row < rows) {
      if (this.#zeros > 0) {
        const run = Math.min(this.#zeros, rows - row);
        out.fill(this.#sum, row, row + run);
        row += run;
        this.#zeros -= run;
      } else if (this.#pos >= end) {
        out.fill(this.#sum, row, rows);
        break;
      } else {
        const difference = this.#entry();
        if (difference !== 0) out[row++] = this.#sum += difference;
        else this.#zeros = this.#run();
      }
    }
  }

  /** Rows of zero that begin here: the entry after a zero, and the zero itself. */
  #run(): number {
    if (this.#pos >= this.#end) return 1;
    return Math.max(this.#entry(), 0) + 1;
  }

  /** One entry, at most ten bytes: of any length, and near the end of all bytes. */
  #entry(): number {
    const bytes = this.#bytes;
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = bytes[this.#pos++] as number;
      low |= (byte & 0x7f) << shift;
      if (!(byte >= 0x80)) return (low >>> 1) ^ (0 - (low & 1));
    }
    let high = 0;
    let scale = 1;
    for (let size = 4; size < 10; size++) {
      const byte = bytes[this.#pos++] as number;
      high += (byte & 0x7f) * scale;
      scale *= 128;
      if (!(byte >= 0x80)) break;
    }
    // Half of the zigzag number, so that nothing is lost up to 2^53.
    const half = high * 0x8000000 + (low >>> 1);
    return low & 1 ? -half - 1 : half;
  }
}

/** One entry a value. */
export function writePlain(out: WireWriter, values: ArrayLike<number>): void {
  for (let row = 0; row < values.length; row++) out.sint(values[row] as number);
}

/** Runs of zeros, run-length encoded. */
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
