/** CPU time that the process used in threads without samples: the figures then miss where it went. */
import { formatNs, formatShare } from '../measure/quantities.js';
import { unsampledCpu } from '../measure/unsampled-cpu.js';
import type { FindingRule } from './finding.js';

const id = 'unsampledCpuTime';

export const unsampledCpuTime: FindingRule = {
  id,
  texts: {
    'finding.unsampledCpuTime.title': '{share} of the CPU time is not sampled',
    'finding.unsampledCpuTime.explanation':
      'The process used {time} of {all} in threads without samples: very short ones, and compilers, collectors and native ones if no signals are used.',
  },
  find(context) {
    // The counters that tell it are of the whole recording.
    if (!context.isWhole) return [];
    const found = unsampledCpu(context.trace, context.sampledCpuNs);
    if (found === undefined) return [];
    const { unsampledNs, processNs, isLoud } = found;
    return [
      {
        id,
        severity: isLoud ? 'warning' : 'note',
        title: {
          key: 'finding.unsampledCpuTime.title',
          values: { share: formatShare(unsampledNs / processNs) },
        },
        explanation: {
          key: 'finding.unsampledCpuTime.explanation',
          values: { time: formatNs(unsampledNs), all: formatNs(processNs) },
        },
        evidence: [],
      },
    ];
  },
};
