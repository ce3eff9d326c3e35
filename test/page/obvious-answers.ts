/** Answers to the page's questions, the slow and obvious way: what the engine's own figures are compared with. */
import { IntervalState } from '../../src/trace/model/trace.js';
import type { Intervals, Trace } from '../../src/trace/model/trace.js';
import type {
  Answers,
  CallFigures,
  Query,
  Scope,
  TreeNodes,
  Weight,
} from '../../src/webview/worker/messages.js';
import { weights } from '../../src/webview/worker/messages.js';

interface Node {
  readonly method: number;
  self: number;
  total: number;
  calls: number;
  readonly children: Map<number, Node>;
}

const newNode = (method: number): Node => ({ method, self: 0, total: 0, calls: 0, children: new Map() });

export function weightOf(intervals: Intervals, row: number, weight: Weight): number {
  switch (weight) {
    case 'wall':
      return intervals.end[row]! - intervals.begin[row]!;
    case 'blocked':
      return intervals.state[row] === IntervalState.Blocked ? intervals.end[row]! - intervals.begin[row]! : 0;
    default:
      return intervals[weight][row]!;
  }
}

/** Every interval of the scope with the part of it that lies inside. */
function visit(
  trace: Trace,
  scope: Scope,
  use: (methods: number[], weigh: (weight: Weight) => number, begins: (depth: number) => boolean) => void,
): void {
  for (const { index, intervals } of trace.threads) {
    if (scope.threads.length > 0 && !scope.threads.includes(index)) continue;
    for (let row = 0; row < intervals.count; row++) {
      if (intervals.state[row] === IntervalState.Gap) continue;
      const length = intervals.end[row]! - intervals.begin[row]!;
      const inside =
        Math.min(intervals.end[row]!, scope.endNs) - Math.max(intervals.begin[row]!, scope.beginNs);
      if (inside <= 0) continue;
      const methods: number[] = [];
      for (let path = intervals.path[row]!; path > 0; path = trace.paths.parent[path]!) {
        methods.unshift(trace.paths.method[path]!);
      }
      const share = inside / length;
      use(
        methods,
        (weight) => weightOf(intervals, row, weight) * share,
        (depth) => intervals.begin[row]! >= scope.beginNs && depth >= intervals.keep[row]!,
      );
    }
  }
}

function tree(trace: Trace, scope: Scope, weight: Weight, direction: 'down' | 'up'): Node {
  const root = newNode(0);
  visit(trace, scope, (methods, weigh, begins) => {
    const value = weigh(weight);
    root.total += value;
    if (direction === 'down') {
      let node = root;
      methods.forEach((method, depth) => {
        node = childOf(node, method);
        node.total += value;
        if (begins(depth)) node.calls++;
      });
      node.self += value;
      return;
    }
    let node = root;
    [...methods].reverse().forEach((method, up) => {
      node = childOf(node, method);
      node.total += value;
      if (up === 0) node.self += value;
    });
  });
  return root;
}

function childOf(node: Node, method: number): Node {
  let child = node.children.get(method);
  if (child === undefined) {
    child = newNode(method);
    node.children.set(method, child);
  }
  return child;
}

function nodesOf(nodes: readonly Node[], sum: number): TreeNodes {
  const sorted = [...nodes].sort((one, other) => other.total - one.total);
  return {
    count: sorted.length,
    method: Uint32Array.from(sorted, (node) => node.method),
    self: Float64Array.from(sorted, (node) => node.self),
    total: Float64Array.from(sorted, (node) => node.total),
    calls: Float64Array.from(sorted, (node) => node.calls),
    hasChildren: Uint8Array.from(sorted, (node) => (node.children.size > 0 ? 1 : 0)),
    sum,
  };
}

type PerWeight = Record<Weight, number>;
const noFigures = (): PerWeight => Object.fromEntries(weights.map((weight) => [weight, 0])) as PerWeight;

