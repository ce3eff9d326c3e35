/**
 * Functions, inlined calls and lines of addresses, from the debug information of one file (DWARF 2 to 5). Units are read as they
 * are asked for; of their functions those of the units used last are kept.
 */
import { AbbreviationTables } from './abbreviations.js';
import { LineTable } from './line-table.js';
import { EntryNames, type LetterBudget, type NamedSection } from './entry-names.js';
import { firstFrom } from '../first-from.js';
import { DwarfDamage, type Section } from './section.js';
import { UnitFunctions } from './unit-functions.js';
import { type DwarfSections, type Unit, UnitIndex } from './units.js';

/** One function at an address; of inlined calls the innermost comes first. */
export interface DwarfFrame {
  /** As the linker has it, where the compiler says that; else with the names of classes and namespaces around it. */
  readonly name: string;
  readonly isInlined: boolean;
  readonly file: string;
  /** 0: not known. */
  readonly line: number;
}

/** Of the units that are kept. */
const mostKeptBytes = 1 << 27;
/** Of a row of functions, with its group, or of a scope. */
const rowBytes = 100;
const mostInlined = 256;
/** Letters of all names of a file that are kept. */
const mostNameLetters = 1 << 27;
/** Of other files, which are open as long: a batch of addresses asks unit by unit. */
const mostSplitUnits = 16;
/** Of what several files share: its units are small. What is read of them in all, for the classes around a name. */
const mostSharedBytes = 2 ** 30;
/** Of all that is read in other files: many units of a program may name one large file. */
const mostSplitBytes = 2 ** 33;

/** What another file has of one unit. */
export interface SplitSections {
  readonly info: Section;
  readonly abbreviations: Section;
  readonly texts: Section | undefined;
  readonly textOffsets: Section | undefined;
  readonly rangeLists: Section | undefined;
  /** Nothing is read of it any more. */
  readonly close: () => void;
  /** What it holds for the unit cannot be read: another file may. */
  readonly damaged: () => void;
}

/** Opens one after the other what may be what a compiler put apart from the program. Passes over what is damaged. */
export type OpenSplit = (skeleton: Unit) => Iterable<SplitSections>;

interface Loaded {
  readonly functions: UnitFunctions;
  readonly names: EntryNames;
  /** Of a unit that lies in another file. */
  readonly close: (() => void) | undefined;
  readonly lines: LineTable | undefined;
  readonly bytes: number;
}

export class DwarfFile {
  readonly #sections: DwarfSections;
  readonly #own: NamedSection;
  readonly #names: EntryNames;
  readonly #openSplit: OpenSplit;
  readonly #letters: LetterBudget = { left: mostNameLetters };
  readonly #loaded = new Map<number, Loaded>();
  #keptBytes = 0;
  #splitUnits = 0;
  #splitBytesLeft = mostSplitBytes;

  /** Throws a DwarfDamage where nothing can be read. Looks at the head of each unit. */
  constructor(sections: DwarfSections, openSplit: OpenSplit = () => []) {
    this.#sections = sections;
    this.#openSplit = openSplit;
    const tables = new AbbreviationTables(sections.abbreviations);
    const index = new UnitIndex(sections, tables);
    this.#own = { info: sections.info, index, tables };
    let shared: EntryNames | undefined;
    this.#names = new EntryNames(
      this.#own,
      (entry) => {
        const loaded = this.#loaded.get(index.numberOf(entry));
        return loaded?.close === undefined ? loaded?.functions : undefined;
      },
      this.#letters,
      () => (shared ??= sections.shared && sharedNames(sections.shared, this.#letters)),
    );
  }

  /** Lets go of the files that it has opened. */
  close(): void {
    for (const loaded of this.#loaded.values()) this.#forget(loaded);
    this.#loaded.clear();
  }

  /** For each address its frames, innermost first; none where the file does not tell. */
  frames(addresses: readonly number[]): DwarfFrame[][] {
    const found: DwarfFrame[][] = addresses.map(() => []);
    const byUnit = new Map<number, number[]>();
    addresses.forEach((address, row) => {
      const unit = this.#own.index.unitAt(address);
      if (unit === undefined) return;
      const rows = byUnit.get(unit) ?? [];
      rows.push(row);
      byUnit.set(unit, rows);
    });
    for (const [unit, rows] of byUnit) {
      rows.sort((a, b) => (addresses[a] as number) - (addresses[b] as number));
      const sorted = rows.map((row) => addresses[row] as number);
      try {
        this.#inUnit(unit, sorted).forEach((frames, at) => (found[rows[at] as number] = frames));
      } catch (error) {
        if (!(error instanceof DwarfDamage)) throw error; // these have no lines
      }
    }
    return found;
  }

  #inUnit(number: number, sorted: readonly number[]): DwarfFrame[][] {
    const { functions, names, lines } = this.#load(number);
    const places = lines?.places(sorted) ?? [];
    /** For each address the rows of its functions, outermost first. */
    const chains: number[][] = sorted.map(() => []);
    /** Functions lie in one another, and do not overlap else: all of them have no more than these. */
    let left = mostInlined * sorted.length;
    for (const { from, to, begin, end } of functions.groups()) {
      // Most functions of a unit are asked for by nobody.
      if ((sorted[firstFrom(sorted, begin)] ?? Infinity) >= end) continue;
      for (let row = from; row < to; row++) {
        const rowEnd = functions.ends[row] as number;
        for (let at = firstFrom(sorted, functions.begins[row] as number); at < sorted.length; at++) {
          if ((sorted[at] as number) >= rowEnd) break;
          if (left-- === 0) throw new DwarfDamage('functions overlap');
          const chain = chains[at] as number[];
          if (chain.length < mostInlined) chain.push(row);
        }
      }
    }
    return chains.map((chain, at) => {
      let { file, line } = places[at] ?? { file: '', line: 0 };
      const frames: DwarfFrame[] = [];
      for (let depth = chain.length - 1; depth >= 0; depth--) {
        const row = chain[depth] as number;
        const callLine = functions.callLines[row] as number;
        const isInlined = callLine >= 0;
        frames.push({ name: names.of(functions.entries[row] as number), isInlined, file, line });
        if (!isInlined) break; // what is around it is no caller
        file = lines?.path(functions.callFiles[row] as number) ?? '';
        line = callLine;
      }
      if (frames.length === 0 && line > 0) frames.push({ name: '', isInlined: false, file, line });
      return frames;
    });
  }

  #load(number: number): Loaded {
    const known = this.#loaded.get(number);
    if (known !== undefined) {
      this.#loaded.delete(number);
      this.#loaded.set(number, known);
      return known;
    }
    const unit = this.#own.index.units[number] as Unit;
    const lines = this.#linesOf(unit);
    const entries = this.#split(unit) ?? {
      functions: new UnitFunctions(unit, this.#own.info, this.#own.index, this.#own.tables),
      names: this.#names,
      close: undefined,
      bytes: 0,
    };
    const rows = entries.functions.begins.length + entries.functions.scopes.length;
    const bytes = entries.bytes + rows * rowBytes + (lines?.bytes ?? 0);
    const loaded = { ...entries, lines, bytes };
    this.#loaded.set(number, loaded);
    this.#keptBytes += bytes;
    if (loaded.close !== undefined) this.#splitUnits++;
    for (const [oldest, one] of this.#loaded) {
      const isMuch = this.#keptBytes > mostKeptBytes || this.#splitUnits > mostSplitUnits;
      if (!isMuch || oldest === number) break;
      this.#forget(one);
      this.#loaded.delete(oldest);
    }
    return loaded;
  }

