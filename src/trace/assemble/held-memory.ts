/** Sampled allocations that were not freed, appended as they come. */
import { type HeldMemory } from '../model/trace.js';
import { HeldMemoryReader } from '../recording/held-memory.js';
import { grown, nextCapacity } from './grow.js';
import { type NodeTable } from './nodes.js';

export class HeldMemoryTable implements HeldMemory {
  count = 0;
  thread = new Uint32Array(0);
  time = new Float64Array(0);
  path = new Int32Array(0);
  bytes = new Float64Array(0);
  /** Rows that cannot be true. */
  refused = 0;
  readonly #reader = new HeldMemoryReader();

  /** Takes a message; `spend` is told of rows before they are kept. Returns what is wrong with it, or nothing. */
  take(payload: Uint8Array, nodes: NodeTable, spend: (rows: number) => void): string {
    return this.#reader.eachSlice(payload, (rows) => {
      spend(rows);
      this.#takeRows(rows, nodes);
    });
  }

  #takeRows(rows: number, nodes: NodeTable): void {
    const { thread, time, stack, bytes } = this.#reader.columns;
    if (this.count + rows > this.time.length) this.#grow(this.count + rows);
    for (let row = 0; row < rows; row++) {
      const of = thread[row] as number;
      const size = bytes[row] as number;
      const isTrue =
        of >= 0 &&
        of <= 0xffffffff &&
        Math.abs(time[row] as number) <= Number.MAX_SAFE_INTEGER &&
        size >= 0 &&
        size <= Number.MAX_SAFE_INTEGER;
      if (!isTrue) {
        this.refused++;
        continue;
      }
      const at = this.count++;
      this.thread[at] = of;
      this.time[at] = time[row] as number;
      this.path[at] = nodes.pathOf(nodes.own(stack[row] as number));
      this.bytes[at] = size;
    }
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.time.length, needed);
    this.thread = grown(this.thread, size);
    this.time = grown(this.time, size);
    this.path = grown(this.path, size);
    this.bytes = grown(this.bytes, size);
  }
}
