/** What virtual threads waited for while they were off their carriers, and where: docs/MEASURES.md, "Virtual threads". */
import { SampleKind } from '../model/kinds.js';
import { type Methods, type Paths, type Trace } from '../model/trace.js';
import { isPlatform } from './platform.js';
import { type Scope } from './scope.js';

/** A row a place, those with the longest waits together first. */
export interface OffCarrierWaitPlaces {
  readonly count: number;
  /** SampleKind: Sleep, Park, Wait, Monitor, Io; Unknown where there is no stack. */
  readonly kind: Uint8Array;
  /** The innermost method that is not the platform's, else the one that asked to wait; −1: not known. */
  readonly method: Int32Array;
  /** Waits, how long they were together, and the longest. */
  readonly waits: Uint32Array;
  readonly total: Float64Array;
  readonly longest: Float64Array;
  /** Waits that are not among them, to stay within the budget, and how long they were together: of the whole recording. */
  readonly leftOut: number;
  readonly leftOutNs: number;
}

/** One object for each place. */
export interface WaitPlace {
  readonly kind: number;
  readonly method: number;
}

/** How a wait is made, which says nothing of what for. */
const mechanism =
  /^(java\.lang\.(VirtualThread|System)(\$|$)|jdk\.internal\.misc\.VirtualThreads$|java\.util\.concurrent\.locks\.LockSupport$)/;
const inputOutput = /^(sun\.nio|java\.nio|java\.net)\./;

/** What waits are about, by their paths. */
class Places {
  readonly #byPath = new Map<number, WaitPlace | undefined>();
  readonly #all = new Map<string, WaitPlace>();
  readonly #paths: Paths;
  readonly #methods: Methods;

  constructor(paths: Paths, methods: Methods) {
    this.#paths = paths;
    this.#methods = methods;
  }

  /** Undefined where the thread did not wait: it let others run, or had not begun. */
  of(path: number): WaitPlace | undefined {
    if (this.#byPath.has(path)) return this.#byPath.get(path);
    const kind = path === 0 ? SampleKind.Unknown : this.#kindOf(path);
    const place = kind === undefined ? undefined : this.#place(kind, this.#methodOf(path));
    this.#byPath.set(path, place);
    return place;
  }

  #place(kind: number, method: number): WaitPlace {
    const key = `${kind} ${method}`;
    const place = this.#all.get(key) ?? { kind, method };
    this.#all.set(key, place);
    return place;
  }

  #methodOf(path: number): number {
    const { parent, method } = this.#paths;
    let innermost = -1;
    for (let at = path; at !== 0; at = parent[at] as number) {
      const owner = this.#methods.className(method[at] as number);
      if (!isPlatform(owner)) return method[at] as number;
      if (innermost < 0 && !mechanism.test(owner)) innermost = method[at] as number;
    }
    return innermost;
  }

  #kindOf(path: number): number | undefined {
    const paths = this.#paths;
    const methods = this.#methods;
    for (let at = path; at !== 0; at = paths.parent[at] as number) {
      const method = paths.method[at] as number;
      const [owner, name] = [methods.className(method), methods.name(method)];
      if (at === path) {
        if (owner === 'java.lang.Object' && name.startsWith('wait')) return SampleKind.Wait;
        // The JVM itself makes it wait, wherever it is: for a monitor.
        if (!mechanism.test(owner)) return SampleKind.Monitor;
      }
      if (name.startsWith('sleep') && /^java\.lang\.(Virtual)?Thread$/.test(owner)) return SampleKind.Sleep;
      if (/^(tryYield|run)$/.test(name) && owner === 'java.lang.VirtualThread') return undefined;
      if (!mechanism.test(owner)) return inputOutput.test(owner) ? SampleKind.Io : SampleKind.Park;
    }
    return SampleKind.Park;
  }
}

/**
 * Calls `take` for each wait that lies in the scope, wholly or in part, with how much of it does. With threads, those that
 * came back to one of them.
 */
export function eachOffCarrierWait(
  { paths, methods, offCarrierWaits: waits, endNs }: Trace,
  scope: Scope,
  take: (row: number, ns: number, place: WaitPlace) => void,
): void {
  if (waits === undefined) return;
  const threads = new Set(scope.threads);
  const places = new Places(waits.paths ?? paths, methods);
  const lastNs = Math.min(scope.endNs, endNs);
  for (let row = 0; row < waits.count; row++) {
    if (threads.size > 0 && !threads.has(waits.thread[row] as number)) continue;
    const ns =
      Math.min(waits.end[row] as number, lastNs) - Math.max(waits.begin[row] as number, scope.beginNs);
    if (!(ns > 0)) continue;
    const place = places.of(waits.path[row] as number);
    if (place !== undefined) take(row, ns, place);
  }
}

/** Sums of waits at a place, or of a thread. */
export class WaitSum {
  waits = 0;
  total = 0;
  longest = 0;

  add(ns: number): void {
    this.waits++;
    this.total += ns;
    this.longest = Math.max(this.longest, ns);
  }
}

export function offCarrierWaitPlaces(trace: Trace, scope: Scope): OffCarrierWaitPlaces {
  const found = new Map<WaitPlace, WaitSum>();
  eachOffCarrierWait(trace, scope, (_, ns, place) => {
    let sum = found.get(place);
    if (sum === undefined) found.set(place, (sum = new WaitSum()));
    sum.add(ns);
  });
  const rows = [...found].sort(
    ([one, a], [other, b]) => b.total - a.total || one.kind - other.kind || one.method - other.method,
  );
  return {
    count: rows.length,
    kind: Uint8Array.from(rows, ([{ kind }]) => kind),
    method: Int32Array.from(rows, ([{ method }]) => method),
    waits: Uint32Array.from(rows, ([, { waits }]) => waits),
    total: Float64Array.from(rows, ([, { total }]) => total),
    longest: Float64Array.from(rows, ([, { longest }]) => longest),
    leftOut: trace.offCarrierWaits?.leftOut ?? 0,
    leftOutNs: trace.offCarrierWaits?.leftOutNs ?? 0,
  };
}
