import { callBytes, intervalBytes } from '../assemble/budget.js';
import { grown, nextCapacity } from '../assemble/grow.js';
import { isTime } from '../assemble/number-gate.js';
import type { PathTable } from '../assemble/paths.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import { IntervalState } from '../model/trace.js';

/** What a row says of its thread. */
export const Stretch = {
  /** It ran. */
  Cpu: 0,
  /** It was there; whether it ran is not known. */
  There: 1,
  /** It waited, of an unknown cause. */
  Idle: 2,
  /** It waited: begin and end are exact. */
  Wait: 3,
  /** It allocated so many bytes at this moment. */
  Allocation: 4,
} as const;
export type Stretch = (typeof Stretch)[keyof typeof Stretch];

const ownBytes = 57;
/** Of a row, with what becomes of it: it may cut the one around it. */
export const stretchBytes = ownBytes + 2 * intervalBytes + callBytes;

/**
 * Samples, waits and allocations of all threads in the order of the file. `layOut` puts those of one thread beside each
 * other: a wait is exact, and a sample is shown where there is no wait; an allocation is a moment in either.
 */
export class Stretches {
  count = 0;
  thread = new Int32Array(0);
  begin = new Float64Array(0);
  end = new Float64Array(0);
  path = new Int32Array(0);
  node = new Int32Array(0);
  what = new Uint8Array(0);
  /** SampleKind of a wait. */
  kind = new Uint8Array(0);
  /** Class of what was waited for, or of what was allocated. */
  type = new Int32Array(0);
  /** Of a wait: who held what it waited for, a row of the importer's threads, −1 unknown. */
  owner = new Int32Array(0);
  /** Bytes of an allocation, or the address of what a wait was for. */
  amount = new Float64Array(0);
  /** How many captures a row stands for. */
  samples = new Uint32Array(0);
  /** Rows whose times are none: they are left out. */
  refused = 0;

  /** The row, −1 for one that is left out. */
  push(thread: number, begin: number, end: number, what: Stretch, path: number, node: number): number {
    if (!isTime(begin) || !isTime(end) || end < begin) {
      this.refused++;
      return -1;
    }
    if (this.count === this.begin.length) this.#grow();
    const row = this.count++;
    this.thread[row] = thread;
    this.begin[row] = begin;
    this.end[row] = end;
    this.what[row] = what;
    this.path[row] = path;
    this.node[row] = node;
    this.owner[row] = -1;
    this.samples[row] = 1;
    return row;
  }

  get memoryBytes(): number {
    return stretchBytes * this.count;
  }

  /** Calls `visit` with the rows of each thread, in order of time. */
  eachThread(visit: (thread: number, rows: Uint32Array) => void): void {
    const { thread, begin, end } = this;
    const rows = Uint32Array.from({ length: this.count }, (_, row) => row).sort(
      (a, b) =>
        (thread[a] ?? 0) - (thread[b] ?? 0) ||
        (begin[a] ?? 0) - (begin[b] ?? 0) ||
        (end[b] ?? 0) - (end[a] ?? 0) ||
        a - b,
    );
    for (let from = 0, to = 0; from < rows.length; from = to) {
      const one = thread[rows[from] ?? 0] ?? 0;
      while (to < rows.length && thread[rows[to] ?? 0] === one) to++;
      visit(one, rows.subarray(from, to));
    }
  }

