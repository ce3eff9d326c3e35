/** How long captures took, by the histogram that the agent keeps of each kind: powers of two. */
import type { CaptureCost } from '../model/trace.js';

export interface CaptureTimes {
  readonly count: number;
  /** Of CPU time. */
  readonly meanNs: number;
  /** So many of 100 took less than this, as far as a power of two tells. */
  readonly below: (percent: number) => number;
}

/** Undefined where there are none. */
export function captureTimes(costs: readonly CaptureCost[]): CaptureTimes | undefined {
  const buckets: number[] = [];
  let totalNs = 0;
  for (const cost of costs) {
    totalNs += cost.totalNs;
    cost.buckets.forEach((count, at) => {
      buckets[at] = (buckets[at] ?? 0) + count;
    });
  }
  const count = buckets.reduce((sum, one) => sum + one, 0);
  if (count <= 0) return undefined;
  return {
    count,
    meanNs: totalNs / count,
    below: (percent) => {
      const wanted = (count * percent) / 100;
      let seen = 0;
      const at = buckets.findIndex((one) => (seen += one) >= wanted);
      return 2 ** ((at < 0 ? buckets.length - 1 : at) + 1);
    },
  };
}
