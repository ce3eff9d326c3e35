/**
 * Functions, files and lines of addresses in one image: from its symbol tables and debug information, wherever these were put. It
 * reads ranges of the files it has open, synchronously: a large one belongs into a worker.
 */
import { closeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DwarfFile, type OpenSplit } from './dwarf/dwarf-file.js';
import { DwarfDamage, type ReadSync, Section } from './dwarf/section.js';
import { type DwarfSections } from './dwarf/units.js';
import { Elf, type ElfSegment } from './elf.js';
import { ElfFunctions, type NativeFunction } from './elf-functions.js';
import { sectionOf } from './elf-section.js';
import { GoTable } from './go-table.js';
import { MachO } from './macho.js';
import { MachOFunctions } from './macho-functions.js';
import { openRegularSync } from './regular-file.js';
import { SplitFiles } from './split-files.js';

/** One function at an address. The innermost comes first; all but the last of an address are inlined into the next one. */
export interface NativeFrame {
  /** As the linker has it; empty where only a line is known. */
  readonly name: string;
  /** Where the function begins, in the file; 0 for an inlined call. */
  readonly start: number;
  /** As the compiler was told; empty: not known. */
  readonly file: string;
  /** From 1; 0: not known. */
  readonly line: number;
  readonly isInlined: boolean;
}

export interface SymbolizedImage {
  /** As the recorded program names it. */
  readonly path: string;
  /** Empty: it has none, and whatever lies at the path is taken. */
  readonly buildId: Uint8Array;
}

const mostLinkBytes = 4096;
/** Of a folder: one that has more is none of a build. */
const mostEntries = 1000;

/** Where files are looked for. */
export interface SymbolPlaces {
  /** What stands before an image's path to reach its file. */
  readonly root: string;
  /** Folders of programs that ran elsewhere and of their debug information; a file is told by its build id. */
  readonly folders: readonly string[];
}

/** The functions of one file, from its symbol tables. */
interface Functions {
  find(addresses: readonly number[]): Map<NativeFunction, number[]>;
}

export class Symbolizer {
  readonly #functions: readonly Functions[];
  readonly #dwarf: DwarfFile | undefined;
  readonly #go: GoTable | undefined;
  readonly #loads: readonly ElfSegment[];
  readonly #splits: readonly SplitFiles[];
  /** Files that a file names as the shared part of its debug information, and that were not found. */
  readonly missing: readonly string[];
  readonly #close: () => void;

  private constructor(
    functions: readonly Functions[],
    dwarf: DwarfFile | undefined,
    go: GoTable | undefined,
    loads: readonly ElfSegment[],
    splits: readonly SplitFiles[],
    missing: readonly string[],
    close: () => void,
  ) {
    this.#functions = functions;
    this.#dwarf = dwarf;
    this.#go = go;
    this.#loads = loads;
    this.#splits = splits;
    this.missing = missing;
    this.#close = close;
  }

  /** `places`: a root alone, or folders as well. Never throws for what the files hold. */
  static async open(
    { path: imagePath, buildId }: SymbolizedImage,
    places: SymbolPlaces | string,
  ): Promise<Symbolizer> {
    const { root, folders } = typeof places === 'string' ? { root: places, folders: [] } : places;
    const functions: Functions[] = [];
    const opened: number[] = [];
    const splits: SplitFiles[] = [];
    const missing: string[] = [];
    let dwarf: DwarfFile | undefined;
    let go: GoTable | undefined;
    let loads: readonly ElfSegment[] = [];
    const look = async (file: string): Promise<readonly string[]> => {
      const found = await openFile(file, buildId);
      if (found === undefined) return [];
      opened.push(found.fd);
      if (loads.length === 0) loads = await found.loads().catch(() => []);
      const own = await found.functions().catch(() => undefined);
      if (own !== undefined) functions.push(own);
      if (dwarf === undefined) {
        const split = new SplitFiles({ files: [file, root + imagePath], root, folders });
        const sections = await found.debugSections().catch(() => undefined);
        const shared = sections && (await sharedSections(found, file, { root, folders }, opened, missing));
        dwarf = dwarfOf(sections && { ...sections, shared }, (unit) => split.open(unit));
        if (dwarf !== undefined) splits.push(split);
      }
      go ??= await found.goTable().catch(() => undefined);
      return await found.others(root);
    };
    const others = await look(root + imagePath);
    const byId = buildId.length === 0 ? [] : [debugFileOf(buildId)];
    if (root !== '') byId.push(...byId.map((file) => root + file));
    const elsewhere = buildId.length === 0 ? [] : await filesBelow(folders, path.posix.basename(imagePath));
    for (const file of new Set([...byId, ...others, ...elsewhere])) {
      if (dwarf !== undefined) break;
      await look(file);
    }
    return new Symbolizer(functions, dwarf, go, loads, splits, missing, () => {
      dwarf?.close();
      for (const split of splits) split.close();
      for (const fd of opened) closeSync(fd);
    });
  }

