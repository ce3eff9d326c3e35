/** What takes clearly longer than in an earlier recording of the same program. Asked for only where there is one. */
import { hotMethods } from '../measure/hot-methods.js';
import { programMethod } from '../measure/platform.js';
import { formatNs } from '../measure/quantities.js';
import { ThreadKind } from '../model/kinds.js';
import type { ThreadTrack, Trace } from '../model/trace.js';
import { FindingContext } from './context.js';
import { type Finding, type FindingRule, mostOfRule } from './finding.js';
import { purposeOf } from '../measure/wait-purpose.js';

const id = 'regression';
/** What a sample of CPU time stands for at least; three standard deviations of the samples are no chance. */
const sampleNs = 10e6;
const deviations = 3;
/** A wait that is so much longer than before is told. */
const leastGrowth = 1.5;
const mostMethods = 200;

interface Cost {
  readonly method: number;
  readonly thread: ThreadTrack;
  cpuNs: number;
  waitNs: number;
}

export const regression: FindingRule = {
  id,
  texts: {
    'finding.regression.cpu': '{method} calculates {more} longer than in the recording before',
    'finding.regression.wait': 'The main thread waits {more} longer in {method} than in the recording before',
    'finding.regression.explanation': 'It was {before} and is {after}, in the same time.',
    'finding.regression.new': 'It took nothing then, and takes {after} now.',
    'finding.regression.nextStep': 'See what changed: btrace compare shows the calls that it comes from.',
  },
  find(context) {
    const { baseline, isWhole } = context;
    if (baseline === undefined || !isWhole) return [];
    const old = new FindingContext(baseline);
    if (!(old.lengthNs > 0)) return [];
    const scale = context.lengthNs / old.lengthNs;
    const [before, after] = [costsOf(old), costsOf(context)];
    const [allBefore, allAfter] = [cpuOf(before) * scale, cpuOf(after)];
    return [...after]
      .flatMap(([name, cost]) => {
        const was = before.get(name);
        const [cpuBefore, waitBefore] = [(was?.cpuNs ?? 0) * scale, (was?.waitNs ?? 0) * scale];
        // A machine that has more time for the program lets all of its methods have more.
        const others = (allAfter - cost.cpuNs) / (allBefore - cpuBefore);
        const expected = cpuBefore * (Number.isFinite(others) ? Math.max(1, others) : 1);
        const noise = deviations * Math.sqrt((expected + cost.cpuNs) * sampleNs);
        const cpu = cost.cpuNs - expected;
        const wait = cost.waitNs - waitBefore;
        const isWait = wait >= context.leastNs && cost.waitNs >= waitBefore * leastGrowth;
        const isCpu = cpu >= Math.max(context.leastNs, noise);
        return [
          ...(isCpu ? [findingOf(context, cost, 'cpu', cpuBefore, cost.cpuNs)] : []),
          ...(isWait ? [findingOf(context, cost, 'wait', waitBefore, cost.waitNs)] : []),
        ];
      })
      .sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))
      .slice(0, mostOfRule);
  },
};

function findingOf(
  context: FindingContext,
  { method, thread }: Cost,
  what: 'cpu' | 'wait',
  before: number,
  after: number,
): Finding {
  const { trace, lengthNs, beginNs, endNs } = context;
  const values = {
    method: trace.methods.qualifiedName(method),
    more: formatNs(after - before),
    before: formatNs(before),
    after: formatNs(after),
  };
  const share = (after - before) / lengthNs;
  return {
    id,
    severity: 'warning',
    title: { key: `finding.regression.${what}`, values },
    explanation: { key: `finding.regression.${before === 0 ? 'new' : 'explanation'}`, values },
    nextStep: { key: 'finding.regression.nextStep', values: {} },
    shareOfTime: share,
    // That it is new says more than that it is much.
    rank: Math.min(1, share) * context.weightOf(thread) + 1,
    certainty: what === 'cpu' ? 'estimated' : 'observed',
    evidence: [{ thread: thread.index, beginNs, endNs, method }],
  };
}

const cpuOf = (costs: ReadonlyMap<string, Cost>): number =>
  [...costs.values()].reduce((sum, { cpuNs }) => sum + cpuNs, 0);

/** By name of a method of the program: its CPU time with the libraries it called, and waits of the main thread. */
function costsOf(context: FindingContext): Map<string, Cost> {
  const { trace } = context;
  const costs = new Map<string, Cost>();
  // A name is made once a method: there may be millions of waits.
  const byMethod = new Map<number, Cost>();
  const costOf = (method: number, thread: ThreadTrack): Cost => {
    let cost = byMethod.get(method);
    if (cost !== undefined) return cost;
    const name = nameOf(trace, method);
    cost = costs.get(name) ?? { method, thread, cpuNs: 0, waitNs: 0 };
    costs.set(name, cost);
    byMethod.set(method, cost);
    return cost;
  };
  for (const thread of context.threads) {
    if (thread.kind === ThreadKind.Runtime) continue;
    const { rows, isMyCode } = hotMethods(
      context.trace,
      context.sums(thread),
      'cpu',
      context.isOfProgram,
      mostMethods,
    );
    if (isMyCode) for (const { method, value } of rows) costOf(method, thread).cpuNs += value;
    if (!thread.isMain) continue;
    context.eachWait(thread, (row, beginNs, endNs) => {
      if (purposeOf(trace, thread.waits, row) === 'other') return;
      const method = programMethod(trace, thread.waits.path[row] as number);
      if (method >= 0) costOf(method, thread).waitNs += endNs - beginNs;
    });
  }
  return costs;
}

/** Numbers that a run gives anew, as those of lambdas, do not count. */
const nameOf = ({ methods }: Trace, method: number): string =>
  methods.qualifiedName(method).replace(/\d+/g, '*');
