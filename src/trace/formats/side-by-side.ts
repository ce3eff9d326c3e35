import type { EventThread } from '../assemble/event-builder.js';
import type { PathTable } from '../assemble/paths.js';
import { SampledRows } from '../assemble/sampled-rows.js';

/** A call tree whose paths have weights and no times. */
export interface WeighedTree {
  readonly paths: PathTable;
  /** Below each path, from 0 on: made by `childrenOf`. */
  readonly children: ReadonlyMap<number, readonly number[]>;
  readonly nameOf: (path: number) => string;
  /** A path's own, in ns, and how often it was captured. */
  readonly weightOf: (path: number) => number;
  readonly samplesOf: (path: number) => number;
}

export function childrenOf(paths: PathTable): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (let path = 1; path < paths.count; path++) {
    const parent = paths.parent[path] ?? 0;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [path]);
    else siblings.push(path);
  }
  return children;
}

/**
 * Lays what is below `root` side by side in the order of the names, so that equal beginnings become one call, as in a flame
 * graph. A path's own weight stands before its children's.
 */
export function laySideBySide(thread: EventThread, tree: WeighedTree, root: number): void {
  const { paths } = tree;
  const rows = (thread.sampled = new SampledRows(paths));
  let time = 0;
  // Below the root, which may be a frame that names the thread, paths are those of the calls alone.
  const stack: { readonly from: number; readonly path: number }[] = [{ from: root, path: 0 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const weight = top.from === 0 ? 0 : tree.weightOf(top.from);
    if (weight > 0) {
      const next = time + weight;
      if (rows.push(Math.round(time), Math.round(next), top.path, tree.samplesOf(top.from))) time = next;
    }
    const below = (tree.children.get(top.from) ?? []).map((path) => ({ path, name: tree.nameOf(path) }));
    // The last is taken first.
    below.sort((a, b) => (a.name < b.name ? 1 : a.name > b.name ? -1 : 0));
    for (const child of below) {
      stack.push({ from: child.path, path: paths.child(top.path, paths.method[child.path] ?? 0) });
    }
  }
}
