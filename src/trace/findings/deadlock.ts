/** Threads that wait for each other's locks in a circle: none of them can go on. docs/MEASURES.md, "Deadlocks". */
import { type LockWait, lockWaitsAtEnd } from '../measure/lock-waits.js';
import { formatCount } from '../measure/quantities.js';
import type { Trace } from '../model/trace.js';
import { type Evidence, type Finding, type FindingRule, mostEvidence } from './finding.js';

const id = 'deadlock';

export const deadlock: FindingRule = {
  id,
  texts: {
    'finding.deadlock.title': 'Deadlock: {threads} threads wait for each other',
    'finding.deadlock.self': 'Deadlock: a thread waits for itself',
    'finding.deadlock.explanation':
      'Each thread waits for a lock that the next one owns. None of them can go on.',
    'finding.deadlock.nextStep': 'Take these locks in the same order everywhere.',
  },
  find: ({ trace }) => lockWaitsAtEnd(trace).deadlocks.map((circle) => findingOf(trace, circle)),
};

function findingOf(trace: Trace, circle: readonly LockWait[]): Finding {
  const isAlone = circle.length === 1;
  return {
    id,
    severity: 'error',
    title: isAlone
      ? { key: 'finding.deadlock.self', values: {} }
      : { key: 'finding.deadlock.title', values: { threads: formatCount(circle.length) } },
    explanation: { key: 'finding.deadlock.explanation', values: {} },
    nextStep: { key: 'finding.deadlock.nextStep', values: {} },
    certainty: circle.some(({ isEstimated }) => isEstimated) ? 'estimated' : 'observed',
    evidence: circle.slice(0, mostEvidence).map((wait) => evidenceOf(trace, wait)),
  };
}

function evidenceOf(trace: Trace, { thread, row, method, line }: LockWait): Evidence {
  const waits = trace.threads.find(({ index }) => index === thread)?.waits;
  return {
    thread,
    ...(waits && { beginNs: waits.begin[row] as number, endNs: waits.end[row] as number }),
    ...(method >= 0 && { method }),
    ...(line > 0 && { line }),
  };
}
