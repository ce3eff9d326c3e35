/** Names for the native frames of a recording, as they come: from the very files that the target has loaded, told by their build ids. */
import { demangled } from '../../symbols/native/demangle/demangle.js';
import { PerfMap, type PerfMapOwner } from '../../symbols/native/perf-map.js';
import { type NativeFrame, Symbolizer, type SymbolPlaces } from '../../symbols/native/symbolizer.js';
import { type Chunk, ChunkKind, chunkPayload } from '../../trace/recording/chunk.js';
import { Images, type NativeFunction, Symbols } from '../../trace/recording/messages.js';
import { NodeReader } from '../../trace/recording/nodes.js';
import { DamageError } from '../../trace/recording/wire.js';

/** What the external recording calls code of no file. */
const madeAtRunTime = '[code made at run time]';
/** No program has so many, nor so many places in one: an agent that says so must not fill memory here. */
const mostImages = 10_000;
const mostOffsets = 2 ** 20;

export interface NamedProgram {
  /** What stands before an image's path to reach its file. */
  readonly root: string;
  /** Whose code that is made at run time has names. */
  readonly perfMap?: PerfMapOwner;
  /** Of programs that run elsewhere: where their files and debug information are on this machine. */
  readonly folders?: readonly string[] | undefined;
}

interface OpenImage {
  /** Undefined: code that is made at run time. */
  readonly symbols: Symbolizer | undefined;
  /** Offsets that were looked up. */
  readonly seen: Set<number>;
}

export class NativeNames {
  readonly #images = new Map<number, OpenImage>();
  readonly #nodes = new NodeReader();
  readonly #places: SymbolPlaces;
  readonly #perfMap: PerfMap | undefined;

  constructor({ root, perfMap, folders = [] }: NamedProgram) {
    this.#places = { root, folders };
    this.#perfMap = perfMap && new PerfMap(perfMap);
  }

  /**
   * What is to be written before the chunk; in its place, if both are of one kind. Never throws for what the chunk or
   * the files hold.
   */
  async before(chunk: Chunk): Promise<Chunk | undefined> {
    const { kind } = chunk;
    if (kind !== ChunkKind.Images && kind !== ChunkKind.Nodes && kind !== ChunkKind.Symbols) return undefined;
    try {
      const payload = chunkPayload(chunk);
      if (kind === ChunkKind.Symbols) return this.#ofSymbols(payload);
      if (kind === ChunkKind.Nodes) return await this.#ofNodes(payload);
      for (const image of Images.decode(payload).images) await this.#open(image);
    } catch (error) {
      if (!(error instanceof DamageError)) throw error; // the reader tells of it
    }
    return undefined;
  }

  async #open({ id, path, buildId }: Images['images'][number]): Promise<void> {
    if (this.#images.has(id) || this.#images.size >= mostImages) return;
    const isMadeAtRunTime = path === madeAtRunTime || path.startsWith('/memfd:');
    if (!isMadeAtRunTime && !path.startsWith('/')) return;
    const symbols = isMadeAtRunTime ? undefined : await Symbolizer.open({ path, buildId }, this.#places);
    this.#images.set(id, { symbols, seen: new Set() });
  }

  /** What the recording names already stays; but what the agent found in memory only where no file tells more. */
  #ofSymbols(payload: Uint8Array): Chunk | undefined {
    const told = Symbols.decode(payload).functions;
    const functions = new Map<string, NativeFunction>();
    const kept: NativeFunction[] = [];
    for (const one of told) {
      const { seen, symbols } = this.#images.get(one.image) ?? {};
      const isNew = (offset: number): boolean => seen !== undefined && !seen.has(offset);
      const offsets = one.ofMemory ? one.offset.filter(isNew).slice(0, mostOffsets) : [];
      const found = symbols?.frames(offsets) ?? [];
      offsets.forEach((offset, row) => addFrames(functions, one.image, offset, found[row] ?? []));
      for (const offset of one.offset) if (seen !== undefined && seen.size < mostOffsets) seen.add(offset);
      const inFile = new Set(offsets.filter((_, row) => (found[row] ?? []).length > 0));
      if (!one.ofMemory) kept.push(one);
      else if (inFile.size < one.offset.length)
        kept.push({
          ...one,
          name: demangled(one.name),
          offset: one.offset.filter((offset) => !inFile.has(offset)),
        });
    }
    return told.some(({ ofMemory }) => ofMemory) ? symbolsChunk([...kept, ...named(functions)]) : undefined;
  }

