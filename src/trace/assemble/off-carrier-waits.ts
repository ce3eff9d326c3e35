/** Waits of virtual threads off their carriers, appended as they come. */
import { type OffCarrierWaits } from '../model/trace.js';
import { OffCarrierWaitReader } from '../recording/off-carrier-waits.js';
import { grown, nextCapacity } from './grow.js';
import { type NodeTable } from './nodes.js';

const isNumber = (value: number, most: number): boolean => value >= 0 && value <= most;

export class OffCarrierWaitTable implements OffCarrierWaits {
  count = 0;
  id = new Uint32Array(0);
  begin = new Float64Array(0);
  end = new Float64Array(0);
  path = new Int32Array(0);
  thread = new Uint32Array(0);
  flags = new Uint16Array(0);
  leftOut = 0;
  leftOutNs = 0;
  /** When the first one began and the last one ended. */
  firstNs = Infinity;
  lastNs = 0;
  /** Rows that cannot be true. */
  refused = 0;
  readonly #reader = new OffCarrierWaitReader();

  /** Takes a message; `spend` is told of rows before they are kept. Returns what is wrong with it, or nothing. */
  take(payload: Uint8Array, nodes: NodeTable, spend: (rows: number) => void): string {
    return this.#reader.eachSlice(payload, (rows) => {
      spend(rows);
      this.#takeRows(rows, nodes);
    });
  }

  #takeRows(rows: number, nodes: NodeTable): void {
    const { id, begin, duration, stack, thread, flags, leftOut, leftOutNs } = this.#reader.columns;
    if (this.count + rows > this.id.length) this.#grow(this.count + rows);
    for (let row = 0; row < rows; row++) {
      const from = begin[row] as number;
      const lasted = duration[row] as number;
      const isTrue =
        isNumber(id[row] as number, 0xffffffff) &&
        isNumber(thread[row] as number, 0xffffffff) &&
        Math.abs(from) <= Number.MAX_SAFE_INTEGER &&
        isNumber(lasted, Number.MAX_SAFE_INTEGER) &&
        isNumber(flags[row] as number, 0xffff) &&
        isNumber(leftOut[row] as number, 0xffffffff) &&
        isNumber(leftOutNs[row] as number, Number.MAX_SAFE_INTEGER);
      if (!isTrue) {
        this.refused++;
        continue;
      }
      this.leftOut += leftOut[row] as number;
      this.leftOutNs += leftOutNs[row] as number;
      if (id[row] === 0) continue;
      const at = this.count++;
      this.id[at] = id[row] as number;
      this.begin[at] = from;
      this.end[at] = from + lasted;
      this.path[at] = nodes.pathOf(nodes.own(stack[row] as number));
      this.thread[at] = thread[row] as number;
      this.flags[at] = flags[row] as number;
      this.firstNs = Math.min(this.firstNs, from);
      this.lastNs = Math.max(this.lastNs, from + lasted);
    }
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.id.length, needed);
    this.id = grown(this.id, size);
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.path = grown(this.path, size);
    this.thread = grown(this.thread, size);
    this.flags = grown(this.flags, size);
  }
}
