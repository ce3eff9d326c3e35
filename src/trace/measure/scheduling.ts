/**
 * What the kernel's scheduler says of a program's threads: how long each ran, waited for a core and slept, who woke it,
 * and in which methods it waited for a core. Exact: from switches, and not from samples.
 */
import { sortRows } from '../assemble/sort-rows.js';
import { upperBound } from '../model/bisect.js';
import { IntervalState, type SystemTrace, type ThreadTrack, type Trace } from '../model/trace.js';
import { interruptWaker, isAsleep, SchedState } from '../system/kernel-sink.js';
import { type ThreadStates } from '../system/thread-states.js';
import { intervalsIn, type Scope, threadsIn } from './scope.js';

export interface Waker {
  /** A tid, 0 unknown, or `interruptWaker`. */
  readonly tid: number;
  readonly count: number;
  /** How long the sleeps were together that it ended. */
  readonly sleptNs: number;
}

export interface ThreadScheduling {
  readonly thread: ThreadTrack;
  readonly runningNs: number;
  /** Ready, while all cores that it may use had others to run. */
  readonly runnableNs: number;
  readonly sleepingNs: number;
  readonly uninterruptibleNs: number;
  /** Of uninterruptible sleeps, those that the kernel said were for a disk. */
  readonly diskNs: number;
  readonly longestRunnableNs: number;
  /** Times that it was put on a core, and how often on another one than before. */
  readonly runs: number;
  readonly migrations: number;
  /** Who ended its sleeps, the longest sum first. */
  readonly wakers: readonly Waker[];
}

/** Of one thread, its stretches between when it was first and last known; tids are used again. */
function spanOf(thread: ThreadTrack, scope: Scope): { from: number; to: number } {
  return {
    from: Math.max(scope.beginNs, thread.beginNs === 0 ? -Infinity : thread.beginNs),
    to: Math.min(scope.endNs, thread.endNs === 0 ? Infinity : thread.endNs),
  };
}

export function statesOf(system: SystemTrace, trace: Trace): ReadonlyMap<number, ThreadStates> {
  return system.states(trace.threads.map(({ tid }) => tid));
}

/** The threads of the scope that the scheduler saw, those that ran longest first. Costs a pass over their stretches. */
export function threadScheduling(trace: Trace, scope: Scope): ThreadScheduling[] {
  const { system } = trace;
  if (system === undefined) return [];
  const states = statesOf(system, trace);
  const rows: ThreadScheduling[] = [];
  // The kernel is recorded from a little earlier on, when there are no samples yet.
  const startNs = Math.min(0, trace.beginNs);
  for (const thread of threadsIn(trace, scope)) {
    const of = states.get(thread.tid);
    const { from, to } = spanOf(thread, { ...scope, beginNs: Math.max(scope.beginNs, startNs) });
    if (of !== undefined) rows.push(summed(thread, of, from, to));
  }
  return rows.sort((a, b) => b.runningNs - a.runningNs);
}

function summed(thread: ThreadTrack, states: ThreadStates, from: number, to: number): ThreadScheduling {
  const times = new Float64Array(6);
  const wakers = new Map<number, { count: number; sleptNs: number }>();
  let [longest, runs, migrations, core] = [0, 0, 0, -1];
  for (let row = states.firstAfter(from); row < states.count; row++) {
    const begin = Math.max(from, states.begin[row] as number);
    const length = Math.min(to, states.end[row] as number) - begin;
    if (length <= 0) break;
    const state = states.state[row] as number;
    times[state] = (times[state] as number) + length;
    if (state === SchedState.Runnable) longest = Math.max(longest, length);
    else if (state === SchedState.Running) {
      runs++;
      if (core >= 0 && core !== states.core[row]) migrations++;
      core = states.core[row] as number;
    } else if (isAsleep(state)) {
      const tid = states.waker[row] as number;
      const waker = wakers.get(tid) ?? { count: 0, sleptNs: 0 };
      wakers.set(tid, { count: waker.count + 1, sleptNs: waker.sleptNs + length });
    }
  }
  return {
    thread,
    runningNs: times[SchedState.Running] as number,
    runnableNs: times[SchedState.Runnable] as number,
    sleepingNs: times[SchedState.Sleeping] as number,
    uninterruptibleNs: (times[SchedState.Uninterruptible] as number) + (times[SchedState.Io] as number),
    diskNs: times[SchedState.Io] as number,
    longestRunnableNs: longest,
    runs,
    migrations,
    wakers: [...wakers]
      .map(([tid, waker]) => ({ tid, ...waker }))
      .filter(({ tid }) => tid !== 0)
      .sort((a, b) => b.sleptNs - a.sleptNs),
  };
}

