/**
 * Two traces measured on one call tree, so that what one pass gives for a trace it gives for the difference of two:
 * docs/MEASURES.md, "Comparing".
 * Costs a pass over each trace's intervals, paths and methods.
 */
import { PathTable } from '../assemble/paths.js';
import { samplingVariance } from '../measure/sampling-variance.js';
import type { Scope } from '../measure/scope.js';
import { Sums, sumScope } from '../measure/sums.js';
import { allWeights } from '../measure/weights.js';
import type { Paths, Trace } from '../model/trace.js';
import { MatchedMethods } from './matched-methods.js';

/** A trace and what of it is looked at. */
export interface Compared {
  readonly trace: Trace;
  readonly scope: Scope;
}

export interface ComparedSide {
  readonly sums: Sums;
  /** Of each figure in `sums`. */
  readonly variance: Sums;
}

export interface Comparison {
  readonly methods: MatchedMethods;
  readonly paths: Paths;
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  /** What figures of the trace before were multiplied with. */
  readonly scale: number;
}

/** `scale`: for the figures of the trace before; `lengthRatio` gives one for programs that go on in the same way. */
export function compareTraces(before: Compared, after: Compared, scale = 1): Comparison {
  const methods = new MatchedMethods(before.trace.methods, after.trace.methods);
  const paths = new PathTable(before.trace.paths.count + after.trace.paths.count);
  const afterPaths = pathsOn(paths, after.trace.paths, methods.ofAfter);
  const beforePaths = pathsOn(paths, before.trace.paths, methods.ofBefore);
  const side = ({ trace, scope }: Compared, pathOf: Int32Array, factor: number): ComparedSide => ({
    sums: moved(sumScope(trace, scope), paths, pathOf, factor),
    variance: moved(samplingVariance(trace, scope), paths, pathOf, factor * factor),
  });
  return {
    methods,
    paths,
    before: side(before, beforePaths, scale),
    after: side(after, afterPaths, 1),
    scale,
  };
}

/** Of what is looked at, in ns. */
export function comparedLength({ trace, scope }: Compared): number {
  return Math.min(scope.endNs, trace.endNs) - Math.max(scope.beginNs, trace.beginNs);
}

/** By which figures of the trace before are as those of a recording that is as long as the one after. */
export function lengthRatio(before: Compared, after: Compared): number {
  const [one, other] = [comparedLength(before), comparedLength(after)];
  return one > 0 && other > 0 ? other / one : 1;
}

/** By path of a trace, the path with the same methods in `paths`. */
function pathsOn(paths: PathTable, from: Paths, methodOf: Uint32Array): Int32Array {
  const pathOf = new Int32Array(from.count);
  for (let path = 1; path < from.count; path++) {
    const above = pathOf[from.parent[path] as number] as number;
    pathOf[path] = paths.child(above, methodOf[from.method[path] as number] as number);
  }
  return pathOf;
}

function moved(from: Sums, paths: Paths, pathOf: Int32Array, factor: number): Sums {
  const to = new Sums(paths, from.scope);
  for (const weight of allWeights) {
    const [source, target] = [from.self[weight], to.self[weight]];
    for (let path = 0; path < source.length; path++) {
      const at = pathOf[path] as number;
      target[at] = (target[at] as number) + (source[path] as number) * factor;
    }
    to.sum[weight] = from.sum[weight] * factor;
    to.gap[weight] = from.gap[weight] * factor;
  }
  for (let path = 0; path < from.calls.length; path++) {
    const at = pathOf[path] as number;
    to.calls[at] = (to.calls[at] as number) + (from.calls[path] as number) * factor;
  }
  to.samples = from.samples;
  return to;
}
