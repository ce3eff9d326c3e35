/** The main thread was ready to run and all cores had other threads: told by the kernel, and so only with a system trace. */
import { formatNs, formatShare } from '../measure/quantities.js';
import { statesOf, threadScheduling, wakerName } from '../measure/scheduling.js';
import type { ThreadTrack } from '../model/trace.js';
import { SchedState } from '../system/kernel-sink.js';
import type { FindingContext } from './context.js';
import type { Finding, FindingRule } from './finding.js';

const id = 'noCore';
/** Of the time in which it wanted to run. Less is what any machine with other programs takes. */
const leastOfReady = 0.25;

export const noCore: FindingRule = {
  id,
  texts: {
    'finding.noCore.title': '{thread} is ready for {time} and gets no core',
    'finding.noCore.explanation':
      'That is {share} of the time in which it wanted to run. Most of the processors’ time went to {other}.',
    'finding.noCore.explanationAlone':
      'That is {share} of the time in which it wanted to run. Only this program’s switches were recorded: who had the cores is not known.',
    'finding.noCore.nextStep': 'Run fewer threads that calculate at once, or give them less priority.',
  },
  find(context) {
    const { trace, beginNs, endNs, lengthNs } = context;
    if (trace.system === undefined) return [];
    const isAlone = trace.system.isOfProgram;
    // Where the main thread rests, the busiest one is what a person waits for.
    const [busiest] = context.busyThreads(lengthNs * 0.1);
    const asked = new Set([...context.awaitedThreads, ...(busiest ? [busiest] : [])]);
    const rows = threadScheduling(trace, { threads: [...asked].map(({ index }) => index), beginNs, endNs });
    return rows
      .filter(
        ({ runnableNs, runningNs }) =>
          runnableNs >= context.leastNs && runnableNs >= (runnableNs + runningNs) * leastOfReady,
      )
      .sort((a, b) => Number(b.thread.isMain) - Number(a.thread.isMain) || b.runnableNs - a.runnableNs)
      .slice(0, 1)
      .map(({ thread, runnableNs, runningNs }): Finding => {
        const values = {
          time: formatNs(runnableNs),
          thread: `"${thread.name}"`,
          share: formatShare(runnableNs / (runnableNs + runningNs)),
          other: isAlone ? '' : mostBusyOther(context, thread),
        };
        const why = isAlone ? 'finding.noCore.explanationAlone' : 'finding.noCore.explanation';
        return {
          id,
          severity: 'warning',
          title: { key: 'finding.noCore.title', values },
          explanation: { key: why, values },
          nextStep: { key: 'finding.noCore.nextStep', values: {} },
          shareOfTime: runnableNs / lengthNs,
          certainty: 'observed',
          evidence: [longestWait(context, thread)],
        };
      });
  },
};

/** Threads whose names differ by numbers alone count as one. A pass over the switches of all cores. */
function mostBusyOther({ trace, beginNs, endNs }: FindingContext, thread: ThreadTrack): string {
  const { system } = trace;
  if (system === undefined) return '';
  const { time, next, core, count } = system.switches;
  /** By core: the row of its last switch. */
  const last = new Map<number, number>();
  const byTid = new Map<number, number>();
  for (let row = 0; row < count; row++) {
    const of = core[row] as number;
    const before = last.get(of);
    last.set(of, row);
    if (before === undefined) continue;
    const tid = next[before] as number;
    if (tid <= 0 || tid === thread.tid) continue;
    const ns = Math.min(time[row] as number, endNs) - Math.max(time[before] as number, beginNs);
    if (ns > 0) byTid.set(tid, (byTid.get(tid) ?? 0) + ns);
  }
  const byName = new Map<string, { ns: number; count: number; name: string }>();
  for (const [tid, ns] of byTid) {
    const name = wakerName(trace, tid);
    const key = name.replace(/\d+/g, '*');
    const known = byName.get(key) ?? { ns: 0, count: 0, name };
    byName.set(key, { ns: known.ns + ns, count: known.count + 1, name });
  }
  const [first] = [...byName].sort((a, b) => b[1].ns - a[1].ns);
  if (first === undefined) return '';
  const [key, { ns, count: threads, name }] = first;
  return `${threads === 1 ? name : `${threads} × ${key}`} (${formatNs(ns)})`;
}

function longestWait({ trace, beginNs, endNs }: FindingContext, thread: ThreadTrack) {
  const states = trace.system && statesOf(trace.system, trace).get(thread.tid);
  let [from, to] = [beginNs, beginNs];
  if (states !== undefined)
    for (let row = states.firstAfter(beginNs); row < states.count; row++) {
      if (states.state[row] !== SchedState.Runnable) continue;
      const begin = Math.max(beginNs, states.begin[row] as number);
      const end = Math.min(endNs, states.end[row] as number);
      if (end - begin > to - from) [from, to] = [begin, end];
    }
  return { thread: thread.index, beginNs: from, endNs: to };
}
