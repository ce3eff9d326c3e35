/** How likely chance alone makes a difference of two means. */

/**
 * Welch's test, one-sided: the chance of so much more in `after` if both were alike. 1 where it cannot be told. `leastError`: the
 * variance of the difference is at least this, where few values may be alike by chance.
 */
export function chanceOfMore(before: readonly number[], after: readonly number[], leastError = 0): number {
  const [one, other] = [spread(before), spread(after)];
  const error = Math.max(one.error + other.error, leastError);
  const more = other.mean - one.mean;
  if (before.length < 2 || after.length < 2 || more <= 0) return 1;
  if (error === 0) return 0;
  const own = one.error ** 2 / (before.length - 1) + other.error ** 2 / (after.length - 1);
  const freedom = own === 0 ? before.length + after.length - 2 : (one.error + other.error) ** 2 / own;
  const t = more / Math.sqrt(error);
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/** The standard deviation of the difference of both means. */
export function errorOfDifference(before: readonly number[], after: readonly number[]): number {
  return Math.sqrt(spread(before).error + spread(after).error);
}

/** The mean is within ± this of the true one in 19 of 20 cases; 0 where it cannot be told. */
export function errorOfMean(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const freedom = values.length - 1;
  const isOutside = (t: number): number => incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
  let [low, high] = [0, 1000];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (isOutside(middle) > 0.05) low = middle;
    else high = middle;
  }
  return high * Math.sqrt(spread(values).error);
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** `error`: the variance of the mean. */
function spread(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: values.length < 2 ? 0 : squares / (values.length - 1) / values.length };
}

/** Lanczos' approximation; 9 digits. */
function logGamma(x: number): number {
  const coefficients = [
    76.1800917294715, -86.5053203294168, 24.0140982408309, -1.231739572450155, 0.00120865097386618,
    -0.5395239384953e-5,
  ];
  const base = x + 5.5 - (x + 0.5) * Math.log(x + 5.5);
  const series = coefficients.reduce((sum, value, at) => sum + value / (x + 1 + at), 1.00000000019);
  return -base + Math.log((2.506628274631 * series) / x);
}

/** The regularised incomplete beta function by its continued fraction. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(x, a, b)) / a
    : 1 - (front * fraction(1 - x, b, a)) / b;
}

const tiny = 1e-300;

/** Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  const bounded = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / bounded(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / bounded(1 + even * d);
    c = bounded(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / bounded(1 + odd * d);
    c = bounded(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-12) break;
  }
  return result;
}
