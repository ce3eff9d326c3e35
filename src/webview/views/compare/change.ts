/** How a difference is written. */
import { formatShare } from '../../../trace/measure/quantities.js';
import { formatWeight } from '../../weights.js';
import type { Weight } from '../../worker/messages.js';

/** "+20.0 ms". */
export function signed(value: number, weight: Weight): string {
  return `${value < 0 ? '−' : '+'}${formatWeight(weight, Math.abs(value))}`;
}

/** "+1.4 %". */
export function relative(before: number, after: number): string {
  return `${after < before ? '−' : '+'}${formatShare(Math.abs(after - before) / before)}`;
}

/** "+20.0 ms (+1.4 %)". */
export function changeOf(before: number, after: number, weight: Weight): string {
  return before > 0
    ? `${signed(after - before, weight)} (${relative(before, after)})`
    : signed(after - before, weight);
}
