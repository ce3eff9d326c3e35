/**
 * The weights of a scope summed by path: one pass over its intervals. Every other figure comes from these sums at the
 * price of a pass over the paths, of which there are far fewer than intervals.
 */
import { type HeldMemory, type Intervals, IntervalState, type Paths, type Trace } from '../model/trace.js';
import { intervalsIn, type Scope, shareIn, threadsIn } from './scope.js';
import { risesOf } from './counter-rises.js';
import { StateCursor, statesOf } from './scheduling.js';
import { byWeight, type ByWeight, type Weight } from './weights.js';

export class Sums {
  /** Weight of each path itself, without what it called. */
  readonly self: ByWeight<Float64Array>;
  /** Calls of each path that were seen: a lower bound for samples. */
  readonly calls: Float64Array;
  /** All of the scope, gaps included: what shares are of. */
  readonly sum: Record<Weight, number>;
  /** What of it lies in gaps and is nobody's. */
  readonly gap: Record<Weight, number>;
  /** By thread, what of its weight is in no frame, and in no gap: the runtime's own threads have only such. */
  readonly outside = new Map<number, ByWeight<number>>();
  /** Captures in the scope; 0 where only times were summed. */
  samples = 0;

  readonly #totals = new Map<Weight, Float64Array>();
  #firstChild: Int32Array | undefined;
  #nextSibling: Int32Array | undefined;

  constructor(
    readonly paths: Paths,
    readonly scope: Scope,
  ) {
    this.self = byWeight(() => new Float64Array(paths.count));
    this.calls = new Float64Array(paths.count);
    this.sum = byWeight(() => 0);
    this.gap = byWeight(() => 0);
  }

  /** Weight of each path with all that it called: one loop from the leaves to the root, as parents have smaller ids. */
  total(weight: Weight): Float64Array {
    let total = this.#totals.get(weight);
    if (total === undefined) {
      total = this.self[weight].slice();
      const { parent } = this.paths;
      for (let path = total.length - 1; path > 0; path--) {
        const above = parent[path] as number;
        total[above] = (total[above] as number) + (total[path] as number);
      }
      this.#totals.set(weight, total);
    }
    return total;
  }

  /** The first path called on `path` directly, 0 for none; `sibling` gives the next. */
  child(path: number): number {
    if (this.#firstChild === undefined) this.#index();
    return this.#firstChild?.[path] ?? 0;
  }

  sibling(path: number): number {
    return this.#nextSibling?.[path] ?? 0;
  }

  /** The path of a chain of methods from the root, −1 when there is none. */
  find(methods: readonly number[]): number {
    let path = 0;
    for (const method of methods) {
      path = this.child(path);
      while (path !== 0 && this.paths.method[path] !== method) path = this.sibling(path);
      if (path === 0) return -1;
    }
    return path;
  }

  #index(): void {
    const { parent, count } = this.paths;
    const first = new Int32Array(count);
    const next = new Int32Array(count);
    for (let path = count - 1; path > 0; path--) {
      const above = parent[path] as number;
      next[path] = first[above] as number;
      first[above] = path;
    }
    this.#firstChild = first;
    this.#nextSibling = next;
  }
}

const nothingCounted: Pick<Intervals, 'allocations' | 'allocatedBytes' | 'faults' | 'switches' | 'samples'> =
  {
    allocations: new Float64Array(0),
    allocatedBytes: new Float64Array(0),
    faults: new Float64Array(0),
    switches: new Float64Array(0),
    samples: new Uint32Array(0),
  };

/**
 * Costs a pass over the intervals of the scope. `counted` leaves out what the scheduler says, which
 * takes a pass over the scheduler's events, `times` also what was counted, which a recording may not have read yet:
 * that takes longer than the pass, and 36 bytes an interval.
 */
