/** Which line each instruction comes from (.debug_line, DWARF 2 to 5): a program that is run once; its rows are kept. */
import { firstFrom, lastUpTo } from '../first-from.js';
import type { Section } from './section.js';
import { Cursor, DwarfDamage } from './section.js';
import { Form, numberOf, type Shape } from './forms.js';

export interface Place {
  /** As the compiler was told, made absolute by its folder; empty where that is not known. */
  readonly file: string;
  readonly line: number;
}

export interface LineSections {
  readonly line: Section;
  readonly texts: Section | undefined;
  readonly lineTexts: Section | undefined;
}

const mostTableBytes = 1 << 28;
const mostFiles = 1 << 18;
/** Letters of their names, and of the paths that are made of them: many may have one long text. */
const mostNameLetters = 1 << 26;
/** How often an address may lie in a sequence of rows. Linkers leave out copies of functions, and their rows stay. */
const mostSequences = 64;
/** A program has a row for each byte at most; those of the largest units have some 100,000. */
const mostRows = 1 << 22;
const rowBytes = 16;
const sequenceBytes = 80;
const nameContent = 1;
const folderContent = 2;

/** Rows of ascending addresses, each of which reaches to the next one. */
interface Sequence {
  readonly firstRow: number;
  readonly begin: number;
  /** Behind the last row. */
  readonly end: number;
}

export class LineTable {
  /** Of the program, until it has run. */
  #cursor: Cursor;
  readonly #shape: Shape;
  readonly #folders: string[] = [];
  readonly #files: { readonly name: string; readonly folder: number }[] = [];
  readonly #paths = new Map<number, string>();
  readonly #unitFolder: string;
  #begins = new Float64Array(0);
  #rowFiles = new Uint32Array(0);
  #rowLines = new Uint32Array(0);
  readonly #sequences: Sequence[] = [];
  #least = 1;
  #mostOperations = 1;
  #lineBase = 0;
  #lineRange = 1;
  #lengths: number[] = [];
  #letters = 0;
  #pathLetters = 0;

  constructor(
    sections: LineSections,
    at: number,
    addressBytes: number,
    unitFolder: string,
    unitName: string,
  ) {
    this.#unitFolder = unitFolder;
    const head = new Cursor(sections.line.slice(at, Math.min(12, sections.line.size - at)));
    let length = head.u32();
    const is64 = length === 0xffffffff;
    if (is64) length = head.u64();
    if (length > mostTableBytes) throw new DwarfDamage('a line table is too large');
    const cursor = (this.#cursor = new Cursor(sections.line.slice(at + head.at, length)));
    const version = cursor.u16();
    if (version < 2 || version > 5) throw new DwarfDamage(`line tables of version ${version} are not known`);
    const ownAddressBytes = version >= 5 ? cursor.u8() : addressBytes;
    if (version >= 5) cursor.skip(1);
    this.#shape = { is64, addressBytes: ownAddressBytes, version };
    const headLength = cursor.offset(is64);
    const program = cursor.at + headLength;
    this.#least = cursor.u8();
    if (version >= 4) this.#mostOperations = Math.max(1, cursor.u8());
    cursor.skip(1); // whether rows are statements by default
    this.#lineBase = cursor.i8();
    this.#lineRange = cursor.u8();
    if (this.#lineRange === 0) throw new DwarfDamage('a line table has no range');
    const firstSpecial = cursor.u8();
    for (let code = 1; code < firstSpecial; code++) this.#lengths.push(cursor.u8());
    if (version >= 5) this.#readTables(sections);
    else this.#readOldTables(unitName);
    if (program > cursor.end) throw new DwarfDamage('a line table ends in its head');
    cursor.at = program;
    this.#decode();
    this.#cursor = new Cursor(Buffer.alloc(0));
  }

  #readOldTables(unitName: string): void {
    const cursor = this.#cursor;
    this.#folders.push(this.#unitFolder);
    this.#files.push({ name: unitName, folder: 0 }); // numbers count from 1
    for (let folder = cursor.text(); folder !== ''; folder = cursor.text())
      this.#push(this.#folders, folder, folder);
    for (let name = cursor.text(); name !== ''; name = cursor.text()) {
      const folder = cursor.unsigned();
      cursor.unsigned();
      cursor.unsigned();
      this.#push(this.#files, { name, folder }, name);
    }
  }

  #readTables(sections: LineSections): void {
    this.#readEntries(sections, (name) => this.#push(this.#folders, name, name));
    this.#readEntries(sections, (name, folder) => this.#push(this.#files, { name, folder }, name));
  }

