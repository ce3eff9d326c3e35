/** The one line of a method to look at: where most of its time went, or where a thread stood in it at a moment. */
import { upperBound } from '../model/bisect.js';
import { IntervalState, type StackNodes, type Trace } from '../model/trace.js';
import { intervalsIn, type Scope, shareIn, threadsIn } from './scope.js';

/**
 * By CPU time, by wall time where it used none; 0 unknown. Costs a pass over the scope's intervals and one over the stack
 * nodes.
 */
export function hotLine(trace: Trace, method: number, scope: Scope): number {
  const { nodes } = trace;
  if (nodes === undefined) return 0;
  const cpu = new Float64Array(nodes.count);
  const wall = new Float64Array(nodes.count);
  for (const thread of threadsIn(trace, scope)) {
    const { begin, end, node: nodeOf, state, cpu: used } = thread.intervals;
    const { first, last } = intervalsIn(thread, scope, trace.endNs);
    for (let row = first; row < last; row++) {
      const node = nodeOf[row] as number;
      if (node === 0 || state[row] === IntervalState.Gap) continue;
      const share = shareIn(begin[row] as number, end[row] as number, scope);
      cpu[node] = (cpu[node] as number) + (used[row] as number) * share;
      wall[node] = (wall[node] as number) + ((end[row] as number) - (begin[row] as number)) * share;
    }
  }
  const byLine = new Map<number, { cpu: number; wall: number }>();
  for (let node = nodes.count - 1; node > 0; node--) {
    const above = nodes.parent[node] as number;
    cpu[above] = (cpu[above] as number) + (cpu[node] as number);
    wall[above] = (wall[above] as number) + (wall[node] as number);
    if ((wall[node] as number) === 0 || methodOf(trace, nodes, node) !== method) continue;
    const line = lineOf(trace, nodes, node, method);
    if (line === 0) continue;
    const sums = byLine.get(line) ?? { cpu: 0, wall: 0 };
    sums.cpu += cpu[node] as number;
    sums.wall += wall[node] as number;
    byLine.set(line, sums);
  }
  let found = { line: 0, cpu: 0, wall: 0 };
  for (const [line, sums] of byLine)
    if (sums.cpu > found.cpu || (sums.cpu === found.cpu && sums.wall > found.wall)) found = { line, ...sums };
  return found.line;
}

/** 0 where the thread was not in the method then, or its line is not known. */
export function lineAtMoment(trace: Trace, method: number, thread: number, timeNs: number): number {
  const { nodes } = trace;
  const intervals = trace.threads.find(({ index }) => index === thread)?.intervals;
  if (nodes === undefined || intervals === undefined) return 0;
  const row = upperBound(intervals.begin, timeNs, 0, intervals.count) - 1;
  let node = row < 0 ? 0 : (intervals.node[row] as number);
  while (node !== 0 && methodOf(trace, nodes, node) !== method) node = nodes.parent[node] as number;
  return node === 0 ? 0 : lineOf(trace, nodes, node, method);
}

function methodOf(trace: Trace, nodes: StackNodes, node: number): number {
  const path = nodes.path[node] as number;
  return path === 0 ? -1 : ((nodes.paths ?? trace.paths).method[path] as number);
}

function lineOf({ methods }: Trace, nodes: StackNodes, node: number, method: number): number {
  const position = nodes.position[node] as number;
  return position === 0 ? 0 : methods.lineAt(method, position - 1);
}
