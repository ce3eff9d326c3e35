/**
 * What a thread or a core did, laid out for drawing at any zoom: stretches without holes between them, and sums of every
 * 32nd one, so that the times within a pixel cost two bisections and at most 32 stretches at each edge of it.
 * 15 bytes a stretch.
 */
import { type SwitchRows } from './kernel-events.js';
import { type ThreadStates } from './thread-states.js';

/** What a core did. Of a thread the kinds are SchedState, and `unknownKind`. */
export const CoreUse = { Idle: 0, Program: 1, Other: 2 } as const;

/** Before the first event, after the last one, and where events were lost. */
export const unknownKind = 7;
export const stripKinds = 8;
const blockBits = 5;

export interface StripColumns {
  readonly count: number;
  /** Of each stretch; begin[count] is where the last one ends. */
  readonly begin: Float64Array;
  readonly kind: Uint8Array;
  /** Of a thread the core that it ran on, −1 none; of a core the tid of who ran, 0 none. */
  readonly detail: Int32Array;
  /** ns of each kind before each 32nd stretch. */
  readonly sums: Float64Array;
}

/** Takes stretches in order of time and fills the holes between them with unknown ones. */
class StripBuilder {
  readonly #begin: Float64Array;
  readonly #kind: Uint8Array;
  readonly #detail: Int32Array;
  #count = 0;
  #end = NaN;

  /** `most`: the most stretches that can come. */
  constructor(most: number) {
    this.#begin = new Float64Array(2 * most + 1);
    this.#kind = new Uint8Array(2 * most);
    this.#detail = new Int32Array(2 * most);
  }

  push(begin: number, end: number, kind: number, detail: number): void {
    if (!(end > begin)) return;
    if (begin > this.#end) this.#put(this.#end, unknownKind, 0);
    this.#put(begin, kind, detail);
    this.#end = end;
  }

  #put(begin: number, kind: number, detail: number): void {
    const row = this.#count++;
    this.#begin[row] = begin;
    this.#kind[row] = kind;
    this.#detail[row] = detail;
  }

  finish(): StripColumns {
    const count = this.#count;
    if (count > 0) this.#begin[count] = this.#end;
    const begin = this.#begin.slice(0, count + 1);
    const kind = this.#kind.slice(0, count);
    const blocks = (count >> blockBits) + 1;
    const sums = new Float64Array(blocks * stripKinds);
    const sum = new Float64Array(stripKinds);
    for (let row = 0; row < count; row++) {
      if ((row & ((1 << blockBits) - 1)) === 0) sums.set(sum, (row >> blockBits) * stripKinds);
      const of = kind[row] as number;
      sum[of] = (sum[of] as number) + (begin[row + 1] as number) - (begin[row] as number);
    }
    return { count, begin, kind, detail: this.#detail.slice(0, count), sums };
  }
}

export function stripOfThread(states: ThreadStates): StripColumns {
  const builder = new StripBuilder(states.count);
  for (let row = 0; row < states.count; row++)
    builder.push(
      states.begin[row] as number,
      states.end[row] as number,
      states.state[row] as number,
      states.core[row] as number,
    );
  return builder.finish();
}

/**
 * By core, who ran. A thread ran from the switch to it up to the switch from it; where these do not fit together, events
 * were lost. `own`: the tids of the program; undefined where its threads are the only ones that were seen, and all else is
 * unknown. One pass over all switches.
 */
export function stripsOfCores(
  switches: SwitchRows,
  own: ReadonlySet<number> | undefined,
): { readonly core: number; readonly strip: StripColumns }[] {
  const most = new Map<number, number>();
  for (let row = 0; row < switches.count; row++) {
    const core = switches.core[row] as number;
    most.set(core, (most.get(core) ?? 0) + 1);
  }
  const made = new Map(
    [...most].map(([core, rows]) => [core, { builder: new StripBuilder(rows), since: NaN, tid: 0 }]),
  );
  for (let row = 0; row < switches.count; row++) {
    const of = made.get(switches.core[row] as number);
    if (of === undefined) continue;
    const time = switches.time[row] as number;
    const { since, tid } = of;
    if (own === undefined) {
      // Of a thread that is not on this core: events were lost, which is told where they were.
      if (switches.next[row] === 0 && tid !== switches.previous[row]) continue;
      if (tid !== 0 && tid === switches.previous[row]) of.builder.push(since, time, CoreUse.Program, tid);
    } else if (tid === switches.previous[row]) {
      const use = tid === 0 ? CoreUse.Idle : own.has(tid) ? CoreUse.Program : CoreUse.Other;
      of.builder.push(since, time, use, tid);
    }
    of.since = time;
    of.tid = switches.next[row] as number;
  }
  return [...made]
    .map(([core, { builder }]) => ({ core, strip: builder.finish() }))
    .sort((a, b) => a.core - b.core);
}

/** The stretch that holds `time`; −1 before the first one, `count` after the last. */
export function stretchAt({ begin, count }: StripColumns, time: number): number {
  let [low, high] = [0, count + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((begin[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return count === 0 ? -1 : low - 1;
}

/** Adds the ns of each kind before `time`, `sign` times. `row` is the stretch that holds it. */
function addBefore(strip: StripColumns, time: number, row: number, sign: number, into: Float64Array): void {
  const { begin, kind, sums, count } = strip;
  if (row < 0) return;
  const upTo = Math.min(row, count);
  const block = upTo >> blockBits;
  const first = block << blockBits;
  // Of `count` rows that fill their blocks there is no sum behind the last one.
  const known = first < count || count === 0 ? block : block - 1;
  for (let of = 0; of < stripKinds; of++)
    into[of] = (into[of] as number) + sign * (sums[known * stripKinds + of] ?? 0);
  for (let at = known << blockBits; at < upTo; at++) {
    const of = kind[at] as number;
    into[of] = (into[of] as number) + sign * ((begin[at + 1] as number) - (begin[at] as number));
  }
  if (upTo >= count) return;
  const of = kind[upTo] as number;
  into[of] = (into[of] as number) + sign * (time - (begin[upTo] as number));
}

/** As `timesIn`, where the stretches that hold `from` and `to` are known. */
export function timesBetween(
  strip: StripColumns,
  from: number,
  fromRow: number,
  to: number,
  toRow: number,
  into: Float64Array,
): void {
  into.fill(0);
  addBefore(strip, to, toRow, 1, into);
  addBefore(strip, from, fromRow, -1, into);
}

/** ns of each kind in [from, to), into `into`. */
export function timesIn(strip: StripColumns, from: number, to: number, into: Float64Array): void {
  timesBetween(strip, from, stretchAt(strip, from), to, stretchAt(strip, to), into);
}
