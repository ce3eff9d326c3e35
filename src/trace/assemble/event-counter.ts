import type { CounterTrack } from '../model/trace.js';
import { grown } from './grow.js';
import { isTime, isValue } from './number-gate.js';
import { gather, sortRows } from './sort-rows.js';

/** A file decides how many it names, and the page draws a row for each: those beyond are left out. */
export const mostCounters = 4096;
/** Estimates: an object with its columns, a row of them. */
const counterBytes = 600;
const pointBytes = 16;

/** A counter of a foreign trace. Points may come in any order, as those of the kernel do, core by core. */
export class EventCounter {
  count = 0;
  time = new Float64Array(16);
  value = new Float64Array(16);
  /** Points whose time or value is no number: they are left out. */
  refused = 0;

  constructor(
    public name: string,
    public unit: string,
  ) {}

  get memoryBytes(): number {
    return counterBytes + 2 * this.name.length + pointBytes * this.count;
  }

  push(time: number, value: number): void {
    if (!isTime(time) || !isValue(value)) {
      this.refused++;
      return;
    }
    if (this.count === this.time.length) {
      this.time = grown(this.time, this.count * 2);
      this.value = grown(this.value, this.count * 2);
    }
    this.time[this.count] = time;
    this.value[this.count++] = value;
  }

  /** In order of time, counted from `first`. Points of the same time stay as they came. */
  finish(first: number): CounterTrack {
    const { name, unit, count } = this;
    const rows = sortRows(this.time, count);
    const time = gather(this.time, rows, new Float64Array(count));
    for (let row = 0; row < count; row++) time[row] = (time[row] as number) - first;
    return { name, unit, count, time, value: gather(this.value, rows, new Float64Array(count)) };
  }
}

/** In place of those that are too many. */
export class LeftOutCounter extends EventCounter {
  values = 0;

  constructor() {
    super('', '');
  }

  override push(): void {
    this.values++;
  }
}
