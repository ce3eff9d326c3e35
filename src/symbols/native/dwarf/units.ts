/** The compilation units of a file, and which addresses each has: one look at the head of each, whatever the file's size. */
import { type AbbreviationTables } from './abbreviations.js';
import { address, Attribute, Form, numberOf, type Shape, Tag } from './forms.js';
import { lastUpTo } from '../first-from.js';
import { Cursor, DwarfDamage, type Section } from './section.js';

export interface DwarfSections {
  readonly info: Section;
  readonly abbreviations: Section;
  readonly line: Section | undefined;
  readonly texts: Section | undefined;
  readonly lineTexts: Section | undefined;
  readonly textOffsets: Section | undefined;
  readonly addresses: Section | undefined;
  readonly ranges: Section | undefined;
  readonly rangeLists: Section | undefined;
  /** What several files share: `dwz` puts it into a file of its own. */
  readonly shared?: DwarfSections | undefined;
}

export interface SplitUnit {
  /** The same for both: the compiler makes it from what it compiles. */
  readonly id: bigint;
  /** The file, as the compiler was told; of a skeleton alone. */
  readonly name: string;
  /** Where the ranges of the entries count from; of a skeleton alone. */
  readonly rangesBase: number;
}

/** What the attributes of a unit's entries need to be understood. */
export interface Unit extends Shape {
  /** Where it begins in the section: references within it count from here. */
  readonly at: number;
  readonly entries: number;
  readonly end: number;
  readonly abbreviations: number;
  readonly lowPc: number;
  readonly lineTable: number;
  readonly name: string;
  readonly folder: string;
  readonly textOffsetsBase: number;
  readonly addressBase: number;
  readonly rangeListsBase: number;
  /** Before version 5, where ranges count from. */
  readonly rangesBase: number;
  /** Of a skeleton, whose entries lie in another file, and of the unit there. */
  readonly split: SplitUnit | undefined;
}

/** Larger units than any compiler makes: the root's attributes are in the first part. */
const rootBytes = 4096;
const mostUnits = 1 << 20;
/** Of what lies apart: one unit of code, and one for each of its types. */
const mostSplitUnits = 1 << 15;
const mostRanges = 1 << 22;
/** Of one list. */
const mostEntries = 1 << 18;
const listPieceBytes = 1 << 12;
/** Letters of the units' names and folders: many may have one long text. */
const mostNameLetters = 1 << 26;

/** How many entries of range lists may still be read: functions may have one long list. */
export interface ListBudget {
  left: number;
}

export class UnitIndex {
  readonly units: Unit[] = [];
  readonly #sections: DwarfSections;
  readonly #tables: AbbreviationTables;
  readonly #skeleton: Unit | undefined;
  #begins: number[] = [];
  #ends: number[] = [];
  #unitOf: number[] = [];
  #lettersLeft = mostNameLetters;
  readonly #listBudget: ListBudget = { left: mostRanges };

