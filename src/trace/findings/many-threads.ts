/** Threads that are started for short tasks, by the hundred. */
import { formatCount } from '../measure/quantities.js';
import { programMethod } from '../measure/platform.js';
import { SampleKind, ThreadKind } from '../model/kinds.js';
import type { FindingContext } from './context.js';
import type { Evidence, FindingRule } from './finding.js';

const id = 'manyThreads';
const leastPerSecond = 50;
const leastThreads = 30;

export const manyThreads: FindingRule = {
  id,
  texts: {
    'finding.manyThreads.title': '{count} threads are started, {rate} a second',
    'finding.manyThreads.explanation':
      'Most are called {name}. Each costs some 100 µs to start, and memory for its stack.',
    'finding.manyThreads.nextStep': 'Give the tasks to a pool of threads that stay.',
  },
  find(context) {
    const { trace, beginNs, endNs, lengthNs } = context;
    const byName = new Map<string, number>();
    const byCreator = new Map<number, number>();
    let count = 0;
    for (const { beginNs: begin, kind, name, creator } of trace.threads) {
      // Those that were there before have no begin.
      if (begin <= trace.beginNs || begin < beginNs || begin >= endNs || kind !== ThreadKind.Platform)
        continue;
      count++;
      const like = name.replace(/\d+/g, '*');
      byName.set(like, (byName.get(like) ?? 0) + 1);
      byCreator.set(creator, (byCreator.get(creator) ?? 0) + 1);
    }
    const rate = count / (lengthNs / 1e9);
    if (count < leastThreads || rate < leastPerSecond) return [];
    const [name = ''] = most(byName);
    const [creator = 0] = most(byCreator);
    return [
      {
        id,
        severity: 'warning',
        title: {
          key: 'finding.manyThreads.title',
          values: { count: formatCount(count), rate: formatCount(Math.round(rate)) },
        },
        explanation: { key: 'finding.manyThreads.explanation', values: { name: `"${name}"` } },
        nextStep: { key: 'finding.manyThreads.nextStep', values: {} },
        rank: Math.min(1, rate / 500),
        certainty: 'observed',
        evidence: evidenceOf(context, creator),
      },
    ];
  },
};

function most<Key>(counts: ReadonlyMap<Key, number>): [Key | undefined, number] {
  return [...counts].sort((a, b) => b[1] - a[1])[0] ?? [undefined, 0];
}

/** Where the thread that started most of them did so. */
function evidenceOf({ trace, beginNs, endNs }: FindingContext, creator: number): Evidence[] {
  const thread = trace.threads.find(({ index }) => index === creator);
  if (thread === undefined) return [];
  const { events } = thread;
  const byMethod = new Map<number, number>();
  for (let row = 0; row < events.count; row++) {
    if (events.kind[row] !== SampleKind.ThreadStart) continue;
    const method = programMethod(trace, events.path[row] as number);
    if (method >= 0) byMethod.set(method, (byMethod.get(method) ?? 0) + 1);
  }
  const [method] = most(byMethod);
  return [{ thread: creator, beginNs, endNs, ...(method !== undefined && { method }) }];
}
