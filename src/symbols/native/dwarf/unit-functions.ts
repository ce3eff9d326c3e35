/**
 * The functions of one unit that have code, and what was inlined into them: columns in the order of the entries, so that what is
 * inlined comes after what it is inlined into. One pass over the unit.
 */
import { type Abbreviation, type AbbreviationTables } from './abbreviations.js';
import { Attribute, Form, isSharedReference, isUnitReference, numberOf, Tag } from './forms.js';
import { Cursor, DwarfDamage, type Section } from './section.js';
import { type ListBudget, type Unit, type UnitIndex } from './units.js';

/** A unit that is larger was not made by a compiler, and is not read. */
const mostUnitBytes = 1 << 28;
const mostRows = 1 << 21;
const mostDepth = 1 << 12;

/** A class or namespace: what names of entries within it begin with. */
interface Scope {
  readonly entry: number;
  readonly isNamespace: boolean;
  /** The scope around it, −1 for none. */
  readonly parent: number;
  end: number;
}

/** Rows that belong together, and the addresses that all of them lie between. */
interface FunctionGroup {
  readonly from: number;
  to: number;
  begin: number;
  end: number;
}

export class UnitFunctions {
  /** A row for each range of each function: an entry may have several, in a row. */
  readonly begins: number[] = [];
  readonly ends: number[] = [];
  /** Where the entry lies in the section. */
  readonly entries: number[] = [];
  /** Of what is inlined: where it was called, else −1. */
  readonly callFiles: number[] = [];
  readonly callLines: number[] = [];
  readonly scopes: Scope[] = [];
  #groups: readonly FunctionGroup[] | undefined;
  readonly #listBudget: ListBudget = { left: mostRows };

  constructor(unit: Unit, info: Section, index: UnitIndex, tables: AbbreviationTables) {
    if (unit.end - unit.at > mostUnitBytes) return;
    const cursor = new Cursor(info.slice(unit.at, unit.end - unit.at));
    cursor.at = unit.entries - unit.at;
    try {
      this.#walk(cursor, unit, index, tables);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error; // what was read before it stands
    }
  }

  /** Functions with what is inlined into them. Made when first asked for. */
  groups(): readonly FunctionGroup[] {
    return (this.#groups ??= this.#findGroups());
  }

  #findGroups(): FunctionGroup[] {
    const groups: FunctionGroup[] = [];
    let last: FunctionGroup | undefined;
    for (let row = 0; row < this.begins.length; row++) {
      const begin = this.begins[row] as number;
      const end = this.ends[row] as number;
      const isInlined = (this.callLines[row] as number) >= 0;
      const isSame = isInlined || this.entries[row] === this.entries[row - 1];
      if (last !== undefined && isSame) {
        last.to = row + 1;
        last.begin = Math.min(last.begin, begin);
        last.end = Math.max(last.end, end);
      } else groups.push((last = { from: row, to: row + 1, begin, end }));
    }
    return groups;
  }

