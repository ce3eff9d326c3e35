/** Methods in which threads waited long for locks that others owned. Waits that never ended are the deadlock rule's. */
import { programMethod } from '../measure/platform.js';
import { formatCount, formatNs } from '../measure/quantities.js';
import { SampleFlag } from '../model/kinds.js';
import type { ThreadTrack, Trace } from '../model/trace.js';
import { activityIn, type Doing, ownerPlace, placeOfWait } from '../measure/activity.js';
import type { FindingContext } from './context.js';
import { type Evidence, type Finding, type FindingRule, mostOfRule } from './finding.js';
import { Owners, threadOfMost } from '../measure/wait-owner.js';
import { purposeOf } from '../measure/wait-purpose.js';

const id = 'lockContention';

/** The waits for locks in one method. */
interface Group {
  readonly method: number;
  ns: number;
  count: number;
  isEstimated: boolean;
  readonly byThread: Map<ThreadTrack, number>;
  /** Ns by thread index of the owner, where it is known. */
  readonly byOwner: Map<number, number>;
  /** The longest part of a wait for which it had the lock. */
  readonly longestByOwner: Map<number, Wait>;
  longest: Wait;
}

/** A wait, or a part of one. */
interface Wait {
  readonly thread: ThreadTrack;
  readonly row: number;
  readonly beginNs: number;
  readonly endNs: number;
}

const lengthOf = ({ beginNs, endNs }: Wait): number => endNs - beginNs;

export const lockContention: FindingRule = {
  id,
  texts: {
    'finding.lockContention.title': 'Lock contention in {method}: {time} of waiting',
    'finding.lockContention.explanation':
      'Threads waited {count} times, {time} together, for locks that other threads owned. The longest wait took {longest}.',
    'finding.lockContention.ran':
      'Threads waited {count} times, {time} together, the longest {longest}. Meanwhile the owner, {owner}, ran {held}.',
    'finding.lockContention.waited':
      'Threads waited {count} times, {time} together, the longest {longest}. Meanwhile the owner, {owner}, itself waited in {held}.',
    'finding.lockContention.ready':
      'Threads waited {count} times, {time} together, the longest {longest}. Meanwhile the owner, {owner}, was ready in {held} and had no core.',
    'finding.lockContention.stopped':
      'Threads waited {count} times, {time} together, the longest {longest}. Meanwhile the owner, {owner}, was in {held} and was not running.',
    'finding.lockContention.held':
      'Threads waited {count} times, {time} together, the longest {longest}. The owner, {owner}, had taken the lock in {held}.',
    'finding.lockContention.ranOnce': 'A thread waited {time}. Meanwhile the owner, {owner}, ran {held}.',
    'finding.lockContention.waitedOnce':
      'A thread waited {time}. Meanwhile the owner, {owner}, itself waited in {held}.',
    'finding.lockContention.readyOnce':
      'A thread waited {time}. Meanwhile the owner, {owner}, was ready in {held} and had no core.',
    'finding.lockContention.stoppedOnce':
      'A thread waited {time}. Meanwhile the owner, {owner}, was in {held} and was not running.',
    'finding.lockContention.heldOnce':
      'A thread waited {time}. The owner, {owner}, had taken the lock in {held}.',
    'finding.lockContention.once': 'A thread waited {time} for a lock that another thread owned.',
    'finding.lockContention.nextStep':
      'Hold the lock for less time, or split it, so that fewer threads share it.',
  },
  find(context) {
    return [...groupsOf(context).values()]
      .filter(({ ns }) => ns >= context.leastNs)
      .map((group) => findingOf(context, group))
      .sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))
      .slice(0, mostOfRule);
  },
};

