/** Of ascending numbers, the first that is not below. */
export function firstFrom(sorted: ArrayLike<number>, least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of the ascending numbers from `low` up to `high`, the last that is not above; low − 1: none. */
export function lastUpTo(sorted: ArrayLike<number>, most: number, low = 0, high = sorted.length): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as number) <= most) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
