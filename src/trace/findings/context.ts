/** What the rules share: the threads and the time range that they judge, and figures that several rules need. */
import { hotMethods, hotWork } from '../measure/hot-methods.js';
import { isPlatform } from '../measure/platform.js';
import { samplingVariance } from '../measure/sampling-variance.js';
import { intervalsIn, type Scope, shareIn, wholeTrace } from '../measure/scope.js';
import { type Sums, sumScope } from '../measure/sums.js';
import { threadTimes } from '../measure/thread-times.js';
import { upperBound } from '../model/bisect.js';
import { MethodKind, ThreadKind } from '../model/kinds.js';
import type { ThreadTrack, Trace } from '../model/trace.js';

/** Of the range. Less is lost in the noise of any busy program. */
const leastShare = 0.05;
/** No more than this share of a short range is asked for. */
const mostOfShort = 0.1;
const leastNs = 100e6;
/** A person waits for the main thread: the same loss of another thread comes after it. */
const ofOtherThreads = 0.6;
const mostMethods = 50;
/** Each has columns as long as the trace's paths; no rule tells of more than a few. */
const mostBusy = 32;
/** A main thread that begins so soon after the recording is recorded from its first moment. */
const soonNs = 1e9;

export class FindingContext {
  readonly beginNs: number;
  readonly endNs: number;
  readonly lengthNs: number;
  /** Those whose time is judged. Others may be the reason. */
  readonly threads: readonly ThreadTrack[];
  /** Nothing is left out, neither threads nor time. */
  readonly isWhole: boolean;
  readonly #sums = new Map<number, Sums>();
  #sampledCpuNs: number | undefined;
  #isOfProgram: Uint8Array | undefined;
  #ended: { readonly index: Int32Array; readonly ns: Float64Array } | undefined;

  constructor(
    readonly trace: Trace,
    readonly scope: Scope = wholeTrace,
    /** An earlier recording of the same program, to compare with. */
    readonly baseline?: Trace,
  ) {
    this.beginNs = Math.max(scope.beginNs, trace.beginNs);
    this.endNs = Math.max(this.beginNs, Math.min(scope.endNs, trace.endNs));
    this.lengthNs = this.endNs - this.beginNs;
    const wanted = new Set(scope.threads);
    this.threads = trace.threads.filter(({ index }) => wanted.size === 0 || wanted.has(index));
    this.isWhole = wanted.size === 0 && this.beginNs <= trace.beginNs && this.endNs >= trace.endNs;
  }

  /** A loss below this is not told. */
  get leastNs(): number {
    return Math.max(this.lengthNs * leastShare, Math.min(leastNs, this.lengthNs * mostOfShort));
  }

