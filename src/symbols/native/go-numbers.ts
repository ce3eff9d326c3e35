/**
 * The tables of numbers of a Go program, such as the lines of a function: a row says how the value changes, and for how many bytes of
 * code it holds. A table is read once, and kept.
 */
import { Cursor, DwarfDamage, type Section } from './dwarf/section.js';
import { lastUpTo } from './first-from.js';

/** A table that is longer is damaged. */
const mostTableBytes = 1 << 20;
const firstTableBytes = 1 << 10;
/** Rows that are kept, of all tables: 32 MB. */
const mostRows = 1 << 22;
/** Of all tables that are read: a second. Those of a damaged file may overlap, and each be as long as may be. */
const mostReadBytes = 1 << 25;
const greatest = 0x7fffffff;

interface NumberTable {
  /** Where rows begin in the function's code, and, last, where the last one ends. */
  readonly begins: Uint32Array;
  readonly values: Int32Array;
}

export class GoNumbers {
  readonly #section: Section;
  readonly #quantum: number;
  readonly #known = new Map<number, NumberTable>();
  #rows = 0;
  #readBytes = 0;

  /** `quantum`: lengths of code count in as many bytes. */
  constructor(section: Section, quantum: number) {
    this.#section = section;
    this.#quantum = quantum;
  }

  /** The value of a table at an offset from the function's begin; −1: there is none. */
  valueAt(table: number, offset: number): number {
    let known = this.#known.get(table);
    if (known === undefined) {
      known = this.#read(table);
      this.#rows += known.values.length;
      if (this.#rows > mostRows) {
        this.#known.clear();
        this.#rows = known.values.length;
      }
      this.#known.set(table, known);
    }
    const { begins, values } = known;
    return values[lastUpTo(begins, offset)] ?? -1;
  }

  #read(table: number): NumberTable {
    for (let length = firstTableBytes; ; length = Math.min(8 * length, mostTableBytes)) {
      const bytes = Math.min(length, this.#section.size - table);
      if (this.#readBytes + bytes > mostReadBytes) throw new DwarfDamage('its tables are too long');
      const cursor = new Cursor(this.#section.slice(table, bytes));
      try {
        return this.#decode(cursor);
      } catch (error) {
        if (!(error instanceof DwarfDamage) || bytes < length || length >= mostTableBytes) throw error;
      } finally {
        this.#readBytes += cursor.at;
      }
    }
  }

  #decode(cursor: Cursor): NumberTable {
    const begins = [0];
    const values: number[] = [];
    let [value, end] = [-1, 0];
    for (;;) {
      const change = cursor.unsigned();
      if (change === 0 && values.length > 0) break;
      value += change % 2 === 0 ? change / 2 : -(change + 1) / 2;
      end += cursor.unsigned() * this.#quantum;
      if (Math.abs(value) > greatest || end > greatest) throw new DwarfDamage('a number is too large');
      values.push(value);
      begins.push(end);
    }
    return { begins: Uint32Array.from(begins), values: Int32Array.from(values) };
  }
}
