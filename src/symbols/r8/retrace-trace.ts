/**
 * A trace of a minified program as a trace of the program that was written: every name, the calls that were inlined, and
 * the lines. All that is drawn, measured or exported of the result is what it would be of any other trace.
 *
 * What a frame was depends on its line, so it is found for each stack node once; intervals then take the path of their
 * node. O(nodes + intervals). What the mapping does not know stays as it was recorded.
 */
import { NodeColumns } from '../../trace/assemble/nodes.js';
import { PathTable } from '../../trace/assemble/paths.js';
import { reroutedThread } from '../../trace/assemble/rerouted-thread.js';
import { lowerBound } from '../../trace/model/bisect.js';
import type { Intervals, Paths, StackNodes, ThreadTrack, Trace, TraceInfo } from '../../trace/model/trace.js';
import type { RetraceMapping } from './retrace-mapping.js';
import { alternatives, callsiteLine } from './retrace.js';
import { RetracedMethods } from './retraced-methods.js';
import type { Frame } from '../wanted-source.js';

/** Whether a mapping can be that of what was recorded: one that nobody chose is for what the Android Runtime ran. */
export function mayBeMapped(
  { info }: { readonly info: Pick<TraceInfo, 'runtime'> },
  isChosen: boolean,
): boolean {
  return isChosen || info.runtime.startsWith('ART');
}

/** The classes that a trace names: what is needed of a mapping. */
export function classNames(trace: Trace): Set<string> {
  const names = new Set<string>();
  for (let method = 0; method < trace.methods.count; method++) names.add(trace.methods.className(method));
  const types = new Set<number>();
  for (const { waits } of trace.threads) {
    for (let row = 0; row < waits.count; row++) types.add(waits.type[row] as number);
  }
  for (const type of types) names.add(trace.className(type));
  names.delete('');
  return names;
}

export function retraceTrace(trace: Trace, mapping: RetraceMapping): Trace {
  const retracer = new TraceRetracer(trace, mapping);
  const threads = trace.threads.map((thread) => retracer.thread(thread));
  const { methods, paths, nodes } = retracer;
  const { offCarrierWaits: virtualWaits, heldMemory } = trace;
  return {
    ...trace,
    methods,
    paths,
    ...(trace.nodes !== undefined && { nodes }),
    threads,
    ...(virtualWaits && { offCarrierWaits: { ...virtualWaits, path: retracer.pathsAfter(virtualWaits) } }),
    ...(heldMemory && { heldMemory: { ...heldMemory, path: retracer.pathsAfter(heldMemory) } }),
    className: (id) => mapping.originalName(trace.className(id)),
  };
}

/** What a frame at a line stands for. */
interface Known {
  /** Innermost first; undefined: itself. */
  readonly frames: readonly Frame[] | undefined;
  readonly outline: boolean;
}

const asRecorded: Known = { frames: undefined, outline: false };
/** Lines are below this. */
const mostLines = 2 ** 21;

class TraceRetracer {
  readonly methods: RetracedMethods;
  readonly paths = new PathTable();
  /** With a row for each call that was inlined, too. */
  readonly nodes = new NodeColumns();
  /** By node before: node after. */
  readonly #nodeOf: Int32Array;
  /** A node of each path, for what knows only its path. */
  readonly #nodeOfPath: Int32Array;
  readonly #before: StackNodes;
  readonly #known = new Map<number, Known>();
  readonly #isMapped: Uint8Array;
  readonly #hasLines: Uint8Array;
  readonly #trace: Trace;
  readonly #mapping: RetraceMapping;

  constructor(trace: Trace, mapping: RetraceMapping) {
    this.#trace = trace;
    this.#mapping = mapping;

    const { methods } = trace;
    this.methods = new RetracedMethods(methods);
    // Without stack nodes the tree of methods is the stack tree, and no line is known.
    this.#before = trace.nodes ?? nodesOf(trace.paths);
    this.#isMapped = new Uint8Array(methods.count);
    this.#hasLines = new Uint8Array(methods.count);
    for (let method = 0; method < methods.count; method++) {
      if (mapping.class(methods.className(method)) === undefined) continue;
      this.#isMapped[method] = 1;
      this.#hasLines[method] = methods.firstLine(method) > 0 ? 1 : 0;
    }
    this.#nodeOf = new Int32Array(this.#before.count);
    this.#nodeOfPath = new Int32Array(trace.paths.count);
    this.#retraceNodes();
  }

  thread(thread: ThreadTrack): ThreadTrack {
    const { intervals, waits, events } = thread;
    const routes = this.#routes(intervals);
    const pathOf = (path: number): number => this.#pathAfter(this.#nodeOfPath[path] as number);
    const blockPaths = new Int32Array(waits.count);
    for (let row = 0; row < waits.count; row++) {
      const path = waits.path[row] as number;
      const interval = intervalAt(intervals, waits.begin[row] as number, path);
      blockPaths[row] = interval < 0 ? pathOf(path) : (routes.path[interval] as number);
    }
    const eventPaths = this.pathsAfter(events);
    return reroutedThread(thread, this.paths, { ...routes, blockPaths, eventPaths });
  }

