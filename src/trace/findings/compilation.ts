/** The runtime's compilers, where they use more of the processors than the program. */
import { formatNs, formatShare } from '../measure/quantities.js';
import { ThreadKind } from '../model/kinds.js';
import { loadingIn } from './class-loading.js';
import type { FindingContext } from './context.js';
import type { FindingRule } from './finding.js';

const id = 'compilation';
/** Of the CPU time of all threads. A program that has just started has some of it. */
const leastOfCpu = 0.75;
/** If classes are loaded meanwhile, the compilers' work has a reason that does not pass by itself. */
const leastWhileLoading = 0.4;
const leastLoading = 0.05;
/** Of the range's length: less keeps nobody waiting. */
const leastOfTime = 0.15;
const onOtherCore = 0.9;
const compilers = /compiler|jit/i;

export const compilation: FindingRule = {
  id,
  texts: {
    'finding.compilation.title': 'The compilers use {time}, {share} of the CPU time',
    'finding.compilation.explanation':
      'The runtime still compiles the program, so much of it is interpreted and slow.',
    'finding.compilation.nextStep':
      'Record again after some time of warm-up. If it goes on, look for classes that are loaded again and again.',
  },
  find(context) {
    const { compilerNs, allNs, evidence } = cpuOf(context);
    if (compilerNs < context.lengthNs * leastOfTime) return [];
    const isLoading =
      !context.isFromStart &&
      context.threads.some((thread) => loadingIn(context, thread).ns >= context.lengthNs * leastLoading);
    const least = isLoading ? leastWhileLoading : leastOfCpu;
    if (compilerNs < allNs * least) return [];
    return [
      {
        id,
        severity: 'warning',
        title: {
          key: 'finding.compilation.title',
          values: { time: formatNs(compilerNs), share: formatShare(compilerNs / allNs) },
        },
        explanation: { key: 'finding.compilation.explanation', values: {} },
        nextStep: { key: 'finding.compilation.nextStep', values: {} },
        shareOfTime: compilerNs / context.lengthNs,
        // Another core may do it while the program goes on.
        rank: Math.min(1, compilerNs / context.lengthNs) * onOtherCore,
        evidence,
      },
    ];
  },
};

function cpuOf(context: FindingContext) {
  const { trace, beginNs, endNs } = context;
  let [compilerNs, allNs, mostNs, most] = [0, 0, 0, 0];
  for (const thread of trace.threads) {
    const sum = context.sumOf(thread, 'cpu');
    allNs += sum;
    if (thread.kind !== ThreadKind.Runtime || !compilers.test(thread.name)) continue;
    compilerNs += sum;
    if (sum > mostNs) [mostNs, most] = [sum, thread.index];
  }
  return { compilerNs, allNs, evidence: most === 0 ? [] : [{ thread: most, beginNs, endNs }] };
}