  #push<T>(to: T[], what: T, name: string): void {
    this.#letters += name.length;
    if (to.length >= mostFiles || this.#letters > mostNameLetters)
      throw new DwarfDamage('a line table has too many files');
    to.push(what);
  }

  #readEntries(sections: LineSections, take: (name: string, folder: number) => void): void {
    const cursor = this.#cursor;
    const formats: number[] = [];
    for (let left = cursor.u8(); left > 0; left--) formats.push(cursor.unsigned(), cursor.unsigned());
    const count = cursor.unsigned();
    // An entry without a format takes no bytes: there could be any number of them.
    if (formats.length === 0 && count > 0) throw new DwarfDamage('a line table has entries of nothing');
    for (let left = count; left > 0; left--) {
      let name = '';
      let folder = 0;
      for (let at = 0; at < formats.length; at += 2) {
        const content = formats[at];
        const form = formats[at + 1] as number;
        if (form === Form.string) {
          const text = cursor.text();
          if (content === nameContent) name = text;
          continue;
        }
        const value = numberOf(cursor, form, this.#shape, 0);
        if (content === folderContent) folder = value;
        if (content !== nameContent) continue;
        const texts = form === Form.lineStrp ? sections.lineTexts : sections.texts;
        name = texts === undefined || value >= texts.size ? '' : texts.text(value);
      }
      take(name, folder);
    }
  }

  /** What it takes in memory. */
  get bytes(): number {
    return rowBytes * this.#begins.length + sequenceBytes * this.#sequences.length + this.#letters;
  }

