/** The process's own counters over time. */
import { type CounterTrack } from '../model/trace.js';
import { Counters } from '../recording/messages.js';
import { grown, nextCapacity } from './grow.js';
import { cut } from './methods.js';

/** They are few; of a file that says otherwise the first ones are kept. */
export const mostCounters = 1000;

export class CounterTables {
  readonly #tables = new Map<string, CounterTable>();

  get tracks(): readonly CounterTrack[] {
    return [...this.#tables.values()];
  }

  /** Takes a message. False where there are too many counters: some were left out. */
  take(payload: Uint8Array): boolean {
    let isWhole = true;
    for (const { name, unit, time, value } of Counters.decode(payload).blocks) {
      let table = this.#tables.get(name);
      if (table === undefined) {
        if (this.#tables.size >= mostCounters) {
          isWhole = false;
          continue;
        }
        table = new CounterTable(cut(name), cut(unit));
        this.#tables.set(name, table);
      }
      table.add(time, value);
    }
    return isWhole;
  }
}

class CounterTable implements CounterTrack {
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
