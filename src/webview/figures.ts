/** Figures as a person reads them: three digits, always with a unit. */

/** With commas by hand: a number format of the browser's costs milliseconds to make, and there is one for each `digits`. */
function number(value: number, digits: number): string {
  const fixed = value.toFixed(digits);
  if (Math.abs(value) < 999.5) return fixed;
  const dot = digits === 0 ? fixed.length : fixed.length - digits - 1;
  return fixed.slice(0, dot).replace(/\B(?=(\d{3})+$)/g, ',') + fixed.slice(dot);
}

function threeDigits(value: number): string {
  const size = Math.abs(value);
  return number(value, size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2);
}

const timeUnits: readonly (readonly [string, number])[] = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
];

/** 1,234,000 → "1.23 ms". */
export function formatNs(ns: number): string {
  const size = Math.abs(ns);
  if (size === 0) return '0';
  // 0.9995 of a unit would round to "1,000" of the smaller one.
  for (const [unit, factor] of timeUnits)
    if (size >= factor * 0.9995) return `${threeDigits(ns / factor)} ${unit}`;
  return `${number(ns, size < 10 && !Number.isInteger(ns) ? 1 : 0)} ns`;
}

export function formatBytes(bytes: number): string {
  const size = Math.abs(bytes);
  if (size >= 1e9) return `${threeDigits(bytes / 1e9)} GB`;
  if (size >= 1e6) return `${threeDigits(bytes / 1e6)} MB`;
  if (size >= 1e3) return `${threeDigits(bytes / 1e3)} kB`;
  return `${number(bytes, 0)} B`;
}

export function formatCount(count: number): string {
  const size = Math.abs(count);
  if (size >= 1e7) return `${threeDigits(count / 1e6)} M`;
  return number(count, Number.isInteger(count) ? 0 : 1);
}

/** 0.1234 → "12.3 %"; never "0 %" for what is not nothing, nor "100 %" for what is not all. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const percent = share * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
  if (percent < 10) return `${number(percent, 1)} %`;
  if (percent < 99.95) return `${number(percent, 1)} %`;
  return percent < 100 ? '> 99.9 %' : `${number(percent, 0)} %`;
}

/** A place on the ruler, with as many digits as its step needs: 1.25 s. */
export function formatTick(ns: number, stepNs: number): string {
  const size = Math.max(Math.abs(ns), stepNs);
  const unit = size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e3 ? 1e3 : 1;
  const name = unit === 1e9 ? 's' : unit === 1e6 ? 'ms' : unit === 1e3 ? 'µs' : 'ns';
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(stepNs / unit) - 1e-9)));
  return `${number(ns / unit, digits)} ${name}`;
}
