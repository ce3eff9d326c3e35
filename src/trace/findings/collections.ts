/** Garbage collections that held the program up, and who allocated most. */
import { formatBytes, formatCount, formatNs, formatShare } from '../measure/quantities.js';
import { hotLine } from '../measure/hot-line.js';
import { SampleFlag, ThreadKind } from '../model/kinds.js';
import type { ThreadTrack } from '../model/trace.js';
import type { FindingContext } from './context.js';
import { type Evidence, type Finding, type FindingRule } from './finding.js';
import { purposeOf } from '../measure/wait-purpose.js';

const id = 'collections';

interface Stops {
  ns: number;
  count: number;
  thread: number;
  beginNs: number;
  endNs: number;
}

export const collections: FindingRule = {
  id,
  texts: {
    'finding.collections.title': 'Garbage collections stop the program for {time}',
    'finding.collections.explanation': 'There were {count}. The longest took {longest}.',
    'finding.collections.allocated':
      'There were {count}, the longest of {longest}. {method} on {thread} allocated {share} of {bytes}.',
    'finding.collections.nextStep':
      'Allocate less there, keep less of it alive, or give the program more memory.',
  },
  find(context) {
    const stops = mostStops(context);
    if (stops === undefined || stops.ns < context.leastNs) return [];
    return [findingOf(context, stops)];
  },
};

/** Of the thread that collections held up for longest: the runtime's own thread for them, or one of the program. */
function mostStops(context: FindingContext): Stops | undefined {
  let most: Stops | undefined;
  for (const thread of context.trace.threads) {
    const { waits } = thread;
    const own: Stops = { ns: 0, count: 0, thread: thread.index, beginNs: 0, endNs: 0 };
    context.eachWait(thread, (row, beginNs, endNs) => {
      const isOpen = ((waits.flags[row] as number) & SampleFlag.OpenWait) !== 0;
      if (isOpen || purposeOf(context.trace, waits, row) !== 'collection') return;
      own.ns += endNs - beginNs;
      own.count++;
      if (endNs - beginNs > own.endNs - own.beginNs) [own.beginNs, own.endNs] = [beginNs, endNs];
    });
    if (own.ns > (most?.ns ?? 0)) most = own;
  }
  return most;
}

interface Allocator {
  readonly thread: ThreadTrack;
  readonly method: number;
  readonly bytes: number;
}

/** The method and thread that allocated most, and the bytes of all. */
function mostAllocated(context: FindingContext): { first: Allocator | undefined; sum: number } {
  let first: Allocator | undefined;
  let sum = 0;
  if (!context.trace.info.hasAllocations) return { first, sum };
  const byThread: { readonly thread: ThreadTrack; readonly bytes: number }[] = [];
  for (const thread of context.trace.threads) {
    if (thread.kind === ThreadKind.Runtime) continue;
    const bytes = context.sumOf(thread, 'allocatedBytes');
    sum += bytes;
    byThread.push({ thread, bytes });
  }
  for (const { thread, bytes } of byThread.sort((a, b) => b.bytes - a.bytes)) {
    // No method has more than all of its thread.
    if (bytes <= (first?.bytes ?? 0)) break;
    const hot = context.hottest(thread, 'allocatedBytes');
    if (hot !== undefined && hot.value > (first?.bytes ?? 0))
      first = { thread, method: hot.method, bytes: hot.value };
  }
  return { first, sum };
}

function findingOf(context: FindingContext, { ns, count, thread, beginNs, endNs }: Stops): Finding {
  const { trace, lengthNs } = context;
  const { first, sum } = mostAllocated(context);
  const evidence: Evidence[] = [{ thread, beginNs, endNs }];
  if (first !== undefined) {
    const range = { beginNs: context.beginNs, endNs: context.endNs };
    const line = hotLine(trace, first.method, { threads: [first.thread.index], ...range });
    // The allocating method leads to a line, and so comes first.
    evidence.unshift({
      ...{ thread: first.thread.index, ...range, method: first.method },
      ...(line > 0 && { line }),
    });
  }
  return {
    id,
    severity: 'warning',
    title: { key: 'finding.collections.title', values: { time: formatNs(ns) } },
    explanation: {
      key: `finding.collections.${first === undefined ? 'explanation' : 'allocated'}`,
      values: {
        ...{ count: formatCount(count), longest: formatNs(endNs - beginNs) },
        ...(first && {
          method: trace.methods.qualifiedName(first.method),
          thread: `"${first.thread.name}"`,
          share: formatShare(first.bytes / sum),
          bytes: formatBytes(sum),
        }),
      },
    },
    nextStep: { key: 'finding.collections.nextStep', values: {} },
    shareOfTime: ns / lengthNs,
    evidence,
  };
}
