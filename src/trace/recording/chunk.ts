/**
 * The frame around every message, in a file and on a socket: docs/FORMAT.md, "Chunk".
 *
 * `ChunkParser` takes bytes as they arrive, cut anywhere, and gives whole chunks that passed their checks. It never
 * throws for what the bytes hold: what is wrong is listed, and it looks for the next sync word. What it reads from one
 * piece of input it gives as views of that piece, without a copy.
 */
import { counted } from '../model/counted.js';
import { type Problem } from '../model/trace.js';
import { crc32 } from './crc32.js';
import { deflate, inflate } from './deflate.js';
import { columnCuts } from './sample-blocks.js';
import { DamageError } from './wire.js';

export const ChunkKind = {
  Header: 1,
  Hooks: 2,
  Threads: 3,
  Classes: 4,
  Methods: 5,
  Images: 6,
  Nodes: 7,
  Samples: 8,
  Links: 9,
  Texts: 10,
  Counters: 11,
  Losses: 12,
  Status: 13,
  Footer: 14,
  Symbols: 15,
  OffCarrierWaits: 16,
  Ring: 17,
  Switches: 18,
  Wakes: 19,
  System: 20,
  Lag: 21,
  HeldMemory: 22,
  SystemEvents: 23,
  Calls: 24,
  ProgramSwitches: 25,
  Hello: 64,
  Welcome: 65,
  Command: 66,
  Goodbye: 67,
  RingSamples: 68,
  RingOffCarrierWaits: 69,
} as const;
/** A number, not a union: a reader meets kinds it does not know. */
export type ChunkKind = number;

const chunkNames = new Map<number, string>(
  Object.entries(ChunkKind).map(([name, kind]) => [
    kind,
    name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase(),
  ]),
);

/** As a person reads it. */
export function chunkName(kind: number): string {
  return chunkNames.get(kind) ?? `chunk of the unknown kind ${kind}`;
}

/** "BTRACE\r\n": stands before the chunks in a file, not on a socket. */
export const fileMagic = Uint8Array.of(0x42, 0x54, 0x52, 0x41, 0x43, 0x45, 0x0d, 0x0a);
export const chunkHeaderBytes = 24;
export const maxPayloadBytes = 16 * 1024 * 1024;
/** Kinds below are kept in files, also unknown ones; those from here on are conversation. */
export const firstConversationKind = 64;
export const flagDeflated = 1;
/** The payload is chunks that are written over again and again: the checksum covers the head alone. */
export const flagOpen = 2;

const sync0 = 0xa7;
const sync1 = 0x42;
const sync2 = 0x54;
const sync3 = 0x1a;

export interface Chunk {
  readonly sequence: number;
  readonly kind: ChunkKind;
  readonly flags: number;
  /** Place of its first byte in all bytes pushed. */
  readonly offset: number;
  /** The payload as stored: deflated when the flag says so. */
  readonly stored: Uint8Array;
  /** Bytes of the payload when inflated. */
  readonly rawLength: number;
}

export interface EncodeOptions {
  /** Store the payload deflated when that makes it smaller. */
  readonly deflate?: boolean;
}

/** One whole chunk around a payload. */
export function encodeChunk(
  kind: ChunkKind,
  payload: Uint8Array,
  sequence: number,
  options: EncodeOptions = {},
): Uint8Array {
  if (payload.length > maxPayloadBytes) {
    throw new RangeError(
      `A chunk holds at most ${maxPayloadBytes} bytes, not ${payload.length}: cut it in two`,
    );
  }
  if (options.deflate === true) {
    const packed = deflate(payload, kind === ChunkKind.Samples ? cutsOf(payload) : []);
    if (packed.length < payload.length) return frame(kind, flagDeflated, packed, payload.length, sequence);
  }
  return frame(kind, 0, payload, payload.length, sequence);
}

/** None where the message is damaged: it is kept as it is. */
function cutsOf(samples: Uint8Array): number[] {
  try {
    return columnCuts(samples);
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return [];
  }
}

/** The same chunk under another number: how the desktop renumbers what it writes. */
export function renumberChunk(chunk: Chunk, sequence: number): Uint8Array {
  return frame(chunk.kind, chunk.flags, chunk.stored, chunk.rawLength, sequence);
}

/** The message in a chunk, inflated within `rawLength` when need be. Throws a DamageError for a bad deflate stream. */
export function chunkPayload(chunk: Chunk): Uint8Array {
  return (chunk.flags & flagDeflated) !== 0 ? inflate(chunk.stored, chunk.rawLength) : chunk.stored;
}

