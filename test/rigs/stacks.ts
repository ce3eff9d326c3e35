/** The stacks of a recording, by name. */
import type { ThreadTrack, Trace } from '../../src/trace/model/trace.js';

/** "Innermost < … < outermost". */
export function stackOf({ paths, methods }: Trace, path: number): string {
  const names: string[] = [];
  for (let at = path; at > 0; at = paths.parent[at]!) names.push(methods.qualifiedName(paths.method[at]!));
  return names.join(' < ');
}

/** One an interval. */
export function stacksOf(trace: Trace, { intervals }: ThreadTrack): string[] {
  return Array.from(intervals.path.subarray(0, intervals.count), (path) => stackOf(trace, path));
}
