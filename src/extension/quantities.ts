/** Times, sizes and shares as a person reads them: three significant digits at most, always with a unit. */
import { env } from 'vscode';

const formats = new Map<number, Intl.NumberFormat>();

function number(value: number, digits: number): string {
  let format = formats.get(digits);
  if (format === undefined) {
    format = new Intl.NumberFormat(env.language, { maximumFractionDigits: digits });
    formats.set(digits, format);
  }
  return format.format(value);
}

function scaled(value: number, units: readonly string[], step: number): string {
  let unit = 0;
  let rest = value;
  while (unit < units.length - 1 && Math.abs(rest) >= step * 0.9995) {
    rest /= step;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(rest) >= 99.5 ? 0 : Math.abs(rest) >= 9.95 ? 1 : 2;
  return `${number(rest, digits)} ${units[unit] ?? ''}`;
}

/** Nothing is in milliseconds, as most figures beside it: "0 ns" would claim a precision that there is not. */
export function duration(ns: number): string {
  if (ns === 0) return `${number(0, 0)} ms`;
  if (Math.abs(ns) >= 99.5e9) return clock(ns / 1e6);
  return scaled(ns, ['ns', 'µs', 'ms', 's'], 1000);
}

/** 0:07, 12:34, 1:02:03 */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const head = hours > 0 ? `${String(hours)}:${two(minutes)}` : String(minutes);
  return `${head}:${two(seconds % 60)}`;
}

export function bytes(count: number): string {
  return scaled(count, ['B', 'kB', 'MB', 'GB'], 1000);
}

export function count(value: number): string {
  return number(value, 0);
}

export function percent(share: number): string {
  const value = share * 100;
  return `${number(value, value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2)} %`;
}
