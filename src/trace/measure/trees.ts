/**
 * Call trees of a scope, from the outermost calls down or from methods up to their callers, a node's children at a time;
 * the same for a flame graph in one piece; and one method between its callers and its callees.
 *
 * Costs a pass over the paths each; nothing is made for what nobody opens.
 */
import { type Sums } from './sums.js';
import type { WaitPaths } from './wait-paths.js';
import { type Weight } from './weights.js';

/** Sorted by total, largest first; without nodes that have neither weight nor calls. */
export interface TreeNodes {
  readonly count: number;
  readonly method: Uint32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly calls: Float64Array;
  readonly hasChildren: Uint8Array;
  /** The weight of all of the scope. */
  readonly sum: number;
}

/** Parents before children; row 0 is the root (method 0): all but what is in gaps. */
export interface FlameNodes {
  readonly count: number;
  readonly parent: Int32Array;
  readonly method: Uint32Array;
  readonly total: Float64Array;
  readonly self: Float64Array;
  /** FlameWait: what most of a node's own time was, if that is most of all its time. */
  readonly wait: Uint8Array;
  /** What of the root is outside of any method, by thread, the most first. */
  readonly outside: readonly OutsideNode[];
  readonly gap: number;
}

/** What a node of a flame graph is, besides a call. */
export const FlameWait = {
  None: 0,
  HeldUp: 1,
  Resting: 2,
  /** Off the CPU, and no wait tells what for. */
  Inferred: 3,
} as const;

export interface OutsideNode {
  readonly thread: number;
  readonly total: number;
  /** Most of its time there the thread waited. */
  readonly waits: boolean;
}

export interface Neighbours {
  readonly callers: TreeNodes;
  readonly callees: TreeNodes;
  readonly self: number;
  readonly total: number;
  readonly sum: number;
}

/** Rows by method while they are gathered. */
class Gathering {
  readonly #rows = new Map<number, number>();
  readonly #methods: number[] = [];
  readonly #selfs: number[] = [];
  readonly #totals: number[] = [];
  readonly #counts: number[] = [];
  readonly #parents: number[] = [];

  add(method: number, self: number, total: number, calls: number, hasChildren: boolean): void {
    let row = this.#rows.get(method);
    if (row === undefined) {
      row = this.#methods.length;
      this.#rows.set(method, row);
      this.#methods.push(method);
      this.#selfs.push(0);
      this.#totals.push(0);
      this.#counts.push(0);
      this.#parents.push(0);
    }
    this.#selfs[row] = (this.#selfs[row] as number) + self;
    this.#totals[row] = (this.#totals[row] as number) + total;
    this.#counts[row] = (this.#counts[row] as number) + calls;
    if (hasChildren) this.#parents[row] = 1;
  }

