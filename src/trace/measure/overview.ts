/**
 * What a recording says at once: which threads mattered, what held them up and who had it, messages and collections.
 * One pass over the intervals of the scope, one over its waits, and a few over the paths: docs/MEASURES.md, "Overview".
 */
import { type MainLock, mainLocks } from './main-locks.js';
import { SampleFlag, SampleKind } from '../model/kinds.js';
import type { ThreadTrack, Trace } from '../model/trace.js';
import { type LateFrames, lateFrames } from './late-frames.js';
import { hotMethods, hotWork, type HotMethods } from './hot-methods.js';
import { hangNs, messageFigures, missedFrameNs } from './messages.js';
import { isPlatform } from './platform.js';
import { isRest } from './rest.js';
import { intervalsIn, isWait, type Scope, shareIn, threadsIn } from './scope.js';
import { slowMainCalls, type SlowMainCalls } from './slow-calls.js';
import type { Sums } from './sums.js';
import { isCarrier } from './virtual-threads.js';
import { Owners, threadOfMost } from './wait-owner.js';

export interface Overview {
  readonly beginNs: number;
  readonly endNs: number;
  readonly cpuNs: number;
  readonly hot: HotMethods;
  /** The longest first. */
  readonly waits: readonly WaitSummary[];
  readonly waitCount: number;
  /** Threads with like names as one, a busy main thread first, then by CPU time. */
  readonly groups: readonly ThreadGroup[];
  /** Of all threads, as `ThreadGroup.activity`. */
  readonly activity: Float32Array;
  readonly collections: Collections | undefined;
  readonly messages: MessageSummary | undefined;
  /** Locks that the main thread waited for. */
  readonly locks: readonly MainLock[];
  /** Calls of the main thread that took long by themselves. */
  readonly slow: readonly SlowMainCalls[];
  /** Absent where no frames with deadlines were recorded. */
  readonly frames: LateFrames | undefined;
}

/** Threads whose names differ by their numbers alone, as a pool's do. */
export interface ThreadGroup {
  /** Of the only one, its name; else with * for numbers. */
  readonly name: string;
  /** Thread indexes. */
  readonly threads: readonly number[];
  readonly isMain: boolean;
  readonly wallNs: number;
  readonly cpuNs: number;
  readonly waitNs: number;
  /** CPU time by equal stretches of the scope: 1 is one core. */
  readonly activity: Float32Array;
}

/** Waits of one group for the same kind and class of thing at the same place. */
export interface WaitSummary {
  /** Index in `groups`. */
  readonly group: number;
  /** SampleKind. */
  readonly kind: number;
  /** Empty if unknown. */
  readonly type: string;
  /** Where it waited: the nearest method of own code, else of no platform, else the innermost; −1 unknown. */
  readonly method: number;
  /** The thread that had it, or ended the wait, for most of the time; 0 unknown. */
  readonly owner: number;
  readonly count: number;
  readonly totalNs: number;
  readonly longestNs: number;
  /** The longest one: thread index and begin. */
  readonly thread: number;
  readonly beginNs: number;
  /** Of one of them at least the recording saw no end. */
  readonly isOpen: boolean;
}

/** Of the thread that garbage collections held up for longest. */
export interface Collections {
  readonly thread: number;
  readonly count: number;
  readonly totalNs: number;
  readonly longestNs: number;
  readonly longestBeginNs: number;
}

export interface MessageSummary {
  readonly count: number;
  readonly missed: number;
  readonly hung: number;
  /** The longest first. */
  readonly longest: readonly LongMessage[];
}

export interface LongMessage {
  readonly thread: number;
  readonly beginNs: number;
  readonly endNs: number;
  readonly cpuNs: number;
  readonly waitNs: number;
  /** The innermost method that at least half of its time was in, −1: none. */
  readonly method: number;
}

export interface OverviewOptions {
  /** 1 by method. */
  readonly isMyCode: Uint8Array;
  readonly mostRows: number;
  /** Points of a picture. */
  readonly points: number;
}

/** Below this share of its time on the CPU a main thread has nothing to say of its own. */
const leastBusy = 0.01;