  /** `skeleton`: the unit of the program whose entries lie in these sections. */
  constructor(sections: DwarfSections, tables: AbbreviationTables, skeleton?: Unit) {
    this.#sections = sections;
    this.#tables = tables;
    this.#skeleton = skeleton;
    this.#scan();
    const order = this.#begins.map((_, row) => row);
    order.sort((a, b) => (this.#begins[a] as number) - (this.#begins[b] as number));
    const sorted = (column: readonly number[]): number[] => order.map((row) => column[row] as number);
    [this.#begins, this.#ends, this.#unitOf] = [
      sorted(this.#begins),
      sorted(this.#ends),
      sorted(this.#unitOf),
    ];
  }

  /** The number of the unit that has the address. */
  unitAt(address: number): number | undefined {
    const last = lastUpTo(this.#begins, address);
    // Ranges do not overlap but in files that link the same code twice: a few are looked at.
    for (let row = last; row >= 0 && row > last - 8; row--)
      if (address < (this.#ends[row] as number)) return this.#unitOf[row];
    return undefined;
  }

  /** The unit that an entry lies in. */
  unitOf(entry: number): Unit | undefined {
    return this.units[this.numberOf(entry)];
  }

  /** Its number; −1: there is none. */
  numberOf(entry: number): number {
    let low = 0;
    let high = this.units.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.units[middle] as Unit).at <= entry) low = middle + 1;
      else high = middle;
    }
    const unit = this.units[low - 1];
    return unit !== undefined && entry < unit.end ? low - 1 : -1;
  }

  #scan(): void {
    const { info } = this.#sections;
    let left = this.#skeleton === undefined ? mostUnits : mostSplitUnits;
    for (let at = 0; at + 12 < info.size && left > 0; left--) {
      const head = new Cursor(info.slice(at, Math.min(rootBytes, info.size - at)));
      let length = head.u32();
      const is64 = length === 0xffffffff;
      if (is64) length = head.u64();
      const end = at + head.at + length;
      if (length === 0 || end > info.size) return;
      try {
        this.#readUnit(head, at, end, is64);
      } catch (error) {
        if (!(error instanceof DwarfDamage)) throw error; // one unit less
      }
      at = end;
    }
  }

  #readUnit(head: Cursor, at: number, end: number, is64: boolean): void {
    const version = head.u16();
    if (version < 2 || version > 5) return;
    const type = version >= 5 ? head.u8() : 1;
    let addressBytes = version >= 5 ? head.u8() : 0;
    const abbreviations = head.offset(is64);
    if (version < 5) addressBytes = head.u8();
    // A skeleton: its code's names are in another file, its lines are here. And what lies in that other file.
    const isSplit = type === 4 || type === 5;
    const idAt = isSplit ? head.at : -1;
    if (isSplit) head.skip(8);
    if (type !== 1 && type !== 3 && !isSplit) return;
    const shape = { is64, addressBytes, version };
    const entries = at + head.at;
    const code = head.unsigned();
    const root = code === 0 ? undefined : this.#tables.ofUnit(abbreviations, code);
    if (root === undefined) return;
    if (root.tag !== Tag.compileUnit && root.tag !== Tag.partialUnit && root.tag !== Tag.skeletonUnit) return;
    const values = new Map<number, readonly [number, number, number]>();
    for (let i = 0; i < root.attributes.length; i += 2) {
      const form = root.attributes[i + 1] as number;
      const place = head.at;
      values.set(root.attributes[i] as number, [
        form,
        numberOf(head, form, shape, root.implicit[i] as number),
        place,
      ]);
    }
    const number = (attribute: number, missing: number): number => values.get(attribute)?.[1] ?? missing;
    const skeleton = this.#skeleton;
    const widths = is64 ? 8 : 4;
    const bases = {
      textOffsetsBase: number(Attribute.textOffsetsBase, version >= 5 ? 2 * widths : 0),
      addressBase:
        skeleton?.addressBase ??
        number(Attribute.addressBase, number(Attribute.gnuAddressBase, version >= 5 ? 8 : 0)),
      rangeListsBase: number(Attribute.rangeListsBase, version >= 5 ? (is64 ? 20 : 12) : 0),
    };
    const text = (attribute: number): string => {
      const value = values.get(attribute);
      if (value === undefined || this.#lettersLeft <= 0) return '';
      const [form, offset, place] = value;
      const found =
        form === Form.string
          ? new Cursor(head.bytes, place, head.end).text()
          : this.text({ ...shape, ...bases }, form, offset);
      this.#lettersLeft -= found.length;
      return found;
    };
    const low = values.get(Attribute.lowPc);
    const lowPc =
      low === undefined ? (skeleton?.lowPc ?? 0) : this.address({ ...shape, ...bases }, low[0], low[1]);
    const gnuId = values.get(Attribute.gnuSplitId);
    const idPlace = isSplit ? idAt : gnuId?.[0] === Form.data8 ? gnuId[2] : -1;
    const split =
      idPlace < 0
        ? undefined
        : {
            id: head.bytes.readBigUInt64LE(idPlace),
            name: text(Attribute.splitName) || text(Attribute.gnuSplitName),
            rangesBase: number(Attribute.gnuRangesBase, 0),
          };
    const unit: Unit = {
      ...shape,
      ...bases,
      at,
      entries,
      end,
      abbreviations,
      lowPc,
      rangesBase: skeleton?.split?.rangesBase ?? 0,
      split,
      lineTable: number(Attribute.statementList, -1),
      name: text(Attribute.name),
      folder: text(Attribute.compilationFolder),
    };
    this.units.push(unit);
    const index = this.units.length - 1;
    const ranges = values.get(Attribute.ranges);
    const high = values.get(Attribute.highPc);
    const take = (begin: number, last: number): void => {
      // What the linker left out has the address 0 or −1.
      if (begin === 0 || begin >= last || this.#begins.length >= mostRanges) return;
      this.#begins.push(begin);
      this.#ends.push(last);
      this.#unitOf.push(index);
    };
    if (ranges !== undefined) this.rangesOf(unit, ranges[0], ranges[1], this.#listBudget, take);
    else if (low !== undefined && high !== undefined) take(lowPc, this.highPc(unit, lowPc, high[0], high[1]));
  }

  /** An offset from the low one but where it is an address itself. */
  highPc(unit: Unit, lowPc: number, form: number, value: number): number {
    const isAddress = form === Form.addr || isAddressIndex(form);
    return isAddress ? this.address(unit, form, value) : lowPc + value;
  }

  address(unit: Pick<Unit, 'addressBytes' | 'addressBase'>, form: number, value: number): number {
    if (!isAddressIndex(form)) return value;
    const { addresses } = this.#sections;
    if (addresses === undefined) return 0;
    const { addressBytes, addressBase } = unit;
    return address(
      new Cursor(addresses.slice(addressBase + value * addressBytes, addressBytes)),
      addressBytes,
    );
  }

  /** Of a text that does not lie in place. */
  text(unit: Pick<Unit, 'is64' | 'textOffsetsBase'>, form: number, value: number): string {
    const { texts, lineTexts, textOffsets, shared } = this.#sections;
    if (form === Form.strpSup || form === Form.gnuStrpAlt)
      return shared?.texts !== undefined && value < shared.texts.size ? shared.texts.text(value) : '';
    if (form === Form.strp) return texts !== undefined && value < texts.size ? texts.text(value) : '';
    if (form === Form.lineStrp)
      return lineTexts !== undefined && value < lineTexts.size ? lineTexts.text(value) : '';
    const isIndex =
      form === Form.strx || form === Form.gnuStrIndex || (form >= Form.strx1 && form <= Form.strx4);
    if (!isIndex || textOffsets === undefined || texts === undefined) return '';
    const width = unit.is64 ? 8 : 4;
    const offset = new Cursor(textOffsets.slice(unit.textOffsetsBase + value * width, width)).offset(
      unit.is64,
    );
    return offset < texts.size ? texts.text(offset) : '';
  }

  rangesOf(
    unit: Unit,
    form: number,
    value: number,
    budget: ListBudget,
    take: (begin: number, end: number) => void,
  ): void {
    if (unit.version < 5) {
      this.#oldRanges(unit, unit.rangesBase + value, budget, take);
      return;
    }
    const lists = this.#sections.rangeLists;
    if (lists === undefined) return;
    let at = value;
    if (form === Form.rnglistx) {
      const width = unit.is64 ? 8 : 4;
      const place = unit.rangeListsBase + value * width;
      at = unit.rangeListsBase + new Cursor(lists.slice(place, width)).offset(unit.is64);
    }
    this.#rangeList(unit, lists, at, budget, take);
  }

  #oldRanges(unit: Unit, at: number, budget: ListBudget, take: (begin: number, end: number) => void): void {
    const { ranges } = this.#sections;
    if (ranges === undefined) return;
    const { addressBytes } = unit;
    const pair = 2 * addressBytes;
    const most = addressBytes === 8 ? 2 ** 64 - 1 : 2 ** 32 - 1;
    let base = unit.lowPc;
    let piece: Cursor | undefined;
    for (let left = mostEntries; left > 0 && budget.left > 0; left--, budget.left--, at += pair) {
      if (piece === undefined || piece.at + pair > piece.end)
        piece = new Cursor(ranges.slice(at, Math.min(listPieceBytes, ranges.size - at)));
      const begin = address(piece, addressBytes);
      const end = address(piece, addressBytes);
      if (begin === 0 && end === 0) return;
      if (begin >= most) base = end;
      else take(base + begin, base + end);
    }
  }

  #rangeList(
    unit: Unit,
    lists: Section,
    at: number,
    budget: ListBudget,
    take: (begin: number, end: number) => void,
  ): void {
    const { addressBytes } = unit;
    const indexed = (index: number): number => this.address(unit, Form.addrx, index);
    let base = unit.lowPc;
    let cursor = new Cursor(lists.slice(at, Math.min(listPieceBytes, lists.size - at)));
    let from = at;
    for (let left = mostEntries; left > 0 && budget.left > 0; left--, budget.left--) {
      // No entry is longer than two numbers.
      if (cursor.end - cursor.at < 32 && from + cursor.end < lists.size) {
        from += cursor.at;
        cursor = new Cursor(lists.slice(from, Math.min(listPieceBytes, lists.size - from)));
      }
      switch (cursor.u8()) {
        case 0:
          return;
        case 1:
          base = indexed(cursor.unsigned());
          break;
        case 2: {
          const begin = indexed(cursor.unsigned());
          take(begin, indexed(cursor.unsigned()));
          break;
        }
        case 3: {
          const begin = indexed(cursor.unsigned());
          take(begin, begin + cursor.unsigned());
          break;
        }
        case 4: {
          const begin = base + cursor.unsigned();
          take(begin, base + cursor.unsigned());
          break;
        }
        case 5:
          base = address(cursor, addressBytes);
          break;
        case 6: {
          const begin = address(cursor, addressBytes);
          take(begin, address(cursor, addressBytes));
          break;
        }
        case 7: {
          const begin = address(cursor, addressBytes);
          take(begin, begin + cursor.unsigned());
          break;
        }
        default:
          throw new DwarfDamage('a list of ranges is damaged');
      }
    }
  }
}

function isAddressIndex(form: number): boolean {
  return form === Form.addrx || form === Form.gnuAddrIndex || (form >= Form.addrx1 && form <= Form.addrx4);
}
