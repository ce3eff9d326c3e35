/** First index in [low, high) whose value is ≥ `value`, or `high`. O(log n). */
export function lowerBound(sorted: Float64Array, value: number, low = 0, high = sorted.length): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index in [low, high) whose value is > `value`, or `high`. O(log n). */
export function upperBound(sorted: Float64Array, value: number, low = 0, high = sorted.length): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As `lowerBound`, from `low` in growing steps: O(log distance), for what is likely near. */
export function gallop(sorted: Float64Array, value: number, low: number, high: number): number {
  let step = 1;
  let from = low;
  while (from + step < high && (sorted[from + step] as number) < value) {
    from += step;
    step <<= 1;
  }
  return lowerBound(sorted, value, from, Math.min(high, from + step + 1));
}
