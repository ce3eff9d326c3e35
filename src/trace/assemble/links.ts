/** Waits and who ended them, over all threads. */
import { SampleFlag } from '../model/kinds.js';
import { type Links } from '../model/trace.js';
import { LinkReader } from '../recording/links.js';
import { grown, nextCapacity } from './grow.js';
import { type SampledThread } from './sampled-thread.js';

export class LinkTable implements Links {
  count = 0;
  waiter = new Uint32Array(0);
  waiterTime = new Float64Array(0);
  waker = new Uint32Array(0);
  wakerTime = new Float64Array(0);
  certainty = new Uint8Array(0);
  readonly #reader = new LinkReader();

  /** Takes a message; `spend` is told of rows before they are kept. Returns what is wrong with it, or nothing. */
  take(payload: Uint8Array, spend: (rows: number) => void): string {
    return this.#reader.eachSlice(payload, (rows) => {
      spend(rows);
      this.#takeRows(rows);
    });
  }

  #takeRows(rows: number): void {
    const { waiter, waiterTime, waker, wakerTime, certainty } = this.#reader.columns;
    if (this.count + rows > this.waiter.length) this.#grow(this.count + rows);
    for (let row = 0; row < rows; row++) {
      const at = this.count++;
      this.waiter[at] = waiter[row] as number;
      this.waiterTime[at] = waiterTime[row] as number;
      this.waker[at] = waker[row] as number;
      this.wakerTime[at] = wakerTime[row] as number;
      this.certainty[at] = certainty[row] as number;
    }
  }

  /** Writes the rows from `first` on into the waits that they end. A link comes after both of its samples. Nobody ended what still waits. */
  attach(first: number, threads: ReadonlyMap<number, SampledThread>): void {
    for (let row = first; row < this.count; row++) {
      const waits = threads.get(this.waiter[row] as number)?.waits;
      const wait = waits?.find(this.waiterTime[row] as number) ?? -1;
      if (waits === undefined || wait < 0) continue;
      if (((waits.flags[wait] as number) & SampleFlag.OpenWait) === 0) waits.link[wait] = row;
    }
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.waiter.length, needed);
    this.waiter = grown(this.waiter, size);
    this.waiterTime = grown(this.waiterTime, size);
    this.waker = grown(this.waker, size);
    this.wakerTime = grown(this.wakerTime, size);
    this.certainty = grown(this.certainty, size);
  }
}
