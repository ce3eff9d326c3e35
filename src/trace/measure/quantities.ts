/** Figures as a person reads them, the same on every surface: three digits, always with a unit, nothing without one. */

/** With commas by hand: a number format of the browser's costs milliseconds to make, and there is one for each `digits`. */
function number(value: number, digits: number): string {
  const fixed = value.toFixed(digits);
  if (Math.abs(value) < 999.5) return fixed;
  let dot = digits === 0 ? fixed.length : fixed.length - digits - 1;
  let text = fixed.slice(dot);
  const first = fixed.startsWith('-') ? 1 : 0;
  for (; dot - first > 3; dot -= 3) text = `,${fixed.slice(dot - 3, dot)}${text}`;
  return fixed.slice(0, dot) + text;
}

/** By what it is once rounded: 9.996 is "10.0". */
function threeDigits(value: number): string {
  const size = Math.abs(value);
  return number(value, size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : 2);
}

type Units = readonly (readonly [name: string, size: number])[];

const timeUnits: Units = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
];
/** Powers of 1024, as sizes are asked for: `--memory 512MB`. */
const sizeUnits: Units = [
  ['GB', 2 ** 30],
  ['MB', 2 ** 20],
  ['KB', 2 ** 10],
];

/** In the largest unit that it fills; undefined below all of them. */
function inUnits(value: number, units: Units): string | undefined {
  const size = Math.abs(value);
  // What would round to "1,000" of the smaller one is one of this.
  const found = units.find(([, factor]) => size >= factor * 0.9995);
  return found && `${threeDigits(value / found[1])} ${found[0]}`;
}

/** 1,234,000 → "1.23 ms". */
export function formatNs(ns: number): string {
  if (ns === 0) return '0';
  const digits = Math.abs(ns) < 10 && !Number.isInteger(ns) ? 1 : 0;
  return inUnits(ns, timeUnits) ?? `${number(ns, digits)} ns`;
}

/** How long a recording is, or a stretch of it: from two minutes on as a person would say it, "14 min 31 s". */
export function formatLength(ns: number): string {
  const seconds = Math.round(ns / 1e9);
  if (seconds < 120) return formatNs(ns);
  const minutes = seconds < 3600 ? Math.floor(seconds / 60) : Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${number(Math.floor(minutes / 60), 0)} h ${minutes % 60} min`;
}

export function formatBytes(bytes: number): string {
  return inUnits(bytes, sizeUnits) ?? `${number(bytes, 0)} B`;
}

export function formatCount(count: number): string {
  const size = Math.abs(count);
  if (size >= 1e7) return `${threeDigits(count / 1e6)} M`;
  return number(count, Number.isInteger(count) || size >= 100 ? 0 : 1);
}

/** 0.1234 → "12.3 %"; never "0 %" for what is not nothing, nor "100 %" for what is not all. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const percent = share * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
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

/** A value of a counter of the process, in the unit that the recording names. */
export function formatQuantity(value: number, unit: string): string {
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'ns') return formatNs(value);
  return unit === '1' || unit === '' ? formatCount(value) : `${formatCount(value)} ${unit}`;
}
