/** Programs and libraries of Linux and Android (ELF), read piece by piece from wherever they lie: a few kB of any size of file. */
import type { ReadAt } from '../read-at.js';

export interface ElfSection {
  readonly name: string;
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  /** Of a table of symbols: the section of their names. */
  readonly link: number;
}

/** The kinds of tables of symbols: all of them, and those that are linked to. A file has at most one of each. */
export const SymbolTable = { full: 2, dynamic: 11 } as const;

export interface ElfSymbols {
  readonly symbols: Buffer;
  readonly names: Buffer;
}

/** What is here is no ELF file that can be read, or not a whole one. */
export class ElfError extends Error {}

const MAGIC = 0x7f454c46;
const LITTLE_ENDIAN = 1;
const HEAD_BYTES = 64;
const NOTE_SEGMENT = 4;
const NOTE_SECTION = 7;
const BUILD_ID_NOTE = 3;
const FUNCTION = 2;
const UNDEFINED = 0;
/** A table of names or notes that is larger is none. */
const MOST_TEXT_BYTES = 1 << 20;
/** The largest libraries have some 100,000 functions, with names of 60 letters. */
const MOST_SYMBOL_BYTES = 64 << 20;
/** A name that is longer is cut: of a damaged table each may reach to its end. */
const MOST_NAME_BYTES = 4096;

export class Elf {
  private known: Promise<readonly ElfSection[]> | undefined;

  private constructor(
    private readonly read: ReadAt,
    private readonly head: Buffer,
  ) {}

  static async open(read: ReadAt): Promise<Elf> {
    const head = await read(0, HEAD_BYTES);
    if (head.length < HEAD_BYTES || head.readUInt32BE(0) !== MAGIC || head[5] !== LITTLE_ENDIAN)
      throw new ElfError('it is no ELF file');
    return new Elf(read, head);
  }

  get is64(): boolean {
    return this.head[4] === 2;
  }

  get machine(): number {
    return this.head.readUInt16LE(18);
  }

  /** Linkers put their table last: where it is whole, the file is. */
  sections(): Promise<readonly ElfSection[]> {
    return (this.known ??= this.readSections());
  }

  async section(name: string): Promise<ElfSection | undefined> {
    return (await this.sections()).find((section) => section.name === name);
  }

  async bytesOf({ name, offset, size }: ElfSection, most: number): Promise<Buffer> {
    if (size > most) throw new ElfError(`its ${name} is larger than ${most} bytes`);
    return await this.whole(offset, size, name);
  }

  /** In hexadecimal digits; undefined where the linker left none. Files of debug information alone have it in their sections. */
  async buildId(): Promise<string | undefined> {
    const ofSegments = await this.buildIdIn(await this.noteSegments());
    if (ofSegments !== undefined) return ofSegments;
    return await this.buildIdIn((await this.sections()).filter(({ type }) => type === NOTE_SECTION));
  }

  private async buildIdIn(parts: readonly { offset: number; size: number }[]): Promise<string | undefined> {
    for (const { offset, size } of parts) {
      const id = buildIdOf(await this.read(offset, Math.min(size, MOST_TEXT_BYTES)));
      if (id !== undefined) return id;
    }
    return undefined;
  }

  private async noteSegments(): Promise<{ offset: number; size: number }[]> {
    const { head, is64 } = this;
    const at = this.word(head, is64 ? 32 : 28);
    const [entry, count] = [head.readUInt16LE(is64 ? 54 : 42), head.readUInt16LE(is64 ? 56 : 44)];
    if (count > 0 && entry !== (is64 ? 56 : 32)) throw new ElfError('its table of segments is damaged');
    const rows = await this.whole(at, entry * count, 'table of segments');
    const found: { offset: number; size: number }[] = [];
    for (let row = 0; row < rows.length; row += entry) {
      if (rows.readUInt32LE(row) !== NOTE_SEGMENT) continue;
      found.push({
        offset: this.word(rows, row + (is64 ? 8 : 4)),
        size: this.word(rows, row + (is64 ? 32 : 16)),
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
      symbols: await this.bytesOf(table, MOST_SYMBOL_BYTES),
      names: await this.bytesOf(names, MOST_SYMBOL_BYTES),
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
      if (name === undefined || (symbols.readUInt8(at + info) & 15) !== FUNCTION) continue;
      if (symbols.readUInt16LE(at + section) === UNDEFINED) continue;
      found.set(name, this.is64 ? symbols.readBigUInt64LE(at + 8) : BigInt(symbols.readUInt32LE(at + 4)));
    }
    return found;
  }

  private async readSections(): Promise<readonly ElfSection[]> {
    const { head, is64 } = this;
    const at = this.word(head, is64 ? 40 : 32);
    const [entry, count, nameIndex] = [0, 2, 4].map((field) =>
      head.readUInt16LE((is64 ? 58 : 46) + field),
    ) as [number, number, number];
    if (count > 0 && entry !== (is64 ? 64 : 40)) throw new ElfError('its table of sections is damaged');
    const rows = await this.whole(at, entry * count, 'table of sections');
    const sections = Array.from({ length: count }, (_, index) => {
      const row = index * entry;
      return {
        name: rows.readUInt32LE(row),
        type: rows.readUInt32LE(row + 4),
        offset: this.word(rows, row + (is64 ? 24 : 16)),
        size: this.word(rows, row + (is64 ? 32 : 20)),
        link: rows.readUInt32LE(row + (is64 ? 40 : 24)),
      };
    });
    const named = sections[nameIndex];
    const texts = named
      ? await this.read(named.offset, Math.min(named.size, MOST_TEXT_BYTES))
      : Buffer.alloc(0);
    return sections.map(({ name, ...section }) => ({ ...section, name: textAt(texts, name) }));
  }

  private async whole(at: number, length: number, what: string): Promise<Buffer> {
    const bytes = length === 0 ? Buffer.alloc(0) : await this.read(at, length);
    if (bytes.length < length) throw new ElfError(`it ends within its ${what}`);
    return bytes;
  }

  private word(bytes: Buffer, at: number): number {
    const value = this.is64 ? bytes.readBigUInt64LE(at) : BigInt(bytes.readUInt32LE(at));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ElfError('it is damaged');
    return Number(value);
  }
}

/** Up to its end, which is a zero. */
export function textAt(texts: Buffer, at: number): string {
  const text = texts.subarray(at, at + MOST_NAME_BYTES);
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
    if (
      notes.readUInt32LE(at + 8) === BUILD_ID_NOTE &&
      notes.toString('latin1', at + 12, at + 16) === 'GNU\0'
    )
      return notes.toString('hex', content, end);
    at = padded(end);
  }
  return undefined;
}
