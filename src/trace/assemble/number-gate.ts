/**
 * The one gate for the numbers of foreign files: every time, length, id and value enters the model through here, or it does not
 * enter. `EventColumns`, `EventCounter`, `SampledRows`, `Schedule` and `EventBuilder` ask it; importers also ask it where a number
 * decides what follows, such as which time all others are counted from.
 */

/** In ns: 146 years on both sides of zero. What is beyond is damage, or no time. */
const mostTime = 2 ** 62;
/** A figure of a person's program; sums of 2^32 of them are still finite. */
const mostValue = 1e200;
const mostLine = 2 ** 31;

/** False for NaN, too. */
export const isTime = (ns: number): boolean => ns >= -mostTime && ns <= mostTime;

export const isValue = (value: number): boolean => value >= -mostValue && value <= mostValue;

/** A length from one time to another. */
export const isLength = (ns: number): boolean => ns >= 0 && ns <= mostTime;

/** What is no id counts as none. */
export const idOr0 = (id: number): number => (Number.isSafeInteger(id) ? id : 0);

/** How many there are; what is no such number counts as none. */
export const countOr0 = (count: number): number => (count > 0 && Number.isSafeInteger(count) ? count : 0);

/** What is no line of a source counts as not known. */
export const lineOr0 = (line: number): number =>
  line > 0 && line < mostLine && Number.isInteger(line) ? line : 0;

/** The number that a text stands for; NaN where it stands for none, or for one beyond any value. */
export function numberIn(text: string): number {
  const number = text === '' ? NaN : Number(text);
  return isValue(number) ? number : NaN;
}

export const idIn = (text: string | undefined): number => idOr0(Number(text ?? 0));

export const lineIn = (text: string | undefined): number => lineOr0(Number(text ?? 0));

/** Digits that are too many for a `number`; 0 where there is anything else. */
export const wholeIn = (digits: string): bigint => (/^\d{1,20}$/.test(digits) ? BigInt(digits) : 0n);

/** Of a time or of half a clock's reading, which `BigInt` alone would throw on where it is no number. */
export const wholeOr0 = (number: number): bigint => (isTime(number) ? BigInt(Math.round(number)) : 0n);

/** As a `number`, NaN where it is beyond any value. */
export const numberOf = (whole: bigint): number => valueOrNaN(Number(whole));

export const valueOrNaN = (value: number): number => (isValue(value) ? value : NaN);

/** A clock's reading, 0 where it cannot be one: clocks are 63 bits. */
export const readingOr0 = (ns: bigint): bigint => (ns > 0n && ns < 1n << 63n ? ns : 0n);
