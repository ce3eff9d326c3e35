import { callBytes, intervalBytes } from './budget.js';
import { grown } from './grow.js';
import { isTime } from './number-gate.js';
import { gather, sortRows } from './sort-rows.js';

/**
 * The begin and end events of one thread as they come out of a foreign file, before they are put in order.
 *
 * Memory: 12 bytes an event (20 with CPU clock), 20 bytes a slice.
 */

/** What an event is: a method id (≥ 0) begins a call of it, `endTop` ends the innermost, else `-2 - id` ends one of that method. */
export const endTop = -1;
export function endOf(method: number): number {
  return -2 - method;
}

/** What becomes of an event, and of a slice, at most: an interval and half a call, two intervals and a call. */
const madeOfEvent = intervalBytes + callBytes / 2;
export const madeOfSlice = 2 * intervalBytes + callBytes;

export class EventColumns {
  count = 0;
  time = new Float64Array(8);
  what = new Int32Array(8);
  /** Thread CPU clock at the event, empty while no event carried one; NaN where it is not known. */
  cpu = new Float64Array(0);
  /** Events and slices whose time is none: they are left out. */
  refused = 0;
  /** False once an event came before its neighbour. */
  ordered = true;

  sliceCount = 0;
  sliceBegin = new Float64Array(0);
  sliceEnd = new Float64Array(0);
  sliceMethod = new Uint32Array(0);
  /** Thread CPU clock where each slice begins and ends, empty while none carried it; NaN where it is not known. */
  sliceCpu = new Float64Array(0);
  sliceCpuEnd = new Float64Array(0);

  push(time: number, what: number): void {
    if (!isTime(time)) {
      this.refused++;
      return;
    }
    const row = this.count;
    if (row === this.time.length) this.#grow();
    if (row > 0 && time < (this.time[row - 1] ?? 0)) this.ordered = false;
    this.time[row] = time;
    this.what[row] = what;
    if (this.cpu.length > 0) this.cpu[row] = NaN;
    this.count = row + 1;
  }

  pushWithCpu(time: number, what: number, cpu: number): void {
    const before = this.count;
    this.push(time, what);
    if (this.count === before || !isTime(cpu)) return;
    if (this.cpu.length === 0) this.cpu = new Float64Array(this.time.length).fill(NaN);
    this.cpu[this.count - 1] = cpu;
  }

  slice(begin: number, end: number, method: number): void {
    if (!isTime(begin) || !isTime(end)) {
      this.refused++;
      return;
    }
    const row = this.sliceCount;
    if (row === this.sliceBegin.length) this.#growSlices();
    this.sliceBegin[row] = begin;
    this.sliceEnd[row] = end;
    this.sliceMethod[row] = method;
    if (this.sliceCpu.length > 0) this.sliceCpu[row] = NaN;
    this.sliceCount = row + 1;
  }

  sliceWithCpu(begin: number, end: number, method: number, cpuBegin: number, cpuEnd: number): void {
    const before = this.sliceCount;
    this.slice(begin, end, method);
    if (this.sliceCount === before || !isTime(cpuBegin) || !isTime(cpuEnd)) return;
    if (this.sliceCpu.length === 0) {
      this.sliceCpu = new Float64Array(this.sliceBegin.length).fill(NaN);
      this.sliceCpuEnd = new Float64Array(this.sliceBegin.length);
    }
    this.sliceCpu[this.sliceCount - 1] = cpuBegin;
    this.sliceCpuEnd[this.sliceCount - 1] = cpuEnd;
  }

  /** With what will be made of them. */
  get memoryBytes(): number {
    const event = (this.cpu.length > 0 ? 20 : 12) + madeOfEvent;
    const slice = (this.sliceCpu.length > 0 ? 36 : 20) + madeOfSlice;
    return this.count * event + this.sliceCount * slice;
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.sliceCount === 0;
  }

  /** Puts begin and end events in order of time; events of one time keep the order they came in. */
  order(): void {
    if (this.ordered) return;
    const rows = sortRows(this.time, this.count);
    this.time = gather(this.time, rows, new Float64Array(rows.length));
    this.what = gather(this.what, rows, new Int32Array(rows.length));
    if (this.cpu.length > 0) this.cpu = gather(this.cpu, rows, new Float64Array(rows.length));
    this.ordered = true;
  }

  /** Puts slices in order: earlier first; of those that begin together, the longer first; of equals, as they came. */
  orderSlices(): void {
    const { sliceCount: count, sliceBegin: begin, sliceEnd: end } = this;
    const rows = sortRows(begin, count, end);
    this.sliceBegin = gather(begin, rows, new Float64Array(count));
    this.sliceEnd = gather(end, rows, new Float64Array(count));
    this.sliceMethod = gather(this.sliceMethod, rows, new Uint32Array(count));
    if (this.sliceCpu.length > 0) {
      this.sliceCpu = gather(this.sliceCpu, rows, new Float64Array(count));
      this.sliceCpuEnd = gather(this.sliceCpuEnd, rows, new Float64Array(count));
    }
  }

  #grow(): void {
    const size = this.time.length * 2;
    this.time = grown(this.time, size);
    this.what = grown(this.what, size);
    if (this.cpu.length > 0) this.cpu = grown(this.cpu, size);
  }

  #growSlices(): void {
    const size = Math.max(8, this.sliceBegin.length * 2);
    this.sliceBegin = grown(this.sliceBegin, size);
    this.sliceEnd = grown(this.sliceEnd, size);
    this.sliceMethod = grown(this.sliceMethod, size);
    if (this.sliceCpu.length > 0) {
      this.sliceCpu = grown(this.sliceCpu, size);
      this.sliceCpuEnd = grown(this.sliceCpuEnd, size);
    }
  }
}