/** By method. Takes one pass over the waits; the innermost method of the program is looked up once a path. */
function groupsOf(context: FindingContext): Map<number, Group> {
  const { trace } = context;
  const groups = new Map<number, Group>();
  const methodOf = new Map<number, number>();
  const owners = new Owners(trace);
  for (const thread of context.threads) {
    const { waits } = thread;
    context.eachWait(thread, (row, beginNs, endNs) => {
      const flags = waits.flags[row] as number;
      if ((flags & SampleFlag.OpenWait) !== 0 || purposeOf(trace, waits, row) !== 'lock') return;
      const path = waits.path[row] as number;
      let method = methodOf.get(path);
      if (method === undefined) methodOf.set(path, (method = programMethod(trace, path)));
      if (method < 0) return;
      const wait = { thread, row, beginNs, endNs };
      let group = groups.get(method);
      if (group === undefined) {
        const empty = { ns: 0, count: 0, isEstimated: false, longest: wait };
        const by = { byThread: new Map(), byOwner: new Map(), longestByOwner: new Map() };
        groups.set(method, (group = { method, ...empty, ...by }));
      }
      const ns = lengthOf(wait);
      group.ns += ns;
      group.count++;
      group.byThread.set(thread, (group.byThread.get(thread) ?? 0) + ns);
      if ((flags & SampleFlag.OwnerEstimated) !== 0) group.isEstimated = true;
      if (ns > lengthOf(group.longest)) group.longest = wait;
      const { byOwner, longestByOwner } = group;
      owners.eachOf(waits, row, (owner, fromNs, toNs) => {
        const part = { thread, row, beginNs: Math.max(fromNs, beginNs), endNs: Math.min(toNs, endNs) };
        const hadNs = lengthOf(part);
        if (hadNs <= 0) return;
        byOwner.set(owner, (byOwner.get(owner) ?? 0) + hadNs);
        const before = longestByOwner.get(owner);
        if (before === undefined || hadNs > lengthOf(before)) longestByOwner.set(owner, part);
      });
    });
  }
  return groups;
}

function findingOf(context: FindingContext, group: Group): Finding {
  const { trace, lengthNs } = context;
  const { method, ns, count, isEstimated, byThread, byOwner, longestByOwner, longest } = group;
  const time = formatNs(ns);
  const owner = threadOfMost(byOwner);
  const shown = longestByOwner.get(owner) ?? longest;
  const { thread, row, beginNs, endNs } = shown;
  const { line } = placeOfWait(trace, thread, row);
  const wait = { thread: thread.index, beginNs, endNs, method, ...(line > 0 && { line }) };
  const holder = holderOf(trace, owner, shown);
  const losses = [...byThread].map(([thread, lost]) => lost * context.weightOf(thread));
  return {
    id,
    severity: 'warning',
    title: {
      key: 'finding.lockContention.title',
      values: { method: trace.methods.qualifiedName(method), time },
    },
    explanation: {
      key:
        holder !== undefined
          ? `finding.lockContention.${holder.how}${count === 1 ? 'Once' : ''}`
          : count === 1
            ? 'finding.lockContention.once'
            : 'finding.lockContention.explanation',
      values: {
        ...{ count: formatCount(count), time, longest: formatNs(lengthOf(longest)) },
        ...(holder && { owner: holder.name, held: trace.methods.qualifiedName(holder.evidence.method) }),
      },
    },
    nextStep: { key: 'finding.lockContention.nextStep', values: {} },
    shareOfTime: ns / lengthNs,
    rank: Math.max(...losses) / lengthNs,
    certainty: isEstimated ? 'estimated' : 'observed',
    evidence: [wait, ...(holder ? [holder.evidence] : [])],
  };
}

interface Holder {
  readonly name: string;
  readonly how: 'held' | Doing;
  readonly evidence: Evidence & { readonly method: number };
}

/** Where the owner of a lock took it, or what it did while another thread waited for it. */
function holderOf(trace: Trace, owner: number, wait: Wait): Holder | undefined {
  const { beginNs, endNs } = wait;
  const thread = trace.threads.find(({ index }) => index === owner);
  if (thread === undefined) return undefined;
  const held = ownerPlace(wait.thread.waits, wait.row);
  const did = held === undefined ? activityIn(trace, thread, beginNs, endNs) : undefined;
  const { method, line } = held ?? did ?? { method: -1, line: 0 };
  if (method < 0) return undefined;
  const evidence = { thread: owner, beginNs, endNs, method, ...(line > 0 && { line }) };
  const how = did?.how ?? 'held';
  return { name: `"${thread.name}"`, how, evidence };
}
