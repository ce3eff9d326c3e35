/** Threads that loaded classes for much of the range. */
import { programMethod } from '../measure/platform.js';
import { formatNs } from '../measure/quantities.js';
import { intervalsIn, isWait, shareIn } from '../measure/scope.js';
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import type { FindingContext } from './context.js';
import { type Finding, type FindingRule, mostOfRule } from './finding.js';
import { type IsOfKind, outermostCalls } from './outermost-calls.js';

const id = 'classLoading';

/** The outermost of these on a stack begins to load a class. */
const loaders =
  /^(java\.lang\.ClassLoader|jdk\.internal\.loader\.|java\.net\.URLClassLoader|dalvik\.system\.)/;
const loaderMethods = /^(loadClass|findClass|defineClass\d?|loadClassOrNull)$/;
/** Sections of Android's system traces. */
const sections = /^(VerifyClass|OpenDexFilesFromOat|Open dex file|Open oat file)\b/;

const isLoader: IsOfKind = (className, method) =>
  className === '' ? sections.test(method) : loaders.test(className) && loaderMethods.test(method);

export const classLoading: FindingRule = {
  id,
  texts: {
    'finding.classLoading.title': '{thread} loads classes for {time}',
    'finding.classLoading.explanation': 'Most of them were asked for by {method}.',
    'finding.classLoading.nextStep':
      'Load fewer classes or load them once; at start-up, share them (class-data sharing) or load them on another thread.',
  },
  find: (context) =>
    context.threads
      .flatMap((thread) => findingOf(context, thread))
      .sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))
      .slice(0, mostOfRule),
};

/** Wall time without waits in which a thread loads classes, and the method of the program that asked for most; −1 unknown. */
export function loadingIn(context: FindingContext, thread: ThreadTrack): { ns: number; method: number } {
  const { trace, beginNs, endNs } = context;
  const asker = askersOf(context);
  if (asker === undefined) return { ns: 0, method: -1 };
  const { begin, end, path, state, cpu, countsWith } = thread.intervals;
  let ns = 0;
  const byAsker = new Map<number, number>();
  const add = (at: number, value: number): void => {
    const from = asker[at] as number;
    if (from === 0 || value <= 0) return;
    ns += value;
    byAsker.set(from, (byAsker.get(from) ?? 0) + value);
  };
  const range = { threads: [], beginNs, endNs };
  const { first, last } = intervalsIn(thread, range, trace.endNs);
  for (let row = first; row < last; row++) {
    const [from, to] = [begin[row] as number, end[row] as number];
    const share = shareIn(from, to, range);
    const wall = (to - from) * share;
    // What was used here unseen counts with another interval, as in `sumScope`.
    const other = countsWith[row] ?? 0;
    const unseen = other > 0 ? Math.min((cpu[row] as number) * share, wall) : 0;
    if (unseen > 0) add(path[other] as number, unseen);
    const how = state[row] as number;
    // A wait within a loader has a rule of its own.
    if (how !== IntervalState.Gap && !isWait(how)) add(path[row] as number, wall - unseen);
  }
  const byMethod = new Map<number, number>();
  for (const [from, value] of byAsker) {
    const method = programMethod(trace, from);
    byMethod.set(method, (byMethod.get(method) ?? 0) + value);
  }
  const [method = -1] = [...byMethod].sort((a, b) => b[1] - a[1])[0] ?? [];
  return { ns, method };
}

function findingOf(context: FindingContext, thread: ThreadTrack): Finding[] {
  const { trace, lengthNs, beginNs, endNs } = context;
  const { ns, method } = loadingIn(context, thread);
  if (ns < context.leastNs || method < 0) return [];
  return [
    {
      id,
      severity: 'warning',
      title: {
        key: 'finding.classLoading.title',
        values: { thread: `"${thread.name}"`, time: formatNs(ns) },
      },
      explanation: {
        key: 'finding.classLoading.explanation',
        values: { method: trace.methods.qualifiedName(method) },
      },
      nextStep: { key: 'finding.classLoading.nextStep', values: {} },
      shareOfTime: ns / lengthNs,
      rank: (ns / lengthNs) * context.weightOf(thread),
      certainty: 'estimated',
      evidence: [{ thread: thread.index, beginNs, endNs, method }],
    },
  ];
}

const known = new WeakMap<FindingContext, { readonly askers: Int32Array | undefined }>();

/** By path: the path that asked for the class, 0 outside of loaders. Undefined if no path loads classes. */
function askersOf(context: FindingContext): Int32Array | undefined {
  let made = known.get(context);
  if (made === undefined) {
    known.set(context, (made = { askers: makeAskers(context.trace) }));
  }
  return made.askers;
}

function makeAskers(trace: Trace): Int32Array | undefined {
  const outermost = outermostCalls(trace, isLoader);
  return outermost?.map((path) => (path === 0 ? 0 : (trace.paths.parent[path] as number)));
}
