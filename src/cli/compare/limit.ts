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

/** Tells whether a method of this name is meant. */
export interface NamePattern {
  test(name: string): boolean;
}

/** A line each: a method's name as it is shown, * for anything; # begins a remark. Undefined: nothing is exempt. */
export function exemptPattern(text: string): NamePattern | undefined {
  const names = text
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*/, '').trim())
    .filter((line) => line !== '');
  if (names.length === 0) return undefined;
  const patterns = names.map((name) => name.split(/\*+/));
  return { test: (name) => patterns.some((parts) => fits(name, parts)) };
}

/** Whether a name is these parts with anything between them. Each part is looked for once: a recording may hold any name. */
function fits(name: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
