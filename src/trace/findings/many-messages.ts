/** A main thread that is busy with very many short loop messages, none of which is slow by itself. */
import { formatCount, formatNs, formatShare } from '../measure/quantities.js';
import { messageFigures, missedFrameNs } from '../measure/messages.js';
import type { ThreadTrack } from '../model/trace.js';
import type { FindingContext } from './context.js';
import type { Finding, FindingRule } from './finding.js';

const id = 'manyMessages';
const leastPerSecond = 200;
/** Of the range: with less there is time left for others. */
const leastBusy = 0.5;

export const manyMessages: FindingRule = {
  id,
  texts: {
    'finding.manyMessages.title': '{thread} handles {rate} messages a second, and has no time left',
    'finding.manyMessages.explanation':
      '{count} messages took {time}, {share} of the time. None was longer than {longest}.',
    'finding.manyMessages.nextStep': 'Post fewer messages: merge those that ask for the same.',
  },
  find: (context) => context.awaitedThreads.flatMap((thread) => findingOf(context, thread)),
};

function findingOf(context: FindingContext, { index: thread, name }: ThreadTrack): Finding[] {
  const { trace, beginNs, endNs, lengthNs } = context;
  const { count, begin, end, method } = messageFigures(trace, [thread]);
  const byMethod = new Map<number, number>();
  let [messages, ns, longest] = [0, 0, 0];
  for (let row = 0; row < count; row++) {
    const length = Math.min(end[row] as number, endNs) - Math.max(begin[row] as number, beginNs);
    if (length <= 0) continue;
    messages++;
    ns += length;
    longest = Math.max(longest, length);
    const most = method[row] as number;
    byMethod.set(most, (byMethod.get(most) ?? 0) + length);
  }
  const rate = messages / (lengthNs / 1e9);
  if (rate < leastPerSecond || ns < lengthNs * leastBusy || longest > missedFrameNs) return [];
  const [most = -1] = [...byMethod].sort((a, b) => b[1] - a[1])[0] ?? [];
  return [
    {
      id,
      severity: 'warning',
      title: {
        key: 'finding.manyMessages.title',
        values: { thread: `"${name}"`, rate: formatCount(Math.round(rate)) },
      },
      explanation: {
        key: 'finding.manyMessages.explanation',
        values: {
          count: formatCount(messages),
          time: formatNs(ns),
          share: formatShare(ns / lengthNs),
          longest: formatNs(longest),
        },
      },
      nextStep: { key: 'finding.manyMessages.nextStep', values: {} },
      shareOfTime: ns / lengthNs,
      certainty: 'observed',
      evidence: [{ thread, beginNs, endNs, ...(most >= 0 && { method: most }) }],
    },
  ];
}
