/**
 * A trace in which only some methods are left: *Only my code*. Calls of the others vanish, and what they did is done by
 * the nearest caller that stays. Everything that is drawn or measured of the result is drawn and measured as ever.
 * O(intervals + paths), once a fold.
 */
import { reroutedThread } from '../../trace/build/rerouted-thread.js';
import type { Intervals, Paths, ThreadTrack, Trace } from '../../trace/model/trace.js';

/** `keeps[method]` is 1 for methods that stay. */
export function foldTrace(trace: Trace, keeps: Uint8Array): Trace {
  const folded = foldPaths(trace.paths, keeps, trace.methods.count);
  return {
    ...trace,
    paths: folded.paths,
    threads: trace.threads.map((thread) => foldThread(thread, trace.paths, folded)),
  };
}

interface FoldedPaths {
  readonly paths: Paths;
  /** By path before: path after. */
  readonly pathOf: Int32Array;
}

function foldPaths(before: Paths, keeps: Uint8Array, methods: number): FoldedPaths {
  const pathOf = new Int32Array(before.count);
  const parent: number[] = [-1];
  const method: number[] = [0];
  const depth: number[] = [0];
  const recursive: number[] = [0];
  const children = new Map<number, number>();
  for (let path = 1; path < before.count; path++) {
    const above = pathOf[before.parent[path] ?? 0] ?? 0;
    const own = before.method[path] ?? 0;
    if (keeps[own] !== 1) {
      pathOf[path] = above;
      continue;
    }
    // Both factors stay far below 2^26: exact.
    const key = above * (methods + 1) + own;
    let child = children.get(key);
    if (child === undefined) {
      child = parent.length;
      children.set(key, child);
      parent.push(above);
      method.push(own);
      depth.push((depth[above] ?? 0) + 1);
      recursive.push(isAbove(above, own, parent, method) ? 1 : 0);
    }
    pathOf[path] = child;
  }
  return {
    pathOf,
    paths: {
      count: parent.length,
      parent: Int32Array.from(parent),
      method: Uint32Array.from(method),
      depth: Uint16Array.from(depth),
      recursive: Uint8Array.from(recursive),
    },
  };
}

function isAbove(
  from: number,
  wanted: number,
  parent: readonly number[],
  method: readonly number[],
): boolean {
  for (let path = from; path > 0; path = parent[path] ?? 0) if (method[path] === wanted) return true;
  return false;
}

function foldThread(thread: ThreadTrack, before: Paths, folded: FoldedPaths): ThreadTrack {
  const { paths, pathOf } = folded;
  const { intervals, blocks, events } = thread;
  return reroutedThread(thread, paths, {
    path: mapPaths(intervals.path, intervals.count, pathOf),
    keep: foldKeeps(intervals, before, folded),
    blockPaths: mapPaths(blocks.path, blocks.count, pathOf),
    eventPaths: mapPaths(events.path, events.count, pathOf),
  });
}

function mapPaths(path: Int32Array, count: number, pathOf: Int32Array): Int32Array {
  const mapped = new Int32Array(count);
  for (let row = 0; row < count; row++) mapped[row] = pathOf[path[row] ?? 0] ?? 0;
  return mapped;
}

function foldKeeps(intervals: Intervals, before: Paths, { paths, pathOf }: FoldedPaths): Uint16Array {
  const keep = new Uint16Array(intervals.count);
  for (let row = 0; row < intervals.count; row++) {
    // Frames that are the same calls as before: as many as stay of the path down to the old mark.
    let path = intervals.path[row] ?? 0;
    const kept = intervals.keep[row] ?? 0;
    while ((before.depth[path] ?? 0) > kept) path = before.parent[path] ?? 0;
    keep[row] = paths.depth[pathOf[path] ?? 0] ?? 0;
  }
  return keep;
}