export function overviewOf(trace: Trace, scope: Scope, sums: Sums, options: OverviewOptions): Overview {
  const { isMyCode, mostRows, points } = options;
  const beginNs = Math.max(scope.beginNs, trace.beginNs);
  const endNs = Math.max(beginNs, Math.min(scope.endNs, trace.endNs));
  const threads = threadsIn(trace, scope);
  const groups = groupThreads(trace, threads, scope, { beginNs, endNs, points });
  const groupOf = new Map(
    groups.flatMap((group, at) => group.threads.map((thread) => [thread, at] as const)),
  );
  const waits = new WaitGathering(trace, { ...scope, beginNs, endNs }, isMyCode);
  for (const thread of threads) waits.add(thread, groupOf.get(thread.index) ?? 0);
  const activity = new Float32Array(points);
  for (const group of groups)
    for (let at = 0; at < points; at++)
      activity[at] = (activity[at] as number) + (group.activity[at] as number);
  return {
    beginNs,
    endNs,
    cpuNs: sums.sum.cpu,
    hot: trace.info.hasCpu
      ? hotMethods(trace, sums, 'cpu', isMyCode, mostRows)
      : hotWork(trace, sums, isMyCode, mostRows),
    waits: waits.longest(mostRows),
    waitCount: waits.count,
    groups,
    activity,
    collections: waits.collections,
    messages: messagesOf(trace, threads, beginNs, endNs, mostRows),
    locks: mainLocks(trace, scope, mostRows),
    slow: slowMainCalls(trace, scope, mostRows),
    frames: lateFrames(trace, scope, mostRows),
  };
}

interface Picture {
  readonly beginNs: number;
  readonly endNs: number;
  readonly points: number;
}

function groupThreads(
  trace: Trace,
  threads: readonly ThreadTrack[],
  scope: Scope,
  picture: Picture,
): ThreadGroup[] {
  const byName = new Map<string, ThreadTrack[]>();
  for (const thread of threads) {
    // A main thread is alone, whatever others are called.
    const name = thread.isMain ? `\0${thread.index}` : thread.name.replace(/\d+/g, '*');
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [thread]);
    else known.push(thread);
  }
  const groups = [...byName].map(([name, members]) => groupOf(name, members, trace, scope, picture));
  return groups.sort(
    (a, b) =>
      Number(isBusyMain(b)) - Number(isBusyMain(a)) ||
      b.cpuNs - a.cpuNs ||
      b.waitNs - a.waitNs ||
      (a.threads[0] ?? 0) - (b.threads[0] ?? 0),
  );
}

/** One that only waits for the others to end is told after them. */
function isBusyMain({ isMain, cpuNs, wallNs }: ThreadGroup): boolean {
  return isMain && cpuNs > wallNs * leastBusy;
}

function groupOf(
  name: string,
  members: readonly ThreadTrack[],
  trace: Trace,
  scope: Scope,
  { beginNs, endNs, points }: Picture,
): ThreadGroup {
  const activity = new Float32Array(points);
  const step = (endNs - beginNs) / points;
  let wallNs = 0;
  let cpuNs = 0;
  let waitNs = 0;
  for (const member of members) {
    const { begin, end, cpu, state } = member.intervals;
    const { first, last } = intervalsIn(member, scope, trace.endNs);
    for (let row = first; row < last; row++) {
      const share = shareIn(begin[row] as number, end[row] as number, scope);
      const from = Math.max(begin[row] as number, beginNs);
      const to = Math.min(end[row] as number, endNs);
      const used = (cpu[row] as number) * share;
      wallNs += to - from;
      cpuNs += used;
      if (isWait(state[row] as number)) waitNs += to - from;
      if (used > 0 && step > 0) spread(activity, used, (from - beginNs) / step, (to - beginNs) / step);
    }
  }
  for (let at = 0; at < points; at++) activity[at] = step > 0 ? (activity[at] as number) / step : 0;
  const [only] = members;
  return {
    name: members.length === 1 ? (only?.name ?? '') : name,
    threads: members.map(({ index }) => index),
    isMain: only?.isMain ?? false,
    wallNs,
    cpuNs,
    waitNs,
    activity,
  };
}

/** Adds `value` to the points between two places. Intervals do not overlap, so all of a thread's touch each point a few times. */
function spread(points: Float32Array, value: number, from: number, to: number): void {
  const first = Math.min(points.length - 1, Math.max(0, Math.floor(from)));
  const last = Math.min(points.length - 1, Math.max(0, Math.ceil(to) - 1));
  if (last <= first) {
    points[first] = (points[first] as number) + value;
    return;
  }
  for (let at = first; at <= last; at++) {
    const share = (Math.min(to, at + 1) - Math.max(from, at)) / (to - from);
    points[at] = (points[at] as number) + value * share;
  }
}

interface Gathered {
  readonly group: number;
  readonly kind: number;
  readonly type: string;
  readonly method: number;
  readonly byOwner: Map<number, number>;
  count: number;
  totalNs: number;
  longestNs: number;
  thread: number;
  beginNs: number;
  isOpen: boolean;
}

/** Waits that are no rest, and of a main thread those that ended. */
class WaitGathering {
  readonly #trace: Trace;
  readonly #scope: Scope;
  readonly #place: Int32Array;
  readonly #owners: Owners;
  readonly #rows = new Map<string, Gathered>();
  collections: Collections | undefined;

