/** One method in which a thread calculates for most of the range. */
import { formatNs, formatShare } from '../measure/quantities.js';
import { hotLine } from '../measure/hot-line.js';
import { type Finding, type FindingRule, mostOfRule } from './finding.js';

const id = 'hotMethod';
/** Of the range's length: with less, a person has not waited for it. */
const leastOfTime = 0.25;
/** Of the thread's CPU time: with less, the work is spread and no method stands out. */
const leastOfThread = 0.5;
/** CPU time of the range's length that a thread needs: on a busy machine one that always wants to run gets little. */
const leastOfCpu = 0.04;

/** One method of several that each have no more than this may have most samples by luck: the chance that is taken. */
const shareOfSeveral = 0.25;
const mostLuck = 1e-6;

/** By Chernoff's bound for so many samples of the thread, of which the method has this share. */
function mayBeLuck(share: number, samples: number): boolean {
  const rest = share < 1 ? (1 - share) * Math.log((1 - share) / (1 - shareOfSeveral)) : 0;
  return samples * (share * Math.log(share / shareOfSeveral) + rest) < -Math.log(mostLuck);
}

export const hotMethod: FindingRule = {
  id,
  texts: {
    'finding.hotMethod.title': '{method} calculates for {time}, {share} of the CPU time of {thread}',
    'finding.hotMethod.explanation': 'The thread is in it for {work}, {ofTime} of the time.',
    'finding.hotMethod.nextStep':
      'Look at its hottest lines: a better algorithm, a cache, or a pause where it looks for something to do.',
  },
  find: (context) =>
    context
      .busyThreads(context.lengthNs * leastOfCpu)
      .flatMap((thread): Finding[] => {
        const { trace, lengthNs, beginNs, endNs } = context;
        const hot = context.hottest(thread, 'cpu');
        const cpuNs = context.sumOf(thread, 'cpu');
        if (hot === undefined || hot.value < cpuNs * leastOfThread) return [];
        const { method } = hot;
        // On a busy machine the thread is at it for longer than it has a core.
        const workNs = Math.max(hot.value, context.workIn(thread, method));
        if (workNs < lengthNs * leastOfTime) return [];
        const share = hot.value / cpuNs;
        if (mayBeLuck(share, context.samplesBehind(thread, hot) / share)) return [];
        const line = hotLine(trace, method, { threads: [thread.index], beginNs, endNs });
        return [
          {
            id,
            severity: 'warning',
            title: {
              key: 'finding.hotMethod.title',
              values: {
                method: trace.methods.qualifiedName(method),
                time: formatNs(hot.value),
                share: formatShare(share),
                thread: `"${thread.name}"`,
              },
            },
            explanation: {
              key: 'finding.hotMethod.explanation',
              values: { work: formatNs(workNs), ofTime: formatShare(workNs / lengthNs) },
            },
            nextStep: { key: 'finding.hotMethod.nextStep', values: {} },
            shareOfTime: workNs / lengthNs,
            rank: (workNs / lengthNs) * context.weightOf(thread),
            evidence: [{ thread: thread.index, beginNs, endNs, method, ...(line > 0 && { line }) }],
          },
        ];
      })
      .sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))
      .slice(0, mostOfRule),
};
