/** The process's own counters over time. */
import { type CounterTrack } from '../model/trace.js';
import { grown, nextCapacity } from './grow.js';

export class CounterTable implements CounterTrack {
  count = 0;
  time = new Float64Array(0);
  value = new Float64Array(0);

  constructor(
    readonly name: string,
    readonly unit: string,
  ) {}

  /** Both as differences, each block from 0. */
  add(timeSteps: readonly number[], valueSteps: readonly number[]): void {
    const rows = Math.min(timeSteps.length, valueSteps.length);
    const needed = this.count + rows;
    if (needed > this.time.length) {
      const size = nextCapacity(this.time.length, needed);
      this.time = grown(this.time, size);
      this.value = grown(this.value, size);
    }
    let time = 0;
    let value = 0;
    for (let row = 0; row < rows; row++) {
      time += timeSteps[row] as number;
      value += valueSteps[row] as number;
      this.time[this.count] = time;
      this.value[this.count++] = value;
    }
  }
}