function frame(
  kind: number,
  flags: number,
  stored: Uint8Array,
  rawLength: number,
  sequence: number,
): Uint8Array {
  const bytes = new Uint8Array(chunkHeaderBytes + stored.length);
  const view = new DataView(bytes.buffer);
  bytes[0] = sync0;
  bytes[1] = sync1;
  bytes[2] = sync2;
  bytes[3] = sync3;
  view.setUint32(4, sequence, true);
  view.setUint16(8, kind, true);
  view.setUint16(10, flags, true);
  view.setUint32(12, stored.length, true);
  view.setUint32(16, rawLength, true);
  bytes.set(stored, chunkHeaderBytes);
  view.setUint32(20, crc32(stored, 0, stored.length, crc32(bytes, 4, 20)), true);
  return bytes;
}

export interface ParserOptions {
  /** What comes before the first chunk: a file has the magic, a socket nothing. */
  readonly magic: boolean;
  /** Chunks are left out on purpose: missing numbers are no problem. */
  readonly sparse?: boolean;
}

/**
 * Damage makes the parser check candidates whose checksums cover the same bytes again. Besides twice the bytes seen,
 * this much of that is paid for, so that a file made of nothing but sync words ends too.
 */
const wasteAllowedBytes = 256 * 1024 * 1024;
/** How the problem begins that bytes between chunks are. */
export const noChunk = 'no chunk begins here';
const listedProblems = 1000;
const listedGaps = 1000;
const smallestBufferBytes = 64 * 1024;

export class ChunkParser {
  /** The first thousand problems; `problemCount` counts all. */
  readonly problems: Problem[] = [];
  problemCount = 0;
  /** The first bytes are not those of a recording: nothing will be read. */
  notRecording = false;

  #buffer: Uint8Array = new Uint8Array(0);
  /** Whether `buffer` was made here: only then may bytes be added behind its end. */
  #owned = false;
  #begin = 0;
  #end = 0;
  /** Place of buffer[0] in all bytes pushed. */
  #base = 0;
  #ended = false;
  #awaitsMagic: boolean;
  #seenBytes = 0;
  #checkedBytes = 0;
  /** Place where the bytes that are being skipped began, −1 when in step. */
  #lostAt = -1;
  #lostWhy = '';
  #expected = 0;
  /** Sequence numbers below `expected` that did not come: first and last of each run. */
  readonly #gaps: { first: number; last: number }[] = [];

  readonly #sparse: boolean;

  constructor(options: ParserOptions) {
    this.#awaitsMagic = options.magic;
    this.#sparse = options.sparse ?? false;
  }

  /** Bytes before this place are done with. */
  get offset(): number {
    return this.#base + this.#begin;
  }