/**
 * Who ended the thread's last sleep within a wait, also where no hook saw it: a tid or `interruptWaker`; 0 where that is not
 * known. Costs two bisections.
 */
export function wakerOf(trace: Trace, thread: ThreadTrack, beginNs: number, endNs: number): number {
  const states = trace.system && statesOf(trace.system, trace).get(thread.tid);
  if (states === undefined) return 0;
  let row = states.firstAfter(endNs);
  if (row === states.count || (states.begin[row] as number) > endNs) row--;
  for (; row >= 0 && (states.end[row] as number) > beginNs; row--)
    if (isAsleep(states.state[row] as number) && (states.end[row] as number) <= endNs)
      return states.waker[row] as number;
  return 0;
}

/** As a person reads it: the name of a waker, of whichever program. */
export function wakerName(trace: Trace, tid: number): string {
  if (tid === interruptWaker) return 'an interrupt';
  const own = trace.threads.find((thread) => thread.tid === tid);
  if (own !== undefined && own.name !== '') return own.name;
  const name = trace.system?.task(tid)?.name ?? '';
  return name === '' ? `thread ${tid}` : `${name} (${tid})`;
}

/** How long a thread ran and waited for a core in stretches that are asked for in order of time: one pass over its states. */
export class StateCursor {
  readonly #states: ThreadStates;
  #row = -1;
  /** Of the last stretch. */
  runningNs = 0;
  runnableNs = 0;

  constructor(states: ThreadStates) {
    this.#states = states;
  }

  /** Sums what lies within [from, to); `from` is never before that of an earlier call. */
  sum(from: number, to: number): void {
    const { begin, end, state, count } = this.#states;
    let row = this.#row < 0 ? this.#states.firstAfter(from) : this.#row;
    while (row < count && (end[row] as number) <= from) row++;
    this.#row = row;
    this.runningNs = this.runnableNs = 0;
    for (; row < count && (begin[row] as number) < to; row++) {
      const ns = Math.min(to, end[row] as number) - Math.max(from, begin[row] as number);
      if (state[row] === SchedState.Running) this.runningNs += ns;
      else if (state[row] === SchedState.Runnable) this.runnableNs += ns;
    }
  }
}

/** What the scheduler says of a stretch of a thread's time: of a call, or of a wait. */
export interface StretchScheduling {
  readonly runningNs: number;
  readonly runnableNs: number;
  readonly sleepingNs: number;
  readonly uninterruptibleNs: number;
  /** How much of the stretch the scheduler's events cover. */
  readonly coveredNs: number;
  /** Where it ran, the longest sum first. */
  readonly cores: readonly CoreShare[];
  /** Of the cores while it ran on them, weighted by time; 0 unknown. */
  readonly meanKHz: number;
  /** Who ended its sleeps, the longest sum first. */
  readonly wakers: readonly NamedWaker[];
  /** Who ended its last sleep; undefined where that is not known. */
  readonly lastWaker: NamedWaker | undefined;
}

export interface CoreShare {
  readonly core: number;
  readonly ns: number;
}

export interface NamedWaker extends Waker {
  readonly name: string;
  /** Index of a thread of the program, −1 of others and of interrupts. */
  readonly thread: number;
}

