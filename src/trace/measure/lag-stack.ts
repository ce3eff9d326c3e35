/** The chain of calls that a stretch of a thread's time went into: at each level the longest one. docs/MEASURES.md. */
import type { Trace } from '../model/trace.js';
import { hotLine } from './hot-line.js';
import { sumScope } from './sums.js';

export interface LagFrame {
  readonly method: number;
  /** Wall time of its calls in the stretch, with all that they called. */
  readonly ns: number;
  /** Calls that were seen: a lower bound for samples. */
  readonly calls: number;
  /** Where most of that time was, 0 unknown. */
  readonly line: number;
}

/**
 * From the root on. Equal callees are summed first, so many short calls of one method count like a long one. The chain
 * ends where no callee takes `leastNs`. Costs a pass over the intervals of the stretch.
 */
export function lagStack(
  trace: Trace,
  thread: number,
  beginNs: number,
  endNs: number,
  leastNs: number,
): LagFrame[] {
  const scope = { threads: [thread], beginNs, endNs };
  const sums = sumScope(trace, scope, 'times');
  const total = sums.total('wall');
  const frames: LagFrame[] = [];
  for (let path = longestBelow(0); path !== 0; path = longestBelow(path)) {
    const method = sums.paths.method[path] as number;
    const line = hotLine(trace, method, scope);
    frames.push({ method, ns: total[path] as number, calls: sums.calls[path] as number, line });
  }
  return frames;

  function longestBelow(path: number): number {
    let longest = 0;
    for (let child = sums.child(path); child !== 0; child = sums.sibling(child)) {
      const ns = total[child] as number;
      if (ns >= leastNs && ns > (longest === 0 ? 0 : (total[longest] as number))) longest = child;
    }
    return longest;
  }
}
