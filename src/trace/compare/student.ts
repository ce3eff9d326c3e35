/** How likely chance alone makes a difference of two means. */

/**
 * Student's test, one-sided: the chance of so much more in `after` if both were alike. Then both differ as much, so their spreads are
 * taken together: a set in which all values are 0 says as much as any other of how much they differ. 1 where it cannot be told.
 * `times`: if there were so many times as many values.
 */
export function chanceOfMore(before: readonly number[], after: readonly number[], times = 1): number {
  const [one, other] = [spread(before), spread(after)];
  const more = other.mean - one.mean;
  const count = before.length + after.length;
  if (before.length < 2 || after.length < 2 || more <= 0) return 1;
  const variance = (one.squares + other.squares) / (count - 2);
  if (variance === 0) return 0;
  const t = more / Math.sqrt((variance * (1 / before.length + 1 / after.length)) / times);
  const freedom = count * times - 2;
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/** Of a difference of so many standard deviations and more, where these are known. */
export function chanceBeyond(deviations: number): number {
  // Student's distribution with so many values is the normal one.
  const freedom = 1e6;
  return incompleteBeta(freedom / (freedom + deviations ** 2), freedom / 2, 0.5) / 2;
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

/** `squares`: of the distances from the mean, summed. `error`: the variance of the mean. */
function spread(values: readonly number[]): {
  readonly mean: number;
  readonly squares: number;
  readonly error: number;
} {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, squares, error: values.length < 2 ? 0 : squares / (values.length - 1) / values.length };
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
