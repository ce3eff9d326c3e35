/** Where stacks go into code of one kind: a class loader, a database, the drawing of views. */
import type { Trace } from '../model/trace.js';

export type IsOfKind = (className: string, method: string) => boolean;

/** By path: the outermost path at or above it whose method is of the kind, 0 none. Undefined if there is none at all. */
export function outermostCalls({ paths, methods }: Trace, isOfKind: IsOfKind): Int32Array | undefined {
  const is = Uint8Array.from({ length: methods.count }, (_, method) =>
    isOfKind(methods.className(method), methods.name(method)) ? 1 : 0,
  );
  if (!is.includes(1)) return undefined;
  const outermost = new Int32Array(paths.count);
  for (let path = 1; path < paths.count; path++) {
    const above = outermost[paths.parent[path] as number] as number;
    outermost[path] = above !== 0 ? above : is[paths.method[path] as number] === 1 ? path : 0;
  }
  return outermost;
}
