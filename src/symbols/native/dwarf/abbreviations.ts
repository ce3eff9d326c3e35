/** The shapes of entries that a unit uses, by number (.debug_abbrev). */
import { Form } from './forms.js';
import { Cursor, DwarfDamage, type Section } from './section.js';

export interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  /** Attribute, form, attribute, form … */
  readonly attributes: readonly number[];
  /** The value of an attribute that has none of its own, in the same places as `attributes` has it. */
  readonly implicit: readonly number[];
}

export type Abbreviations = ReadonlyMap<number, Abbreviation>;

const mostAbbreviations = 1 << 16;
const mostAttributes = 1 << 10;
/** A table is some kB; so much is read at once. */
const firstBytes = 1 << 14;
const mostBytes = 1 << 22;
/** Of all that is read of a file: units may ask for the same tables again and again. */
const mostBytesInAll = 2 ** 30;

export class AbbreviationTables {
  readonly #section: Section;
  readonly #known = new Map<number, Abbreviations>();
  #bytesRead = 0;

  constructor(section: Section) {
    this.#section = section;
  }

  at(offset: number): Abbreviations {
    let table = this.#known.get(offset);
    if (table === undefined) {
      if (this.#known.size > 64) this.#known.clear();
      table = this.#read(offset);
      this.#known.set(offset, table);
    }
    return table;
  }

  /** The abbreviation of a unit itself: the table's first in all that compilers write. Tables that units share are read whole. */
  ofUnit(offset: number, code: number): Abbreviation | undefined {
    const known = this.#known.get(offset) ?? this.#read(offset, 1);
    return known.get(code) ?? this.at(offset).get(code);
  }

  #read(offset: number, most = Infinity): Abbreviations {
    const { size } = this.#section;
    for (let length = most === 1 ? 256 : firstBytes; ; length *= 4) {
      const bytes = Math.min(length, size - offset);
      this.#bytesRead += bytes;
      if (this.#bytesRead > mostBytesInAll) throw new DwarfDamage('its abbreviations are read too often');
      try {
        return parse(new Cursor(this.#section.slice(offset, bytes)), most);
      } catch (error) {
        if (!(error instanceof DwarfDamage) || bytes < length || length >= mostBytes) throw error;
      }
    }
  }
}

function parse(cursor: Cursor, most: number): Abbreviations {
  const table = new Map<number, Abbreviation>();
  for (;;) {
    const code = cursor.unsigned();
    if (code === 0) return table;
    const tag = cursor.unsigned();
    const hasChildren = cursor.u8() !== 0;
    const attributes: number[] = [];
    const implicit: number[] = [];
    for (;;) {
      const attribute = cursor.unsigned();
      const form = cursor.unsigned();
      const value = form === Form.implicitConst ? cursor.signed() : 0;
      if (attribute === 0 && form === 0) break;
      attributes.push(attribute, form);
      implicit.push(value, 0);
      if (attributes.length > mostAttributes) throw new DwarfDamage('an entry has too many attributes');
    }
    table.set(code, { tag, hasChildren, attributes, implicit });
    if (table.size >= most) return table;
    if (table.size > mostAbbreviations) throw new DwarfDamage('it has too many abbreviations');
  }
}
