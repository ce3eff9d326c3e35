import type { EventBuilder, EventThread } from '../assemble/event-builder.js';
import { madeOfSlice } from '../assemble/event-columns.js';
import { grown, nextCapacity, noFloats, noInts } from '../assemble/grow.js';
import { isTime } from '../assemble/number-gate.js';
import { sortRows } from '../assemble/sort-rows.js';
import { counted } from '../model/counted.js';

/** So many tracks for slices that overlap; what does not fit in them is cut at its neighbour. */
const maxLanes = 32;
/** So many names get tracks of their own, the rest share one. */
const maxGroups = 256;
/** Estimates: a key's place in the map, beside its letters; an event's columns, with those that `finish` makes. */
const keyBytes = 220;
const eventBytes = 60;
const sliceBytes = 20 + madeOfSlice;
/** In place of a method: what began last ends. */
const ends = -1;

/**
 * Slices that belong to no thread: requests, frames, jobs. They overlap, so they are laid out on as many tracks as
 * they need, those of one name together. An end may stand before its begin in the file: threads on two cores wrote them.
 *
 * Cost: two sorts of the events. Memory: columns, as a file may have a key for each event.
 */
export class AsyncSlices {
  readonly #builder: EventBuilder;
  /** By what a begin and its end have in common: a number from 0. */
  readonly #keys = new Map<string, number>();
  #keyLetters = 0;
  #count = 0;
  #begins = 0;
  #time = noFloats;
  #pid = noFloats;
  #key = noInts;
  #method = noInts;

  constructor(builder: EventBuilder) {
    this.#builder = builder;
  }

  get memoryBytes(): number {
    const ofKeys = keyBytes * this.#keys.size + 2 * this.#keyLetters;
    return ofKeys + eventBytes * this.#count + sliceBytes * this.#begins;
  }

  begin(pid: number, id: number | string, time: number, method: number): void {
    this.#tell(`${pid} ${id} ${method}`, pid, time, method);
  }

  end(pid: number, id: number | string, time: number, method: number): void {
    this.#tell(`${pid} ${id} ${method}`, pid, time, ends);
  }

  /** Of a named track, where ends have no name. */
  beginOnTrack(pid: number, track: string, cookie: string, time: number, method: number): void {
    this.#tell(`${pid} ${cookie} | ${track}`, pid, time, method);
  }

  endOnTrack(pid: number, track: string, cookie: string, time: number): void {
    this.#tell(`${pid} ${cookie} | ${track}`, pid, time, ends);
  }

  #tell(words: string, pid: number, time: number, method: number): void {
    if (!isTime(time)) {
      this.#builder.refuseNumber();
      return;
    }
    let key = this.#keys.get(words);
    if (key === undefined) {
      this.#keys.set(words, (key = this.#keys.size));
      this.#keyLetters += words.length;
    }
    if (this.#count === this.#time.length) this.#grow();
    const row = this.#count++;
    if (method !== ends) this.#begins++;
    this.#time[row] = time;
    this.#pid[row] = pid;
    this.#key[row] = key;
    this.#method[row] = method;
  }

  #grow(): void {
    const size = nextCapacity(this.#time.length, this.#count + 1);
    this.#time = grown(this.#time, size);
    this.#pid = grown(this.#pid, size);
    this.#key = grown(this.#key, size);
    this.#method = grown(this.#method, size);
  }

  /** When what begins in each row ends: Infinity where nobody ended it. */
  #endsOfBegins(): Float64Array {
    const end = new Float64Array(this.#count).fill(Infinity);
    /** By key, the row of what began last and has not ended, −1 none; by row, the one that it began within. */
    const open = new Int32Array(this.#keys.size).fill(-1);
    const around = new Int32Array(this.#count);
    let unmatched = 0;
    for (const row of sortRows(this.#time, this.#count)) {
      const key = this.#key[row] as number;
      const last = open[key] as number;
      if (this.#method[row] !== ends) {
        around[row] = last;
        open[key] = row;
      } else if (last < 0) unmatched++;
      else {
        end[last] = this.#time[row] as number;
        open[key] = around[last] as number;
      }
    }
    if (unmatched > 0)
      this.#builder.remark(
        counted(
          unmatched,
          'asynchronous end had no begin; it was left out',
          'asynchronous ends had no begin; they were left out',
        ),
      );
    return end;
  }

  finish(nameOf: (method: number) => string): void {
    const groups = new Map<string, { thread: EventThread; until: number }[]>();
    const ended = this.#endsOfBegins();
    for (const row of sortRows(this.#time, this.#count, ended)) {
      const method = this.#method[row] as number;
      if (method === ends) continue;
      const [pid, begin, end] = [this.#pid[row] as number, this.#time[row] as number, ended[row] as number];
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
