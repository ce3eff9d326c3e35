/** What a comparison may not exceed, and what it does not look at: `--fail-above` and `--exempt`. */
import type { Weight } from '../../trace/index.js';
import { UsageError } from '../exit-codes.js';
import { parseDuration, parsePercent, parseSize } from '../quantities.js';

/** In the weight's unit, or as a share of the sum before. */
export interface Limit {
  readonly text: string;
  readonly amount: number;
  readonly isShare: boolean;
}

export function parseLimit(text: string, weight: Weight): Limit {
  if (text.trim().endsWith('%'))
    return { text, amount: parsePercent(text, 'fail-above') / 100, isShare: true };
  if (/^[\d.]+$/.test(text.trim()))
    throw new UsageError(
      `--fail-above takes a unit: ${weight === 'allocatedBytes' ? '10MB' : '50ms'} or 5%, not "${text}".`,
    );
  const amount =
    weight === 'allocatedBytes' ? parseSize(text, 'fail-above') : parseDuration(text, 'fail-above');
  return { text, amount, isShare: false };
}

/** A line each: a method's name as it is shown, * for anything; # begins a remark. Undefined: nothing is exempt. */
export function exemptPattern(text: string): RegExp | undefined {
  const names = text
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*/, '').trim())
    .filter((line) => line !== '');
  if (names.length === 0) return undefined;
  const quoted = names.map((name) => name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*'));
  return new RegExp(`^(?:${quoted.join('|')})$`, 's');
}
