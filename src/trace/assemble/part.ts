/** The part of a recording's samples that is taken in, where the columns of all would take too much memory. */
import { type Intervals, type Paths, type TracePart } from '../model/trace.js';
import { callBytes, intervalBytes } from './budget.js';

export interface PartOptions {
  /** Place in the file from which on samples are taken in: `TracePart.next` of the part before. */
  readonly from?: number;
  /** Samples are taken in until their intervals and calls take so much. */
  readonly mostBytes?: number;
  /** What is kept beside samples may take so much; half as much as samples where nobody says, and always what a program needs. */
  readonly mostBesideBytes?: number;
  /** The scheduler's events are decoded when they are first asked for: what draws a chart needs none at first. */
  readonly systemLater?: boolean;
}

/** Far more than the names and stacks of any program: only a recording that was made to be large has no room in it. */
const usualBesideBytes = 2 ** 28;

/** One interval of so many tells how many calls begin with each: an estimate, as those of a thread are alike. */
const lookedAt = 8;

export class SamplesPart {
  readonly #from: number;
  readonly #mostBytes: number;
  readonly #mostBesideBytes: number;
  #bytes = 0;
  #besideBytes = 0;
  #next: number | undefined;
  #latestNs = 0;

  constructor({ from = 0, mostBytes = Infinity, mostBesideBytes }: PartOptions) {
    this.#from = from;
    this.#mostBytes = mostBytes;
    this.#mostBesideBytes = mostBesideBytes ?? Math.max(mostBytes / 2, usualBesideBytes);
  }

  /** Whether the samples of the chunk at `offset` belong to it. Asked in the order of the file. */
  takes(offset: number): boolean {
    if (offset < this.#from) return false;
    if (this.#bytes >= this.#mostBytes) this.#next ??= offset;
    return this.#next === undefined;
  }

  /** What takes so much beside intervals. */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Whether there is room for what is kept of all of a recording, whichever part is shown: names, stacks, links, counters. */
  takesBeside(bytes: number): boolean {
    if (this.#besideBytes + bytes > this.#mostBesideBytes) return false;
    this.#besideBytes += bytes;
    return true;
  }

  /** A thread's intervals from the row `from` on came of so many bytes. */
  add(bytes: number, { path, keep, count }: Intervals, from: number, { depth }: Paths): void {
    if (this.#mostBytes === Infinity) return;
    let calls = 0;
    for (let row = from; row < count; row += lookedAt) {
      calls += lookedAt * Math.max((depth[path[row] as number] as number) - (keep[row] as number), 0);
    }
    this.#bytes += bytes + intervalBytes * (count - from) + callBytes * calls;
  }

  /** A block of samples that begins then is not of this part. */
  leaveOut(timeNs: number): void {
    this.#latestNs = Math.max(this.#latestNs, timeNs);
  }

  /** Whether something was left out, so far. */
  get isPart(): boolean {
    return this.#from > 0 || this.#next !== undefined;
  }

  /** Undefined where it is all of the recording. `endNs`: of all of it, where that is known. */
  described(endNs: number | undefined): TracePart | undefined {
    const next = this.#next;
    if (!this.isPart) return undefined;
    return { next, recordingEndNs: endNs ?? this.#latestNs };
  }
}
