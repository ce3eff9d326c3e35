/**
 * Counters of a system's trace → the recording's own counters: of the kernel, and of programs that print them
 * ("C|pid|name|value"). Memory: a name a counter, and the values of one period.
 */
import { sortRows } from '../assemble/sort-rows.js';
import { readAtrace } from '../formats/atrace.js';
import { Counters } from '../recording/messages.js';
import { mostCountersLeftOut } from '../recording/scheduling.js';
import { textOf } from '../recording/text.js';
import type { CountedValue } from './kernel-events.js';
import { KernelCounter } from './kernel-sink.js';

/** A device counts for hundreds of processes. Those that come first are kept (docs/SYSTEM.md). */
const mostCounters = 200;
const mostNameLetters = 200;

/** By the kernel's numbers of the kinds. */
export const residentMemoryWords = [
  'resident memory, files',
  'resident memory, anonymous',
  'memory in swap',
  'resident memory, shared',
];

interface Values {
  readonly name: string;
  readonly unit: string;
  readonly time: number[];
  readonly value: number[];
}

export class CountedValues {
  readonly #nameOf: (pid: number) => string;
  readonly #pidOf: (tid: number) => number;
  readonly #counters = new Map<string, Values>();
  readonly #names = new Set<string>();
  readonly #leftOut = new Set<string>();

  /** `nameOf`: of a process, or its number. `pidOf`: of a thread, 0 where that is not known. */
  constructor(nameOf: (pid: number) => string, pidOf: (tid: number) => number) {
    this.#nameOf = nameOf;
    this.#pidOf = pidOf;
  }

  add({ time, tid, what, id, value }: CountedValue): void {
    if (what === KernelCounter.GpuFrequency) this.#push(0, `frequency of GPU ${id}`, 'kHz', time, value);
    else if (what === KernelCounter.GpuMemory) this.#push(id, 'GPU memory', 'bytes', time, value);
    else {
      const words = residentMemoryWords[id];
      const pid = this.#pidOf(tid);
      if (words !== undefined && pid > 0) this.#push(pid, words, 'bytes', time, value);
    }
  }

  /** What a program printed, where it is a counter. */
  addPrinted(time: number, bytes: Uint8Array): void {
    const event = readAtrace(bytes, 0, bytes.length);
    if (event?.kind !== 'C') return;
    const { pid, nameFrom, nameTo, value } = event;
    const name = textOf(bytes.subarray(nameFrom, nameTo)).slice(0, mostNameLetters);
    this.#push(pid, name, '', time, value);
  }

  /** `pid`: 0 of the device. A process's counters never have the name of one of the agent's. */
  #push(pid: number, name: string, unit: string, time: number, value: number): void {
    const whole = Math.round(value);
    // A recording has no larger numbers.
    if (!Number.isSafeInteger(whole)) return;
    const key = `${pid} ${name}`;
    let values = this.#counters.get(key);
    if (values === undefined) {
      if (this.#counters.size >= mostCounters) {
        if (this.#leftOut.size < mostCountersLeftOut) this.#leftOut.add(key);
        return;
      }
      values = { name: this.#freeName(pid, name), unit, time: [], value: [] };
      this.#counters.set(key, values);
    }
    values.time.push(time);
    values.value.push(whole);
  }

  /** A recording tells counters apart by their names, and processes may have the same one. */
  #freeName(pid: number, name: string): string {
    const of = pid > 0 ? this.#nameOf(pid) : 'device';
    const usual = `${name} (${of})`;
    const free = this.#names.has(usual) ? `${name} (${of} ${pid})` : usual;
    this.#names.add(free);
    return free;
  }

  /** How many counters are not kept, up to `mostCountersLeftOut`. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  /** A Counters message of the values since the last one; undefined where there are none. */
  take(shiftNs: number): Uint8Array | undefined {
    const blocks = [];
    for (const { name, unit, time, value } of this.#counters.values()) {
      if (time.length === 0) continue;
      const rows = sortRows(Float64Array.from(time), time.length);
      let [lastTime, lastValue] = [0, 0];
      const times: number[] = [];
      const steps: number[] = [];
      for (const row of rows) {
        const at = Math.round((time[row] as number) + shiftNs);
        times.push(at - lastTime);
        steps.push((value[row] as number) - lastValue);
        [lastTime, lastValue] = [at, value[row] as number];
      }
      blocks.push({ name, unit, time: times, value: steps });
      time.length = value.length = 0;
    }
    return blocks.length === 0 ? undefined : Counters.encode({ blocks });
  }
}
