import { type Paths } from '../model/trace.js';

/** The innermost method that at least half of a time was in, −1: none. `inPath`: ns of each path itself. */
export function mostOf(inPath: ReadonlyMap<number, number>, wholeNs: number, paths: Paths): number {
  const below = new Map<number, number>();
  for (const [path, ns] of inPath) {
    for (let at = path; at !== 0; at = paths.parent[at] as number) below.set(at, (below.get(at) ?? 0) + ns);
  }
  let deepest = 0;
  for (const [path, ns] of below) {
    if (ns * 2 >= wholeNs && (paths.depth[path] as number) > (paths.depth[deepest] as number)) deepest = path;
  }
  return deepest === 0 ? -1 : (paths.method[deepest] as number);
}