  /** For what knows only its path. */
  pathsAfter({ path, count }: { readonly path: Int32Array; readonly count: number }): Int32Array {
    const nodeOf = this.#nodeOfPath;
    return path.subarray(0, count).map((before) => this.#pathAfter(nodeOf[before] as number));
  }

  #retraceNodes(): void {
    const { parent, path, position, count } = this.#before;
    const methodOf = this.#trace.paths.method;
    for (let node = 1; node < count; node++) {
      const at = path[node] as number;
      if (at === 0) continue;
      if (this.#nodeOfPath[at] === 0) this.#nodeOfPath[at] = node;
      const above = parent[node] as number;
      const method = methodOf[at] as number;
      const line = this.#lineOf(node);
      const { frames, outline } = this.#retraced(method, line);
      if (outline && above !== 0) this.#nodeOf[node] = this.#outlined(node, line);
      else if (frames === undefined) {
        const child = this.paths.child(this.#pathAfter(above), this.methods.recorded(method));
        this.#nodeOf[node] = this.nodes.push(this.#nodeOf[above] as number, child, position[node] as number);
      } else this.#nodeOf[node] = this.#grown(this.#nodeOf[above] as number, method, frames);
    }
  }

  /** The calls that `frames` are, on top of a node after. */
  #grown(onto: number, method: number, frames: readonly Frame[]): number {
    let node = onto;
    for (let at = frames.length - 1; at >= 0; at--) {
      const frame = frames[at] as Frame;
      const path = this.paths.child(this.nodes.path[node] as number, this.methods.retraced(method, frame));
      node = this.nodes.push(node, path, frame.line > 0 ? frame.line + 1 : 0);
    }
    return node;
  }

  /** An outline is no call: its caller, or that one's where it is an outline itself, stands where the outline's line was taken from. */
  #outlined(node: number, line: number): number {
    const { parent, path } = this.#before;
    let at = parent[node] as number;
    for (let carried = line; ; at = parent[at] as number) {
      const method = this.#trace.paths.method[path[at] as number] as number;
      const site = callsiteLine(this.#mapping, this.#frame(method, this.#lineOf(at)), carried);
      if (site === undefined) return this.#nodeOf[at] as number;
      const { frames = [], outline } = this.#retraced(method, site);
      const above = parent[at] as number;
      if (!outline || above === 0) return this.#grown(this.#nodeOf[above] as number, method, frames);
      carried = site;
    }
  }

  #retraced(method: number, line: number): Known {
    if (this.#isMapped[method] === 0) return asRecorded;
    const key = method * mostLines + (line % mostLines);
    let known = this.#known.get(key);
    if (known === undefined) {
      const [first] = alternatives(this.#mapping, this.#frame(method, line));
      // None: all of the frame was made up by the compiler.
      known = first ?? { frames: [], outline: false };
      this.#known.set(key, known);
    }
    return known;
  }

  #frame(method: number, line: number): Frame {
    const { methods } = this.#trace;
    return {
      className: methods.className(method),
      method: methods.name(method),
      signature: methods.signature(method),
      file: methods.file(method),
      line,
    };
  }

  /** Where R8 has taken the lines away, the Android Runtime and the mapping count in code units instead. */
  #lineOf(node: number): number {
    const method = this.#trace.paths.method[this.#before.path[node] as number] as number;
    const position = this.#before.position[node] as number;
    if (position === 0 || this.#isMapped[method] === 0) return 0;
    if (this.#hasLines[method] === 1) return this.#trace.methods.lineAt(method, position - 1);
    return this.#trace.info.runtime.startsWith('ART') ? position - 1 : 0;
  }

  #pathAfter(node: number): number {
    return this.nodes.path[this.#nodeOf[node] as number] as number;
  }

  #routes(intervals: Intervals): { path: Int32Array; keep: Uint16Array; node: Int32Array } {
    const { count } = intervals;
    const path = new Int32Array(count);
    const keep = new Uint16Array(count);
    const node = new Int32Array(count);
    const { paths } = this;
    let before = 0;
    for (let row = 0; row < count; row++) {
      const at = this.#nodeIn(intervals, row);
      const after = this.#pathAfter(at);
      const kept = this.#pathAfter(this.#ancestor(at, intervals.keep[row] as number));
      const common = paths.common(before, after);
      // Calls that go on go on by whatever name; of those that were inlined into them, what both have.
      keep[row] = Math.min(paths.depth[common] as number, paths.depth[kept] as number);
      path[row] = after;
      if (intervals.node[row] !== 0) node[row] = this.#nodeOf[at] as number;
      before = after;
    }
    return { path, keep, node };
  }

  /** The node of an interval: its own, or, where only its path is known, a neighbour's as far as they are one. */
  #nodeIn({ node, path, count }: Intervals, row: number): number {
    const wanted = path[row] as number;
    const known = this.#trace.nodes === undefined ? wanted : (node[row] as number);
    const pathOf = this.#before.path;
    if (known !== 0 && pathOf[known] === wanted) return known;
    if (wanted === 0) return 0;
    const depth = this.#trace.paths.depth[wanted] as number;
    for (const neighbour of [row - 1, row + 1]) {
      if (neighbour < 0 || neighbour >= count) continue;
      const ancestor = this.#ancestor(node[neighbour] as number, depth);
      if (ancestor !== 0 && pathOf[ancestor] === wanted) return ancestor;
    }
    return this.#nodeOfPath[wanted] as number;
  }

  #ancestor(node: number, depth: number): number {
    const { parent, path } = this.#before;
    const depthOf = this.#trace.paths.depth;
    let at = node;
    while (at !== 0 && (depthOf[path[at] as number] as number) > depth) at = parent[at] as number;
    return at;
  }
}

function nodesOf({ count, parent }: Paths): StackNodes {
  return {
    count,
    parent,
    path: Int32Array.from({ length: count }, (_, path) => path),
    position: new Int32Array(count),
  };
}

/** The interval of that path that begins then; −1: none. */
function intervalAt({ begin, path, count }: Intervals, time: number, wanted: number): number {
  for (let row = lowerBound(begin, time, 0, count); row < count && begin[row] === time; row++) {
    if (path[row] === wanted) return row;
  }
  return -1;
}