export function answerObviously(trace: Trace, query: Query): Answers[Query['kind']] {
  const { methods } = trace;
  switch (query.kind) {
    case 'source':
      return {
        className: methods.className(query.method),
        method: methods.name(query.method),
        signature: methods.signature(query.method),
        file: methods.file(query.method),
        line: methods.firstLine(query.method),
      };
    case 'methods': {
      const self = new Map<number, PerWeight>();
      const total = new Map<number, PerWeight>();
      const calls = new Map<number, number>();
      const sum = noFigures();
      const add = (into: Map<number, PerWeight>, method: number, weigh: (weight: Weight) => number): void => {
        const figures = into.get(method) ?? noFigures();
        for (const weight of weights) figures[weight] += weigh(weight);
        into.set(method, figures);
      };
      visit(trace, query.scope, (stack, weigh, begins) => {
        for (const weight of weights) sum[weight] += weigh(weight);
        for (const method of new Set(stack)) add(total, method, weigh);
        stack.forEach((method, depth) => {
          if (begins(depth)) calls.set(method, (calls.get(method) ?? 0) + 1);
        });
        if (stack.length > 0) add(self, stack.at(-1)!, weigh);
      });
      const ids = [...total.keys()];
      const columns = (of: Map<number, PerWeight>): Record<Weight, Float64Array> =>
        Object.fromEntries(
          weights.map((weight) => [weight, Float64Array.from(ids, (id) => of.get(id)?.[weight] ?? 0)]),
        ) as Record<Weight, Float64Array>;
      return {
        count: ids.length,
        method: Uint32Array.from(ids),
        calls: Float64Array.from(ids, (id) => calls.get(id) ?? 0),
        self: columns(self),
        total: columns(total),
        sum,
      };
    }
    case 'tree': {
      const root = tree(trace, query.scope, query.weight, query.direction);
      let node: Node | undefined = root;
      for (const method of query.path) node = node?.children.get(method);
      return nodesOf([...(node?.children.values() ?? [])], root.total);
    }
    case 'flame': {
      const root = tree(trace, query.scope, query.weight, 'down');
      const rows: { parent: number; node: Node }[] = [];
      const least = query.least * root.total;
      const add = (node: Node, parent: number): void => {
        const row = rows.push({ parent, node }) - 1;
        for (const child of node.children.values()) if (child.total >= least) add(child, row);
      };
      let node = root;
      let parent = -1;
      for (const method of query.path) {
        const child = node.children.get(method);
        if (child === undefined) break;
        parent = rows.push({ parent, node }) - 1;
        node = child;
      }
      add(node, parent);
      return {
        count: rows.length,
        parent: Int32Array.from(rows, (row) => row.parent),
        method: Uint32Array.from(rows, (row) => row.node.method),
        total: Float64Array.from(rows, (row) => row.node.total),
        self: Float64Array.from(rows, (row) => row.node.self),
      };
    }
    case 'neighbours': {
      const callers = newNode(0);
      const callees = newNode(0);
      let self = 0;
      let total = 0;
      let sum = 0;
      visit(trace, query.scope, (stack, weigh) => {
        const value = weigh(query.weight);
        sum += value;
        const at = stack.indexOf(query.method);
        if (at < 0) return;
        total += value;
        childOf(callers, stack[at - 1] ?? 0).total += value;
        const last = stack.lastIndexOf(query.method);
        if (last === stack.length - 1) self += value;
        else childOf(callees, stack[last + 1]!).total += value;
      });
      return {
        callers: nodesOf([...callers.children.values()], total),
        callees: nodesOf([...callees.children.values()], total),
        self,
        total,
        sum,
      };
    }
    case 'matched': {
      let total = 0;
      let sum = 0;
      visit(trace, query.scope, (stack, weigh) => {
        const value = weigh(query.weight);
        sum += value;
        if (stack.some((method) => query.methods[method] === 1)) total += value;
      });
      return { total, sum };
    }
    case 'call':
      return callFigures(trace, query);
  }
}

function callFigures(trace: Trace, query: Query & { kind: 'call' }): CallFigures {
  const self = noFigures();
  const total = noFigures();
  const { intervals, message } = trace.threads.find((thread) => thread.index === query.thread)!;
  let gapNs = 0;
  let samples = 0;
  let first = -1;
  for (let row = 0; row < intervals.count; row++) {
    if (intervals.begin[row]! < query.beginNs || intervals.end[row]! > query.endNs) continue;
    if (first < 0) first = row;
    if (intervals.state[row] === IntervalState.Gap) {
      gapNs += intervals.end[row]! - intervals.begin[row]!;
      continue;
    }
    samples += intervals.samples[row]!;
    const isSelf = trace.paths.method[intervals.path[row]!] === query.method;
    for (const weight of weights) {
      total[weight] += weightOf(intervals, row, weight);
      if (isSelf) self[weight] += weightOf(intervals, row, weight);
    }
  }
  const key = answerObviously(trace, { kind: 'source', method: query.method }) as CallFigures['key'];
  return { self, total, gapNs, samples, message: message[first] ?? 0, key };
}
