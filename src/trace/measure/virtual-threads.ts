/** What virtual threads did on their carriers, and how long they waited off them: docs/MEASURES.md, "Virtual threads". */
import { ThreadKind } from '../model/kinds.js';
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import { mostOf } from './most-of.js';
import { intervalsIn, isWait, type Scope, shareIn, threadsIn } from './scope.js';
import { eachOffCarrierWait, type WaitPlace, WaitSum } from './off-carrier-waits.js';

/** A row a virtual thread, those with the most CPU time first. */
export interface VirtualThreadFigures {
  readonly count: number;
  /** Of all that were seen in the scope: more than there are rows. */
  readonly all: number;
  /** Java's, its low 32 bits. */
  readonly id: Uint32Array;
  /** The carrier that it was on first; where it was seen on none, that it came back to. */
  readonly thread: Uint32Array;
  /** Between which it was on a carrier, or waited. */
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** On carriers, without gaps. */
  readonly wall: Float64Array;
  readonly cpu: Float64Array;
  /** Of its wall time: it waited and kept its carrier. */
  readonly wait: Float64Array;
  /** The innermost method that at least half of its wall time was in, −1: none. */
  readonly method: Int32Array;
  /** Off its carriers, of 1 ms and more: how long together, how often, and the longest. */
  readonly waited: Float64Array;
  readonly waits: Uint32Array;
  readonly longest: Float64Array;
  /** What most of that was for (SampleKind), and the program's method that it was in; −1: not known. */
  readonly waitKind: Uint8Array;
  readonly waitMethod: Int32Array;
}

/** A program may have a million of them: this many are told. */
export const mostVirtualThreads = 1000;

export function isCarrier({ kind }: Pick<ThreadTrack, 'kind'>): boolean {
  return kind === ThreadKind.Carrier;
}

interface Row {
  readonly id: number;
  readonly thread: number;
  begin: number;
  end: number;
  wall: number;
  cpu: number;
  wait: number;
  readonly waited: WaitSum;
  readonly places: Map<WaitPlace, number>;
}

/** Two passes over the intervals of carriers; of threads that carry nobody nothing. */
export function virtualThreadFigures(trace: Trace, scope: Scope): VirtualThreadFigures {
  const carriers = threadsIn(trace, scope).filter(isCarrier);
  const found = new Map<number, Row>();
  for (const thread of carriers) addTimes(found, thread, trace, scope);
  addWaits(found, trace, scope);
  const rows = [...found.values()]
    .sort((a, b) => b.cpu - a.cpu || b.wall - a.wall || b.waited.total - a.waited.total || a.id - b.id)
    .slice(0, mostVirtualThreads);
  const inPath = new Map(rows.map(({ id }) => [id, new Map<number, number>()]));
  for (const thread of carriers) addPaths(inPath, thread, trace, scope);
  return {
    count: rows.length,
    all: found.size,
    id: Uint32Array.from(rows, ({ id }) => id),
    thread: Uint32Array.from(rows, ({ thread }) => thread),
    begin: Float64Array.from(rows, ({ begin }) => begin),
    end: Float64Array.from(rows, ({ end }) => end),
    wall: Float64Array.from(rows, ({ wall }) => wall),
    cpu: Float64Array.from(rows, ({ cpu }) => cpu),
    wait: Float64Array.from(rows, ({ wait }) => wait),
    method: Int32Array.from(rows, ({ id, wall }) => mostOf(inPath.get(id) ?? new Map(), wall, trace.paths)),
    waited: Float64Array.from(rows, ({ waited }) => waited.total),
    waits: Uint32Array.from(rows, ({ waited }) => waited.waits),
    longest: Float64Array.from(rows, ({ waited }) => waited.longest),
    waitKind: Uint8Array.from(rows, ({ places }) => mostWaited(places)?.kind ?? 0),
    waitMethod: Int32Array.from(rows, ({ places }) => mostWaited(places)?.method ?? -1),
  };
}

/** Says of each interval whose its time is: what was used unseen counts with the interrupt, as for methods. */
function visit(
  thread: ThreadTrack,
  trace: Trace,
  scope: Scope,
  take: (row: number, wall: number, cpu: number) => void,
): void {
  const { begin, end, cpu, state, countsWith } = thread.intervals;
  const { first, last } = intervalsIn(thread, scope, trace.endNs);
  for (let row = first; row < last; row++) {
    const from = begin[row] as number;
    const to = end[row] as number;
    const share = shareIn(from, to, scope);
    let wall = (to - from) * share;
    let used = (cpu[row] as number) * share;
    const other = countsWith[row] ?? 0;
    if (other > 0) {
      const spent = Math.min(used, wall);
      take(other, spent, used);
      wall -= spent;
      used = 0;
    }
    if (state[row] !== IntervalState.Gap) take(row, wall, used);
  }
}

function addTimes(found: Map<number, Row>, thread: ThreadTrack, trace: Trace, scope: Scope): void {
  const { message, intervals } = thread;
  visit(thread, trace, scope, (at, wall, cpu) => {
    const id = message[at] as number;
    if (id === 0) return;
    const begin = intervals.begin[at] as number;
    const end = intervals.end[at] as number;
    const row = rowOf(found, id, thread.index, begin, end);
    row.wall += wall;
    row.cpu += cpu;
    if (isWait(intervals.state[at] as number)) row.wait += wall;
  });
}

function rowOf(found: Map<number, Row>, id: number, thread: number, begin: number, end: number): Row {
  let row = found.get(id);
  if (row === undefined) {
    const [waited, places] = [new WaitSum(), new Map<WaitPlace, number>()];
    row = { id, thread, begin, end, wall: 0, cpu: 0, wait: 0, waited, places };
    found.set(id, row);
  }
  row.begin = Math.min(row.begin, begin);
  row.end = Math.max(row.end, end);
  return row;
}

function addWaits(found: Map<number, Row>, trace: Trace, scope: Scope): void {
  const waits = trace.offCarrierWaits;
  if (waits === undefined) return;
  eachOffCarrierWait(trace, scope, (at, ns, place) => {
    const begin = Math.max(waits.begin[at] as number, scope.beginNs);
    const { waited, places } = rowOf(
      found,
      waits.id[at] as number,
      waits.thread[at] as number,
      begin,
      begin + ns,
    );
    waited.add(ns);
    places.set(place, (places.get(place) ?? 0) + ns);
  });
}

function mostWaited(places: ReadonlyMap<WaitPlace, number>): WaitPlace | undefined {
  let most: WaitPlace | undefined;
  for (const [place, ns] of places) if (most === undefined || ns > (places.get(most) ?? 0)) most = place;
  return most;
}

function addPaths(
  inPath: ReadonlyMap<number, Map<number, number>>,
  thread: ThreadTrack,
  trace: Trace,
  scope: Scope,
): void {
  const { message, intervals } = thread;
  visit(thread, trace, scope, (at, wall) => {
    const sums = inPath.get(message[at] as number);
    const path = intervals.path[at] as number;
    sums?.set(path, (sums.get(path) ?? 0) + wall);
  });
}