export function sumScope(trace: Trace, scope: Scope, what: 'all' | 'counted' | 'times' = 'all'): Sums {
  const sums = new Sums(trace.paths, scope);
  const { parent, depth } = trace.paths;
  const { self, calls, sum, gap } = sums;
  const { info } = trace;
  const isCounted = what !== 'times';
  const hasAllocations = isCounted && info.hasAllocations;
  const hasFaults = isCounted && info.hasFaults;
  const hasSwitches = isCounted && info.hasSwitches;
  const states = what === 'all' && trace.system !== undefined ? statesOf(trace.system, trace) : undefined;
  for (const thread of threadsIn(trace, scope)) {
    const { intervals } = thread;
    const known = states?.get(thread.tid);
    const cursor = known && new StateCursor(known);
    const { begin, end, path: pathOf, state, cpu, keep, countsWith } = intervals;
    const hasUnseen = countsWith.length > 0;
    const { allocations, allocatedBytes, faults, switches, samples } = isCounted ? intervals : nothingCounted;
    const { first, last } = intervalsIn(thread, scope, trace.endNs);
    const before = byWeight((weight) => self[weight][0] as number);
    for (let row = first; row < last; row++) {
      const from = begin[row] as number;
      const to = end[row] as number;
      const share = shareIn(from, to, scope);
      const path = pathOf[row] as number;
      let wall = (to - from) * share;
      let used = (cpu[row] as number) * share;
      const how = state[row] as number;
      const isGap = how === IntervalState.Gap;
      if (isCounted) sums.samples += samples[row] as number;

      sum.wall += wall;
      sum.cpu += used;
      const other = hasUnseen ? (countsWith[row] as number) : 0;
      if (other > 0) {
        const worked = pathOf[other] as number;
        const spent = Math.min(used, wall);
        self.wall[worked] = (self.wall[worked] as number) + spent;
        self.cpu[worked] = (self.cpu[worked] as number) + used;
        wall -= spent;
        used = 0;
      }
      if (isGap) {
        gap.wall += wall;
        gap.cpu += used;
      } else {
        self.wall[path] = (self.wall[path] as number) + wall;
        self.cpu[path] = (self.cpu[path] as number) + used;
        if (how === IntervalState.Wait || how === IntervalState.InferredWait) {
          sum.wait += wall;
          self.wait[path] = (self.wait[path] as number) + wall;
        }
      }
      if (cursor !== undefined) {
        cursor.sum(Math.max(from, scope.beginNs), Math.min(to, scope.endNs));
        const { runningNs, runnableNs } = cursor;
        sum.schedulerCpu += runningNs;
        sum.coreWait += runnableNs;
        if (isGap) {
          gap.schedulerCpu += runningNs;
          gap.coreWait += runnableNs;
        } else {
          self.schedulerCpu[path] = (self.schedulerCpu[path] as number) + runningNs;
          self.coreWait[path] = (self.coreWait[path] as number) + runnableNs;
        }
      }
      if (hasAllocations) {
        const count = (allocations[row] as number) * share;
        const bytes = (allocatedBytes[row] as number) * share;
        sum.allocations += count;
        sum.allocatedBytes += bytes;
        if (isGap) {
          gap.allocations += count;
          gap.allocatedBytes += bytes;
        } else {
          self.allocations[path] = (self.allocations[path] as number) + count;
          self.allocatedBytes[path] = (self.allocatedBytes[path] as number) + bytes;
        }
      }
      if (hasFaults) {
        const count = (faults[row] as number) * share;
        sum.faults += count;
        if (isGap) gap.faults += count;
        else self.faults[path] = (self.faults[path] as number) + count;
      }
      if (hasSwitches) {
        const count = (switches[row] as number) * share;
        sum.switches += count;
        if (isGap) gap.switches += count;
        else self.switches[path] = (self.switches[path] as number) + count;
      }

      // Calls that are new here, and all that are open where the scope begins.
      const kept = row === first ? 0 : (keep[row] as number);
      let frame = path;
      for (let level = depth[path] as number; level > kept; level--) {
        calls[frame] = (calls[frame] as number) + 1;
        frame = parent[frame] as number;
      }
    }
    sums.outside.set(
      thread.index,
      byWeight((weight) => (self[weight][0] as number) - before[weight]),
    );
  }
  if (isCounted && scope.counter !== undefined) addCounted(sums, trace, scope, scope.counter);
  if (isCounted && trace.heldMemory !== undefined) addHeldMemory(sums, trace.heldMemory, trace, scope);
  return sums;
}

/** What is told between two intervals counts, too: its path is known. */
function addCounted({ self, sum }: Sums, trace: Trace, scope: Scope, counter: string): void {
  const threads = new Set(threadsIn(trace, scope).map(({ index }) => index));
  for (const { thread, timeNs, path, rise } of risesOf(trace, counter)) {
    if (timeNs < scope.beginNs || timeNs > scope.endNs || !threads.has(thread)) continue;
    sum.counted += rise;
    self.counted[path] = (self.counted[path] as number) + rise;
  }
}

/** What was allocated in the scope counts, at its path. */
function addHeldMemory({ self, sum }: Sums, held: HeldMemory, trace: Trace, scope: Scope): void {
  const { thread, time, path, bytes, count } = held;
  const threads = new Set(threadsIn(trace, scope).map(({ index }) => index));
  const isClosed = scope.endNs >= trace.endNs;
  for (let row = 0; row < count; row++) {
    const at = time[row] as number;
    const isIn = at >= scope.beginNs && (at < scope.endNs || (isClosed && at === scope.endNs));
    if (!isIn || !threads.has(thread[row] as number)) continue;
    const of = path[row] as number;
    sum.heldBytes += bytes[row] as number;
    self.heldBytes[of] = (self.heldBytes[of] as number) + (bytes[row] as number);
  }
}
