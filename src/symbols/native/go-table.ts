/**
 * Functions, inlined calls, files and lines that Go programs carry for their own stack traces (`.gopclntab`), also where they are
 * stripped. Knows the tables of Go 1.16 and newer, for machines of 64 bits. Reads ranges: a table has some MB.
 */
import { Cursor, DwarfDamage, type ReadSync, Section } from './dwarf/section.js';
import type { Elf } from './elf.js';
import {
  type GoFrame,
  type GoLayout,
  goLayouts,
  inlineIndexTable,
  inlineTreeReference,
  textWord,
} from './go-layout.js';
import { GoNumbers } from './go-numbers.js';

/** Calls that are inlined into one another; Go's compiler inlines less. */
const mostInlined = 256;
const mostFunctions = 1 << 22;
/** Functions that are kept. */
const mostKnown = 1 << 18;
/** Letters of the names and files that are kept: each of a damaged file may have the greatest length. What is beyond has no name. */
const mostTextLetters = 1 << 26;
/** What a text takes beside its letters. */
const textLetters = 64;
const noFile = 0xffffffff;
/** The part of a section in which the description of the program is looked for. */
const mostSearchedBytes = 1 << 26;
/** Between the end of the last function and the end of the code. */
const mostPadding = 64;

interface Places {
  readonly textStart: number;
  /** Where what functions refer to begins (`go:func.*`); −1: not known, so inlined calls are not. */
  readonly functionData: number;
}

interface GoFunction {
  /** An address, as the next ones. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly files: number;
  readonly lines: number;
  /** Of the function's part of the table of files. */
  readonly unit: number;
  /** Which inlined call an address is in; 0: there is none. */
  readonly inlineIndex: number;
  /** An address of the file; −1: nothing is inlined. */
  readonly inlineTree: number;
}

/** Reads the loaded parts of the file by address. */
type ReadLoaded = (address: number, length: number) => Buffer;

export class GoTable {
  readonly #layout: GoLayout;
  readonly #table: Section;
  readonly #numbers: GoNumbers;
  readonly #parts: ReturnType<GoLayout['head']>;
  readonly #places: Places;
  readonly #loaded: ReadLoaded;
  readonly #known = new Map<number, GoFunction>();
  readonly #texts = new Map<number, string>();
  #textLetters = 0;

