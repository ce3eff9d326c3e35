/**
 * Counters of a system trace: of the device, or of one of its processes. A trace has them for hundreds of processes; those of
 * processes that are shown stay.
 */
import type { EventBuilder } from '../assemble/event-builder.js';
import { EventCounter, mostCounters } from '../assemble/event-counter.js';

export class SystemCounters {
  readonly #tracks = new Map<string, { readonly pid: number; readonly counter: EventCounter }>();
  #leftOut = 0;

  get memoryBytes(): number {
    let bytes = 0;
    for (const { counter } of this.#tracks.values()) bytes += counter.memoryBytes;
    return bytes;
  }

  /** `pid`: 0 for the device. */
  add(pid: number, name: string, unit: string, time: number, value: number): void {
    const key = `${pid} ${name}`;
    let track = this.#tracks.get(key);
    if (track === undefined) {
      if (this.#tracks.size >= mostCounters) {
        this.#leftOut++;
        return;
      }
      this.#tracks.set(key, (track = { pid, counter: new EventCounter(name, unit) }));
    }
    track.counter.push(time, value);
  }

  /** `pid`: 0 for all processes together. */
  addGpuMemory(pid: number, time: number, bytes: number): void {
    this.add(pid, pid === 0 ? 'GPU memory, all processes' : 'GPU memory', 'bytes', time, bytes);
  }

  /** `processes`: those that are shown; none: nothing but counters is in the trace. */
  finish(
    builder: EventBuilder,
    processes: ReadonlySet<number>,
    nameOf: (pid: number) => string | undefined,
  ): void {
    for (const { pid, counter } of this.#tracks.values()) {
      if (pid !== 0 && processes.size > 0 && !processes.has(pid)) continue;
      if (pid !== 0 && processes.size !== 1) counter.name += ` (${nameOf(pid) ?? pid})`;
      builder.counters.push(counter);
    }
    builder.leaveOutCounterValues(this.#leftOut);
  }
}
