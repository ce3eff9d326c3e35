import { IntervalState } from '../model/trace.js';
import { endTop, type EventColumns } from './event-columns.js';
import { grown } from './grow.js';
import { IntervalTable } from './intervals.js';

/** Finds or makes the path that a call of a method adds to a path. */
export interface PathSource {
  child(parent: number, method: number): number;
}

/** What was not as it should be, counted. */
export interface ReplayFaults {
  /** Ends without a call that they could end. */
  unmatchedEnds: number;
  /** Calls closed because one that contains them ended. */
  cut: number;
  /** Calls still open at the end. */
  leftOpen: number;
  /** Calls deeper than the model holds. */
  tooDeep: number;
}

const maxDepth = 65535;

/**
 * Exact begin and end events of one thread → its intervals, by keeping the stack.
 *
 * An interval ends at each event; a call that began and ended at one time gets an interval of no length, so that
 * no call is lost. `keep` is how deep the stack stayed since the interval before. What is open at the end is closed there.
 *
 * Cost: one step an event, one path look-up a begin. Memory: the rows made, plus the stack.
 */
export class Replay {
  readonly rows = new IntervalTable();
  /** Whether any event carried a CPU clock that moved. */
  hasCpu = false;
  readonly faults: ReplayFaults = { unmatchedEnds: 0, cut: 0, leftOpen: 0, tooDeep: 0 };
  readonly #paths: PathSource;
  readonly #within: ((method: number) => number) | undefined;
  #depth = 0;
  #stackPath = new Int32Array(64);
  #stackMethod = new Int32Array(64);
  /** When a slice ends, with or without an end event; Infinity for calls that wait for one. Never later than its parent's. */
  #deadline = new Float64Array(64);
  /** 1 where the call came as a slice. */
  #isSlice = new Uint8Array(64);
  /** CPU clock at a slice's deadline, NaN unknown. */
  #deadlineCpu = new Float64Array(64);
  /** 1 of a call that came with the one around it: both begin and end together. */
  #isWithin = new Uint8Array(64);
  #kept = 0;
  #last = 0;
  #lastCpu = NaN;
  #skipped = 0;

  /** `within`: by method, another one that each of its calls is made in, and that no event tells of; −1: none. */
  constructor(paths: PathSource, within?: (method: number) => number) {
    this.#paths = paths;
    this.#within = within;
  }

  /** Replays all events, and closes what is open at `endNs`. */
  run(events: EventColumns, endNs: number): void {
    events.order();
    this.rows.reserve(mostRows(events));
    if (events.sliceCount > 0) this.#mixed(events);
    else this.#plain(events);
    if (this.#depth > 0) {
      for (let depth = 1; depth <= this.#depth; depth++)
        if (this.#isWithin[depth] === 0) this.faults.leftOpen++;
      while (this.#depth > 0) this.#exit(Math.max(endNs, this.#last), NaN);
    }
  }

  #plain(events: EventColumns): void {
    const { count, time, what, cpu } = events;
    const withCpu = cpu.length > 0;
    for (let row = 0; row < count; row++) {
      const kind = what[row] ?? 0;
      const at = time[row] ?? 0;
      const used = withCpu ? (cpu[row] ?? NaN) : NaN;
      if (kind >= 0) this.#enter(at, kind, used, Infinity);
      else this.#end(at, kind, used);
    }
  }

  /** Events and slices together. At one time: ends, then begins of slices, longest first, then begin events. */
  #mixed(events: EventColumns): void {
    events.orderSlices();
    const { count, time, what, cpu, sliceCount, sliceBegin, sliceEnd, sliceMethod, sliceCpu, sliceCpuEnd } =
      events;
    const withCpu = cpu.length > 0;
    let row = 0;
    let slice = 0;
    while (row < count || slice < sliceCount) {
      const eventAt = row < count ? (time[row] ?? 0) : Infinity;
      const sliceAt = slice < sliceCount ? (sliceBegin[slice] ?? 0) : Infinity;
      const kind = what[row] ?? 0;
      if (eventAt < sliceAt || (eventAt === sliceAt && kind < 0)) {
        this.#expire(eventAt);
        const used = withCpu ? (cpu[row] ?? NaN) : NaN;
        if (kind >= 0) this.#enter(eventAt, kind, used, Infinity);
        else this.#end(eventAt, kind, used);
        row++;
      } else {
        this.#expire(sliceAt);
        const used = slice < sliceCpu.length ? (sliceCpu[slice] ?? NaN) : NaN;
        this.#enter(sliceAt, sliceMethod[slice] ?? 0, used, sliceEnd[slice] ?? sliceAt);
        if (used === used) this.#deadlineCpu[this.#depth] = sliceCpuEnd[slice] ?? NaN;
        slice++;
      }
    }
    this.#expire(Infinity);
  }

  /** Ends the slices whose time has come, innermost first. */
  #expire(now: number): void {
    while (this.#depth > 0) {
      const deadline = this.#deadline[this.#depth] ?? Infinity;
      if (deadline > now || deadline === Infinity) return;
      this.#exit(deadline, this.#deadlineCpu[this.#depth] ?? NaN);
    }
  }