  /** The scopes around an entry, the outermost first. */
  scopesAround(entry: number): Scope[] {
    let low = 0;
    let high = this.scopes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.scopes[middle] as Scope).entry < entry) low = middle + 1;
      else high = middle;
    }
    const found: Scope[] = [];
    for (let at = low - 1; at >= 0; at = (this.scopes[at] as Scope).parent) {
      const scope = this.scopes[at] as Scope;
      if (entry < scope.end) found.push(scope);
    }
    return found.reverse();
  }

  #walk(cursor: Cursor, unit: Unit, index: UnitIndex, tables: AbbreviationTables): void {
    const table = tables.at(unit.abbreviations);
    const fixed = new Map<Abbreviation, number>();
    /** For each open entry its scope's number, or −1. */
    const open: number[] = [];
    let around = -1;
    while (cursor.at < cursor.end) {
      const entry = unit.at + cursor.at;
      const code = cursor.unsigned();
      if (code === 0) {
        const scope = open.pop();
        if (scope === undefined || open.length === 0) return;
        if (scope >= 0) {
          const closed = this.scopes[scope] as Scope;
          closed.end = unit.at + cursor.at;
          around = closed.parent;
        }
        continue;
      }
      const shape = table.get(code);
      if (shape === undefined) throw new DwarfDamage('an entry has no abbreviation');
      let scope = -1;
      switch (shape.tag) {
        case Tag.subprogram:
        case Tag.inlinedSubroutine:
          this.#function(cursor, shape, unit, index, entry);
          break;
        case Tag.namespace:
        case Tag.classType:
        case Tag.structureType:
        case Tag.unionType:
          if (shape.hasChildren && this.scopes.length < mostRows)
            scope =
              this.scopes.push({
                entry,
                isNamespace: shape.tag === Tag.namespace,
                parent: around,
                end: Infinity,
              }) - 1;
          skip(cursor, shape, unit, fixed);
          break;
        default:
          skip(cursor, shape, unit, fixed);
      }
      if (scope >= 0) around = scope;
      if (shape.hasChildren) open.push(scope);
      else if (open.length === 0) return;
      if (open.length > mostDepth) throw new DwarfDamage('its entries are nested too deeply');
    }
  }

  #function(cursor: Cursor, shape: Abbreviation, unit: Unit, index: UnitIndex, entry: number): void {
    const { attributes, implicit } = shape;
    let low = 0;
    let lowForm = 0;
    let high = 0;
    let highForm = -1;
    let ranges = 0;
    let rangesForm = -1;
    let callFile = -1;
    let callLine = -1;
    for (let i = 0; i < attributes.length; i += 2) {
      const form = attributes[i + 1] as number;
      const value = numberOf(cursor, form, unit, implicit[i] as number);
      switch (attributes[i]) {
        case Attribute.lowPc:
          low = value;
          lowForm = form;
          break;
        case Attribute.highPc:
          high = value;
          highForm = form;
          break;
        case Attribute.ranges:
          ranges = value;
          rangesForm = form;
          break;
        case Attribute.callFile:
          callFile = value;
          break;
        case Attribute.callLine:
          callLine = value;
          break;
      }
    }
    const isInlined = shape.tag === Tag.inlinedSubroutine;
    const take = (begin: number, end: number): void => {
      if (begin === 0 || begin >= end || this.begins.length >= mostRows) return;
      this.begins.push(begin);
      this.ends.push(end);
      this.entries.push(entry);
      this.callFiles.push(isInlined ? Math.max(callFile, 0) : -1);
      this.callLines.push(isInlined ? Math.max(callLine, 0) : -1);
    };
    if (rangesForm >= 0) index.rangesOf(unit, rangesForm, ranges, this.#listBudget, take);
    else if (highForm >= 0) {
      const begin = index.address(unit, lowForm, low);
      take(begin, index.highPc(unit, begin, highForm, high));
    }
  }
}

/** Passes over an entry's attributes; those whose size is fixed all at once. */
function skip(cursor: Cursor, shape: Abbreviation, unit: Unit, fixed: Map<Abbreviation, number>): void {
  const known = fixed.get(shape);
  if (known !== undefined && known >= 0) {
    cursor.skip(known);
    return;
  }
  const begin = cursor.at;
  for (let i = 1; i < shape.attributes.length; i += 2)
    numberOf(cursor, shape.attributes[i] as number, unit, 0);
  if (known !== undefined) return;
  const isFixed = shape.attributes.every((form, at) => at % 2 === 0 || fixedForms.has(form));
  fixed.set(shape, isFixed ? cursor.at - begin : -1);
}

/** Forms that are as long in each entry of a unit. */
const fixedForms: ReadonlySet<number> = new Set([
  0x01, 0x05, 0x06, 0x07, 0x0b, 0x0c, 0x0e, 0x10, 0x11, 0x12, 0x13, 0x14, 0x17, 0x19, 0x1c, 0x1d, 0x1e, 0x1f,
  0x20, 0x21, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x1f20, 0x1f21,
]);

/** What an entry says of its name, and which other entry says more. */
export interface EntryName {
  readonly name: string;
  readonly linkageName: string;
  /** Where the entry lies that this one is a copy of, or the definition of; −1: there is none. */
  readonly more: number;
  /** That one lies in the file that several share. */
  readonly isShared: boolean;
}

/** The most that an entry's attributes take. */
const mostEntryBytes = 1 << 14;

export function readName(
  entry: number,
  unit: Unit,
  info: Section,
  index: UnitIndex,
  tables: AbbreviationTables,
): EntryName | undefined {
  const cursor = new Cursor(info.slice(entry, Math.min(mostEntryBytes, unit.end - entry)));
  const shape = tables.at(unit.abbreviations).get(cursor.unsigned());
  if (shape === undefined) return undefined;
  let name = '';
  let linkageName = '';
  let more = -1;
  let isShared = false;
  for (let i = 0; i < shape.attributes.length; i += 2) {
    const attribute = shape.attributes[i] as number;
    const form = shape.attributes[i + 1] as number;
    const at = cursor.at;
    const value = numberOf(cursor, form, unit, shape.implicit[i] as number);
    const isName = attribute === Attribute.name;
    if (isName || attribute === Attribute.linkageName || attribute === Attribute.mipsLinkageName) {
      const text =
        form === 0x08 ? new Cursor(cursor.bytes, at, cursor.end).text() : index.text(unit, form, value);
      if (isName) name = text;
      else linkageName = text;
    } else if (attribute === Attribute.abstractOrigin || attribute === Attribute.specification) {
      if (isUnitReference(form)) more = unit.at + value;
      else if (form === Form.refAddr) more = value;
      else if (isSharedReference(form)) [more, isShared] = [value, true];
    }
  }
  return { name, linkageName, more, isShared };
}
