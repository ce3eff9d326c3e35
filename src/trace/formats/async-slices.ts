import type { EventBuilder, EventThread } from '../build/event-builder.js';
import { madeOfSlice } from '../build/event-columns.js';
import { counted } from '../model/counted.js';

/** So many tracks for slices that overlap; what does not fit in them is cut at its neighbour. */
const maxLanes = 32;
/** So many names get tracks of their own, the rest share one. */
const maxGroups = 256;
/** An estimate: a key, an object, and the slice that it becomes. */
const sliceBytes = 150 + madeOfSlice;

/**
 * Slices that belong to no thread: requests, frames, jobs. They overlap, so they are laid out on as many tracks as
 * they need, those of one name together.
 */
export class AsyncSlices {
  readonly #builder: EventBuilder;
  readonly #open = new Map<string, { pid: number; begun: { time: number; method: number }[] }>();
  readonly #done: { pid: number; begin: number; end: number; method: number }[] = [];
  #unmatched = 0;

  constructor(builder: EventBuilder) {
    this.#builder = builder;
  }

  get memoryBytes(): number {
    return sliceBytes * (this.#open.size + this.#done.length);
  }

  begin(pid: number, id: number | string, time: number, method: number): void {
    const key = `${pid} ${id} ${method}`;
    const open = this.#open.get(key);
    if (open === undefined) this.#open.set(key, { pid, begun: [{ time, method }] });
    else open.begun.push({ time, method });
  }

  end(pid: number, id: number | string, time: number, method: number): void {
    const begun = this.#open.get(`${pid} ${id} ${method}`)?.begun.pop();
    if (begun === undefined) this.#unmatched++;
    else this.#done.push({ pid, begin: begun.time, end: time, method });
  }

  finish(nameOf: (method: number) => string): void {
    if (this.#unmatched > 0)
      this.#builder.remark(
        counted(
          this.#unmatched,
          'asynchronous end had no begin; it was left out',
          'asynchronous ends had no begin; they were left out',
        ),
      );
    for (const { pid, begun } of this.#open.values())
      for (const { time, method } of begun) this.#done.push({ pid, begin: time, end: Infinity, method });
    this.#done.sort((a, b) => a.begin - b.begin || (a.end === b.end ? 0 : b.end - a.end));
    const groups = new Map<string, { thread: EventThread; until: number }[]>();
    for (const { pid, begin, end, method } of this.#done) {
      let key = `${pid} ${method}`;
      if (!groups.has(key) && groups.size >= maxGroups) key = 'rest';
      let lanes = groups.get(key);
      if (lanes === undefined) groups.set(key, (lanes = []));
      let lane = lanes.find((candidate) => candidate.until <= begin);
      if (lane === undefined && lanes.length < maxLanes) {
        const name = key === 'rest' ? 'asynchronous' : nameOf(method);
        lane = {
          thread: this.#builder.thread(0, pid, lanes.length === 0 ? name : `${name} ${lanes.length + 1}`),
          until: -Infinity,
        };
        lanes.push(lane);
      }
      lane ??= lanes[0];
      if (lane === undefined) continue;
      // What nobody ended ends with the trace, as calls do.
      if (end === Infinity) lane.thread.events.push(begin, method);
      else lane.thread.events.slice(begin, Math.max(begin, end), method);
      lane.until = Math.max(lane.until, end);
    }
  }
}
