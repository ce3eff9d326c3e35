/**
 * Takes out of a recording what tells of the program and its owner: every name outside the platform's own packages,
 * thread names, texts, paths and the device. Done to each chunk before it is written, so that no name reaches the disk.
 * What stays: times, counters, the shape of stacks, line numbers, and the platform's names.
 */
import { type Chunk, ChunkKind, chunkPayload } from '../../trace/recording/chunk.js';
import { Classes, Header, Images, Methods, Symbols, Texts, Threads } from '../../trace/recording/messages.js';

const PLATFORM_CLASS =
  /^(java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|android|androidx|dalvik|libcore|com\.android)\.|^(boolean|byte|char|short|int|long|float|double)(\[\])+$/;
const SYSTEM_IMAGE = /^\/(usr|lib|lib64|system|apex|vendor)\//;

/** Kinds without names of their own. Kinds that are not known here are left out: they may hold anything. */
const NAMELESS: ReadonlySet<number> = new Set([
  ChunkKind.Hooks,
  ChunkKind.Nodes,
  ChunkKind.Samples,
  ChunkKind.Links,
  ChunkKind.VirtualWaits,
  ChunkKind.Counters,
  ChunkKind.Losses,
  ChunkKind.Status,
]);

/** No program has so many of the platform's classes: an agent that says so must not fill memory here. */
const MOST_KEPT = 2 ** 20;

export class Redactor {
  /** Classes whose names stay: their methods' names do too. */
  private readonly platform = new Set<number>();
  /** Images whose functions' names stay. */
  private readonly system = new Set<number>();

  /** What to write in place of the chunk; undefined to leave it out. */
  redact(chunk: Chunk): Chunk | undefined {
    const stored = this.payload(chunk.kind, chunkPayload(chunk));
    return stored && { ...chunk, flags: 0, stored, rawLength: stored.length };
  }

  private payload(kind: number, payload: Uint8Array): Uint8Array | undefined {
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
        return Classes.encode({ classes: Classes.decode(payload).classes.map((one) => this.ofClass(one)) });
      case ChunkKind.Methods:
        return Methods.encode({ methods: Methods.decode(payload).methods.map((one) => this.ofMethod(one)) });
      case ChunkKind.Images:
        return Images.encode({
          images: Images.decode(payload).images.map((image) => this.ofImage(image)),
        });
      case ChunkKind.Symbols:
        return Symbols.encode({
          functions: Symbols.decode(payload).functions.filter(({ image }) => this.system.has(image)),
        });
      case ChunkKind.Texts:
        return Texts.encode({
          texts: Texts.decode(payload).texts.map(({ id }) => ({ id, value: `text ${id}` })),
        });
      default:
        return NAMELESS.has(kind) ? payload : undefined;
    }
  }

  private ofImage(image: Images['images'][number]): Images['images'][number] {
    if (SYSTEM_IMAGE.test(image.path) && this.system.size < MOST_KEPT) {
      this.system.add(image.id);
      return image;
    }
    return { ...image, path: `image ${image.id}`, buildId: new Uint8Array(0) };
  }

  private ofClass(one: Classes['classes'][number]): Classes['classes'][number] {
    if (PLATFORM_CLASS.test(one.name) && this.platform.size < MOST_KEPT) {
      this.platform.add(one.id);
      return one;
    }
    return { id: one.id, name: `Class${one.id}`, file: '', sourceHash: new Uint8Array(0) };
  }

  private ofMethod(one: Methods['methods'][number]): Methods['methods'][number] {
    if (this.platform.has(one.classId)) return one;
    return { ...one, name: `method${one.id}`, signature: '' };
  }
}
