/**
 * Takes out of a recording what tells of the program and its owner: every name outside the platform's own packages,
 * thread names, texts, paths and the device. Done to each chunk before it is written, so that no name reaches the disk.
 * What stays: times, numbers, the agent's own counters, the shape of stacks, line numbers, and the platform's names.
 */
import {
  type Chunk,
  chunkHeaderBytes,
  ChunkKind,
  ChunkParser,
  chunkPayload,
} from '../../trace/recording/chunk.js';
import {
  Classes,
  Counters,
  Header,
  Images,
  Methods,
  Symbols,
  Texts,
  Threads,
} from '../../trace/recording/messages.js';

const platformClass =
  /^(java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|android|androidx|dalvik|libcore|com\.android)\.|^(boolean|byte|char|short|int|long|float|double)(\[\])+$/;
const systemImage = /^\/(usr|lib|lib64|system|apex|vendor|System\/Library)\//;

/** Kinds without names of their own. Kinds that are not known here are left out: they may hold anything. */
const nameless: ReadonlySet<number> = new Set([
  ChunkKind.Hooks,
  ChunkKind.Nodes,
  ChunkKind.Samples,
  ChunkKind.Links,
  ChunkKind.OffCarrierWaits,
  ChunkKind.HeldMemory,
  ChunkKind.Losses,
  ChunkKind.Status,
]);

/** Those of the agent. Counters of a system's trace have names that programs gave them, and names of processes. */
const agentCounters: ReadonlySet<string> = new Set(['CPU', 'heap used', 'resident memory', 'threads']);

/** No program has so many of the platform's classes: an agent that says so must not fill memory here. */
const mostKept = 2 ** 20;

export class Redactor {
  /** Classes whose names stay: their methods' names do too. */
  readonly #platform = new Set<number>();
  /** Images whose functions' names stay. */
  readonly #system = new Set<number>();

  /** What to write in place of the chunk; undefined to leave it out. */
  redact(chunk: Chunk): Chunk | undefined {
    const stored = this.#payload(chunk.kind, chunkPayload(chunk));
    return stored && { ...chunk, flags: 0, stored, rawLength: stored.length };
  }

  #payload(kind: number, payload: Uint8Array): Uint8Array | undefined {
    switch (kind) {
      case ChunkKind.Header: {
        const header = Header.decode(payload);
        const target = { ...header.target, name: 'redacted', device: '', uid: 0 };
        return Header.encode({ ...header, target, buildId: '' });
      }
      case ChunkKind.Threads:
        return Threads.encode({
          threads: Threads.decode(payload).threads.map((thread) => ({
            ...thread,
            name: thread.name === '' ? '' : thread.isMain ? 'main' : `thread ${thread.index}`,
          })),
        });
      case ChunkKind.Classes:
        return Classes.encode({ classes: Classes.decode(payload).classes.map((one) => this.#ofClass(one)) });
      case ChunkKind.Methods:
        return Methods.encode({ methods: Methods.decode(payload).methods.map((one) => this.#ofMethod(one)) });
      case ChunkKind.Images:
        return Images.encode({
          images: Images.decode(payload).images.map((image) => this.#ofImage(image)),
        });
      case ChunkKind.Symbols:
        return Symbols.encode({
          functions: Symbols.decode(payload).functions.filter(({ image }) => this.#system.has(image)),
        });
      case ChunkKind.Texts:
        return Texts.encode({
          texts: Texts.decode(payload).texts.map(({ id }) => ({ id, value: `text ${id}` })),
        });
      case ChunkKind.Counters: {
        const blocks = Counters.decode(payload).blocks.filter(({ name }) => agentCounters.has(name));
        return blocks.length === 0 ? undefined : Counters.encode({ blocks });
      }
      case ChunkKind.Ring:
        return samplesOfRing(payload);
      default:
        return nameless.has(kind) ? payload : undefined;
    }
  }

  #ofImage(image: Images['images'][number]): Images['images'][number] {
    if (systemImage.test(image.path) && this.#system.size < mostKept) {
      this.#system.add(image.id);
      return image;
    }
    return { ...image, path: `image ${image.id}`, buildId: new Uint8Array(0) };
  }

  #ofClass(one: Classes['classes'][number]): Classes['classes'][number] {
    if (platformClass.test(one.name) && this.#platform.size < mostKept) {
      this.#platform.add(one.id);
      return one;
    }
    return { id: one.id, name: `Class${one.id}`, file: '', sourceHash: new Uint8Array(0) };
  }

  #ofMethod(one: Methods['methods'][number]): Methods['methods'][number] {
    if (this.#platform.has(one.classId)) return one;
    return { ...one, name: `method${one.id}`, signature: '' };
  }
}

/** The same ring with nothing in it but its whole chunks of samples and waits, each at its place. */
function samplesOfRing(ring: Uint8Array): Uint8Array {
  const parser = new ChunkParser({ magic: false, sparse: true });
  parser.push(ring);
  parser.finish();
  const kept = new Uint8Array(ring.length);
  for (let chunk = parser.next(); chunk !== undefined; chunk = parser.next()) {
    if (chunk.kind !== ChunkKind.Samples && chunk.kind !== ChunkKind.OffCarrierWaits) continue;
    const end = chunk.offset + chunkHeaderBytes + chunk.stored.length;
    kept.set(ring.subarray(chunk.offset, end), chunk.offset);
  }
  return kept;
}
