/**
 * Groups of lags on two levels: lags with the same two innermost frames have one cause; within it, those with the same four came there
 * from one place. By the innermost frames, because nobody can say how many frames from the outside are the system's. Takes one lag at a
 * time, in any order: O(lags) time, and memory that is bounded by the limits here.
 */
import { LagKind } from '../model/kinds.js';
import { lagNs, type LagRecord } from './lag-record.js';
import { firstOwnFrame } from './passed-over.js';

export const causeFrames = 2;
export const placeFrames = 4;
/** What more groups there are is counted together. */
const mostGroups = 10_000;
const mostPlaces = 1000;
/** Of a group; beyond them `users` is a lower bound. */
const mostUsers = 10_000;
const mostVersions = 200;
const mostDays = 400;
/** Of a place, the longest. */
const mostListed = 20;
const nsPerDay = 86_400_000_000_000n;

export interface WorstLag {
  readonly file: string;
  readonly ns: number;
}

export interface LagTotals {
  readonly count: number;
  /** How many users had it; those without an id count as one. */
  readonly users: number;
  /** Of the program, with how many lags each. */
  readonly versions: ReadonlyMap<string, number>;
  /** By day since 1970. */
  readonly days: ReadonlyMap<number, number>;
  readonly freezes: number;
  readonly notResponding: number;
  readonly worst: WorstLag;
}

/** One lag of many, and where it is in its recording. */
export interface ListedLag {
  readonly file: string;
  readonly ns: number;
  /** Its index in the recording. */
  readonly thread: number;
  readonly beginNs: number;
  readonly version: string;
  /** Since 1970. */
  readonly atMs: number;
  readonly isFreeze: boolean;
}

/** Lags whose stacks have the same innermost frames. */
export interface SharedFrames extends LagTotals {
  /** Innermost first. */
  readonly frames: readonly string[];
}

export interface LagPlace extends SharedFrames {
  /** The longest lags, the longest first. */
  readonly longest: readonly ListedLag[];
}

export interface LagGroup extends SharedFrames {
  readonly places: readonly LagPlace[];
}

/** The frames of a lag, after mapping: what it is grouped by. */
export interface GroupedFrame {
  readonly className: string;
  readonly method: string;
}

class Totals {
  count = 0;
  freezes = 0;
  notResponding = 0;
  worst: WorstLag = { file: '', ns: -1 };
  readonly versions = new Map<string, number>();
  readonly days = new Map<number, number>();
  readonly #users = new Set<bigint>();

  /** As plain data, without the users. */
  plain(): LagTotals {
    const { count, users, versions, days, freezes, notResponding, worst } = this;
    return { count, users, versions, days, freezes, notResponding, worst };
  }

  get users(): number {
    return this.#users.size;
  }

  add(lag: LagRecord): void {
    // Those that were not written had the stack of the lag before, which is not here: they are no lags of this group.
    this.count++;
    if (lag.isFreeze) this.freezes++;
    if (lag.kind === LagKind.NotResponding) this.notResponding++;
    if (this.#users.size < mostUsers) this.#users.add(lag.user);
    countUp(this.versions, lag.appVersion, mostVersions);
    countUp(this.days, Number(lag.realtimeNs / nsPerDay), mostDays);
    const ns = lagNs(lag);
    if (ns > this.worst.ns) this.worst = { file: lag.name, ns };
  }
}

function countUp<K>(counts: Map<K, number>, key: K, most: number): void {
  const before = counts.get(key);
  if (before !== undefined || counts.size < most) counts.set(key, (before ?? 0) + 1);
}

class Place extends Totals implements LagPlace {
  readonly longest: ListedLag[] = [];

  constructor(readonly frames: readonly string[]) {
    super();
  }

  override add(lag: LagRecord): void {
    super.add(lag);
    const { longest } = this;
    const ns = lagNs(lag);
    if (longest.length === mostListed && ns <= (longest.at(-1)?.ns ?? 0)) return;
    const { name: file, thread, beginNs, appVersion: version, isFreeze } = lag;
    const atMs = Number(lag.realtimeNs / 1_000_000n);
    const at = longest.findIndex((other) => other.ns < ns);
    longest.splice(at < 0 ? longest.length : at, 0, { file, ns, thread, beginNs, version, atMs, isFreeze });
    if (longest.length > mostListed) longest.pop();
  }
}

class Group extends Totals implements SharedFrames {
  readonly byPlace = new Map<string, Place>();

  constructor(readonly frames: readonly string[]) {
    super();
  }
}

export class LagGroups {
  readonly #groups = new Map<string, Group>();
  readonly #all = new Totals();
  #others = 0;

  /** `frames`: of the lag's stack, innermost first, after mapping. */
  add(lag: LagRecord, frames: readonly GroupedFrame[]): void {
    this.#all.add(lag);
    const names = frames
      .filter(({ className }) => !className.includes('$$Lambda'))
      .map(({ className, method }) => (className === '' ? method : `${className}.${method}`));
    const own = names.slice(firstOwnFrame(names));
    const group = find(this.#groups, own.slice(0, causeFrames), mostGroups, (key) => new Group(key));
    if (group === undefined) {
      this.#others++;
      return;
    }
    group.add(lag);
    find(group.byPlace, own.slice(0, placeFrames), mostPlaces, (key) => new Place(key))?.add(lag);
  }

  get all(): LagTotals {
    return this.#all.plain();
  }

  /** Lags that are in no group because there were too many. */
  get others(): number {
    return this.#others;
  }

  /** The most frequent first; of equals the one whose worst lag is longer. */
  groups(): LagGroup[] {
    return sorted([...this.#groups.values()]).map((group) => ({
      ...group.plain(),
      frames: group.frames,
      places: sorted([...group.byPlace.values()]).map((place) => ({
        ...place.plain(),
        frames: place.frames,
        longest: place.longest,
      })),
    }));
  }
}

function find<T>(
  map: Map<string, T>,
  frames: readonly string[],
  most: number,
  make: (frames: readonly string[]) => T,
): T | undefined {
  const key = frames.join('\n');
  let found = map.get(key);
  if (found === undefined && map.size < most) map.set(key, (found = make(frames)));
  return found;
}

function sorted<T extends LagTotals>(places: T[]): T[] {
  return places.sort((a, b) => b.count - a.count || b.worst.ns - a.worst.ns);
}

/** Counts of the days from the first to the last that has any, at most the last `most`. */
export function trend({ days }: LagTotals, most = 7): number[] {
  const last = Math.max(...days.keys());
  const first = Math.max(Math.min(...days.keys()), last - most + 1);
  if (!Number.isFinite(first)) return [];
  return Array.from({ length: last - first + 1 }, (_, at) => days.get(first + at) ?? 0);
}
