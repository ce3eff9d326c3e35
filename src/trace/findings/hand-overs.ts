/** A thread that gives the core away thousands of times a second: it hands over tiny pieces of work, and waits for each. */
import { formatCount } from '../measure/quantities.js';
import { type Finding, type FindingRule } from './finding.js';

const id = 'handOvers';
const leastPerSecond = 3000;
/** What a switch to another thread and back costs, with the caches that it empties. */
const switchNs = 20e3;

export const handOvers: FindingRule = {
  id,
  texts: {
    'finding.handOvers.title': '{thread} stops and goes on {rate} times a second in {method}',
    'finding.handOvers.explanation':
      'Each of the {count} switches costs some 20 µs, which is more than a tiny piece of work.',
    'finding.handOvers.nextStep': 'Hand over many pieces of work at once, or do them on this thread.',
  },
  find(context) {
    const { trace, lengthNs, beginNs, endNs } = context;
    if (!trace.info.hasSwitches) return [];
    const threads = new Set([...context.awaitedThreads, ...context.busyThreads(context.leastNs)]);
    return [...threads]
      .flatMap((thread): Finding[] => {
        // A thread that waits for a page gives its core away, too: the rule for page faults tells that.
        const faults = trace.info.hasFaults ? context.sumOf(thread, 'faults') : 0;
        const switches = Math.max(context.sumOf(thread, 'switches') - faults, 0);
        const rate = switches / (lengthNs / 1e9);
        const hot = rate < leastPerSecond ? undefined : context.hottest(thread, 'switches');
        if (hot === undefined) return [];
        const { method } = hot;
        const lost = Math.min(1, (switches * switchNs) / lengthNs);
        return [
          {
            id,
            severity: 'warning',
            title: {
              key: 'finding.handOvers.title',
              values: {
                thread: `"${thread.name}"`,
                rate: formatCount(Math.round(rate)),
                method: trace.methods.qualifiedName(method),
              },
            },
            explanation: {
              key: 'finding.handOvers.explanation',
              values: { count: formatCount(Math.round(switches)) },
            },
            nextStep: { key: 'finding.handOvers.nextStep', values: {} },
            shareOfTime: lost,
            rank: lost * context.weightOf(thread),
            certainty: 'estimated',
            evidence: [{ thread: thread.index, beginNs, endNs, method }],
          },
        ];
      })
      .sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))
      .slice(0, 1);
  },
};
