/** Methods in which the main thread waited for files, sockets, other processes or threads, or slept. */
import { programMethod } from '../measure/platform.js';
import { formatCount, formatNs } from '../measure/quantities.js';
import { upperBound } from '../model/bisect.js';
import { SampleFlag } from '../model/kinds.js';
import type { ThreadTrack } from '../model/trace.js';
import { activityIn, type Doing, placeOfWait } from '../measure/activity.js';
import type { FindingContext } from './context.js';
import { type Evidence, type Finding, type FindingRule, mostEvidence, mostOfRule } from './finding.js';
import { purposeOf, type WaitPurpose } from '../measure/wait-purpose.js';

const id = 'mainThreadWait';

/** Work that another thread could wait for, whatever the main thread does. */
const told: ReadonlySet<WaitPurpose> = new Set(['io', 'disk', 'binder', 'result', 'sleep']);
/** Shorter waits for another thread are the rule's for hand-overs. */
const shortResultNs = 1e6;
/** A thread that sleeps less long each time looks again and again whether something has happened. */
const pollNs = 50e6;
const leastPolls = 10;
/** Of a main thread that only sleeps nothing is known: it may have nothing to do. */
const leastWork = 0.02;

interface Group {
  readonly purpose: WaitPurpose;
  readonly method: number;
  readonly thread: ThreadTrack;
  ns: number;
  count: number;
  inMessages: number;
  readonly longest: Place[];
  /** Of waits for another thread: by the thread that ended them. */
  readonly byWaker: Map<number, { ns: number; longest: Place }>;
}

interface Place {
  readonly row: number;
  readonly beginNs: number;
  readonly endNs: number;
}

export const mainThreadWait: FindingRule = {
  id,
  texts: {
    'finding.mainThreadWait.io': '{thread} waits {time} for files and sockets in {method}',
    'finding.mainThreadWait.disk': '{thread} waits {time} for the disk in {method}',
    'finding.mainThreadWait.binder': '{thread} waits {time} for other processes in {method}',
    'finding.mainThreadWait.result': '{thread} waits {time} for another thread in {method}',
    'finding.mainThreadWait.sleep': '{thread} sleeps {time} in {method}',
    'finding.mainThreadWait.sleepInMessage': '{thread} sleeps {time} while it handles messages, in {method}',
    'finding.mainThreadWait.poll': '{thread} sleeps {time} in {method}, to look again each time',
    'finding.mainThreadWait.explanation': 'It waited {count} times. The longest wait took {longest}.',
    'finding.mainThreadWait.once': 'It waited once, for {longest}.',
    'finding.mainThreadWait.ran':
      'It waited {count} times, the longest {longest}, mostly for {owner}. Meanwhile that thread ran {held}.',
    'finding.mainThreadWait.waited':
      'It waited {count} times, the longest {longest}, mostly for {owner}. Meanwhile that thread itself waited in {held}.',
    'finding.mainThreadWait.ready':
      'It waited {count} times, the longest {longest}, mostly for {owner}. Meanwhile that thread was ready in {held} and had no core.',
    'finding.mainThreadWait.stopped':
      'It waited {count} times, the longest {longest}, mostly for {owner}. Meanwhile that thread was in {held} and was not running.',
    'finding.mainThreadWait.ranOnce': 'It waited once, for {longest}. Meanwhile {owner} ran {held}.',
    'finding.mainThreadWait.waitedOnce':
      'It waited once, for {longest}. Meanwhile {owner} itself waited in {held}.',
    'finding.mainThreadWait.readyOnce':
      'It waited once, for {longest}. Meanwhile {owner} was ready in {held} and had no core.',
    'finding.mainThreadWait.stoppedOnce':
      'It waited once, for {longest}. Meanwhile {owner} was in {held} and was not running.',
    'finding.mainThreadWait.nextStep': 'Do this on another thread, and hand the result to {thread}.',
    'finding.mainThreadWait.dontSleep':
      'Let whoever has the result tell {thread}: by a queue, a future, a condition.',
  },
  find(context) {
    return context.awaitedThreads
      .flatMap((thread) => groupsOf(context, thread))
      .filter((group) => group.ns >= context.leastNs && isTold(context, group))
      .sort((a, b) => b.ns - a.ns)
      .slice(0, mostOfRule)
      .map((group) => findingOf(context, group));
  },
};

/** By purpose and method. One pass over the waits of the thread; the method of the program is looked up once a path. */
function groupsOf(context: FindingContext, thread: ThreadTrack): Group[] {
  const { trace } = context;
  const { waits } = thread;
  const methodOf = new Map<number, number>();
  const groups = new Map<WaitPurpose, Map<number, Group>>([...told].map((purpose) => [purpose, new Map()]));
  context.eachWait(thread, (row, beginNs, endNs) => {
    const purpose = purposeOf(trace, waits, row);
    const byMethod = groups.get(purpose);
    if (byMethod === undefined || ((waits.flags[row] as number) & SampleFlag.OpenWait) !== 0) return;
    const waker = purpose === 'result' ? wakerIn(context, thread, row) : 0;
    if (purpose === 'result' && waker === 0) return;
    const path = waits.path[row] as number;
    let method = methodOf.get(path);
    if (method === undefined) methodOf.set(path, (method = programMethod(trace, path)));
    if (method < 0) return;
    let group = byMethod.get(method);
    if (group === undefined)
      byMethod.set(
        method,
        (group = {
          ...{ purpose, method, thread, ns: 0, count: 0, inMessages: 0 },
          ...{ longest: [], byWaker: new Map() },
        }),
      );
    group.ns += endNs - beginNs;
    group.count++;
    if (purpose === 'sleep' && isInMessage(thread, beginNs)) group.inMessages++;
    keepLongest(group, row, beginNs, endNs);
    if (waker !== 0) addWaker(group, waker, { row, beginNs, endNs });
  });
  return [...groups.values()].flatMap((byMethod) => [...byMethod.values()]);
}

