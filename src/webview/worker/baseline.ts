/** The recording that the one on the screen is compared with. */
import {
  compareTraces,
  type Compared,
  type Comparison,
  lengthRatio,
} from '../../trace/compare/comparison.js';
import { differenceFlame } from '../../trace/compare/difference-flame.js';
import { methodDifferences, sumNoise } from '../../trace/compare/differences.js';
import { wholeTrace } from '../../trace/measure/scope.js';
import { giveNames } from '../../trace/formats/code-names.js';
import type { Trace } from '../../trace/model/trace.js';
import { myMethods } from '../my-code.js';
import { hideLibraryFrames } from './hide-library-frames.js';
import type {
  ComparedFlame,
  ComparedMethods,
  CompareFlameQuery,
  CompareQuery,
  FromWorker,
  ToWorker,
} from './messages.js';
import { type OpenReader, type Reader, throwIfRefused } from './open-reader.js';

const ofBaseline = ['baseline', 'baselineBytes', 'baselineCodeNames', 'baselineEnd'] as const;
export type BaselineMessage = Extract<ToWorker, { readonly type: (typeof ofBaseline)[number] }>;

export function isOfBaseline(message: ToWorker): message is BaselineMessage {
  return (ofBaseline as readonly string[]).includes(message.type);
}

export class Baseline {
  readonly #openReader: OpenReader;
  #reader: Reader | undefined;
  #trace: Trace | undefined;
  /** The last one, and what it is of: views ask it for one thing after the other. */
  #kept: { readonly of: Trace; readonly key: string; readonly comparison: Comparison } | undefined;

  constructor(openReader: OpenReader) {
    this.#openReader = openReader;
  }

  /** What the page is told of it. What is wrong with the baseline is nothing wrong with the recording. */
  take(message: BaselineMessage): FromWorker | undefined {
    try {
      return this.#handle(message);
    } catch (error) {
      this.#forget();
      const problem = error instanceof Error ? error.message : String(error);
      return { type: 'baseline', info: undefined, problem };
    }
  }

  #handle(message: BaselineMessage): FromWorker | undefined {
    if (message.type === 'baseline') {
      this.#forget();
      if (message.part === undefined) return { type: 'baseline', info: undefined, problem: '' };
      this.#reader = this.#openReader(message.part);
    } else if (message.type === 'baselineBytes') {
      this.#reader?.append(new Uint8Array(message.data));
      if (this.#reader !== undefined) throwIfRefused(this.#reader);
    } else if (message.type === 'baselineCodeNames') {
      giveNames(this.#reader?.unnamedCode?.() ?? [], message.names);
    } else if (this.#reader !== undefined) {
      this.#reader.finish();
      throwIfRefused(this.#reader);
      const trace = this.#reader.trace();
      this.#trace = trace;
      const { hasCpu, hasAllocations } = trace.info;
      const lengthNs = trace.endNs - trace.beginNs;
      const info = { lengthNs, hasCpu, hasAllocations, isPart: trace.part !== undefined };
      return { type: 'baseline', info, problem: '' };
    }
    return undefined;
  }

  #forget(): void {
    this.#reader = undefined;
    this.#trace = undefined;
    this.#kept = undefined;
  }

  /** `myPackages`: prefixes of the packages that are left where the page shows these alone. */
  compare(trace: Trace, query: CompareQuery, myPackages: readonly string[] | undefined): ComparedMethods {
    const comparison = this.#comparison(trace, query, myPackages);
    const { methods, before, after } = comparison;
    const { by, weight } = query;
    const found = methodDifferences(comparison, by, weight);
    const seen: number[] = [];
    for (let at = 0; at < methods.count; at++)
      if ((found.before[at] as number) + (found.after[at] as number) > 0) seen.push(at);
    const names = new Map<number, string>();
    const method = Int32Array.from(seen, (at, row) => {
      const [of, number] = methods.of(at);
      if (methods.isIn('after', at)) return number;
      names.set(row, of.qualifiedName(number));
      return -1;
    });
    const pick = (from: Float64Array): Float64Array => Float64Array.from(seen, (at) => from[at] as number);
    return {
      count: seen.length,
      method,
      names,
      before: pick(found.before),
      after: pick(found.after),
      noise: pick(found.noise),
      sum: {
        before: before.sums.sum[weight],
        after: after.sums.sum[weight],
        noise: sumNoise(comparison, weight),
      },
    };
  }

  /** The same, by where in the call tree. */
  flame(trace: Trace, query: CompareFlameQuery, myPackages: readonly string[] | undefined): ComparedFlame {
    const comparison = this.#comparison(trace, query, myPackages);
    const { methods } = comparison;
    const { method: key, ...rows } = differenceFlame(comparison, query.weight, query.least, query.path);
    const names = new Map<number, string>();
    const method = Int32Array.from(key, (at, row) => {
      if (row === 0) return -1;
      const [of, number] = methods.of(at);
      if (methods.isIn('after', at)) return number;
      names.set(at, of.qualifiedName(number));
      return -1;
    });
    return { ...rows, key, method, names };
  }

  #comparison(
    trace: Trace,
    { threads, isScaled }: Pick<CompareQuery, 'threads' | 'isScaled'>,
    myPackages: readonly string[] | undefined,
  ): Comparison {
    const baseline = this.#trace;
    if (baseline === undefined) throw new Error('There is nothing to compare with.');
    const key = `${threads.join()} ${isScaled} ${myPackages?.join() ?? '*'}`;
    if (this.#kept?.of === trace && this.#kept.key === key) return this.#kept.comparison;
    const hidden =
      myPackages === undefined
        ? baseline
        : hideLibraryFrames(baseline, myMethods(baseline.methods, myPackages));
    const before: Compared = {
      trace: hidden,
      scope: { ...wholeTrace, threads: alike(trace, hidden, threads) },
    };
    const after: Compared = { trace, scope: { ...wholeTrace, threads } };
    const comparison = compareTraces(before, after, isScaled ? lengthRatio(before, after) : 1);
    this.#kept = { of: trace, key, comparison };
    return comparison;
  }
}

/** An empty list would be all threads. */
const noThread = -1;

/** Threads of the baseline that are called as those of the recording are. */
function alike(trace: Trace, baseline: Trace, threads: readonly number[]): number[] {
  if (threads.length === 0) return [];
  const wanted = new Set(threads);
  const names = new Set(trace.threads.filter(({ index }) => wanted.has(index)).map(({ name }) => name));
  const found = baseline.threads.filter(({ name }) => names.has(name)).map(({ index }) => index);
  return found.length === 0 ? [noThread] : found;
}
