/**
 * Reads a recording of any size through a function that reads ranges: in pieces of a few MiB, never as a whole, and with
 * the footer's index only the samples of a stretch of time.
 */
import { ChunkKind, chunkPayload, ChunkParser, chunkHeaderBytes, fileMagic } from './chunk.js';
import { Footer } from './messages.js';
import { DamageError } from './wire.js';

/** A file, or whatever has bytes at places. */
export interface ByteSource {
  /** Bytes that there are now; a recording being written grows. */
  size(): Promise<number>;
  /** The bytes from `offset` on: `length` of them, or fewer where the source ends. They must not change afterwards. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface ReadOptions {
  /** Only samples of this stretch, ns after the recording's start, as far as the index can tell. All else is read. */
  readonly range?: { readonly beginNs: number; readonly endNs: number };
  readonly signal?: AbortSignal;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
}

/** A piece of the file, and where it lies. */
export interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** From the footer: one row a chunk. Times are 0 for chunks that have none. */
export interface ChunkIndex {
  readonly count: number;
  readonly offset: Float64Array;
  readonly kind: Uint8Array;
  readonly beginNs: Float64Array;
  readonly endNs: Float64Array;
}

const pieceBytes = 4 * 1024 * 1024;
const usualFooter = 64 * 1024;
/** The index of a million chunks takes about this much. */
const longestFooter = 16 * 1024 * 1024;
/**
 * An entry of the index has up to 23 bytes, and the chunk that it is of at least 24: a footer that inflates to more than the
 * file has was made to take memory.
 */
const footerFreeBytes = 4096;

/** A source that is in memory already. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    size: () => Promise.resolve(bytes.length),
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

export class RecordingReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /**
   * When and why it ended, and the index, from the last bytes of the file; undefined for a recording that was cut off. It
   * is looked for in the last 64 KiB, where nearly all are, and then in as many as may be read.
   */
  async footer(mostBytes = longestFooter): Promise<Footer | undefined> {
    const size = await this.#source.size();
    for (const within of [usualFooter, mostBytes]) {
      const from = Math.max(size - within, 0);
      const footer = footerIn(await this.#source.read(from, size - from), size);
      if (footer !== undefined || from === 0) return footer;
    }
    return undefined;
  }

  /** From the first sample or wait to the end, as a trace that is read whole tells its length; undefined where there is no footer. */
  async lengthNs(mostBytes = longestFooter): Promise<number | undefined> {
    const footer = await this.footer(mostBytes);
    if (footer === undefined) return undefined;
    const index = indexOf(footer, await this.#source.size());
    let beginNs = footer.endNs;
    for (let row = 0; row < (index?.count ?? 0); row++) {
      const kind = index?.kind[row];
      // Of waits that nobody wrote the times of both are 0.
      if (kind === ChunkKind.Samples || (kind === ChunkKind.OffCarrierWaits && index?.endNs[row] !== 0))
        beginNs = Math.min(beginNs, index?.beginNs[row] as number);
    }
    return footer.endNs - (index === undefined ? 0 : beginNs);
  }

  /** The index in the footer, undefined for a recording that was cut off: then everything has to be read. */
  async index(): Promise<ChunkIndex | undefined> {
    const footer = await this.footer();
    return footer === undefined ? undefined : indexOf(footer, await this.#source.size());
  }

  /** The file's bytes in order; with a range, without the chunks of samples that lie outside it. */
  async *pieces(options: ReadOptions = {}): AsyncGenerator<Piece> {
    const size = await this.#source.size();
    const index = options.range === undefined ? undefined : await this.index();
    const runs = index === undefined ? [{ from: 0, to: size }] : runsIn(index, size, options.range);
    const total = runs.reduce((sum, run) => sum + run.to - run.from, 0);
    let done = 0;
    for (const { from, to } of runs) {
      for (let offset = from; offset < to;) {
        options.signal?.throwIfAborted();
        const bytes = await this.#source.read(offset, Math.min(pieceBytes, to - offset));
        // It became shorter while it was read.
        if (bytes.length === 0) break;
        yield { offset, bytes };
        offset += bytes.length;
        done += bytes.length;
        options.onProgress?.(done, total);
      }
    }
  }
}

function footerIn(tail: Uint8Array, fileBytes: number): Footer | undefined {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  // The footer's length leads from its begin to the end of the file: no other chunk's does.
  for (let at = tail.length - chunkHeaderBytes; at >= 0; at--) {
    if (view.getUint32(at, true) !== syncWord || view.getUint16(at + 8, true) !== ChunkKind.Footer) continue;
    if (at + chunkHeaderBytes + view.getUint32(at + 12, true) !== tail.length) continue;
    const parser = new ChunkParser({ magic: false, sparse: true });
    parser.push(tail.subarray(at));
    const chunk = parser.next();
    if (chunk === undefined) continue;
    if (chunk.rawLength > fileBytes + footerFreeBytes) return undefined;
    try {
      return Footer.decode(chunkPayload(chunk));
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      return undefined;
    }
  }
  return undefined;
}

const syncWord = 0x1a5442a7;

/** Undefined when the footer's columns cannot be true: reading everything is right then, too. */
function indexOf(footer: Footer, size: number): ChunkIndex | undefined {
  const { chunkOffset, chunkKind, chunkBeginNs, chunkEndNs } = footer;
  const count = chunkOffset.length;
  if (chunkKind.length !== count || chunkBeginNs.length !== count || chunkEndNs.length !== count)
    return undefined;
  const index = {
    count,
    offset: new Float64Array(count),
    kind: Uint8Array.from(chunkKind),
    beginNs: new Float64Array(count),
    endNs: new Float64Array(count),
  };
  let offset = 0;
  let begin = 0;
  for (let row = 0; row < count; row++) {
    const before = offset;
    offset += chunkOffset[row] as number;
    begin += chunkBeginNs[row] as number;
    if (row === 0 ? offset !== fileMagic.length : offset <= before) return undefined;
    index.offset[row] = offset;
    index.beginNs[row] = begin;
    index.endNs[row] = begin + (chunkEndNs[row] as number);
  }
  return count > 0 && offset < size ? index : undefined;
}

/** Stretches of the file to read: neighbours joined. */
function runsIn(
  index: ChunkIndex,
  size: number,
  range: { readonly beginNs: number; readonly endNs: number } | undefined,
): { from: number; to: number }[] {
  const runs = [{ from: 0, to: fileMagic.length }];
  for (let row = 0; row < index.count; row++) {
    const isOutside =
      range !== undefined &&
      index.kind[row] === ChunkKind.Samples &&
      ((index.endNs[row] as number) < range.beginNs || (index.beginNs[row] as number) >= range.endNs);
    if (isOutside) continue;
    const from = index.offset[row] as number;
    const to = row + 1 < index.count ? (index.offset[row + 1] as number) : size;
    const last = runs.at(-1);
    if (last?.to === from) last.to = to;
    else runs.push({ from, to });
  }
  return runs;
}
