/** Self and total of every weight there is, side by side, and what share of all the total is. */
import { element } from '../element.js';
import { formatShare } from '../../trace/measure/quantities.js';
import { text } from '../texts.js';
import { formatWeight, knownWeights, shareOf, weightName } from '../weights.js';
import type { Snapshot, Weight } from '../worker/messages.js';

type ByWeight = Readonly<Record<Weight, number>>;

export interface Figures {
  readonly self: ByWeight;
  readonly total: ByWeight;
}

/** `sum` is what shares are of; without it there are none. */
export function figuresTable(snapshot: Snapshot | undefined, figures: Figures, sum?: ByWeight): HTMLElement {
  const { self, total } = figures;
  const rows = knownWeights(snapshot).map((weight) => {
    const share =
      sum === undefined || total[weight] === 0 ? '' : formatShare(shareOf(total[weight], sum[weight]));
    return element(
      'tr',
      { class: total[weight] === 0 ? 'is-nothing' : '' },
      element('th', { scope: 'row' }, weightName(weight)),
      element('td', {}, formatWeight(weight, total[weight])),
      element('td', { class: 'figure-share' }, share),
      element('td', {}, formatWeight(weight, self[weight])),
    );
  });
  const head = element(
    'tr',
    {},
    element('td', {}),
    element('th', { scope: 'col' }, text('details.total')),
    element('th', { scope: 'col', class: 'figure-share' }, text('details.shareColumn')),
    element('th', { scope: 'col' }, text('details.self')),
  );
  return element(
    'table',
    { class: 'details-figures' },
    element('thead', {}, head),
    element('tbody', {}, ...rows),
  );
}
