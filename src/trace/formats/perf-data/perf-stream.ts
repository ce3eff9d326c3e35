import { ByteWindow } from '../byte-window.js';
import { PerfEvent } from './perf-event.js';
import {
  eachFeature,
  eventsOf,
  Feature,
  fileHeadBytes,
  layoutOf,
  pipeHeadBytes,
  type PerfLayout,
} from './perf-header.js';
import { PerfRecord, recordHeadBytes } from './perf-record.js';
import { PerfWords } from './perf-words.js';

/** Events are described in front of the data, and tables stand behind it: of longer ones the rest is not read. */
const mostHeadBytes = 64 << 20;
const mostTailBytes = 64 << 20;

export interface PerfVisitor {
  event(event: PerfEvent): void;
  /** A record of what happened; its head is at `at`. */
  record(words: PerfWords, at: number, to: number): void;
  /** A table that says more of the whole recording, of a kind in `Feature`. */
  feature(feature: number, table: PerfWords): void;
  problem(offset: number, what: string): void;
  /** The file ends as recordings do that were not finished. */
  unfinished(): void;
}

/** Cuts a perf.data file that comes in pieces, or what perf writes to a pipe, into events, records and tables. */
export class PerfStream {
  readonly #visitor: PerfVisitor;
  readonly #window = new ByteWindow();
  #words = new PerfWords(new Uint8Array(0));
  #state: 'head' | 'data' | 'tail' | 'ended' = 'head';
  #isPipe = false;
  #layout: PerfLayout | undefined;
  /** Bytes that follow a record and are none. */
  #toSkip = 0;

  constructor(visitor: PerfVisitor) {
    this.#visitor = visitor;
  }

  append(bytes: Uint8Array): void {
    const window = this.#window;
    window.add(bytes);
    if (this.#state === 'head' && !this.#readHead()) return;
    if (window.bytes !== this.#words.bytes) this.#words = new PerfWords(window.bytes);
    while (this.#state === 'data' && this.#readRecord());
    const isTooLong = window.end - window.at > mostTailBytes;
    if (this.#state === 'ended' || (this.#state === 'tail' && isTooLong)) {
      this.#state = 'ended';
      window.at = window.end;
    }
  }

  /** No more bytes will come. */
  finish(): void {
    const window = this.#window;
    if (this.#state === 'tail') {
      const tail = new PerfWords(window.bytes.slice(window.at, window.end));
      const features = this.#layout?.features ?? [];
      eachFeature(tail, window.offset, features, (feature, table) => this.#visitor.feature(feature, table));
    } else if (this.#state !== 'ended') {
      const mayEndHere = this.#isPipe || this.#layout?.dataEnd === Infinity;
      if (window.at < window.end || this.#toSkip > 0 || !mayEndHere)
        this.#visitor.problem(window.offset, 'The file ends in the middle; what was read before is kept');
      else if (!this.#isPipe) this.#visitor.unfinished();
    }
    this.#state = 'ended';
  }

  /** False while it is not whole. */
  #readHead(): boolean {
    const window = this.#window;
    if (window.end < pipeHeadBytes) return false;
    const words = new PerfWords(window.bytes.subarray(0, window.end));
    const size = words.u64(8);
    if (size === pipeHeadBytes) {
      this.#isPipe = true;
      window.at = pipeHeadBytes;
      this.#state = 'data';
      return true;
    }
    if (window.end < fileHeadBytes) return false;
    const layout = layoutOf(words);
    if (layout === undefined || layout.dataAt > mostHeadBytes) {
      const what = 'The head of the file does not say where its samples are; nothing was read';
      this.#visitor.problem(0, what);
      this.#state = 'ended';
      return true;
    }
    if (window.end < layout.dataAt) return false;
    this.#layout = layout;
    for (const event of eventsOf(words)) this.#visitor.event(event);
    window.at = layout.dataAt;
    this.#state = 'data';
    return true;
  }

  /** False: no more records are at hand. */
  #readRecord(): boolean {
    const window = this.#window;
    const skipped = Math.min(this.#toSkip, window.end - window.at);
    window.at += skipped;
    this.#toSkip -= skipped;
    const dataEnd = this.#layout?.dataEnd ?? Infinity;
    if (window.offset >= dataEnd) {
      this.#state = 'tail';
      return false;
    }
    if (window.end - window.at < recordHeadBytes) return false;
    const size = this.#words.u16(window.at + 6);
    if (size < recordHeadBytes || window.offset + size > dataEnd) {
      this.#visitor.problem(window.offset, 'No record stands here; the rest was left out');
      this.#state = 'ended';
      return false;
    }
    if (size > window.end - window.at) return false;
    this.#record(window.at, window.at + size);
    window.at += size;
    return true;
  }

  #record(at: number, to: number): void {
    const words = this.#words;
    const body = at + recordHeadBytes;
    const kind = words.u32(at);
    if (kind === PerfRecord.tracingData) this.#toSkip = words.u32(body);
    else if (kind === PerfRecord.auxTrace) this.#toSkip = words.u64(body);
    else if (!this.#isPipe || !this.#ofPipe(kind, at, to)) this.#visitor.record(words, at, to);
  }

  /** What a file has in its head and in its tables comes as records in a stream. False for other records. */
  #ofPipe(kind: number, at: number, to: number): boolean {
    const words = this.#words;
    const body = at + recordHeadBytes;
    if (kind === PerfRecord.attributes) {
      if (!PerfEvent.isWhole(words, body, to)) return true;
      const event = new PerfEvent(words, body);
      for (let id = body + words.u32(body + 4); id + 8 <= to; id += 8) event.ids.push(words.u64(id));
      this.#visitor.event(event);
    } else if (kind === PerfRecord.buildId)
      this.#visitor.feature(Feature.buildIds, new PerfWords(words.slice(at, to)));
    else if (kind === PerfRecord.feature)
      this.#visitor.feature(words.u64(body), new PerfWords(words.slice(body + 8, to)));
    else return false;
    return true;
  }
}