  /** CPU time of all threads' intervals in the whole recording. */
  get sampledCpuNs(): number {
    return (this.#sampledCpuNs ??= this.trace.threads.reduce(
      (sum, { intervals }) => sum + threadTimes(intervals).cpuNs,
      0,
    ));
  }

  /** The recording has the program's first moment, and nothing of it is left out. */
  get isFromStart(): boolean {
    const { beginNs, threads } = this.trace;
    const main = threads.find(({ isMain }) => isMain);
    return this.isWhole && main !== undefined && main.beginNs > beginNs && main.beginNs < beginNs + soonNs;
  }

  /** Threads that a person waits for: those that were asked for, else the main threads. */
  get awaitedThreads(): readonly ThreadTrack[] {
    return this.scope.threads.length > 0 ? this.threads : this.threads.filter(({ isMain }) => isMain);
  }

  /** How much a loss of this thread counts, compared with one of a thread that a person waits for. */
  weightOf({ isMain }: ThreadTrack): number {
    return isMain || this.scope.threads.length > 0 ? 1 : ofOtherThreads;
  }

  /** CPU time or a count of a thread in the range: a pass over its intervals, for rules that ask it of all threads. */
  sumOf(thread: ThreadTrack, column: 'cpu' | 'allocatedBytes' | 'switches' | 'faults'): number {
    const { begin, end, [column]: values } = thread.intervals;
    const range = { threads: [], beginNs: this.beginNs, endNs: this.endNs };
    const { first, last } = intervalsIn(thread, range, this.trace.endNs);
    let sum = 0;
    for (let row = first; row < last; row++)
      sum += (values[row] as number) * shareIn(begin[row] as number, end[row] as number, range);
    return sum;
  }

  /**
   * A thread's weights by path within the range, summed once for all rules. Takes columns as long as the trace's paths:
   * only for the few threads that a rule has chosen.
   */
  sums({ index }: ThreadTrack): Sums {
    let sums = this.#sums.get(index);
    if (sums === undefined) {
      const scope = { threads: [index], beginNs: this.beginNs, endNs: this.endNs };
      this.#sums.set(index, (sums = sumScope(this.trace, scope)));
    }
    return sums;
  }

  /** The program's own threads with at least this much CPU time in the range, the busiest first. */
  busyThreads(leastCpuNs: number): readonly ThreadTrack[] {
    const cpu = new Map<ThreadTrack, number>();
    for (const thread of this.threads) {
      if (thread.kind === ThreadKind.Runtime) continue;
      const sum = this.sumOf(thread, 'cpu');
      if (sum >= leastCpuNs) cpu.set(thread, sum);
    }
    const busiest = [...cpu].sort((a, b) => b[1] - a[1]).slice(0, mostBusy);
    return busiest.map(([thread]) => thread);
  }

  /** Index of the thread that ended nearest to this time, 0 if none did within `mostNs` of it. */
  threadEndedNear(ns: number, mostNs: number): number {
    const { index, ns: ended } = (this.#ended ??= endsOf(this.trace));
    const after = upperBound(ended, ns, 0, ended.length);
    const isBefore = ns - (ended[after - 1] ?? -Infinity) <= (ended[after] ?? Infinity) - ns;
    const nearest = isBefore ? after - 1 : after;
    return Math.abs((ended[nearest] ?? Infinity) - ns) <= mostNs ? (index[nearest] as number) : 0;
  }

  /** 1 by method: not of the platform, and no place of the runtime's own, as [inside the JVM]. */
  get isOfProgram(): Uint8Array {
    const { methods } = this.trace;
    return (this.#isOfProgram ??= Uint8Array.from({ length: methods.count }, (_, method) =>
      isPlatform(methods.className(method)) || methods.kind(method) === MethodKind.Stub ? 0 : 1,
    ));
  }

  /** The method of the program that most of a thread's weight went to, with the libraries that it called. */
  hottest(
    thread: ThreadTrack,
    weight: 'cpu' | 'allocatedBytes' | 'switches',
  ): { method: number; value: number } | undefined {
    const { rows, isMyCode } = hotMethods(this.trace, this.sums(thread), weight, this.isOfProgram, 1);
    const [first] = rows;
    return isMyCode && first !== undefined ? first : undefined;
  }

  /** What `hottest` gave of CPU time, in samples: as many as are worth what its figure may be off by. Endless where nothing is sampled. */
  samplesBehind(thread: ThreadTrack, { method, value }: { method: number; value: number }): number {
    const scope = { threads: [thread.index], beginNs: this.beginNs, endNs: this.endNs };
    const variance = samplingVariance(this.trace, scope);
    const { rows } = hotMethods(this.trace, variance, 'cpu', this.isOfProgram, mostMethods);
    const of = rows.find((row) => row.method === method)?.value ?? 0;
    return of > 0 ? value ** 2 / of : Infinity;
  }

  /** Wall time without waits of a method of the program on a thread, with the libraries that it called. */
  workIn(thread: ThreadTrack, method: number): number {
    const { rows } = hotWork(this.trace, this.sums(thread), this.isOfProgram, mostMethods);
    return rows.find((row) => row.method === method)?.value ?? 0;
  }

  /** Visits the waits of a thread in the range, with the part of each that lies in it. */
  eachWait({ waits }: ThreadTrack, visit: (row: number, beginNs: number, endNs: number) => void): void {
    const { count, begin, end } = waits;
    for (let row = 0; row < count; row++) {
      const from = Math.max(begin[row] as number, this.beginNs);
      const to = Math.min(end[row] as number, this.endNs);
      if (to > from) visit(row, from, to);
    }
  }
}

/** Threads that have ended, by the time at which they did. */
function endsOf({ threads }: Trace): { readonly index: Int32Array; readonly ns: Float64Array } {
  const ended = threads.filter(({ endNs }) => endNs !== 0).sort((a, b) => a.endNs - b.endNs);
  return {
    index: Int32Array.from(ended, ({ index }) => index),
    ns: Float64Array.from(ended, ({ endNs }) => endNs),
  };
}
