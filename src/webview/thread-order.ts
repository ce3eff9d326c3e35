/** Which threads a person wants to see: all that are neither idle, hidden nor filtered out; main first, then by CPU; those without any figure last. */
import { shownThreadName } from './names.js';
import type { ViewState } from './store.js';
import type { ThreadSnapshot } from './worker/messages.js';

/** While a recording grows, a thread passes another one only with this many times its CPU time. */
const clearlyMore = 2;

export function byImportance(one: ThreadSnapshot, other: ThreadSnapshot): number {
  return rank(one) - rank(other) || other.cpuNs - one.cpuNs || one.index - other.index;
}

/**
 * The same, without threads that do about as much changing places under the mouse. `before`: how they were, by index; who is not
 * among them comes last. O(threads) where little changed.
 */
export function steadily(threads: readonly ThreadSnapshot[], before: readonly number[]): ThreadSnapshot[] {
  const places = new Map(before.map((index, place) => [index, place]));
  const place = ({ index }: ThreadSnapshot): number => places.get(index) ?? before.length;
  const sorted = [...threads].sort((one, other) => place(one) - place(other) || byImportance(one, other));
  const order: ThreadSnapshot[] = [];
  for (const thread of sorted) {
    let at = order.length;
    while (at > 0 && passes(thread, order[at - 1])) at--;
    order.splice(at, 0, thread);
  }
  return order;
}

/** The chart shows these, and figures are of them. */
export function threadsInSight(
  threads: readonly ThreadSnapshot[],
  { hidden, threadFilter, idleShown }: Pick<ViewState, 'hidden' | 'threadFilter' | 'idleShown'>,
): ThreadSnapshot[] {
  const words = threadFilter.trim().toLowerCase();
  return threads.filter(
    (thread) =>
      (idleShown || !thread.isIdle) &&
      !hidden.includes(thread.index) &&
      (words === '' || shownThreadName(thread).toLowerCase().includes(words)),
  );
}

function passes(one: ThreadSnapshot, other: ThreadSnapshot | undefined): boolean {
  if (other === undefined) return false;
  return rank(one) - rank(other) < 0 || (rank(one) === rank(other) && one.cpuNs > clearlyMore * other.cpuNs);
}

function rank({ isMain, isIdle, chart }: ThreadSnapshot): number {
  if (isMain) return 0;
  if (chart.count === 0) return 3;
  return isIdle ? 2 : 1;
}
