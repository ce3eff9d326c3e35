import { IntervalState, type Waits, type Paths } from '../model/trace.js';
import { grown } from './grow.js';
import { IntervalTable } from './intervals.js';
import { isTime } from './number-gate.js';
import { isAsleep, SchedState } from '../system/kernel-sink.js';

/**
 * When one thread was on a CPU, ready for one, or asleep: stretches in order of time, without overlap.
 * Memory: 21 bytes a stretch.
 */
export class Schedule {
  count = 0;
  begin = new Float64Array(32);
  end = new Float64Array(32);
  state = new Uint8Array(32);
  /** The link to who woke it, as `EventBuilder.link` numbered it; −1 unknown. */
  link = new Int32Array(32);

  push(begin: number, end: number, state: number, link: number): void {
    const row = this.count;
    if (!isTime(begin) || !isTime(end) || end <= begin || (row > 0 && begin < (this.end[row - 1] ?? 0)))
      return;
    if (row === this.begin.length) {
      const size = row * 2;
      this.begin = grown(this.begin, size);
      this.end = grown(this.end, size);
      this.state = grown(this.state, size);
      this.link = grown(this.link, size);
    }
    this.begin[row] = begin;
    this.end[row] = end;
    this.state[row] = state;
    this.link[row] = link;
    this.count = row + 1;
  }
}

export interface Scheduled {
  readonly rows: IntervalTable;
  readonly waits: Waits;
}

/**
 * Lays a thread's schedule over its intervals: they are split where the thread went to sleep or woke, CPU time is the
 * overlap with the stretches on a CPU, and each sleep is a block (F42: wall = CPU + waiting). Time outside all calls
 * that the schedule knows becomes intervals of the root.
 *
 * Cost: one step an interval and a stretch. Rows: at most their sum.
 */
export function applySchedule(from: IntervalTable, schedule: Schedule, paths: Paths): Scheduled {
  const rows = new IntervalTable();
  const sleeps = new SleepRows();
  let at = 0;
  const stretch = (begin: number, end: number, path: number, keep: number): void => {
    while (at < schedule.count && (schedule.end[at] ?? 0) <= begin) at++;
    const depth = paths.depth[path] ?? 0;
    let now = begin;
    let kept = keep;
    for (let s = at; now < end && s < schedule.count && (schedule.begin[s] ?? 0) < end; s++) {
      const runBegin = Math.max(now, schedule.begin[s] ?? 0);
      const runEnd = Math.min(end, schedule.end[s] ?? 0);
      const state = schedule.state[s] ?? SchedState.Running;
      if (runBegin > now && depth > 0) {
        rows.push(now, runBegin, path, kept, IntervalState.Evidence);
        kept = depth;
      }
      const asleep = isAsleep(state);
      const row = rows.push(
        runBegin,
        runEnd,
        path,
        kept,
        asleep ? IntervalState.Wait : IntervalState.Evidence,
      );
      kept = depth;
      if (state === SchedState.Running) rows.cpu[row] = runEnd - runBegin;
      else if (asleep) sleeps.push(runBegin, runEnd, path, schedule.link[s] ?? -1);
      now = runEnd;
    }
    if (now < end && depth > 0) rows.push(now, end, path, kept, IntervalState.Evidence);
  };

  let outside = -Infinity;
  for (let i = 0; i < from.count; i++) {
    const begin = from.begin[i] ?? 0;
    const end = from.end[i] ?? 0;
    if (outside < begin) stretch(outside, begin, 0, 0);
    if (begin === end) rows.push(begin, end, from.path[i] ?? 0, from.keep[i] ?? 0, IntervalState.Evidence);
    else stretch(begin, end, from.path[i] ?? 0, from.keep[i] ?? 0);
    outside = end;
  }
  stretch(outside, Infinity, 0, 0);
  return { rows, waits: sleeps.finish() };
}

class SleepRows {
  #begin: number[] = [];
  #end: number[] = [];
  #path: number[] = [];
  #link: number[] = [];

  push(begin: number, end: number, path: number, link: number): void {
    const last = this.#begin.length - 1;
    // One sleep stays one block, however many events of the trace fall into it.
    if (last >= 0 && this.#end[last] === begin && this.#path[last] === path) this.#end[last] = end;
    else {
      this.#begin.push(begin);
      this.#end.push(end);
      this.#path.push(path);
      this.#link.push(link);
    }
  }

  finish(): Waits {
    const count = this.#begin.length;
    return {
      count,
      begin: Float64Array.from(this.#begin),
      end: Float64Array.from(this.#end),
      // SampleKind.UNKNOWN: the scheduler does not say what was waited for.
      kind: new Uint8Array(count),
      path: Int32Array.from(this.#path),
      type: new Uint32Array(count),
      object: new Float64Array(count),
      owner: new Uint32Array(count),
      flags: new Uint16Array(count),
      link: Int32Array.from(this.#link),
    };
  }
}
