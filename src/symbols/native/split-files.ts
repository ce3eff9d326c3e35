/**
 * Debug information that lies apart from its program (`-gsplit-dwarf`): a package beside the program (`PROGRAM.dwp`), else the file that
 * the compiler wrote for each unit (`.dwo`). The compiler's number of a unit tells whether it is of the same build.
 */
import { closeSync } from 'node:fs';
import path from 'node:path';
import { type SplitSections } from './dwarf/dwarf-file.js';
import { DwarfDamage, type Section } from './dwarf/section.js';
import { findPacked, type PackedSection } from './dwarf/split-package.js';
import { type Unit } from './dwarf/units.js';
import { ElfError, sectionsOf } from './elf.js';
import { sectionOf } from './elf-section.js';
import { openRegularSync } from './regular-file.js';

interface Opened {
  readonly file: string;
  readonly part: (name: string) => Section | undefined;
  readonly close: () => void;
}

/** Where the program's file is, and what is looked through besides. */
export interface SplitPlaces {
  readonly files: readonly string[];
  readonly root: string;
  readonly folders: readonly string[];
}

export class SplitFiles {
  readonly #places: SplitPlaces;
  #packages: readonly Opened[] | undefined;
  /** Packages and units' files of which something cannot be read: that is as if it were not there. */
  readonly damaged = new Set<string>();

  constructor(places: SplitPlaces) {
    this.#places = places;
  }

  /** What may be the unit's, where it is looked for first comes first. */
  *open({ split, folder }: Unit): Iterable<SplitSections> {
    if (split === undefined) return;
    for (const one of (this.#packages ??= this.#openPackages())) {
      const found = this.#read(one, () => packed(one, split.id));
      if (found !== undefined) yield found;
    }
    if (split.name === '') return;
    for (const file of this.#filesOf(folder, split.name)) {
      const one = this.#open(file);
      const found = one && this.#read(one, () => sectionsIn(one.part, one.close));
      if (found !== undefined) yield found;
      else one?.close();
    }
  }

  #read({ file }: Opened, read: () => Omit<SplitSections, 'damaged'> | undefined): SplitSections | undefined {
    const damaged = (): void => void this.damaged.add(file);
    try {
      const found = read();
      return found && { ...found, damaged };
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error;
      damaged();
      return undefined;
    }
  }

  #open(file: string): Opened | undefined {
    const opened = open(file);
    if (opened !== 'damaged') return opened;
    this.damaged.add(file);
    return undefined;
  }

  close(): void {
    for (const one of this.#packages ?? []) one.close();
    this.#packages = undefined;
  }

  #openPackages(): Opened[] {
    const { files, folders } = this.#places;
    const names = new Set(files.map((file) => path.posix.basename(file)));
    const beside = files.map((file) => `${file}.dwp`);
    const elsewhere = folders.flatMap((folder) => [...names].map((name) => path.join(folder, `${name}.dwp`)));
    return [...new Set([...beside, ...elsewhere])]
      .map((file) => this.#open(file))
      .filter((one) => one !== undefined);
  }

  /** As the compiler was told, in the program's own files and in those of this machine; else beside the program. */
  #filesOf(folder: string, name: string): Set<string> {
    const { files, root, folders } = this.#places;
    const told = path.posix.resolve('/', folder, name);
    const base = path.posix.basename(name);
    const beside = files.map((file) => path.posix.join(path.posix.dirname(file), base));
    return new Set([root + told, told, ...beside, ...folders.map((one) => path.join(one, base))]);
  }
}

/** Undefined: there is no such file. */
function open(file: string): Opened | 'damaged' | undefined {
  const opened = openRegularSync(file);
  if (opened === undefined) return undefined;
  const { fd, read } = opened;
  try {
    const sections = new Map(sectionsOf(read).map((one) => [one.name, one]));
    // All units of a package share them: what is compressed is inflated once.
    const known = new Map<string, Section | undefined>();
    const part = (name: string): Section | undefined => {
      if (!known.has(name)) known.set(name, sectionOf(sections.get(name), read));
      return known.get(name);
    };
    return { file, part, close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    if (error instanceof ElfError) return 'damaged';
    throw error;
  }
}

function sectionsIn(part: Opened['part'], close: () => void): Omit<SplitSections, 'damaged'> | undefined {
  const [info, abbreviations] = [part('.debug_info.dwo'), part('.debug_abbrev.dwo')];
  if (info === undefined || abbreviations === undefined) return undefined;
  return {
    info,
    abbreviations,
    texts: part('.debug_str.dwo'),
    textOffsets: part('.debug_str_offsets.dwo'),
    rangeLists: part('.debug_rnglists.dwo'),
    close,
  };
}

/** The names of sections of which each unit of a package has a part; its texts belong to all. */
const packedSections: ReadonlyMap<string, PackedSection> = new Map([
  ['.debug_info.dwo', 'info'],
  ['.debug_abbrev.dwo', 'abbreviations'],
  ['.debug_str_offsets.dwo', 'textOffsets'],
  ['.debug_rnglists.dwo', 'rangeLists'],
]);

function packed({ part }: Opened, id: bigint): Omit<SplitSections, 'damaged'> | undefined {
  const index = part('.debug_cu_index');
  const parts = index && findPacked(index, id);
  if (parts === undefined) return undefined;
  const ofUnit = (name: string): Section | undefined => {
    const key = packedSections.get(name);
    if (key === undefined) return part(name);
    const place = parts.get(key);
    return place && part(name)?.part(place.at, place.size);
  };
  return sectionsIn(ofUnit, () => undefined);
}