  /**
   * Gives the parser more bytes. It keeps views of them, so they must not change afterwards. `offset` is their place
   * where bytes before them were left out.
   */
  push(bytes: Uint8Array, offset?: number): void {
    if (this.#ended) throw new Error('Bytes came after finish(): it must be called last');
    if (offset !== undefined && this.#end === this.#begin) this.#base = offset - this.#begin;
    this.#seenBytes += bytes.length;
    const left = this.#end - this.#begin;
    if (left === 0) {
      this.#base += this.#begin;
      this.#buffer = bytes;
      this.#owned = false;
      this.#begin = 0;
      this.#end = bytes.length;
      return;
    }
    if (!this.#owned || this.#end + bytes.length > this.#buffer.length) {
      // Twice what is there, so that a chunk that comes byte by byte is copied a bounded number of times. Chunks that
      // were given away are views of the old buffer, or of this one before `begin`: never overwritten.
      const grown = new Uint8Array(Math.max(2 * (left + bytes.length), smallestBufferBytes));
      grown.set(this.#buffer.subarray(this.#begin, this.#end));
      this.#base += this.#begin;
      this.#buffer = grown;
      this.#owned = true;
      this.#begin = 0;
      this.#end = left;
    }
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** No more bytes will come: what is left is a torn chunk, or intact ones behind a length that lies. */
  finish(): void {
    this.#ended = true;
  }

  /** The next intact chunk, or undefined until more bytes come. */
  next(): Chunk | undefined {
    if (this.#awaitsMagic && !this.#readMagic()) return undefined;
    for (;;) {
      const at = this.#findSync();
      if (at < 0) return undefined;
      const chunk = this.#tryChunk(at);
      if (chunk === undefined) {
        if (!this.#ended) return undefined;
        this.#lose(at, 'the bytes end within a chunk');
        this.#begin = at + 1;
      } else if (typeof chunk === 'string') {
        this.#lose(at, chunk);
        this.#begin = at + 1;
      } else {
        this.#reportLoss(at);
        this.#begin = at + chunkHeaderBytes + chunk.stored.length;
        if (this.#accept(chunk)) return chunk;
      }
    }
  }

  /** Lists something about a chunk that framing cannot know: its message is damaged. */
  report(offset: number, what: string): void {
    this.problemCount++;
    if (this.problems.length < listedProblems) this.problems.push({ offset, what });
  }

  #readMagic(): boolean {
    const have = Math.min(this.#end - this.#begin, fileMagic.length);
    for (let at = 0; at < have; at++) {
      if (this.#buffer[this.#begin + at] === fileMagic[at]) continue;
      this.notRecording = true;
      return false;
    }
    if (have < fileMagic.length) return false;
    this.#begin += fileMagic.length;
    this.#awaitsMagic = false;
    return true;
  }

  /** Index of the next sync word, −1 when there is none yet. */
  #findSync(): number {
    const buffer = this.#buffer;
    const end = this.#end;
    let at = this.#begin;
    for (;;) {
      at = buffer.indexOf(sync0, at);
      if (at < 0 || at >= end) at = end;
      const left = end - at;
      if (
        (left < 2 || buffer[at + 1] === sync1) &&
        (left < 3 || buffer[at + 2] === sync2) &&
        (left < 4 || buffer[at + 3] === sync3)
      ) {
        break;
      }
      at++;
    }
    if (at > this.#begin) this.#lose(this.#begin, noChunk);
    this.#begin = at;
    if (end - at >= 4) return at;
    if (this.#ended) {
      if (at < end) this.#lose(at, 'the bytes end within a chunk');
      this.#reportLoss(end);
      this.#begin = end;
    }
    return -1;
  }

  /** A chunk, or why there is none, or undefined when more bytes are needed to know. */
  #tryChunk(at: number): Chunk | string | undefined {
    const buffer = this.#buffer;
    const end = this.#end;
    if (end - at < chunkHeaderBytes) return undefined;
    const view = new DataView(buffer.buffer, buffer.byteOffset + at, chunkHeaderBytes);
    const length = view.getUint32(12, true);
    const rawLength = view.getUint32(16, true);
    if (length > maxPayloadBytes || rawLength > maxPayloadBytes) return 'a chunk names an impossible length';
    const payload = at + chunkHeaderBytes;
    if (end - payload < length) return undefined;
    const checked = (view.getUint16(10, true) & flagOpen) === 0 ? length : 0;
    this.#checkedBytes += checked;
    if (this.#checkedBytes > 2 * this.#seenBytes + wasteAllowedBytes)
      return 'there is too much damage to look further';
    const crc = crc32(buffer, payload, payload + checked, crc32(buffer, at + 4, at + 20));
    if (crc !== view.getUint32(20, true)) return 'the checksum of a chunk is wrong';
    return {
      sequence: view.getUint32(4, true),
      kind: view.getUint16(8, true),
      flags: view.getUint16(10, true),
      offset: this.#base + at,
      stored: buffer.subarray(payload, payload + length),
      rawLength,
    };
  }

  /** Whether an intact chunk is to be read: not a repeat, and in a form that is known. */
  #accept(chunk: Chunk): boolean {
    const { sequence, offset } = chunk;
    // Numbered apart from those around it, as the chunks within are.
    if (chunk.kind === ChunkKind.Ring && chunk.flags === flagOpen) return true;
    if (sequence >= this.#expected) {
      if (sequence > this.#expected) {
        const last = sequence - 1;
        if (this.#gaps.length < listedGaps) this.#gaps.push({ first: this.#expected, last });
        if (!this.#sparse) this.report(offset, missing(this.#expected, last));
      }
      this.#expected = sequence + 1;
    } else if (!this.#fillGap(sequence)) {
      this.report(offset, `chunk ${sequence} comes a second time and was left out`);
      return false;
    }
    if ((chunk.flags & ~flagDeflated) !== 0) {
      this.report(
        offset,
        `a newer BTrace wrote this chunk in a way (${chunk.flags}) that this one cannot read`,
      );
      return false;
    }
    if ((chunk.flags & flagDeflated) === 0 && chunk.rawLength !== chunk.stored.length) {
      this.report(offset, 'the two lengths of a chunk differ although it is not deflated');
      return false;
    }
    return true;
  }

  /** Chunks that changed places are both intact: the later number comes first, then the gap it left is filled. */
  #fillGap(sequence: number): boolean {
    const at = this.#gaps.findIndex((gap) => gap.first <= sequence && sequence <= gap.last);
    const gap = this.#gaps[at];
    if (gap === undefined) return false;
    const parts = [
      { first: gap.first, last: sequence - 1 },
      { first: sequence + 1, last: gap.last },
    ].filter((part) => part.first <= part.last);
    this.#gaps.splice(at, 1, ...parts);
    return true;
  }

  #lose(at: number, why: string): void {
    if (this.#lostAt >= 0) return;
    this.#lostAt = this.#base + at;
    this.#lostWhy = why;
  }

  #reportLoss(at: number): void {
    if (this.#lostAt < 0) return;
    const bytes = this.#base + at - this.#lostAt;
    this.report(this.#lostAt, `${this.#lostWhy}; ${counted(bytes, 'byte was', 'bytes were')} skipped`);
    this.#lostAt = -1;
  }
}

function missing(first: number, last: number): string {
  return first === last
    ? `chunk ${first} is missing before here`
    : `chunks ${first} to ${last} are missing before here`;
}
