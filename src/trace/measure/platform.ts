import type { Trace } from '../model/trace.js';

/** Java's own, and what Android and its support library bring. */
const platform =
  /^(java|javax|jdk|sun|com\.sun|android|androidx|dalvik|libcore|com\.android\.(internal|server|org\.conscrypt|okhttp)|org\.apache\.harmony)\./;

/** A class of the Java or Android platform, which says how a program waits and not where. */
export const isPlatform = (className: string): boolean => platform.test(className);

/** The innermost path at or above `path` that is not of the platform; `path` itself where all are. */
export function programPath({ paths, methods }: Trace, path: number): number {
  let at = path;
  while (at !== 0 && isPlatform(methods.className(paths.method[at] as number)))
    at = paths.parent[at] as number;
  return at === 0 ? path : at;
}

/** The method of `programPath`; −1 for the root. */
export function programMethod(trace: Trace, path: number): number {
  const at = programPath(trace, path);
  return at === 0 ? -1 : (trace.paths.method[at] as number);
}
