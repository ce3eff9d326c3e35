/** The call trees of two traces as one flame graph: docs/MEASURES.md, "Comparing". */
import type { Weight } from '../measure/weights.js';
import type { Comparison } from './comparison.js';
import { noiseOf } from './differences.js';

/** Parents first; row 0 is the root. */
export interface DifferenceFlame {
  readonly count: number;
  readonly parent: Int32Array;
  /** By number of `Comparison.methods`. */
  readonly method: Uint32Array;
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** How much of the difference sampling may have made. */
  readonly noise: Float64Array;
  /** Room for the larger self of each call below and of itself: what became less keeps its place. */
  readonly width: Float64Array;
}

/** All but what is narrower than `least` of all, or, below the node that `zoomed` (methods from the root) leads to, of that. */
export function differenceFlame(
  { before, after, paths }: Comparison,
  weight: Weight,
  least: number,
  zoomed: readonly number[],
): DifferenceFlame {
  const { parent: parentOf, method: methodOf, count: pathCount } = paths;
  const [was, is] = [before.sums.total(weight), after.sums.total(weight)];
  const noise = noiseOf(before.variance.total(weight), after.variance.total(weight));
  const widthOf = widths(before.sums.self[weight], after.sums.self[weight], parentOf);
  const zoom = before.sums.find(zoomed);
  const leastAnywhere = least * (widthOf[0] as number);
  const leastInZoom = zoom > 0 ? least * (widthOf[zoom] as number) : leastAnywhere;
  const rowOf = new Int32Array(pathCount).fill(-1);
  const inZoom = new Uint8Array(pathCount);
  const shown = [0];
  rowOf[0] = 0;
  for (let path = 1; path < pathCount; path++) {
    const above = parentOf[path] as number;
    if ((rowOf[above] as number) < 0) continue;
    if (path === zoom || inZoom[above] === 1) inZoom[path] = 1;
    const width = widthOf[path] as number;
    if (width <= 0 || width < (inZoom[path] === 1 ? leastInZoom : leastAnywhere)) continue;
    rowOf[path] = shown.length;
    shown.push(path);
  }
  const pick = (from: Float64Array): Float64Array => Float64Array.from(shown, (path) => from[path] as number);
  return {
    count: shown.length,
    parent: Int32Array.from(shown, (path) => (path === 0 ? -1 : (rowOf[parentOf[path] as number] as number))),
    method: Uint32Array.from(shown, (path) => methodOf[path] as number),
    before: pick(was),
    after: pick(is),
    noise: pick(noise),
    width: pick(widthOf),
  };
}

/** Parents have smaller numbers. */
function widths(before: Float64Array, after: Float64Array, parent: Int32Array): Float64Array {
  const width = before.map((self, path) => Math.max(self, after[path] as number));
  for (let path = width.length - 1; path > 0; path--) {
    const above = parent[path] as number;
    width[above] = (width[above] as number) + (width[path] as number);
  }
  return width;
}
