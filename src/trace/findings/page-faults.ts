/** Threads that stand still until the kernel has read pages of memory from a disk: files that are mapped, or swapped memory. */
import { isBetweenInterrupts } from '../measure/activity.js';
import { programMethod } from '../measure/platform.js';
import { formatCount, formatNs } from '../measure/quantities.js';
import { intervalsIn, shareIn } from '../measure/scope.js';
import { IntervalState, type ThreadTrack } from '../model/trace.js';
import type { FindingContext } from './context.js';
import { type Evidence, type Finding, type FindingRule, mostEvidence, mostOfRule } from './finding.js';

const id = 'pageFaults';
/** A disk has a page by then. What a thread stands still for longer has another reason, such as a core that it does not get. */
const longestReadNs = 5e6;
/** CPU time of the range's length that a thread needs to be looked at: one that waits for pages uses little. */
const leastOfCpu = 0.01;

export const pageFaults: FindingRule = {
  id,
  texts: {
    'finding.pageFaults.title': '{thread} waits {time} for pages of memory to be read, in {method}',
    'finding.pageFaults.threads':
      '{threads} threads wait {time} in all for pages of memory to be read, in {method}',
    'finding.pageFaults.explanation':
      'There were {count} major page faults, {rate} a second: each had to read from a file or from swap.',
    'finding.pageFaults.nextStep':
      'Read the file in large pieces, or ahead of its use (madvise, readahead). If memory is swapped, use less of it.',
  },
  find(context) {
    if (!context.trace.info.hasFaults) return [];
    const threads = new Set([
      ...context.awaitedThreads,
      ...context.busyThreads(context.lengthNs * leastOfCpu),
    ]);
    const byMethod = new Map<number, Slow[]>();
    for (const thread of threads) {
      const slow = slowIn(context, thread);
      if (slow !== undefined) byMethod.set(slow.method, [...(byMethod.get(slow.method) ?? []), slow]);
    }
    return [...byMethod.values()]
      .map((slow) => findingOf(context, slow))
      .sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))
      .slice(0, mostOfRule);
  },
};

/** A thread that loses much, and the method in which it loses most of that. */
interface Slow extends Lost {
  readonly thread: ThreadTrack;
  readonly method: number;
  readonly rank: number;
}

interface Lost {
  ns: number;
  faults: number;
  /** What of it each method of the program lost. */
  readonly byMethod: Map<number, number>;
  /** The interval that lost most. */
  readonly most: { ns: number; beginNs: number; endNs: number };
}

/** Time off the processors between two samples with faults between them. A recorded wait has a reason of its own. */
function lostIn({ trace, beginNs, endNs }: FindingContext, thread: ThreadTrack): Lost {
  const { begin, end, path, state, cpu, faults, countsWith } = thread.intervals;
  const lost: Lost = { ns: 0, faults: 0, byMethod: new Map(), most: { ns: 0, beginNs, endNs } };
  const range = { threads: [], beginNs, endNs };
  const { first, last } = intervalsIn(thread, range, trace.endNs);
  /** Off the processors since then, told with the interval that follows. */
  let [since, pending] = [-1, 0];
  for (let row = first; row < last; row++) {
    const [from, to] = [Math.max(begin[row] as number, beginNs), Math.min(end[row] as number, endNs)];
    if (isBetweenInterrupts(trace, thread, row)) {
      if (since < 0) since = from;
      pending += to - from;
      continue;
    }
    const share = shareIn(begin[row] as number, end[row] as number, range);
    const count = (faults[row] as number) * share;
    const off = pending + Math.max(to - from - (cpu[row] as number) * share, 0);
    const beganNs = since < 0 ? from : since;
    [since, pending] = [-1, 0];
    if (!(count > 0) || state[row] === IntervalState.Wait) continue;
    const ns = Math.min(off, count * longestReadNs);
    lost.ns += ns;
    lost.faults += count;
    // What no interrupt saw is where the next one was.
    const seen = countsWith[row] ?? 0;
    const method = programMethod(trace, path[seen > 0 ? seen : row] as number);
    if (method >= 0) lost.byMethod.set(method, (lost.byMethod.get(method) ?? 0) + ns);
    if (ns > lost.most.ns) Object.assign(lost.most, { ns, beginNs: beganNs, endNs: to });
  }
  return lost;
}

function slowIn(context: FindingContext, thread: ThreadTrack): Slow | undefined {
  const lost = lostIn(context, thread);
  const [method] = [...lost.byMethod].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (lost.ns < context.leastNs || method === undefined) return undefined;
  return { ...lost, thread, method, rank: (lost.ns / context.lengthNs) * context.weightOf(thread) };
}

/** Of all threads that lose time in a method: those of a pool do the same work. */
function findingOf({ trace, lengthNs }: FindingContext, threads: readonly Slow[]): Finding {
  const slow = [...threads].sort((a, b) => b.rank - a.rank);
  const sumOf = (figure: 'ns' | 'faults'): number => slow.reduce((sum, one) => sum + one[figure], 0);
  const [ns, faults] = [sumOf('ns'), sumOf('faults')];
  const [{ thread, method, rank }] = slow as [Slow];
  return {
    id,
    severity: 'warning',
    title: {
      key: slow.length > 1 ? 'finding.pageFaults.threads' : 'finding.pageFaults.title',
      values: {
        ...(slow.length > 1 ? { threads: formatCount(slow.length) } : { thread: `"${thread.name}"` }),
        time: formatNs(ns),
        method: trace.methods.qualifiedName(method),
      },
    },
    explanation: {
      key: 'finding.pageFaults.explanation',
      values: {
        count: formatCount(Math.round(faults)),
        rate: formatCount(Math.round(faults / (lengthNs / 1e9))),
      },
    },
    nextStep: { key: 'finding.pageFaults.nextStep', values: {} },
    shareOfTime: ns / lengthNs,
    rank,
    // Another thread may have had the core for a part of it.
    certainty: 'estimated',
    evidence: slow.slice(0, mostEvidence).map((one): Evidence => ({
      ...{ thread: one.thread.index, beginNs: one.most.beginNs, endNs: one.most.endNs },
      method,
    })),
  };
}
