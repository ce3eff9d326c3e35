/**
 * A trace in which only some methods are left: *My code*. Calls of the others vanish, and what they did is done by
 * the nearest caller that stays. Everything that is drawn or measured of the result is drawn and measured as ever.
 * O(intervals + paths), each time.
 */
import { PathTable } from '../../trace/assemble/paths.js';
import { reroutedThread } from '../../trace/assemble/rerouted-thread.js';
import type { Intervals, Paths, ThreadTrack, Trace } from '../../trace/model/trace.js';

/** `keeps[method]` is 1 for methods that stay. */
export function hideLibraryFrames(trace: Trace, keeps: Uint8Array): Trace {
  const hidden = hidePaths(trace.paths, keeps);
  return {
    ...trace,
    paths: hidden.paths,
    ...(trace.nodes && { nodes: { paths: trace.paths, ...trace.nodes } }),
    ...(trace.offCarrierWaits && { offCarrierWaits: { paths: trace.paths, ...trace.offCarrierWaits } }),
    ...(trace.heldMemory && {
      heldMemory: {
        ...trace.heldMemory,
        path: mapPaths(trace.heldMemory.path, trace.heldMemory.count, hidden.pathOf),
      },
    }),
    threads: trace.threads.map((thread) => hideInThread(thread, trace.paths, hidden)),
  };
}

interface HiddenPaths {
  readonly paths: Paths;
  /** By path before: path after. */
  readonly pathOf: Int32Array;
}

function hidePaths(before: Paths, keeps: Uint8Array): HiddenPaths {
  const paths = new PathTable();
  const pathOf = new Int32Array(before.count);
  for (let path = 1; path < before.count; path++) {
    const above = pathOf[before.parent[path] ?? 0] ?? 0;
    const own = before.method[path] ?? 0;
    pathOf[path] = keeps[own] === 1 ? paths.child(above, own) : above;
  }
  return { paths, pathOf };
}

function hideInThread(thread: ThreadTrack, before: Paths, hidden: HiddenPaths): ThreadTrack {
  const { paths, pathOf } = hidden;
  const { intervals, waits, events } = thread;
  return reroutedThread(thread, paths, {
    path: mapPaths(intervals.path, intervals.count, pathOf),
    keep: hiddenKeeps(intervals, before, hidden),
    blockPaths: mapPaths(waits.path, waits.count, pathOf),
    eventPaths: mapPaths(events.path, events.count, pathOf),
  });
}

function mapPaths(path: Int32Array, count: number, pathOf: Int32Array): Int32Array {
  const mapped = new Int32Array(count);
  for (let row = 0; row < count; row++) mapped[row] = pathOf[path[row] ?? 0] ?? 0;
  return mapped;
}

function hiddenKeeps(intervals: Intervals, before: Paths, { paths, pathOf }: HiddenPaths): Uint16Array {
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
