/** Programs and libraries of Linux and Android (ELF), read piece by piece from wherever they lie: a few kB of any size of file. */
import type { ReadAt } from '../read-at.js';
import type { ReadSync } from './dwarf/section.js';

export interface ElfSection {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly size: number;
  /** Of a table of symbols: the section of their names. */
  readonly link: number;
}

/** A part of the file that is loaded at an address. */
export interface ElfSegment {
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/** The kinds of tables of symbols: all of them, and those that are linked to. A file has at most one of each. */
export const SymbolTable = { full: 2, dynamic: 11 } as const;

export interface ElfSymbols {
  readonly symbols: Buffer;
  readonly names: Buffer;
}

/** What is here is no ELF file that can be read, or not a whole one. */
export class ElfError extends Error {}

const magic = 0x7f454c46;
const littleEndian = 1;
const headBytes = 64;
const loadSegment = 1;
const noteSegment = 4;
const noteSection = 7;
const buildIdNote = 3;
const functionType = 2;
const undefinedSection = 0;
/** A table of names or notes that is larger is none. */
const mostTextBytes = 1 << 20;
/** The largest libraries have some 100,000 functions, with names of 60 letters. */
const mostSymbolBytes = 64 << 20;
/** A name that is longer is cut: of a damaged table each may reach to its end. */
const mostNameBytes = 4096;
/** A file may have 65,535 sections. */
const mostSectionNameBytes = 128;

/** Linkers make two to six; all are looked at for each address. */
const mostLoads = 64;

export class Elf {
  #known: Promise<readonly ElfSection[]> | undefined;
  readonly #read: ReadAt;
  readonly #head: Buffer;

  private constructor(read: ReadAt, head: Buffer) {
    this.#read = read;
    this.#head = head;
  }

  static async open(read: ReadAt): Promise<Elf> {
    const head = await read(0, headBytes);
    if (!isElf(head)) throw new ElfError('it is no ELF file');
    return new Elf(read, head);
  }

  get is64(): boolean {
    return this.#head[4] === 2;
  }

  get machine(): number {
    return this.#head.readUInt16LE(18);
  }