  sorted(sum: number): TreeNodes {
    const order = this.#methods
      .map((_, row) => row)
      .filter((row) => (this.#totals[row] as number) > 0 || (this.#counts[row] as number) > 0)
      .sort((a, b) => (this.#totals[b] as number) - (this.#totals[a] as number));
    const pick = (from: readonly number[]) => (row: number) => from[row] as number;
    return {
      count: order.length,
      method: Uint32Array.from(order, pick(this.#methods)),
      self: Float64Array.from(order, pick(this.#selfs)),
      total: Float64Array.from(order, pick(this.#totals)),
      calls: Float64Array.from(order, pick(this.#counts)),
      hasChildren: Uint8Array.from(order, pick(this.#parents)),
      sum,
    };
  }
}

/** Children of the node that `path` (methods from the root) leads to. */
export function callees(sums: Sums, weight: Weight, path: readonly number[]): TreeNodes {
  const gathering = new Gathering();
  const self = sums.self[weight];
  const total = sums.total(weight);
  const { method } = sums.paths;
  const parent = sums.find(path);
  if (parent >= 0) {
    for (let child = sums.child(parent); child !== 0; child = sums.sibling(child)) {
      gathering.add(
        method[child] as number,
        self[child] as number,
        total[child] as number,
        sums.calls[child] as number,
        sums.child(child) !== 0,
      );
    }
  }
  return gathering.sorted(sums.sum[weight]);
}

/**
 * Children of a node of the bottom-up tree: with no path all methods, by their own weight; below a method its callers,
 * by how much of that weight was spent when they called it; and so on outwards. `self` is the method's own weight on
 * the first level and 0 further out.
 */
export function callers(sums: Sums, weight: Weight, path: readonly number[]): TreeNodes {
  const gathering = new Gathering();
  const self = sums.self[weight];
  const { parent, method, count } = sums.paths;
  const innermost = path[0];
  for (let leaf = 1; leaf < count; leaf++) {
    if (innermost !== undefined && method[leaf] !== innermost) continue;
    const weightHere = self[leaf] as number;
    const callsHere = sums.calls[leaf] as number;
    if (weightHere === 0 && callsHere === 0) continue;
    let at = leaf;
    let step = 0;
    while (step < path.length && at !== 0 && method[at] === path[step]) {
      at = parent[at] as number;
      step++;
    }
    if (step < path.length || at === 0) continue;
    gathering.add(
      method[at] as number,
      path.length === 0 ? weightHere : 0,
      weightHere,
      callsHere,
      (parent[at] as number) !== 0,
    );
  }
  return gathering.sorted(sums.sum[weight]);
}

/**
 * The whole call tree but what weighs less than `least` of all: of the scope, or below the node that `zoomed` (methods
 * from the root) leads to, of that node. `waits`: absent, where the weight has no waits in it.
 */
export function flame(
  sums: Sums,
  weight: Weight,
  least: number,
  zoomed: readonly number[],
  waits?: WaitPaths,
): FlameNodes {
  const { parent: parentOf, method: methodOf, count: pathCount } = sums.paths;
  const selfOf = sums.self[weight];
  const totalOf = sums.total(weight);
  const zoom = sums.find(zoomed);
  const leastAnywhere = least * (totalOf[0] as number);
  const leastInZoom = zoom > 0 ? least * (totalOf[zoom] as number) : leastAnywhere;
  const rowOf = new Int32Array(pathCount).fill(-1);
  const inZoom = new Uint8Array(pathCount);
  let count = 1;
  rowOf[0] = 0;
  for (let path = 1; path < pathCount; path++) {
    const above = parentOf[path] as number;
    if ((rowOf[above] as number) < 0) continue;
    if (path === zoom || inZoom[above] === 1) inZoom[path] = 1;
    const total = totalOf[path] as number;
    if (total <= 0 || total < (inZoom[path] === 1 ? leastInZoom : leastAnywhere)) continue;
    rowOf[path] = count++;
  }
  const parent = new Int32Array(count);
  const method = new Uint32Array(count);
  const total = new Float64Array(count);
  const self = new Float64Array(count);
  const wait = new Uint8Array(count);
  parent[0] = -1;
  total[0] = totalOf[0] as number;
  for (let path = 1; path < pathCount; path++) {
    const row = rowOf[path] as number;
    if (row < 0) continue;
    parent[row] = rowOf[parentOf[path] as number] as number;
    method[row] = methodOf[path] as number;
    total[row] = totalOf[path] as number;
    self[row] = selfOf[path] as number;
    if (waits !== undefined) wait[row] = flameWait(sums, waits, path, totalOf[path] as number);
  }
  const outside = outsideNodes(sums, weight);
  return { count, parent, method, total, self, wait, outside, gap: sums.gap[weight] };
}

function flameWait(sums: Sums, { held, rest }: WaitPaths, path: number, total: number): number {
  const waited = sums.self.wait[path] as number;
  if (waited <= total / 2) return FlameWait.None;
  const [heldNs, restNs] = [held[path] as number, rest[path] as number];
  if (heldNs + restNs < waited / 2) return FlameWait.Inferred;
  return heldNs >= restNs ? FlameWait.HeldUp : FlameWait.Resting;
}

function outsideNodes({ outside }: Sums, weight: Weight): OutsideNode[] {
  return [...outside]
    .filter(([, own]) => own[weight] > 0)
    .map(([thread, own]) => ({ thread, total: own[weight], waits: own.wait > own.wall / 2 }))
    .sort((one, other) => other.total - one.total);
}

/**
 * A method's callers and callees, one step each way. What A spent in calls of B is the same figure seen from A and from
 * B: the total of B's paths directly under A, each counted at the outermost such pair of its stack.
 */
export function neighbours(sums: Sums, weight: Weight, middle: number): Neighbours {
  const { parent, method, recursive, count } = sums.paths;
  const selfOf = sums.self[weight];
  const totalOf = sums.total(weight);
  const above = new Gathering();
  const below = new Gathering();
  let self = 0;
  let total = 0;
  for (let path = 1; path < count; path++) {
    const caller = parent[path] as number;
    const own = method[path] as number;
    const isMiddle = own === middle;
    const isBelow = caller !== 0 && method[caller] === middle;
    if (!isMiddle && !isBelow) continue;
    if (isMiddle) {
      self += selfOf[path] as number;
      if (recursive[path] === 0) total += totalOf[path] as number;
    }
    if (caller === 0) continue;
    const counted =
      recursive[path] === 1 && pairIsAbove(parent, method, path) ? 0 : (totalOf[path] as number);
    const calls = sums.calls[path] as number;
    if (isMiddle) above.add(method[caller] as number, selfOf[path] as number, counted, calls, false);
    if (isBelow) below.add(own, selfOf[path] as number, counted, calls, false);
  }
  const sum = sums.sum[weight];
  return { callers: above.sorted(sum), callees: below.sorted(sum), self, total, sum };
}

/** Whether the same two methods stand one above the other further out in the stack. */
function pairIsAbove(parent: Int32Array, method: Uint32Array, path: number): boolean {
  const inner = method[path];
  const caller = parent[path] as number;
  const outer = method[caller];
  for (let at = caller; at !== 0; at = parent[at] as number) {
    const next = parent[at] as number;
    if (next !== 0 && method[at] === inner && method[next] === outer) return true;
  }
  return false;
}

/** Weight of everything in which any of the methods (1 by number) takes part, counted once. */
export function matched(sums: Sums, weight: Weight, methods: Uint8Array): { total: number; sum: number } {
  const { parent, method, count } = sums.paths;
  const self = sums.self[weight];
  const within = new Uint8Array(count);
  let total = 0;
  for (let path = 1; path < count; path++) {
    if (within[parent[path] as number] !== 1 && methods[method[path] as number] !== 1) continue;
    within[path] = 1;
    total += self[path] as number;
  }
  return { total, sum: sums.sum[weight] };
}
