/**
 * Figures by source line, from the positions of stack nodes: a line's own time is that in which the innermost frame was
 * on it; its total is that in which any frame of its method was, counted once however often the method recurs.
 */
import { IntervalState, type Trace } from '../model/trace.js';
import { intervalsIn, type Scope, shareIn, threadsIn } from './scope.js';

/** A row for each line of a method that was seen, by method and line. */
export interface LineFigures {
  readonly count: number;
  readonly method: Uint32Array;
  readonly line: Uint32Array;
  readonly selfWall: Float64Array;
  readonly totalWall: Float64Array;
  readonly selfCpu: Float64Array;
  readonly totalCpu: Float64Array;
  readonly selfBytes: Float64Array;
  readonly totalBytes: Float64Array;
}

/** Lines of a method are below this: the key of a row is method × this + line. */
const mostLines = 2 ** 21;
const sums = 6;

/** Costs a pass over the scope's intervals and one over the stack nodes. Empty for a trace without positions. */
export function lineFigures(trace: Trace, scope: Scope): LineFigures {
  const { nodes, paths, methods } = trace;
  const { recursive } = paths;
  const rows = new Map<number, number>();
  const keys: number[] = [];
  const values: number[][] = [];
  if (nodes === undefined) return columns(keys, values);

  const wall = new Float64Array(nodes.count);
  const cpu = new Float64Array(nodes.count);
  const bytes = new Float64Array(nodes.count);
  for (const thread of threadsIn(trace, scope)) {
    const { intervals } = thread;
    const { countsWith } = intervals;
    const hasUnseen = countsWith.length > 0;
    const { first, last } = intervalsIn(thread, scope, trace.endNs);
    for (let at = first; at < last; at++) {
      const begin = intervals.begin[at] as number;
      const end = intervals.end[at] as number;
      const share = shareIn(begin, end, scope);
      let lasted = (end - begin) * share;
      let used = (intervals.cpu[at] as number) * share;
      const other = hasUnseen ? (countsWith[at] as number) : 0;
      if (other > 0) {
        const worked = intervals.node[other] as number;
        const spent = Math.min(used, lasted);
        wall[worked] = (wall[worked] as number) + spent;
        cpu[worked] = (cpu[worked] as number) + used;
        lasted -= spent;
        used = 0;
      }
      const node = intervals.node[at] as number;
      if (node === 0 || intervals.state[at] === IntervalState.Gap) continue;
      wall[node] = (wall[node] as number) + lasted;
      cpu[node] = (cpu[node] as number) + used;
      bytes[node] = (bytes[node] as number) + (intervals.allocatedBytes[at] as number) * share;
    }
  }

  const lineOf = (node: number): number => {
    const position = nodes.position[node] as number;
    if (position === 0) return 0;
    return methods.lineAt(paths.method[nodes.path[node] as number] as number, position - 1);
  };
  const keyOf = (node: number, line: number): number =>
    (paths.method[nodes.path[node] as number] as number) * mostLines + (line % mostLines);
  // Whether a frame further out is on the same line of the same method. Only recursive paths have to look.
  const isWithinItself = (node: number, key: number): boolean => {
    if (recursive[nodes.path[node] as number] === 0) return false;
    for (let above = nodes.parent[node] as number; above !== 0; above = nodes.parent[above] as number) {
      if (keyOf(above, lineOf(above)) === key) return true;
    }
    return false;
  };

  const belowWall = wall.slice();
  const belowCpu = cpu.slice();
  const belowBytes = bytes.slice();
  for (let node = nodes.count - 1; node > 0; node--) {
    if (nodes.path[node] === 0) continue;
    const above = nodes.parent[node] as number;
    const total = belowWall[node] as number;
    const totalCpu = belowCpu[node] as number;
    const totalBytes = belowBytes[node] as number;
    belowWall[above] = (belowWall[above] as number) + total;
    belowCpu[above] = (belowCpu[above] as number) + totalCpu;
    belowBytes[above] = (belowBytes[above] as number) + totalBytes;
    if (total === 0 && totalCpu === 0 && totalBytes === 0) continue;
    const line = lineOf(node);
    if (line === 0) continue;
    const key = keyOf(node, line);
    let row = rows.get(key);
    if (row === undefined) {
      row = keys.length;
      rows.set(key, row);
      keys.push(key);
      values.push(new Array<number>(sums).fill(0));
    }
    const value = values[row] as number[];
    value[0] = (value[0] as number) + (wall[node] as number);
    value[2] = (value[2] as number) + (cpu[node] as number);
    value[4] = (value[4] as number) + (bytes[node] as number);
    if (isWithinItself(node, key)) continue;
    value[1] = (value[1] as number) + total;
    value[3] = (value[3] as number) + totalCpu;
    value[5] = (value[5] as number) + totalBytes;
  }
  return columns(keys, values);
}

function columns(keys: readonly number[], values: readonly (readonly number[])[]): LineFigures {
  const order = keys.map((_, row) => row).sort((a, b) => (keys[a] as number) - (keys[b] as number));
  const column = (at: number): Float64Array => Float64Array.from(order, (row) => values[row]?.[at] ?? 0);
  return {
    count: order.length,
    method: Uint32Array.from(order, (row) => Math.floor((keys[row] as number) / mostLines)),
    line: Uint32Array.from(order, (row) => (keys[row] as number) % mostLines),
    selfWall: column(0),
    totalWall: column(1),
    selfCpu: column(2),
    totalCpu: column(3),
    selfBytes: column(4),
    totalBytes: column(5),
  };
}
