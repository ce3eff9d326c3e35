/** Names for the native frames of a recording, as they come: from the very files that the target has loaded, told by their build ids. */
import { demangle } from '../../symbols/native/demangle.js';
import { ElfFunctions } from '../../symbols/native/elf-functions.js';
import { type Chunk, ChunkKind, chunkPayload } from '../../trace/recording/chunk.js';
import { Images, type NativeFunction, Symbols } from '../../trace/recording/messages.js';
import { NodeReader } from '../../trace/recording/nodes.js';
import { DamageError } from '../../trace/recording/wire.js';

/** No program has so many, nor so many places in one: an agent that says so must not fill memory here. */
const MOST_IMAGES = 10_000;
const MOST_OFFSETS = 2 ** 20;

interface OpenImage {
  readonly files: readonly ElfFunctions[];
  /** Offsets that were looked up. */
  readonly seen: Set<number>;
}

export class NativeNames {
  private readonly images = new Map<number, OpenImage>();
  private readonly nodes = new NodeReader();

  /** `root`: what stands before an image's path to reach its file. */
  constructor(private readonly root: string) {}

  /** What is to be written before the chunk. Never throws for what the chunk or the files hold. */
  async before(chunk: Chunk): Promise<Chunk | undefined> {
    if (chunk.kind !== ChunkKind.Images && chunk.kind !== ChunkKind.Nodes) return undefined;
    try {
      const payload = chunkPayload(chunk);
      if (chunk.kind === ChunkKind.Nodes) return await this.ofNodes(payload);
      for (const image of Images.decode(payload).images) await this.open(image);
    } catch (error) {
      if (!(error instanceof DamageError)) throw error; // the reader tells of it
    }
    return undefined;
  }

  private async open({ id, path, buildId }: Images['images'][number]): Promise<void> {
    if (buildId.length === 0 || this.images.has(id) || this.images.size >= MOST_IMAGES) return;
    const debug = Buffer.from(buildId).toString('hex').replace(/^../, '$&/');
    const files: ElfFunctions[] = [];
    // The file itself, and its symbols where they were parted from it and are installed.
    for (const file of [this.root + path, `/usr/lib/debug/.build-id/${debug}.debug`]) {
      const found = await ElfFunctions.open(file, buildId);
      if (found) files.push(found);
    }
    this.images.set(id, { files, seen: new Set() });
  }

  private async ofNodes(payload: Uint8Array): Promise<Chunk | undefined> {
    const functions: NativeFunction[] = [];
    for (const [image, offsets] of this.newOffsets(payload))
      for (const file of this.images.get(image)?.files ?? [])
        for (const [{ start, name }, offset] of file.find(offsets))
          functions.push({ image, start, name, offset });
    if (functions.length === 0) return undefined;
    const names = await demangle(functions.map(({ name }) => name));
    const stored = Symbols.encode({
      functions: functions.map((one, at) => ({ ...one, name: names[at] ?? one.name })),
    });
    return { kind: ChunkKind.Symbols, flags: 0, sequence: 0, offset: 0, stored, rawLength: stored.length };
  }

  /** By image, those that were never asked for. */
  private newOffsets(payload: Uint8Array): Map<number, number[]> {
    const { nodes } = this;
    const { image: images, frame } = nodes.columns;
    const offsets = new Map<number, number[]>();
    nodes.open(payload);
    if (!nodes.hasImages) return offsets;
    for (let rows = nodes.next(); rows > 0; rows = nodes.next()) {
      for (let row = 0; row < rows; row++) {
        const image = images[row] as number;
        const offset = frame[row] as number;
        const seen = this.images.get(image)?.seen;
        if (seen === undefined || seen.has(offset) || seen.size >= MOST_OFFSETS) continue;
        seen.add(offset);
        const of = offsets.get(image) ?? [];
        of.push(offset);
        offsets.set(image, of);
      }
    }
    return offsets;
  }
}
