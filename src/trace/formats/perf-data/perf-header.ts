import { PerfEvent } from './perf-event.js';
import { PerfWords } from './perf-words.js';

/** Of a file, which has its size, and of a stream, which has not. */
export const fileHeadBytes = 104;
export const pipeHeadBytes = 16;

/** Where parts of a file are. */
export interface PerfLayout {
  readonly dataAt: number;
  /** Infinite where recording was not finished. */
  readonly dataEnd: number;
  /** The numbers of the tables that follow the data. */
  readonly features: readonly number[];
}

const sectionBytes = 16;
const featuresAt = 72;
const mostFeatures = 256;
export const mostEvents = 256;
/** Of all events: each has one on each processor. */
const mostIds = 1 << 20;

/** Numbers of tables behind the data. */
export const Feature = { buildIds: 2, osRelease: 4, events: 12 } as const;

/** Undefined: its parts do not stand in the order in which they can be read as they come. */
export function layoutOf(head: PerfWords): PerfLayout | undefined {
  const [attributesAt, attributesSize] = [head.u64(24), head.u64(32)];
  const [dataAt, dataSize] = [head.u64(40), head.u64(48)];
  if (dataAt < fileHeadBytes || attributesAt + attributesSize > dataAt) return undefined;
  const features: number[] = [];
  for (let bit = 0; bit < mostFeatures; bit++)
    if (((head.u8(featuresAt + (bit >> 3)) >> (bit & 7)) & 1) !== 0) features.push(bit);
  return { dataAt, dataEnd: dataSize === 0 ? Infinity : dataAt + dataSize, features };
}

/** The events of a file; `words`: all in front of its data. */
export function eventsOf(words: PerfWords): PerfEvent[] {
  const [entry, at, size] = [words.u64(16), words.u64(24), words.u64(32)];
  const events: PerfEvent[] = [];
  if (entry <= sectionBytes) return events;
  const end = Math.min(at + size, words.bytes.length);
  // A file may say that all its events have the same ids.
  let idsLeft = mostIds;
  for (let row = at; row + entry <= end && events.length < mostEvents; row += entry) {
    if (!PerfEvent.isWhole(words, row, row + entry - sectionBytes)) break;
    const event = new PerfEvent(words, row);
    const idsAt = words.u64(row + entry - sectionBytes);
    const idsEnd = Math.min(idsAt + words.u64(row + entry - 8), words.bytes.length, idsAt + 8 * idsLeft);
    for (let id = idsAt; id + 8 <= idsEnd; id += 8) event.ids.push(words.u64(id));
    idsLeft -= event.ids.length;
    events.push(event);
  }
  return events;
}

/** Calls `visit` with each table behind the data. `offset`: of the bytes in the file. */
export function eachFeature(
  tail: PerfWords,
  offset: number,
  features: readonly number[],
  visit: (feature: number, table: PerfWords) => void,
): void {
  features.forEach((feature, row) => {
    const at = tail.u64(row * sectionBytes) - offset;
    const size = tail.u64(row * sectionBytes + 8);
    if (at >= 0 && at + size <= tail.bytes.length)
      visit(feature, new PerfWords(tail.bytes.subarray(at, at + size)));
  });
}

/** A text with its length in front. */
export const textIn = (table: PerfWords, at = 0): string =>
  table.text(at + 4, Math.min(at + 4 + table.u32(at), table.bytes.length));

/** The table of events' names: of each its attributes, its name and its ids. */
export function nameEvents(table: PerfWords, events: readonly PerfEvent[]): void {
  const attributesBytes = table.u32(4);
  let at = 8;
  for (let row = 0; row < Math.min(table.u32(0), events.length); row++) {
    at += attributesBytes;
    const ids = table.u32(at);
    const name = textIn(table, at + 4);
    at += 8 + table.u32(at + 4) + 8 * ids;
    const event = events[row];
    if (event === undefined || at > table.bytes.length) return;
    if (name !== '') event.name = name;
  }
}

export const longestBuildId = 20;
const hasLength = 1 << 15;

/** The table of build ids, by paths of files; it is made of records. */
export function eachBuildId(table: PerfWords, visit: (path: string, buildId: Uint8Array) => void): void {
  for (let at = 0; at + 8 < table.bytes.length;) {
    const size = table.u16(at + 6);
    if (size < 36) return;
    const misc = table.u16(at + 4);
    const length = (misc & hasLength) === 0 ? longestBuildId : Math.min(table.u8(at + 32), longestBuildId);
    visit(table.text(at + 36, at + size), table.bytes.slice(at + 12, at + 12 + length));
    at += size;
  }
}