/** Costs a pass over the states in the stretch. Undefined where the scheduler did not see the thread. */
export function stretchScheduling(
  trace: Trace,
  index: number,
  beginNs: number,
  endNs: number,
): StretchScheduling | undefined {
  const thread = trace.threads.find((one) => one.index === index);
  const states = thread && trace.system && statesOf(trace.system, trace).get(thread.tid);
  if (thread === undefined || states === undefined) return undefined;
  const all = summed(thread, states, beginNs, endNs);
  const named = (waker: Waker): NamedWaker => ({
    ...waker,
    name: wakerName(trace, waker.tid),
    thread: trace.threads.find(({ tid }) => tid === waker.tid)?.index ?? -1,
  });
  const last = wakerOf(trace, thread, beginNs, endNs);
  const { runningNs, runnableNs, sleepingNs, uninterruptibleNs } = all;
  return {
    runningNs,
    runnableNs,
    sleepingNs,
    uninterruptibleNs,
    coveredNs: runningNs + runnableNs + sleepingNs + uninterruptibleNs,
    ...coresIn(trace.system, states, beginNs, endNs),
    wakers: all.wakers.map(named),
    lastWaker: last === 0 ? undefined : named({ tid: last, count: 1, sleptNs: 0 }),
  };
}

/** Costs a pass over the states of the stretch, and two bisections for each change of a frequency in it. */
function coresIn(
  system: SystemTrace | undefined,
  states: ThreadStates,
  beginNs: number,
  endNs: number,
): Pick<StretchScheduling, 'cores' | 'meanKHz'> {
  const changes = system === undefined ? undefined : frequencyChanges(system);
  const shares = new Map<number, number>();
  let [kHzNs, knownNs] = [0, 0];
  for (let row = states.firstAfter(beginNs); row < states.count; row++) {
    const from = Math.max(beginNs, states.begin[row] as number);
    const to = Math.min(endNs, states.end[row] as number);
    if (to <= from) break;
    const core = states.core[row] as number;
    if (states.state[row] !== SchedState.Running || core < 0) continue;
    shares.set(core, (shares.get(core) ?? 0) + to - from);
    const { time, kHz } = changes?.get(core) ?? noChanges;
    let at = upperBound(time, from, 0, time.length) - 1;
    for (let now = from; now < to; at++) {
      const next = Math.min(to, time[at + 1] ?? Infinity);
      if (at >= 0) {
        kHzNs += (kHz[at] as number) * (next - now);
        knownNs += next - now;
      }
      now = next;
    }
  }
  return {
    cores: [...shares].map(([core, ns]) => ({ core, ns })).sort((a, b) => b.ns - a.ns),
    meanKHz: knownNs > 0 ? kHzNs / knownNs : 0,
  };
}

interface FrequencyChanges {
  readonly time: Float64Array;
  readonly kHz: readonly number[];
}

const noChanges: FrequencyChanges = { time: new Float64Array(0), kHz: [] };
const changesOf = new WeakMap<SystemTrace, ReadonlyMap<number, FrequencyChanges>>();

/** By core, in order of time. Made once. */
function frequencyChanges(system: SystemTrace): ReadonlyMap<number, FrequencyChanges> {
  const known = changesOf.get(system);
  if (known !== undefined) return known;
  const rowsOf = new Map<number, number[]>();
  const { time, core, kHz } = system.frequencies;
  for (const row of sortRows(Float64Array.from(time), time.length)) {
    const rows = rowsOf.get(core[row] as number);
    if (rows === undefined) rowsOf.set(core[row] as number, [row]);
    else rows.push(row);
  }
  const made = new Map(
    [...rowsOf].map(([of, rows]) => [
      of,
      {
        time: Float64Array.from(rows, (row) => time[row] as number),
        kHz: rows.map((row) => kHz[row] as number),
      },
    ]),
  );
  changesOf.set(system, made);
  return made;
}

export interface MethodTimes {
  /** By method: its own time, itself and what it called. */
  readonly selfNs: Float64Array;
  readonly totalNs: Float64Array;
}

