/** Quantities as a person types them. */
import { errorPart, UsageError } from './exit-codes.js';

const timeUnits = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['min', 60e9],
  ['h', 3600e9],
]);
const sizeUnits = new Map([
  ['b', 1],
  ['k', 2 ** 10],
  ['m', 2 ** 20],
  ['g', 2 ** 30],
]);

function parse(text: string, option: string, pattern: RegExp, units: Map<string, number>, example: string) {
  const match = pattern.exec(text.trim());
  const unit = units.get(match?.[2]?.toLowerCase() ?? '');
  const value = Number(match?.[1]) * (unit ?? NaN);
  if (!Number.isFinite(value) || value < 0) {
    throw new UsageError(`--${option} takes ${example}, not "${text}".`);
  }
  return value;
}

/** "1.5s", "500ms", "2m"; a bare number is seconds. In ns. */
export function parseDuration(text: string, option: string): number {
  const withUnit = /^[\d.]+$/.test(text.trim()) ? `${text.trim()}s` : text;
  return parse(
    withUnit,
    option,
    /^([\d.]+)\s*([a-zµ]+)$/i,
    timeUnits,
    errorPart('a time such as 10s or 500ms'),
  );
}

/** "32MB", "64K", "1000" (bytes). K, M and G are powers of 1024. */
export function parseSize(text: string, option: string): number {
  const withUnit = /^[\d.]+$/.test(text.trim()) ? `${text.trim()}b` : text;
  return Math.round(
    parse(withUnit, option, /^([\d.]+)\s*([kmgb])(?:i?b)?$/i, sizeUnits, errorPart('a size such as 32MB')),
  );
}

export function parsePercent(text: string, option: string): number {
  return parse(
    text,
    option,
    /^([\d.]+)\s*(%?)$/,
    new Map([
      ['%', 1],
      ['', 1],
    ]),
    errorPart('a percentage such as 1%'),
  );
}

export function parseCount(text: string, option: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new UsageError(`--${option} takes a number, not "${text}".`);
  return value;
}
