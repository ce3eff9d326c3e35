/**
 * What threads did, from the scheduler's events of all cores: stretches in which each ran, waited for a core or slept,
 * and who ended its sleeps.
 *
 * Cost: one pass over all events, and a merge of those of the threads that are asked for. 35 bytes a stretch.
 */
import { grown } from '../assemble/grow.js';
import { sortRows } from '../assemble/sort-rows.js';
import { type SwitchRows, type WakeRows } from './kernel-events.js';
import { isAsleep, SchedState } from './kernel-sink.js';

/** In order of time, without overlap. */
export class ThreadStates {
  count = 0;
  begin = new Float64Array(16);
  end = new Float64Array(16);
  state = new Uint8Array(16);
  /** Where it ran; −1 of what is no running. */
  core = new Int16Array(16);
  /** Of a sleep, who ended it: a tid, 0 unknown, `interruptWaker`. */
  waker = new Int32Array(16);
  /** Where it ran: a `storedPriority`, else 0. */
  priority = new Uint8Array(16);

  push(begin: number, end: number, state: number, core: number, waker: number, priority = 0): void {
    if (!(end > begin)) return;
    const row = this.count;
    if (row === this.begin.length) this.#grow();
    this.begin[row] = begin;
    this.end[row] = end;
    this.state[row] = state;
    this.core[row] = core;
    this.waker[row] = waker;
    this.priority[row] = priority;
    this.count = row + 1;
  }

  /** First stretch that ends after `ns`. */
  firstAfter(ns: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.end[middle] as number) > ns) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** ns of [from, to) by SchedState; what no stretch covers is in none. */
  timesIn(from: number, to: number, into: Float64Array): void {
    for (let row = this.firstAfter(from); row < this.count && (this.begin[row] as number) < to; row++) {
      const state = this.state[row] as number;
      const length = Math.min(to, this.end[row] as number) - Math.max(from, this.begin[row] as number);
      into[state] = (into[state] as number) + length;
    }
  }

  #grow(): void {
    const size = this.begin.length * 2;
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.state = grown(this.state, size);
    this.core = grown(this.core, size);
    this.waker = grown(this.waker, size);
    this.priority = grown(this.priority, size);
  }
}

/** A state and a core are one number: the state is less than this. */
const coreFactor = 8;
/** So are a priority and a core: the priority as columns have it is less than this. */
const priorityFactor = 256;

/** Kinds of events, in the order in which those of the same time are taken. */
const what = { away: 0, onto: 1, woken: 2, disk: 3 };

/** One thread's events, cores interleaved, in columns that were made as long as they will be. */
class Gathered {
  count = 0;
  readonly time: Float64Array;
  readonly what: Uint8Array;
  /** Of a switch from the thread its state and the core, of one to it priority and core, else the waker. */
  readonly detail: Int32Array;

  constructor(events: number) {
    this.time = new Float64Array(events);
    this.what = new Uint8Array(events);
    this.detail = new Int32Array(events);
  }

  push(time: number, kind: number, detail: number): void {
    const row = this.count++;
    this.time[row] = time;
    this.what[row] = kind;
    this.detail[row] = detail;
  }
}

/** How many events each of the threads has. */
function counted(
  tids: Iterable<number>,
  columns: readonly (readonly [Int32Array, number])[],
): Map<number, number> {
  const counts = new Map<number, number>();
  for (const tid of tids) if (tid > 0) counts.set(tid, 0);
  for (const [column, rows] of columns)
    for (let row = 0; row < rows; row++) {
      const tid = column[row] as number;
      const before = counts.get(tid);
      if (before !== undefined) counts.set(tid, before + 1);
    }
  return counts;
}

/**
 * Stretches by tid, of the threads of these tids. `endNs`: when the trace ended, up to which the last ones last. `ranAt`: when
 * a thread is known to have run before its first event, by what it wrote into the trace.
 */
export function threadStates(
  switches: SwitchRows,
  wakes: WakeRows,
  disk: WakeRows,
  tids: Iterable<number>,
  endNs: number,
  ranAt?: ReadonlyMap<number, number>,
): Map<number, ThreadStates> {
  const counts = counted(tids, [
    [switches.previous, switches.count],
    [switches.next, switches.count],
    [wakes.tid, wakes.count],
    [disk.tid, disk.count],
  ]);
  const gathered = new Map<number, Gathered>();
  for (const [tid, events] of counts) if (events > 0) gathered.set(tid, new Gathered(events));
  for (let row = 0; row < switches.count; row++) {
    const time = switches.time[row] as number;
    const core = switches.core[row] as number;
    const left = (switches.state[row] as number) + core * coreFactor;
    gathered.get(switches.previous[row] as number)?.push(time, what.away, left);
    gathered
      .get(switches.next[row] as number)
      ?.push(time, what.onto, (switches.priority[row] as number) + core * priorityFactor);
  }
  for (let row = 0; row < wakes.count; row++)
    gathered
      .get(wakes.tid[row] as number)
      ?.push(wakes.time[row] as number, what.woken, wakes.waker[row] as number);
  for (let row = 0; row < disk.count; row++)
    gathered.get(disk.tid[row] as number)?.push(disk.time[row] as number, what.disk, 0);
  const states = new Map<number, ThreadStates>();
  for (const [tid, events] of gathered) states.set(tid, stretches(events, endNs, ranAt?.get(tid)));
  return states;
}

function stretches(events: Gathered, endNs: number, ranAt = Infinity): ThreadStates {
  const made = new ThreadStates();
  const order = sortRows(events.time, events.count);
  // Before its first event nothing is known of a thread, unless it wrote something and was then switched from.
  let since = NaN;
  let state: number = SchedState.Dead;
  let core = -1;
  let priority = 0;
  const first = order[0] as number;
  if (events.what[first] === what.away && ranAt < (events.time[first] as number)) {
    since = ranAt;
    state = SchedState.Running;
    core = Math.floor((events.detail[first] as number) / coreFactor);
  }
  for (const row of order) {
    const time = events.time[row] as number;
    const detail = events.detail[row] as number;
    switch (events.what[row]) {
      case what.onto:
        if (since === since) made.push(since, time, state, core, 0, priority);
        [since, state, core] = [time, SchedState.Running, Math.floor(detail / priorityFactor)];
        priority = detail % priorityFactor;
        break;
      case what.away:
        // Not on a core before, where its switch to it was lost: then nothing is known up to here.
        if (since === since && state === SchedState.Running) made.push(since, time, state, core, 0, priority);
        [state, core, priority] = [detail % coreFactor, -1, 0];
        since = state === SchedState.Dead ? NaN : time;
        break;
      case what.woken:
        if (since !== since) [since, state, core] = [time, SchedState.Runnable, -1];
        else if (isAsleep(state)) {
          made.push(since, time, state, -1, detail);
          [since, state] = [time, SchedState.Runnable];
        }
        break;
      default: {
        // It is told as the sleep ends, before or after the wake-up.
        if (state === SchedState.Uninterruptible) state = SchedState.Io;
        else if (made.state[made.count - 1] === SchedState.Uninterruptible)
          made.state[made.count - 1] = SchedState.Io;
      }
    }
  }
  if (since === since) made.push(since, endNs, state, core, 0, priority);
  return made;
}