  /** The rows of one thread as intervals and waits. `ownerOf` gives a thread's index by the importer's row of it. */
  layOut(rows: Uint32Array, paths: PathTable, ownerOf: (thread: number) => number): SampledRows {
    const laid = new SampledRows(paths);
    const waits: number[] = [];
    let sample = -1;
    let now = -Infinity;
    const emit = (row: number, begin: number, end: number): void => {
      if (!laid.push(begin, end, this.path[row] ?? 0, 0)) return;
      const at = laid.rows.count - 1;
      const what = this.what[row];
      laid.rows.node[at] = this.node[row] ?? 0;
      if (what === Stretch.Wait) laid.rows.state[at] = IntervalState.Wait;
      else if (what === Stretch.Idle) laid.rows.state[at] = IntervalState.InferredWait;
      else if (what === Stretch.Cpu) laid.rows.cpu[at] = end - begin;
      if (what === Stretch.Allocation) laid.rows.allocatedBytes[at] = this.amount[row] ?? 0;
      // A capture counts once, however many pieces it is shown in.
      if (what !== Stretch.Wait) laid.rows.samples[at] = this.samples[row] ?? 0;
      this.samples[row] = 0;
    };
    const advance = (to: number): void => {
      while (now < to) {
        const wait = waits.at(-1);
        if (wait !== undefined) {
          const end = this.end[wait] ?? 0;
          if (end <= now) waits.pop();
          else {
            const stop = Math.min(end, to);
            emit(wait, now, stop);
            now = stop;
          }
        } else if (sample >= 0) {
          const stop = Math.min(this.end[sample] ?? 0, to);
          const begin = Math.max(now, this.begin[sample] ?? 0);
          if (stop > begin) emit(sample, begin, stop);
          if ((this.end[sample] ?? 0) <= to) sample = -1;
          now = Math.max(now, stop);
        } else now = to;
      }
    };
    for (const row of rows) {
      const begin = this.begin[row] ?? 0;
      advance(begin);
      now = Math.max(now, begin);
      const what = this.what[row];
      if (what === Stretch.Allocation) emit(row, now, now);
      else if (what === Stretch.Wait) {
        waits.push(row);
        const at = laid.waits.push(begin, this.end[row] ?? 0, this.kind[row] ?? 0, this.path[row] ?? 0);
        laid.waits.type[at] = this.type[row] ?? 0;
        laid.waits.object[at] = this.amount[row] ?? 0;
        const owner = this.owner[row] ?? -1;
        if (owner >= 0) laid.waits.owner[at] = ownerOf(owner);
      } else sample = row;
    }
    advance(Infinity);
    return laid;
  }

  #grow(): void {
    const size = nextCapacity(this.begin.length, this.count + 1);
    this.thread = grown(this.thread, size);
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.path = grown(this.path, size);
    this.node = grown(this.node, size);
    this.what = grown(this.what, size);
    this.kind = grown(this.kind, size);
    this.type = grown(this.type, size);
    this.owner = grown(this.owner, size);
    this.amount = grown(this.amount, size);
    this.samples = grown(this.samples, size);
  }
}

/** Rows of these kinds in order of thread and end. */
export function rowsByEnd(stretches: Stretches, kinds: readonly Stretch[]): Uint32Array {
  const { thread, end } = stretches;
  const rows = new Uint32Array(stretches.count);
  let count = 0;
  for (let row = 0; row < stretches.count; row++)
    if (kinds.includes(stretches.what[row] as Stretch)) rows[count++] = row;
  return rows
    .subarray(0, count)
    .sort((a, b) => (thread[a] ?? 0) - (thread[b] ?? 0) || (end[a] ?? 0) - (end[b] ?? 0) || a - b);
}

/**
 * How long samples stand: each for the time since its thread's one before, and for the usual time where that is much longer.
 * `rows` are samples in order of thread and end: their begins are set.
 */
export function stretchSamples(
  stretches: Stretches,
  rows: ArrayLike<number>,
  usualOf: (what: number) => number,
): void {
  /** A gap between neighbours that is longer than so many usual ones is none of the later one's time. */
  const mostIntervals = 1.5;
  let thread = -1;
  let last = -Infinity;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0;
    const end = stretches.end[row] ?? 0;
    if (stretches.thread[row] !== thread) {
      thread = stretches.thread[row] ?? 0;
      last = -Infinity;
    }
    const length = usualOf(stretches.what[row] ?? 0) * Math.max(1, stretches.samples[row] ?? 1);
    stretches.begin[row] = end - last <= length * mostIntervals ? last : end - length;
    last = end;
  }
}

/** The median of what lies between neighbours of a thread; `fallback` where no thread has two. */
export function usualInterval(stretches: Stretches, rows: ArrayLike<number>, fallback: number): number {
  const gaps = new Float64Array(rows.length);
  let count = 0;
  for (let at = 1; at < rows.length; at++) {
    const [before, row] = [rows[at - 1] ?? 0, rows[at] ?? 0];
    const gap = (stretches.end[row] ?? 0) - (stretches.end[before] ?? 0);
    if (stretches.thread[row] === stretches.thread[before] && gap > 0 && isTime(gap)) gaps[count++] = gap;
  }
  return count > 0 ? (gaps.subarray(0, count).sort()[count >> 1] ?? fallback) : fallback;
}