  /** Files of debug information that were looked at, so far, and are damaged. */
  get damaged(): readonly string[] {
    return this.#splits.flatMap((split) => [...split.damaged]);
  }

  /** The addresses of places in the file; one that is not loaded keeps its number, which is nobody's address. */
  addressesOf(offsets: readonly number[]): number[] {
    return offsets.map((offset) => {
      const load = this.#loads.find((one) => offset >= one.offset && offset < one.offset + one.size);
      return load === undefined ? offset : offset - load.offset + load.address;
    });
  }

  /** For each address its frames, innermost first; none where nothing is known. Addresses count from the image's load address. */
  frames(addresses: readonly number[]): NativeFrame[][] {
    const called: (NativeFunction | undefined)[] = addresses.map(() => undefined);
    const rows = new Map<number, number>();
    addresses.forEach((address, row) => rows.set(address, row));
    for (const file of [...this.#functions].reverse())
      for (const [found, offsets] of file.find(addresses))
        for (const offset of offsets) called[rows.get(offset) as number] = found;
    const told = this.#dwarf?.frames(addresses) ?? [];
    return addresses.map((address, row) => {
      const outermost = called[row];
      const frames: NativeFrame[] = (told[row] ?? []).map((frame) => ({ ...frame, start: 0 }));
      if (frames.length === 0) frames.push(...(this.#go?.frames([address])[0] ?? []));
      const last = frames.at(-1);
      if (last === undefined) {
        return outermost === undefined ? [] : [{ ...bare, name: outermost.name, start: outermost.start }];
      }
      // The linker's name is whole: parameters, clones, and names of C++ that debug information leaves out.
      if (!last.isInlined)
        frames[frames.length - 1] = {
          ...last,
          name: outermost?.name ?? last.name,
          start: outermost?.start ?? last.start,
        };
      else if (outermost !== undefined)
        frames.push({ ...bare, name: outermost.name, start: outermost.start });
      return frames.filter(({ name }) => name !== '');
    });
  }

  close(): void {
    this.#close();
  }
}

/** Where distributions put debug information, by the build id. */
function debugFileOf(buildId: Uint8Array): string {
  return `/usr/lib/debug/.build-id/${Buffer.from(buildId).toString('hex').replace(/^../, '$&/')}.debug`;
}

const bare = { file: '', line: 0, isInlined: false } as const;

interface OpenFile {
  readonly fd: number;
  functions(): Promise<Functions>;
  loads(): Promise<readonly ElfSegment[]>;
  debugSections(): Promise<DwarfSections | undefined>;
  goTable(): Promise<GoTable | undefined>;
  /** More files that may have its debug information. */
  others(root: string): Promise<readonly string[]>;
  /** The file that has what its debug information shares with that of others. */
  sharedPart(): Promise<SymbolizedImage | undefined>;
}

/** Undefined for what is no regular file of 64-bit code, or another one than is meant. */
async function openFile(file: string, buildId: Uint8Array): Promise<OpenFile | undefined> {
  const opened = openRegularSync(file);
  if (opened === undefined) return undefined;
  const { fd, read } = opened;
  try {
    const wanted = Buffer.from(buildId).toString('hex');
    const known = (await openElf(fd, file, read, wanted)) ?? (await openMachO(fd, file, read, wanted));
    if (known === undefined) throw new Error('another file');
    return known;
  } catch {
    closeSync(fd);
    return undefined;
  }
}

async function openElf(
  fd: number,
  file: string,
  read: ReadSync,
  wanted: string,
): Promise<OpenFile | undefined> {
  const elf = await Elf.open((at, length) => Promise.resolve(read(at, length))).catch(() => undefined);
  if (elf?.is64 !== true || (wanted !== '' && (await elf.buildId()) !== wanted)) return undefined;
  return {
    fd,
    functions: () => ElfFunctions.read(elf),
    loads: () => elf.loads(),
    debugSections: async () => {
      const sections = new Map((await elf.sections()).map((one) => [one.name, one]));
      return dwarfSections((name) => sectionOf(sections.get(`.debug_${name}`), read));
    },
    goTable: () => GoTable.open(elf, read),
    others: (root) => parted(elf, file, root),
    sharedPart: () => sharedPart(elf),
  };
}

async function openMachO(
  fd: number,
  file: string,
  read: ReadSync,
  wanted: string,
): Promise<OpenFile | undefined> {
  const slices = await MachO.open((at, length) => Promise.resolve(read(at, length))).catch(() => []);
  const found = slices.find((one) => wanted === '' || one.uuid() === wanted);
  if (found === undefined) return undefined;
  return {
    fd,
    functions: () => MachOFunctions.read(found),
    loads: () => Promise.resolve([]),
    debugSections: () => {
      const sections = new Map(found.sections().map((one) => [one.name, one]));
      // Names of sections have 16 letters at most.
      const part = (name: string): Section | undefined => {
        const section = sections.get(`__debug_${name}`.slice(0, 16));
        return section === undefined || section.size === 0
          ? undefined
          : new Section(read, section.offset, section.size);
      };
      return Promise.resolve(dwarfSections(part));
    },
    goTable: () => Promise.resolve(undefined),
    others: () => Promise.resolve(debugBundles(path.dirname(file), path.basename(file))),
    sharedPart: () => Promise.resolve(undefined),
  };
}

/** Where `dsymutil` and Xcode put the debug information of a program, or of the app that it is in. */
function debugBundles(folder: string, name: string): readonly string[] {
  const inBundle = path.join('Contents', 'Resources', 'DWARF', name);
  const bundle = path.basename(folder);
  return [
    path.join(folder, `${name}.dSYM`, inBundle),
    path.join(path.dirname(folder), `${bundle}.dSYM`, inBundle),
  ];
}

/** Files that may be the image of this name, or its debug information, in these folders: a build's, an archive's. */
async function filesBelow(folders: readonly string[], name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder).catch(() => []);
    found.push(path.join(folder, name));
    for (const entry of entries.slice(0, mostEntries)) {
      if (entry.endsWith('.dSYM'))
        found.push(path.join(folder, entry, 'Contents', 'Resources', 'DWARF', name));
      if (entry.endsWith('.app') || entry.endsWith('.framework')) found.push(path.join(folder, entry, name));
    }
  }
  return found;
}

function dwarfOf(sections: DwarfSections | undefined, openSplit: OpenSplit): DwarfFile | undefined {
  try {
    return sections && new DwarfFile(sections, openSplit);
  } catch (error) {
    if (error instanceof DwarfDamage || error instanceof RangeError || error instanceof Error)
      return undefined;
    throw error;
  }
}

/** `part`: a section by its name, without what each format puts before it. */
function dwarfSections(part: (name: string) => Section | undefined): DwarfSections | undefined {
  const [info, abbreviations] = [part('info'), part('abbrev')];
  if (info === undefined || abbreviations === undefined) return undefined;
  return {
    info,
    abbreviations,
    line: part('line'),
    texts: part('str'),
    lineTexts: part('line_str'),
    textOffsets: part('str_offsets'),
    addresses: part('addr'),
    ranges: part('ranges'),
    rangeLists: part('rnglists'),
  };
}

/** Where the file says that its debug information was put. */
async function parted(elf: Elf, file: string, root: string): Promise<readonly string[]> {
  const link = await elf.section('.gnu_debuglink');
  if (link === undefined || link.size > mostLinkBytes) return [];
  const bytes = await elf.bytesOf(link, mostLinkBytes);
  const name = bytes.toString('utf8', 0, Math.max(0, bytes.indexOf(0)));
  if (name === '' || name.includes('/')) return [];
  const folder = path.posix.dirname(file);
  const inTarget = folder.startsWith(root) ? folder.slice(root.length) : folder;
  return [
    path.posix.join(folder, name),
    path.posix.join(folder, '.debug', name),
    path.posix.join(`${root}/usr/lib/debug`, inTarget, name),
  ];
}

/** What `dwz` wrote: a path, which counts from the file's own folder, and the build id of what lies there. */
async function sharedPart(elf: Elf): Promise<SymbolizedImage | undefined> {
  const link = await elf.section('.gnu_debugaltlink');
  if (link === undefined || link.size > mostLinkBytes) return undefined;
  const bytes = await elf.bytesOf(link, mostLinkBytes);
  const end = bytes.indexOf(0);
  return end < 1 ? undefined : { path: bytes.toString('utf8', 0, end), buildId: bytes.subarray(end + 1) };
}

/** Opens what the file shares with others, told by its build id. What is not found is told to `missing`. */
async function sharedSections(
  from: OpenFile,
  file: string,
  { root, folders }: SymbolPlaces,
  opened: number[],
  missing: string[],
): Promise<DwarfSections | undefined> {
  const shared = await from.sharedPart().catch(() => undefined);
  if (shared === undefined || shared.buildId.length === 0) return undefined;
  const told = path.posix.resolve(path.posix.dirname(file), shared.path);
  const places = new Set([
    told,
    root + told,
    ...(root === '' ? [] : [`${root}${debugFileOf(shared.buildId)}`]),
    debugFileOf(shared.buildId),
    ...folders.map((folder) => path.join(folder, path.posix.basename(shared.path))),
  ]);
  for (const place of places) {
    const found = await openFile(place, shared.buildId);
    if (found === undefined) continue;
    opened.push(found.fd);
    const sections = await found.debugSections().catch(() => undefined);
    if (sections !== undefined) return sections;
  }
  missing.push(told);
  return undefined;
}
