/** What stands out, or why a chosen part took its time. */
import type { Finding, FindingText } from '../../../trace/findings/finding.js';
import { findingText } from '../../../trace/findings/registry.js';
import { formatShare } from '../../../trace/measure/quantities.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import { text, translations } from '../../texts.js';
import type { CardRow } from './card.js';
import { card, note, rowList } from './card.js';
import { openMethod } from './card-ways.js';

const mostFindings = 5;

/** `isPart`: a range or a thread was chosen. Undefined: nothing to tell. */
export function findingsCard(
  context: ViewContext,
  found: readonly Finding[],
  isPart: boolean,
): HTMLElement | undefined {
  if (found.length === 0) {
    // Of a part that was chosen, an answer is waited for.
    const none = note(text('overview.why.none'));
    return isPart ? card('findings', 'overview.why', [], none) : undefined;
  }
  const rows = found.slice(0, mostFindings).map((finding): CardRow => {
    const { title, explanation, nextStep, shareOfTime, evidence } = finding;
    const [first] = evidence;
    const one = sentence(explanation);
    const said = nextStep === undefined ? one : text('joined.both', { one, next: sentence(nextStep) });
    return {
      name: sentence(title),
      isSentence: true,
      figure: shareOfTime === undefined ? '' : formatShare(shareOfTime),
      detail: said,
      go: (event) => {
        const { thread, beginNs, method } = first ?? {};
        if (thread !== undefined) context.actions.showMoment(thread, beginNs ?? 0);
        else if (method !== undefined) openMethod(context, method, event);
      },
    };
  });
  return card('findings', isPart ? 'overview.why' : 'overview.findings', [], rowList(rows));
}

const sentence = (said: FindingText): string => plainText(findingText(said, translations()));