  private constructor(
    layout: GoLayout,
    table: Section,
    places: (headStart: number, codeBytes: number) => Places,
    loaded: ReadLoaded,
  ) {
    this.#layout = layout;
    this.#table = table;
    this.#loaded = loaded;
    const head = new Cursor(table.slice(0, layout.headBytes));
    head.skip(6);
    this.#numbers = new GoNumbers(table, head.u8());
    if (head.u8() !== 8) throw new DwarfDamage('it is of a machine of 32 bits');
    this.#parts = layout.head(head);
    if (this.#parts.count > mostFunctions) throw new DwarfDamage('it has too many functions');
    const { functions, count, textStart } = this.#parts;
    const last = new Cursor(table.slice(functions + count * layout.rowBytes, layout.rowBytes / 2));
    this.#places = places(textStart, layout.isRelative ? last.u32() : 0);
  }

  /** Undefined where the file is no Go program, or one whose tables are not known. Throws for what cannot be read. */
  static async open(elf: Elf, read: ReadSync): Promise<GoTable | undefined> {
    const sections = new Map((await elf.sections()).map((one) => [one.name, one]));
    const found = sections.get('.gopclntab') ?? sections.get('.data.rel.ro.gopclntab');
    if (found === undefined || found.size < 8) return undefined;
    const layout = goLayouts.get(read(found.offset, 4).readUInt32LE(0));
    if (layout === undefined) return undefined;
    const loads = await elf.loads();
    const loaded: ReadLoaded = (address, length) => {
      const load = loads.find((one) => address >= one.address && address + length <= one.address + one.size);
      const bytes = load && read(address - load.address + load.offset, length);
      if (bytes?.length !== length) throw new DwarfDamage('it refers to what is not there');
      return bytes;
    };
    const load = loads.find((one) => found.offset >= one.offset && found.offset < one.offset + one.size);
    const tableAt = load === undefined ? -1 : found.offset - load.offset + load.address;
    const text = sections.get('.text');
    // Sections tell where they lie in the file. The code's part of the file is loaded as a whole.
    const code = loads.find(
      (one) => text !== undefined && text.offset >= one.offset && text.offset < one.offset + one.size,
    );
    const codeStart = code === undefined ? 0 : (text?.offset ?? 0) - code.offset + code.address;
    const searched = ['.go.module', '.noptrdata', '.data', '.data.rel.ro']
      .map((name) => sections.get(name))
      .filter((one) => one !== undefined);
    return new GoTable(
      layout,
      new Section(read, found.offset, found.size),
      (headStart, codeBytes) => {
        const functionData = layout.functionDataWord < 0 ? 0 : -1;
        if (!layout.isRelative) return { textStart: 0, functionData };
        for (const { offset, size } of searched) {
          const found = placesIn(
            read(offset, Math.min(size, mostSearchedBytes)),
            tableAt,
            layout.functionDataWord,
          );
          if (found !== undefined) return found;
        }
        if (headStart !== 0) return { textStart: headStart, functionData };
        // Newer programs, and those that are loaded anywhere, leave the head's field empty. Where C has no part in the code, it is
        // as long as the table says.
        if (Math.abs((text?.size ?? 0) - codeBytes) > mostPadding)
          throw new DwarfDamage('it does not say where its code begins');
        return { textStart: codeStart, functionData };
      },
      loaded,
    );
  }

  /** For each address its frames, innermost first; none where no function of Go is. Never throws for what the table holds. */
  frames(addresses: readonly number[]): GoFrame[][] {
    return addresses.map((address) => {
      try {
        const found = this.#functionAt(address);
        return found === undefined ? [] : this.#framesIn(found, address);
      } catch (error) {
        if (error instanceof DwarfDamage) return [];
        throw error;
      }
    });
  }

  #framesIn(found: GoFunction, address: number): GoFrame[] {
    const frames: GoFrame[] = [];
    for (let at = address; frames.length < mostInlined;) {
      const place = this.#placeAt(found, at);
      const inlined = found.inlineTree < 0 ? -1 : this.#valueAt(found.inlineIndex, found, at);
      if (inlined < 0) {
        frames.push({ name: found.name, start: found.start, isInlined: false, ...place });
        return frames;
      }
      const { entryBytes, name, parent } = this.#layout.inlined;
      const entry = this.#loaded(found.inlineTree + inlined * entryBytes, entryBytes);
      frames.push({ name: this.#name(entry.readInt32LE(name)), start: 0, isInlined: true, ...place });
      at = found.start + entry.readInt32LE(parent);
      if (at < found.start || at >= found.end) throw new DwarfDamage('a call is inlined from elsewhere');
    }
    return frames;
  }

  #placeAt(found: GoFunction, address: number): { file: string; line: number } {
    const line = this.#valueAt(found.lines, found, address);
    const file = this.#valueAt(found.files, found, address);
    if (file < 0 || line < 0) return { file: '', line: 0 };
    const { units, files } = this.#parts;
    const at = new Cursor(this.#table.slice(units + 4 * (found.unit + file), 4)).u32();
    return at === noFile ? { file: '', line: 0 } : { file: this.#text(files + at), line };
  }

  #functionAt(address: number): GoFunction | undefined {
    let low = 0;
    let high = this.#parts.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#startOf(middle) <= address) low = middle + 1;
      else high = middle;
    }
    // The last row is where the last function ends.
    const [start, end] = low === 0 ? [0, 0] : [this.#startOf(low - 1), this.#startOf(low)];
    if (address < start || address >= end) return undefined;
    let known = this.#known.get(low - 1);
    if (known === undefined) {
      known = this.#read(low - 1, start, end);
      if (this.#known.size < mostKnown) this.#known.set(low - 1, known);
    }
    return known;
  }

  #startOf(row: number): number {
    const { rowBytes, isRelative } = this.#layout;
    const cursor = new Cursor(this.#table.slice(this.#parts.functions + row * rowBytes, rowBytes / 2));
    return isRelative ? this.#places.textStart + cursor.u32() : cursor.u64();
  }

  #read(row: number, start: number, end: number): GoFunction {
    const { rowBytes, isRelative, functionBytes, startLineBytes, dataBytes } = this.#layout;
    const { functions, numbers } = this.#parts;
    const rowCursor = new Cursor(this.#table.slice(functions + row * rowBytes + rowBytes / 2, rowBytes / 2));
    const at = functions + (isRelative ? rowCursor.u32() : rowCursor.u64());
    const cursor = new Cursor(this.#table.slice(at, functionBytes));
    cursor.skip(isRelative ? 4 : 8);
    const name = this.#name(cursor.u32());
    cursor.skip(12); // arguments, deferred calls, the stack pointer
    const files = numbers + cursor.u32();
    const lines = numbers + cursor.u32();
    const tables = cursor.u32();
    const unit = cursor.u32();
    cursor.skip(startLineBytes + 3);
    const data = cursor.u8();
    let inlineIndex = 0;
    let inlineTree = -1;
    if (tables > inlineIndexTable && data > inlineTreeReference && this.#places.functionData >= 0) {
      const tablesAt = at + functionBytes;
      const index = new Cursor(this.#table.slice(tablesAt + 4 * inlineIndexTable, 4)).u32();
      const end = tablesAt + 4 * tables;
      const dataAt = isRelative ? end : Math.ceil(end / 8) * 8;
      const tree = new Cursor(this.#table.slice(dataAt + dataBytes * inlineTreeReference, dataBytes));
      const told = isRelative ? tree.u32() : tree.u64();
      if (index !== 0 && told !== (isRelative ? noFile : 0)) {
        inlineIndex = numbers + index;
        inlineTree = this.#places.functionData + told;
      }
    }
    return { start, end, name, files, lines, unit, inlineIndex, inlineTree };
  }

  #name(at: number): string {
    return this.#text(this.#parts.names + at);
  }

  #text(at: number): string {
    const known = this.#texts.get(at);
    if (known !== undefined) return known;
    if (this.#textLetters >= mostTextLetters) return '';
    const text = this.#table.text(at);
    this.#textLetters += text.length + textLetters;
    this.#texts.set(at, text);
    return text;
  }

  #valueAt(table: number, { start }: GoFunction, address: number): number {
    return this.#numbers.valueAt(table, address - start);
  }
}

/** By the runtime's description of the program, which begins with where the table is and where its names are. */
function placesIn(bytes: Buffer, tableAt: number, functionDataWord: number): Places | undefined {
  if (tableAt < 0) return undefined;
  const wanted = Buffer.alloc(8);
  wanted.writeBigUInt64LE(BigInt(tableAt));
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    if (at % 8 !== 0 || at + 8 * (functionDataWord + 1) > bytes.length) continue;
    const word = (index: number): number => Number(bytes.readBigUInt64LE(at + 8 * index));
    const names = word(1);
    // Slices: their begin, length and room.
    if (!(names > tableAt && names - tableAt < 128 && word(2) === word(3))) continue;
    const places = { textStart: word(textWord), functionData: word(functionDataWord) };
    if (Object.values(places).every(Number.isSafeInteger)) return places;
  }
  return undefined;
}