  #enter(at: number, method: number, used: number, deadline: number): void {
    const within = this.#within?.(method) ?? -1;
    const isWithin = within >= 0 && this.#depth + 1 < maxDepth;
    if (isWithin) this.#push(at, within, used, deadline);
    this.#push(at, method, used, deadline);
    if (isWithin) this.#isWithin[this.#depth] = 1;
  }

  #push(at: number, method: number, used: number, deadline: number): void {
    if (this.#depth >= maxDepth) {
      this.faults.tooDeep++;
      if (deadline === Infinity) this.#skipped++;
      return;
    }
    this.#upTo(at, used);
    const parent = this.#depth > 0 ? (this.#stackPath[this.#depth] ?? 0) : 0;
    const limit = this.#depth > 0 ? (this.#deadline[this.#depth] ?? Infinity) : Infinity;
    if (deadline > limit && deadline !== Infinity) this.faults.cut++;
    this.#depth++;
    if (this.#depth === this.#stackPath.length) this.#grow();
    this.#stackPath[this.#depth] = this.#paths.child(parent, method);
    this.#stackMethod[this.#depth] = method;
    this.#deadline[this.#depth] = Math.min(deadline, limit);
    this.#isSlice[this.#depth] = deadline === Infinity ? 0 : 1;
    this.#isWithin[this.#depth] = 0;
    this.#deadlineCpu[this.#depth] = NaN;
  }

  #end(at: number, kind: number, used: number): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    let depth = this.#depth;
    if (kind === endTop) {
      // The innermost call that waits for an end event: slices above it end with it.
      while (depth > 0 && this.#isSlice[depth] === 1) depth--;
    } else {
      const method = -2 - kind;
      while (depth > 0 && (this.#stackMethod[depth] !== method || this.#isSlice[depth] === 1)) depth--;
    }
    if (depth === 0) {
      this.faults.unmatchedEnds++;
      return;
    }
    this.faults.cut += this.#depth - depth;
    if (this.#isWithin[depth] === 1) depth--;
    while (this.#depth >= depth) this.#exit(at, used);
  }

  #exit(at: number, used: number): void {
    this.#upTo(at, used);
    const depth = this.#depth;
    if (this.#kept < depth) {
      // No interval holds this call yet: it began and ended at one time.
      this.rows.push(at, at, this.#stackPath[depth] ?? 0, this.#kept, IntervalState.Evidence);
      this.#kept = depth;
    }
    this.#depth = depth - 1;
    if (this.#kept > depth - 1) this.#kept = depth - 1;
  }

  /** Closes the interval that lasted until now. */
  #upTo(at: number, used: number): void {
    const last = this.#last;
    const spent = used - this.#lastCpu;
    if (this.#depth > 0 && (at > last || spent > 0)) {
      const path = this.#stackPath[this.#depth] ?? 0;
      const row = this.rows.push(last, at, path, this.#kept, IntervalState.Evidence);
      if (spent > 0) {
        this.rows.cpu[row] = spent;
        this.hasCpu = true;
      }
      this.#kept = this.#depth;
    }
    this.#last = at;
    if (used === used) this.#lastCpu = used;
  }

  #grow(): void {
    const size = this.#stackPath.length * 2;
    this.#stackPath = grown(this.#stackPath, size);
    this.#stackMethod = grown(this.#stackMethod, size);
    this.#deadline = grown(this.#deadline, size);
    this.#isSlice = grown(this.#isSlice, size);
    this.#isWithin = grown(this.#isWithin, size);
    this.#deadlineCpu = grown(this.#deadlineCpu, size);
  }
}

/** At most so many intervals come of events: one where time passes, one for each call of no length. */
function mostRows(events: EventColumns): number {
  const { count, time, what, sliceCount } = events;
  let rows = sliceCount * 2;
  for (let row = 1; row < count; row++) {
    if (time[row] !== time[row - 1]) rows++;
    else if ((what[row] ?? 0) < 0 && (what[row - 1] ?? 0) >= 0) rows++;
  }
  return rows + 1;
}