  constructor(trace: Trace, scope: Scope, isMyCode: Uint8Array) {
    this.#trace = trace;
    this.#owners = new Owners(trace);
    this.#scope = scope;
    this.#place = placesOf(trace, isMyCode);
  }

  get count(): number {
    return this.#rows.size;
  }

  add({ index, waits, isMain }: ThreadTrack, group: number): void {
    const { begin, end, kind, path, type, owner, flags } = waits;
    const gc = { thread: index, count: 0, totalNs: 0, longestNs: 0, longestBeginNs: 0 };
    for (let row = 0; row < waits.count; row++) {
      const from = Math.max(begin[row] as number, this.#scope.beginNs);
      const to = Math.min(end[row] as number, this.#scope.endNs);
      if (to <= from) continue;
      const what = kind[row] as number;
      const ns = to - from;
      if (what === SampleKind.Gc) {
        gc.count++;
        gc.totalNs += ns;
        if (ns > gc.longestNs) [gc.longestNs, gc.longestBeginNs] = [ns, begin[row] as number];
        continue;
      }
      const isOpen = ((flags[row] as number) & SampleFlag.OpenWait) !== 0;
      const className = this.#trace.className(type[row] as number);
      const by = owner[row] as number;
      if (isRest(what, by, className) && (!isMain || isOpen || what === SampleKind.Poll)) continue;
      // A thread that listens waits for whoever calls.
      if (what === SampleKind.Io && isOpen) continue;
      const method = this.#place[path[row] as number] as number;
      const key = `${group} ${what} ${type[row] as number} ${method}`;
      let known = this.#rows.get(key);
      if (known === undefined) {
        const none = { count: 0, totalNs: 0, longestNs: 0, thread: index, beginNs: 0, isOpen: false };
        known = { group, kind: what, type: className, method, byOwner: new Map<number, number>(), ...none };
        this.#rows.set(key, known);
      }
      known.count++;
      known.totalNs += ns;
      known.isOpen ||= isOpen;
      this.#owners.addTo(known.byOwner, waits, row, this.#scope);
      if (ns > known.longestNs)
        [known.longestNs, known.thread, known.beginNs] = [ns, index, begin[row] as number];
    }
    if (gc.totalNs > (this.collections?.totalNs ?? 0)) this.collections = gc;
  }

  longest(most: number): WaitSummary[] {
    return [...this.#rows.values()]
      .sort((a, b) => b.totalNs - a.totalNs)
      .slice(0, most)
      .map(({ byOwner, ...row }) => ({ ...row, owner: threadOfMost(byOwner) }));
  }
}

/** By path, the method that says where a wait was. */
function placesOf({ paths, methods }: Trace, isMyCode: Uint8Array): Int32Array {
  const place = new Int32Array(paths.count).fill(-1);
  const isOfPlatform = new Int8Array(methods.count).fill(-1);
  /** 0 of the platform, 1 of a library, 2 own: of the method in `place`. */
  const rank = new Uint8Array(paths.count);
  for (let path = 1; path < paths.count; path++) {
    const method = paths.method[path] as number;
    if (isOfPlatform[method] === -1) isOfPlatform[method] = isPlatform(methods.className(method)) ? 1 : 0;
    const own = isMyCode[method] === 1 ? 2 : isOfPlatform[method] === 1 ? 0 : 1;
    const above = paths.parent[path] as number;
    if (own >= (rank[above] as number)) [place[path], rank[path]] = [method, own];
    else [place[path], rank[path]] = [place[above] as number, rank[above] as number];
  }
  return place;
}

function messagesOf(
  trace: Trace,
  threads: readonly ThreadTrack[],
  beginNs: number,
  endNs: number,
  most: number,
): MessageSummary | undefined {
  // Ids count up: whoever has messages has one at the end.
  const loops = threads.filter(
    (thread) => !isCarrier(thread) && (thread.message[thread.intervals.count - 1] ?? 0) > 0,
  );
  if (loops.length === 0) return undefined;
  const figures = messageFigures(
    trace,
    loops.map(({ index }) => index),
  );
  const rows: LongMessage[] = [];
  let count = 0;
  let missed = 0;
  let hung = 0;
  for (let row = 0; row < figures.count; row++) {
    const from = figures.begin[row] as number;
    const to = figures.end[row] as number;
    if (to <= beginNs || from >= endNs) continue;
    count++;
    if (to - from <= missedFrameNs) continue;
    missed++;
    if (to - from >= hangNs) hung++;
    rows.push({
      thread: figures.thread[row] as number,
      beginNs: from,
      endNs: to,
      cpuNs: figures.cpu[row] as number,
      waitNs: figures.wait[row] as number,
      method: figures.method[row] as number,
    });
  }
  rows.sort((a, b) => b.endNs - b.beginNs - (a.endNs - a.beginNs));
  return { count, missed, hung, longest: rows.slice(0, most) };
}