  /** Linkers put their table last: where it is whole, the file is. */
  sections(): Promise<readonly ElfSection[]> {
    return (this.#known ??= this.#readSections());
  }

  async section(name: string): Promise<ElfSection | undefined> {
    return (await this.sections()).find((section) => section.name === name);
  }

  async bytesOf({ name, offset, size }: ElfSection, most: number): Promise<Buffer> {
    if (size > most) throw new ElfError(`its ${name} is larger than ${most} bytes`);
    return await this.#whole(offset, size, name);
  }

  /** In hexadecimal digits; undefined where the linker left none. Files of debug information alone have it in their sections. */
  async buildId(): Promise<string | undefined> {
    const ofSegments = await this.#buildIdIn(await this.#segments(noteSegment));
    if (ofSegments !== undefined) return ofSegments;
    return await this.#buildIdIn((await this.sections()).filter(({ type }) => type === noteSection));
  }

  async #buildIdIn(parts: readonly { offset: number; size: number }[]): Promise<string | undefined> {
    for (const { offset, size } of parts) {
      const id = buildIdOf(await this.#read(offset, Math.min(size, mostTextBytes)));
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** What is loaded of the file, and where. */
  async loads(): Promise<readonly ElfSegment[]> {
    return (await this.#segments(loadSegment)).slice(0, mostLoads);
  }

  async #segments(type: number): Promise<ElfSegment[]> {
    const { is64 } = this;
    const head = this.#head;
    const at = this.#word(head, is64 ? 32 : 28);
    const [entry, count] = [head.readUInt16LE(is64 ? 54 : 42), head.readUInt16LE(is64 ? 56 : 44)];
    if (count > 0 && entry !== (is64 ? 56 : 32)) throw new ElfError('its table of segments is damaged');
    const rows = await this.#whole(at, entry * count, 'table of segments');
    const found: ElfSegment[] = [];
    for (let row = 0; row < rows.length; row += entry) {
      if (rows.readUInt32LE(row) !== type) continue;
      found.push({
        offset: this.#word(rows, row + (is64 ? 8 : 4)),
        address: this.#word(rows, row + (is64 ? 16 : 8)),
        size: this.#word(rows, row + (is64 ? 32 : 16)),
      });
    }
    return found;
  }

  /** Undefined where the file has no such table. */
  async symbols(type: (typeof SymbolTable)[keyof typeof SymbolTable]): Promise<ElfSymbols | undefined> {
    const sections = await this.sections();
    const table = sections.find((section) => section.type === type);
    const names = table && sections[table.link];
    if (!table || !names) return undefined;
    return {
      symbols: await this.bytesOf(table, mostSymbolBytes),
      names: await this.bytesOf(names, mostSymbolBytes),
    };
  }

  /** The values of those of these functions that the full table (`.symtab`) has. */
  async functions(wanted: Iterable<string>): Promise<Map<string, bigint>> {
    const found = new Map<string, bigint>();
    const table = await this.symbols(SymbolTable.full);
    if (!table) return found;
    const { symbols, names } = table;
    // By where its name is: of the many symbols nothing is made but of those that are wanted.
    const places = new Map<number, string>();
    for (const name of wanted) {
      const text = Buffer.from(`${name}\0`, 'latin1');
      for (let at = names.indexOf(text); at >= 0; at = names.indexOf(text, at + 1)) places.set(at, name);
    }
    const [bytes, info, section] = this.is64 ? [24, 4, 6] : [16, 12, 14];
    for (let at = 0; at + bytes <= symbols.length; at += bytes) {
      const name = places.get(symbols.readUInt32LE(at));
      if (name === undefined || (symbols.readUInt8(at + info) & 15) !== functionType) continue;
      if (symbols.readUInt16LE(at + section) === undefinedSection) continue;
      found.set(name, this.is64 ? symbols.readBigUInt64LE(at + 8) : BigInt(symbols.readUInt32LE(at + 4)));
    }
    return found;
  }

  async #readSections(): Promise<readonly ElfSection[]> {
    const table = sectionTable(this.#head);
    const rows = await this.#whole(table.at, table.entry * table.count, tableName);
    const named = table.rowOfNames(rows);
    const texts = named && (await this.#read(named.offset, Math.min(named.size, mostTextBytes)));
    return table.parse(rows, texts ?? Buffer.alloc(0));
  }

  async #whole(at: number, length: number, what: string): Promise<Buffer> {
    const bytes = length === 0 ? Buffer.alloc(0) : await this.#read(at, length);
    if (bytes.length < length) throw new ElfError(`it ends within its ${what}`);
    return bytes;
  }

  #word(bytes: Buffer, at: number): number {
    return wordAt(bytes, at, this.is64);
  }
}

function wordAt(bytes: Buffer, at: number, is64: boolean): number {
  const value = is64 ? bytes.readBigUInt64LE(at) : BigInt(bytes.readUInt32LE(at));
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ElfError('it is damaged');
  return Number(value);
}

const tableName = 'table of sections';

interface SectionTable {
  readonly at: number;
  readonly entry: number;
  readonly count: number;
  /** Where the names of sections are. */
  rowOfNames(rows: Buffer): { readonly offset: number; readonly size: number } | undefined;
  parse(rows: Buffer, texts: Buffer): readonly ElfSection[];
}

/** What a file's head says of its sections. */
function sectionTable(head: Buffer): SectionTable {
  const is64 = head[4] === 2;
  const at = wordAt(head, is64 ? 40 : 32, is64);
  const [entry, count, nameIndex] = [0, 2, 4].map((field) => head.readUInt16LE((is64 ? 58 : 46) + field)) as [
    number,
    number,
    number,
  ];
  if (count > 0 && entry !== (is64 ? 64 : 40)) throw new ElfError(`its ${tableName} is damaged`);
  const place = (rows: Buffer, row: number) => ({
    offset: wordAt(rows, row + (is64 ? 24 : 16), is64),
    size: wordAt(rows, row + (is64 ? 32 : 20), is64),
  });
  return {
    at,
    entry,
    count,
    rowOfNames: (rows) => (nameIndex < count ? place(rows, nameIndex * entry) : undefined),
    parse: (rows, texts) =>
      Array.from({ length: count }, (_, index) => {
        const row = index * entry;
        return {
          name: textAt(texts, rows.readUInt32LE(row), mostSectionNameBytes),
          type: rows.readUInt32LE(row + 4),
          flags: rows.readUInt32LE(row + 8), // all that have a meaning are in its lower half
          ...place(rows, row),
          link: rows.readUInt32LE(row + (is64 ? 40 : 24)),
        };
      }),
  };
}

/** The sections of a file of 64-bit code that is read synchronously. Throws an ElfError where there are none. */
export function sectionsOf(read: ReadSync): readonly ElfSection[] {
  const head = read(0, headBytes);
  if (!isElf(head) || head[4] !== 2) throw new ElfError('it is no ELF file of 64-bit code');
  const table = sectionTable(head);
  const rows = read(table.at, table.entry * table.count);
  if (rows.length < table.entry * table.count) throw new ElfError(`it ends within its ${tableName}`);
  const named = table.rowOfNames(rows);
  const texts = named && read(named.offset, Math.min(named.size, mostTextBytes));
  return table.parse(rows, texts ?? Buffer.alloc(0));
}

const isElf = (head: Buffer): boolean =>
  head.length >= headBytes && head.readUInt32BE(0) === magic && head[5] === littleEndian;

/** Up to its end, which is a zero. */
export function textAt(texts: Buffer, at: number, most = mostNameBytes): string {
  const text = texts.subarray(at, at + most);
  const end = text.indexOf(0);
  return text.toString('utf8', 0, end < 0 ? text.length : end);
}

/** Notes: the sizes of name and content, the type, then both, each filled up to four bytes. */
function buildIdOf(notes: Buffer): string | undefined {
  const padded = (size: number) => Math.ceil(size / 4) * 4;
  for (let at = 0; at + 12 < notes.length;) {
    const content = at + 12 + padded(notes.readUInt32LE(at));
    const end = content + notes.readUInt32LE(at + 4);
    if (end > notes.length) return undefined;
    if (notes.readUInt32LE(at + 8) === buildIdNote && notes.toString('latin1', at + 12, at + 16) === 'GNU\0')
      return notes.toString('hex', content, end);
    at = padded(end);
  }
  return undefined;
}