  #forget({ bytes, names, close }: Loaded): void {
    this.#keptBytes -= bytes;
    if (close === undefined) return;
    this.#splitUnits--;
    names.clear();
    close();
  }

  /** The entries of a unit that lie in another file. */
  #split(skeleton: Unit): Omit<Loaded, 'lines'> | undefined {
    if (skeleton.split === undefined) return undefined;
    for (const opened of this.#openSplit(skeleton)) {
      const found = this.#entriesIn(opened, skeleton);
      if (found !== undefined) return found;
      opened.close();
    }
    return undefined;
  }

  /** Undefined where it is another build's. */
  #entriesIn(opened: SplitSections, skeleton: Unit): Omit<Loaded, 'lines'> | undefined {
    const { info, abbreviations, texts, textOffsets, rangeLists, close, damaged } = opened;
    if ((this.#splitBytesLeft -= info.size) < 0) return undefined;
    const { addresses, ranges } = this.#sections;
    const elsewhere = { texts, textOffsets, rangeLists, line: undefined, lineTexts: undefined };
    try {
      const tables = new AbbreviationTables(abbreviations);
      const index = new UnitIndex({ info, abbreviations, addresses, ranges, ...elsewhere }, tables, skeleton);
      const unit = index.units.find(({ split }) => split?.id === skeleton.split?.id);
      if (unit === undefined) return undefined;
      const functions = new UnitFunctions(unit, info, index, tables);
      const names = new EntryNames({ info, index, tables }, () => functions, this.#letters);
      const sections = [info, abbreviations, texts, textOffsets, rangeLists];
      const bytes = sections.reduce((sum, section) => sum + (section?.mostBytes ?? 0), 0);
      return { functions, names, close, bytes };
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      damaged();
      return undefined;
    }
  }

  #linesOf(unit: Unit): LineTable | undefined {
    const { line, texts, lineTexts } = this.#sections;
    if (line === undefined || unit.lineTable < 0) return undefined;
    try {
      return new LineTable(
        { line, texts, lineTexts },
        unit.lineTable,
        unit.addressBytes,
        unit.folder,
        unit.name,
      );
    } catch (error) {
      if (error instanceof DwarfDamage) return undefined;
      throw error;
    }
  }
}

/** Of the entries in a file that several share, and the functions and classes of the few units that were asked for last. */
function sharedNames(sections: DwarfSections, letters: LetterBudget): EntryNames {
  const tables = new AbbreviationTables(sections.abbreviations);
  const index = new UnitIndex(sections, tables);
  const known = new Map<number, UnitFunctions>();
  let keptRows = 0;
  let bytesLeft = mostSharedBytes;
  const functionsOf = (entry: number): UnitFunctions | undefined => {
    const number = index.numberOf(entry);
    const unit = index.units[number];
    let found = known.get(number);
    if (found !== undefined || unit === undefined) return found;
    if ((bytesLeft -= unit.end - unit.at) < 0) return undefined; // names without classes
    found = new UnitFunctions(unit, sections.info, index, tables);
    keptRows += found.begins.length + found.scopes.length;
    if (keptRows * rowBytes > mostKeptBytes) {
      known.clear();
      keptRows = 0;
    }
    known.set(number, found);
    return found;
  };
  return new EntryNames({ info: sections.info, index, tables }, functionsOf, letters);
}