function addWaker({ byWaker }: Group, waker: number, place: Place): void {
  const ns = place.endNs - place.beginNs;
  const known = byWaker.get(waker);
  if (known === undefined) byWaker.set(waker, { ns, longest: place });
  else {
    known.ns += ns;
    if (ns > known.longest.endNs - known.longest.beginNs) known.longest = place;
  }
}

function isTold(context: FindingContext, group: Group): boolean {
  const { purpose, ns, count, thread } = group;
  if (purpose === 'result') return ns >= count * shortResultNs;
  if (purpose !== 'sleep' || group.inMessages > 0) return true;
  // Outside a message a sleep may be all that there is to do.
  return isPoll(group) || context.sumOf(thread, 'cpu') >= context.lengthNs * leastWork;
}

const isPoll = ({ ns, count }: Group): boolean => count >= leastPolls && ns < count * pollNs;

function isInMessage({ intervals, message }: ThreadTrack, ns: number): boolean {
  const at = upperBound(intervals.begin, ns, 0, intervals.count) - 1;
  return at >= 0 && (message[at] ?? 0) !== 0;
}

/** The longest waits, the longest one first. */
function keepLongest({ longest }: Group, row: number, beginNs: number, endNs: number): void {
  const length = endNs - beginNs;
  let at = longest.length;
  for (; at > 0; at--) {
    const before = longest[at - 1];
    if (before === undefined || before.endNs - before.beginNs >= length) break;
  }
  if (at >= mostEvidence) return;
  longest.splice(at, 0, { row, beginNs, endNs });
  if (longest.length > mostEvidence) longest.pop();
}

function titleKey(group: Group): string {
  if (group.purpose !== 'sleep') return group.purpose;
  if (group.inMessages > 0) return 'sleepInMessage';
  return isPoll(group) ? 'poll' : 'sleep';
}

function findingOf(context: FindingContext, group: Group): Finding {
  const { trace, lengthNs } = context;
  const { purpose, method, thread, ns, count, longest } = group;
  const [first] = longest;
  const waker = wakerOf(context, group);
  const who = { thread: `"${thread.name}"` };
  const longestNs = first === undefined ? 0 : first.endNs - first.beginNs;
  return {
    id,
    severity: 'warning',
    title: {
      key: `finding.mainThreadWait.${titleKey(group)}`,
      values: { ...who, method: trace.methods.qualifiedName(method), time: formatNs(ns) },
    },
    explanation: {
      key: `finding.mainThreadWait.${explanationKey(waker, count)}`,
      values: { count: formatCount(count), longest: formatNs(longestNs), ...waker?.values },
    },
    nextStep: {
      key: `finding.mainThreadWait.${purpose === 'sleep' ? 'dontSleep' : 'nextStep'}`,
      values: who,
    },
    shareOfTime: ns / lengthNs,
    certainty: 'observed',
    evidence: [
      ...longest.map(({ row, beginNs, endNs }): Evidence => {
        const { line } = placeOfWait(trace, thread, row);
        return { thread: thread.index, beginNs, endNs, method, ...(line > 0 && { line }) };
      }),
      ...(waker ? [waker.evidence] : []),
    ].slice(0, mostEvidence),
  };
}

interface Waker {
  readonly how: Doing;
  readonly values: Readonly<Record<string, string>>;
  readonly evidence: Evidence;
}

/** A thread that ended so soon before a join did is the one that was waited for. */
const joinNs = 5e6;

function explanationKey(waker: Waker | undefined, count: number): string {
  if (waker === undefined) return count === 1 ? 'once' : 'explanation';
  return count === 1 ? `${waker.how}Once` : waker.how;
}

/** Index of the thread that ended a wait, 0 unknown, as where the time that it was given was over. */
function wakerIn(context: FindingContext, { waits }: ThreadTrack, row: number): number {
  const link = waits.link[row] as number;
  const known = link >= 0 ? (context.trace.links.waker[link] as number) : (waits.owner[row] as number);
  return known !== 0 ? known : context.threadEndedNear(waits.end[row] as number, joinNs);
}

/**
 * The thread that ended most of the waiting, and what it did until then. Another one may end a single wait too early, as where a
 * semaphore's thread is late to wake somebody who has gone on by himself.
 */
function wakerOf({ trace }: FindingContext, { byWaker }: Group): Waker | undefined {
  const [most] = [...byWaker].sort(([, a], [, b]) => b.ns - a.ns);
  if (most === undefined) return undefined;
  const [index, { longest }] = most;
  const { beginNs, endNs } = longest;
  const thread = trace.threads.find((one) => one.index === index);
  const did = thread && activityIn(trace, thread, beginNs, endNs);
  if (thread === undefined || did === undefined || did.method < 0) return undefined;
  return {
    how: did.how,
    values: { owner: `"${thread.name}"`, held: trace.methods.qualifiedName(did.method) },
    evidence: {
      ...{ thread: index, beginNs, endNs, method: did.method },
      ...(did.line > 0 && { line: did.line }),
    },
  };
}