  /** The path of a file by its number. */
  path(number: number): string {
    let path = this.#paths.get(number);
    if (path === undefined) {
      const file = this.#files[number];
      // The first folder is the compiler's own, which others count from.
      const [own = this.#unitFolder] = this.#folders;
      const folder = file === undefined || file.folder === 0 ? '' : (this.#folders[file.folder] ?? '');
      const isKnown = file !== undefined && this.#pathLetters < mostNameLetters;
      path = isKnown ? joined(own, folder, file.name) : '';
      this.#pathLetters += path.length;
      this.#paths.set(number, path);
    }
    return path;
  }

  /** Of ascending addresses; undefined for those that lie in no row. */
  places(addresses: readonly number[]): (Place | undefined)[] {
    const found: (Place | undefined)[] = addresses.map(() => undefined);
    let left = mostSequences * addresses.length;
    for (let number = 0; number < this.#sequences.length; number++) {
      const { firstRow, begin, end } = this.#sequences[number] as Sequence;
      const rowsEnd = this.#sequences[number + 1]?.firstRow ?? this.#begins.length;
      for (let at = firstFrom(addresses, begin); at < addresses.length; at++) {
        const address = addresses[at] as number;
        if (address >= end) break;
        if (left-- === 0) return found; // the rows overlap
        found[at] ??= this.#placeOf(lastUpTo(this.#begins, address, firstRow, rowsEnd));
      }
    }
    return found;
  }

  #placeOf(row: number): Place {
    return { file: this.path(this.#rowFiles[row] as number), line: this.#rowLines[row] as number };
  }

  /** What stands before damage is kept. */
  #decode(): void {
    const rows = new Rows(this.#sequences);
    try {
      this.#run(rows);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
    }
    rows.endSequence();
    this.#begins = Float64Array.from(rows.begins);
    this.#rowFiles = Uint32Array.from(rows.files);
    this.#rowLines = Uint32Array.from(rows.lines);
  }

  #run(rows: Rows): void {
    const cursor = this.#cursor;
    const lengths = this.#lengths;
    const { addressBytes } = this.#shape;
    const firstSpecial = lengths.length + 1;
    let at = 0;
    let operation = 0;
    let file = 1;
    let line = 1;
    const advance = (by: number): void => {
      if (this.#mostOperations === 1) {
        at += by * this.#least;
        return;
      }
      const sum = operation + by;
      at += this.#least * Math.floor(sum / this.#mostOperations);
      operation = sum % this.#mostOperations;
    };
    const row = (): void => rows.push(at, file, line);
    while (cursor.at < cursor.end) {
      const code = cursor.u8();
      if (code >= firstSpecial) {
        const special = code - firstSpecial;
        advance(Math.floor(special / this.#lineRange));
        line += this.#lineBase + (special % this.#lineRange);
        row();
        continue;
      }
      switch (code) {
        case 0: {
          const length = cursor.unsigned();
          const next = cursor.at + length;
          if (length === 0 || next > cursor.end) throw new DwarfDamage('a line program is damaged');
          const what = cursor.u8();
          if (what === 1) {
            // The end of a sequence is no row of its own.
            row();
            rows.endSequence();
            at = operation = 0;
            file = line = 1;
          } else if (what === 2) {
            at = addressBytes === 4 ? cursor.u32() : cursor.u64();
            operation = 0;
          }
          cursor.at = next;
          break;
        }
        case 1:
          row();
          break;
        case 2:
          advance(cursor.unsigned());
          break;
        case 3:
          line += cursor.signed();
          break;
        case 4:
          file = cursor.unsigned();
          break;
        case 8:
          advance(Math.floor((255 - firstSpecial) / this.#lineRange));
          break;
        case 9:
          at += cursor.u16();
          operation = 0;
          break;
        default:
          for (let left = lengths[code - 1] ?? 0; left > 0; left--) cursor.unsigned();
      }
    }
  }
}

/** Rows as the program makes them. */
class Rows {
  readonly begins: number[] = [];
  readonly files: number[] = [];
  readonly lines: number[] = [];
  readonly #sequences: Sequence[];
  #firstRow = 0;

  constructor(sequences: Sequence[]) {
    this.#sequences = sequences;
  }

  push(at: number, file: number, line: number): void {
    const last = this.begins.length - 1;
    // Of rows of one address the last one holds; one that goes back begins anew.
    if (last >= this.#firstRow) {
      const before = this.begins[last] as number;
      if (at === before) this.#drop();
      else if (at < before) this.endSequence();
    }
    if (this.begins.length === mostRows) throw new DwarfDamage('a line program has too many rows');
    this.begins.push(at);
    this.files.push(file <= mostNumber ? file : 0);
    this.lines.push(line > 0 && line <= mostNumber ? line : 0);
  }

  /** The last row is where it ends. */
  endSequence(): void {
    const last = this.begins.length - 1;
    if (last >= this.#firstRow) {
      const end = this.begins[last] as number;
      this.#drop();
      const begin = this.begins[this.#firstRow];
      if (begin !== undefined) this.#sequences.push({ firstRow: this.#firstRow, begin, end });
    }
    this.#firstRow = this.begins.length;
  }

  #drop(): void {
    this.begins.pop();
    this.files.pop();
    this.lines.pop();
  }
}

const mostNumber = 0xffffffff;

/** An absolute name stands for itself. Without "." and "..", which compilers write as they were told them. */
export function joined(...parts: readonly string[]): string {
  let path = '';
  for (const part of parts) path = part.startsWith('/') ? part : path === '' ? part : `${path}/${part}`;
  if (!/(^|\/)\.\.?(\/|$)|\/\//.test(path)) return path;
  const out: string[] = [];
  for (const word of path.split('/')) {
    if (word === '' || word === '.') continue;
    if (word === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
    else if (word !== '..' || !path.startsWith('/')) out.push(word);
  }
  return (path.startsWith('/') ? '/' : '') + out.join('/');
}
