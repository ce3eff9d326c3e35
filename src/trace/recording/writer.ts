/**
 * Writes a recording: whole chunks, appended. The file is valid after each of them, so a writer that is killed loses at
 * most the chunk it was writing. Numbers chunks anew and keeps the footer's index: about 40 bytes a chunk in memory, of a
 * million chunks at most.
 */
import { type EndReason } from '../model/kinds.js';
import {
  type Chunk,
  ChunkKind,
  chunkPayload,
  encodeChunk,
  fileMagic,
  firstConversationKind,
  flagDeflated,
  maxPayloadBytes,
  renumberChunk,
} from './chunk.js';
import { Footer } from './messages.js';
import { sampleSpan } from './sample-blocks.js';
import { SampleBlockReader } from './samples.js';
import { OffCarrierWaitReader, offCarrierWaitSpan } from './off-carrier-waits.js';
import { DamageError } from './wire.js';

/** Takes the file's bytes in order. Each call is one whole chunk, or the magic: hand it to the system in one write. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

export interface WriterOptions {
  /** Deflates payloads that come raw: about 40 % smaller, at some 30 MB a second. */
  readonly deflate?: boolean;
  /** Of more chunks there is no index. */
  readonly mostIndexed?: number;
}

/** An agent that streams sends so many in a day. */
const usuallyIndexed = 2 ** 20;
/** A time beyond is damage; below, sums of times and their differences are still within 64 bits. */
const latestTimeNs = 2 ** 60;

export class RecordingWriter {
  #sequence = 0;
  #offset = 0;
  #latestNs = 0;
  readonly #offsets: number[] = [];
  readonly #kinds: number[] = [];
  readonly #begins: number[] = [];
  readonly #spans: number[] = [];
  readonly #blocks = new SampleBlockReader();
  readonly #waits = new OffCarrierWaitReader();
  readonly #mostIndexed: number;
  #finished = false;
  #queue: Promise<void> = Promise.resolve();
  readonly #sink: ByteSink;
  readonly #options: WriterOptions;

  constructor(sink: ByteSink, options: WriterOptions = {}) {
    this.#sink = sink;
    this.#options = options;

    this.#mostIndexed = options.mostIndexed ?? usuallyIndexed;
  }

  /** Bytes handed to the sink so far. */
  get bytes(): number {
    return this.#offset;
  }

  /** Latest time in samples and waits so far, ns after the recording's start. */
  get lastNs(): number {
    return this.#latestNs;
  }

  /** Appends a chunk as it was received. Conversation is not kept. Settles when the sink has taken it. */
  append(chunk: Chunk): Promise<void> {
    if (chunk.kind >= firstConversationKind || chunk.kind === ChunkKind.Footer) return this.#queue;
    const deflateNow = this.#options.deflate === true && (chunk.flags & flagDeflated) === 0;
    const sequence = this.#note(chunk.kind, () => chunkPayload(chunk));
    return this.#put(
      deflateNow
        ? encodeChunk(chunk.kind, chunk.stored, sequence, { deflate: true })
        : renumberChunk(chunk, sequence),
    );
  }

  /** Appends a message of our own. */
  add(kind: number, payload: Uint8Array): Promise<void> {
    const sequence = this.#note(kind, () => payload);
    return this.#put(encodeChunk(kind, payload, sequence, { deflate: this.#options.deflate === true }));
  }

  /** Writes the footer; nothing may follow. `endNs` counts from the recording's start. */
  finish(
    reason: (typeof EndReason)[keyof typeof EndReason],
    detail = '',
    endNs = this.#latestNs,
  ): Promise<void> {
    const end = { endNs, reason, detail };
    let payload = Footer.encode({
      ...end,
      ...(this.#offsets.length <= this.#mostIndexed && {
        chunkOffset: differencesOf(this.#offsets),
        chunkKind: this.#kinds,
        chunkBeginNs: differencesOf(this.#begins),
        chunkEndNs: this.#spans,
      }),
    });
    // Without an index all of the file is read, whatever is asked for.
    if (payload.length > maxPayloadBytes) payload = Footer.encode(end);
    const sequence = this.#note(ChunkKind.Footer, () => payload);
    this.#finished = true;
    return this.#put(encodeChunk(ChunkKind.Footer, payload, sequence));
  }

  #note(kind: number, payload: () => Uint8Array): number {
    if (this.#finished) throw new Error('This recording has its footer already: nothing can be added to it');
    if (this.#sequence === 0) void this.#put(fileMagic);
    const span = this.#spanOf(kind, payload);
    if (this.#offsets.length <= this.#mostIndexed) {
      this.#offsets.push(this.#offset);
      this.#kinds.push(kind);
      this.#begins.push(span?.begin ?? 0);
      this.#spans.push(span === undefined ? 0 : span.end - span.begin);
    }
    if (span !== undefined) this.#latestNs = Math.max(this.#latestNs, span.end);
    return this.#sequence++;
  }

  #spanOf(kind: number, payload: () => Uint8Array): { begin: number; end: number } | undefined {
    try {
      let span: { begin: number; end: number } | undefined;
      if (kind === ChunkKind.Samples) span = sampleSpan(payload(), this.#blocks);
      else if (kind === ChunkKind.OffCarrierWaits) span = offCarrierWaitSpan(payload(), this.#waits);
      if (span !== undefined && span.begin >= -latestTimeNs && span.end <= latestTimeNs) return span;
    } catch (error) {
      // It is kept as it came: the reader says what is wrong with it. The index just knows no times for it.
      if (!(error instanceof DamageError)) throw error;
    }
    return undefined;
  }

  #put(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length;
    const written = this.#queue.then(() => this.#sink.write(bytes));
    // A failed write fails the appends after it too: a hole in the file would be worse than its end.
    this.#queue = written;
    written.catch(() => undefined);
    return written;
  }
}

function differencesOf(values: readonly number[]): number[] {
  return values.map((value, at) => value - (values[at - 1] ?? 0));
}