  /** Files of debug information that were looked at, so far, and are damaged. */
  get damaged(): readonly string[] {
    return [...new Set([...this.#images.values()].flatMap(({ symbols }) => symbols?.damaged ?? []))];
  }

  /** Files with the shared part of debug information that were looked for, so far, and not found. */
  get missing(): readonly string[] {
    return [...new Set([...this.#images.values()].flatMap(({ symbols }) => symbols?.missing ?? []))];
  }

  /** Lets go of the files. */
  close(): void {
    for (const { symbols } of this.#images.values()) symbols?.close();
    this.#images.clear();
  }

  async #ofNodes(payload: Uint8Array): Promise<Chunk | undefined> {
    const functions = new Map<string, NativeFunction>();
    for (const [image, offsets] of this.#newOffsets(payload)) {
      const symbols = this.#images.get(image)?.symbols;
      const found = symbols?.frames(offsets) ?? (await this.#madeAtRunTime(offsets));
      found.forEach((frames, row) => addFrames(functions, image, offsets[row] as number, frames));
    }
    return functions.size === 0 ? undefined : symbolsChunk(named(functions));
  }

  /** Such an image has no load address: its offsets are addresses. */
  async #madeAtRunTime(addresses: readonly number[]): Promise<NativeFrame[][]> {
    const found = (await this.#perfMap?.find(addresses)) ?? [];
    return addresses.map((_, row) => {
      const one = found[row];
      return one === undefined ? [] : [{ ...one, isInlined: false }];
    });
  }

  /** By image, those that were never asked for. */
  #newOffsets(payload: Uint8Array): Map<number, number[]> {
    const nodes = this.#nodes;
    const { image: images, frame } = nodes.columns;
    const offsets = new Map<number, number[]>();
    nodes.open(payload);
    if (!nodes.hasImages) return offsets;
    for (let rows = nodes.next(); rows > 0; rows = nodes.next()) {
      for (let row = 0; row < rows; row++) {
        const image = images[row] as number;
        const offset = frame[row] as number;
        const seen = this.#images.get(image)?.seen;
        if (seen === undefined || seen.has(offset) || seen.size >= mostOffsets) continue;
        seen.add(offset);
        const of = offsets.get(image) ?? [];
        of.push(offset);
        offsets.set(image, of);
      }
    }
    return offsets;
  }
}

function symbolsChunk(functions: readonly NativeFunction[]): Chunk {
  const stored = Symbols.encode({ functions: [...functions] });
  return { kind: ChunkKind.Symbols, flags: 0, sequence: 0, offset: 0, stored, rawLength: stored.length };
}

/** As they are written, and those around inlined ones first. */
function named(functions: ReadonlyMap<string, NativeFunction>): NativeFunction[] {
  const all = [...functions.values()].sort((a, b) => (a.depth[0] ?? 0) - (b.depth[0] ?? 0));
  return all.map((one) => ({ ...one, name: demangled(one.name) }));
}

/** Outermost first: a reader places a call that was inlined by the one around it. */
function addFrames(
  functions: Map<string, NativeFunction>,
  image: number,
  offset: number,
  frames: readonly NativeFrame[],
): void {
  frames.forEach((_, at) => {
    const { name, start, file, line } = frames[frames.length - 1 - at] as NativeFrame;
    const key = [image, start, at, name, file].join('\0');
    let known = functions.get(key);
    if (known === undefined) {
      known = { image, start, name, offset: [], file, line: [], depth: [], ofMemory: false };
      functions.set(key, known);
    }
    known.offset.push(offset);
    if (file !== '') known.line.push(line);
    if (at > 0) known.depth.push(at);
  });
}
