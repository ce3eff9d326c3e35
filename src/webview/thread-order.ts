/** Which threads a person wants to see first: main, then by CPU; those without any figure last. */
import type { ThreadSnapshot } from './worker/messages.js';

export function byImportance(one: ThreadSnapshot, other: ThreadSnapshot): number {
  return rank(one) - rank(other) || other.cpuNs - one.cpuNs || one.index - other.index;
}

function rank({ isMain, chart }: ThreadSnapshot): number {
  if (isMain) return 0;
  return chart.count > 0 ? 1 : 2;
}
