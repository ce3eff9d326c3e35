/**
 * The weights of a scope summed by path: one pass over its intervals. Every other figure comes from these sums at the
 * price of a pass over the paths, of which there are far fewer than intervals.
 */
import { type Intervals, IntervalState, type Paths, type Trace } from '../model/trace.js';
import { intervalsIn, type Scope, shareIn, threadsIn } from './scope.js';
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

  private readonly totals = new Map<Weight, Float64Array>();
  private firstChild: Int32Array | undefined;
  private nextSibling: Int32Array | undefined;

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
    let total = this.totals.get(weight);
    if (total === undefined) {
      total = this.self[weight].slice();
      const { parent } = this.paths;
      for (let path = total.length - 1; path > 0; path--) {
        const above = parent[path] as number;
        total[above] = (total[above] as number) + (total[path] as number);
      }
      this.totals.set(weight, total);
    }
    return total;
  }

  /** The first path called on `path` directly, 0 for none; `sibling` gives the next. */
  child(path: number): number {
    if (this.firstChild === undefined) this.index();
    return this.firstChild?.[path] ?? 0;
  }

  sibling(path: number): number {
    return this.nextSibling?.[path] ?? 0;
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

  private index(): void {
    const { parent, count } = this.paths;
    const first = new Int32Array(count);
    const next = new Int32Array(count);
    for (let path = count - 1; path > 0; path--) {
      const above = parent[path] as number;
      next[path] = first[above] as number;
      first[above] = path;
    }
    this.firstChild = first;
    this.nextSibling = next;
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
 * Costs a pass over the intervals of the scope. `times` leaves out what was counted, which a recording may not have read yet:
 * that takes longer than the pass, and 36 bytes an interval.
 */
export function sumScope(trace: Trace, scope: Scope, what: 'all' | 'times' = 'all'): Sums {
  const sums = new Sums(trace.paths, scope);
  const { parent, depth } = trace.paths;
  const { self, calls, sum, gap } = sums;
  const { info } = trace;
  const isCounted = what === 'all';
  const hasAllocations = isCounted && info.hasAllocations;
  const hasFaults = isCounted && info.hasFaults;
  const hasSwitches = isCounted && info.hasSwitches;
  for (const thread of threadsIn(trace, scope)) {
    const { intervals } = thread;
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
        if (how === IntervalState.Blocked || how === IntervalState.Waiting) {
          sum.blocked += wall;
          self.blocked[path] = (self.blocked[path] as number) + wall;
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
  return sums;
}
