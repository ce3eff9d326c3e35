/** How long each path itself waited, by whether that held its thread up. One pass over the waits of a scope. */
import type { Trace } from '../model/trace.js';
import { isRest } from './rest.js';
import { type Scope, shareIn, threadsIn } from './scope.js';

export interface WaitPaths {
  /** By path, ns. */
  readonly held: Float64Array;
  readonly rest: Float64Array;
}

export function waitPaths(trace: Trace, scope: Scope): WaitPaths {
  const held = new Float64Array(trace.paths.count);
  const rest = new Float64Array(trace.paths.count);
  for (const { waits } of threadsIn(trace, scope)) {
    for (let row = 0; row < waits.count; row++) {
      const [begin, end] = [waits.begin[row] as number, waits.end[row] as number];
      if (end <= scope.beginNs || begin >= scope.endNs) continue;
      const className = trace.className(waits.type[row] as number);
      const into = isRest(waits.kind[row] as number, waits.owner[row] as number, className) ? rest : held;
      const path = waits.path[row] as number;
      into[path] = (into[path] as number) + (end - begin) * shareIn(begin, end, scope);
    }
  }
  return { held, rest };
}