/**
 * *CPU time (scheduler)* and *Waiting for a core*, by method: where a thread's stretches on a core, or ready for one, lie in its
 * intervals. Between two samples the interval's path stands for it, as for wall time.
 */
export function methodScheduling(trace: Trace, scope: Scope): Record<'ran' | 'waited', MethodTimes> {
  const { paths } = trace;
  const ran = new Float64Array(paths.count);
  const waited = new Float64Array(paths.count);
  const states = trace.system && statesOf(trace.system, trace);
  for (const thread of threadsIn(trace, scope)) {
    const of = states?.get(thread.tid);
    if (of === undefined) continue;
    const { begin, end, path, state } = thread.intervals;
    const { first, last } = intervalsIn(thread, scope, trace.endNs);
    const cursor = new StateCursor(of);
    for (let interval = first; interval < last; interval++) {
      const from = Math.max(scope.beginNs, begin[interval] as number);
      const to = Math.min(scope.endNs, end[interval] as number);
      if (state[interval] === IntervalState.Gap) continue;
      const at = path[interval] as number;
      cursor.sum(from, to);
      ran[at] = (ran[at] as number) + cursor.runningNs;
      waited[at] = (waited[at] as number) + cursor.runnableNs;
    }
  }
  return { ran: byMethod(trace, ran), waited: byMethod(trace, waited) };
}

function byMethod({ paths, methods }: Trace, byPath: Float64Array): MethodTimes {
  const selfNs = new Float64Array(methods.count);
  const totalNs = new Float64Array(methods.count);
  const total = byPath.slice();
  for (let path = paths.count - 1; path > 0; path--) {
    const method = paths.method[path] as number;
    selfNs[method] = (selfNs[method] as number) + (byPath[path] as number);
    // Of a recursive method the outermost call has all of it.
    if (paths.recursive[path] === 0) totalNs[method] = (totalNs[method] as number) + (total[path] as number);
    const above = paths.parent[path] as number;
    total[above] = (total[above] as number) + (total[path] as number);
  }
  return { selfNs, totalNs };
}

export interface CoreFigures {
  readonly core: number;
  /** Undefined where only the program's threads were seen. */
  readonly busyNs: number | undefined;
  /** Of that, with threads of the program. */
  readonly programNs: number;
  readonly switches: number;
  /** The last one told, 0 unknown. */
  readonly kHz: number;
}

/** What each core did. One pass over all switches. */
export function coreFigures(trace: Trace): CoreFigures[] {
  const { system } = trace;
  if (system === undefined) return [];
  const { time, previous, next, core, count } = system.switches;
  const own = new Set(trace.threads.map(({ tid }) => tid));
  const rows = new Map<
    number,
    { busyNs: number; programNs: number; switches: number; since: number; tid: number }
  >();
  for (let row = 0; row < count; row++) {
    const at = core[row] as number;
    let of = rows.get(at);
    if (of === undefined)
      rows.set(at, (of = { busyNs: 0, programNs: 0, switches: 0, since: time[row] as number, tid: -1 }));
    // Of a thread that is not on this core: events were lost, which is told where they were.
    if (system.isOfProgram && next[row] === 0 && of.tid !== previous[row]) continue;
    const length = (time[row] as number) - of.since;
    if (of.tid > 0 && of.tid === previous[row] && length > 0) {
      of.busyNs += length;
      if (system.isOfProgram || own.has(of.tid)) of.programNs += length;
    }
    of.switches++;
    of.since = time[row] as number;
    of.tid = next[row] as number;
  }
  const kHz = new Map<number, number>();
  system.frequencies.core.forEach((one, at) => kHz.set(one, system.frequencies.kHz[at] ?? 0));
  return [...rows]
    .map(([number, { busyNs, programNs, switches }]) => ({
      ...{ core: number, programNs, switches, kHz: kHz.get(number) ?? 0 },
      busyNs: system.isOfProgram ? undefined : busyNs,
    }))
    .sort((a, b) => a.core - b.core);
}
