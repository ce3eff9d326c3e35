/** Calls that took long by themselves: none of the calls that they made explains most of their time. */
import { SampleFlag, SampleKind } from '../model/kinds.js';
import type { ThreadTrack, Trace } from '../model/trace.js';
import { type Scope, threadsIn } from './scope.js';

export interface SlowCalls {
  readonly thread: ThreadTrack;
  readonly method: number;
  readonly count: number;
  readonly totalNs: number;
  readonly cpuNs: number;
  readonly longestNs: number;
  /** Of the longest one. */
  readonly beginNs: number;
}

/** A call of which one callee has so much is not what was slow. */
const explains = 0.9;

/** By thread and method, the longest first. Calls that lie partly in the scope count if they are long in it. One pass over the calls. */
export function slowCalls(trace: Trace, scope: Scope, leastNs: number): SlowCalls[] {
  const rows: SlowCalls[] = [];
  for (const thread of threadsIn(trace, scope)) {
    const { begin, end, parent, method, cpu, count } = thread.calls;
    const lengthOf = (row: number): number =>
      Math.min(end[row] as number, scope.endNs) - Math.max(begin[row] as number, scope.beginNs);
    const explained = new Set<number>();
    const slow: number[] = [];
    for (let row = 0; row < count; row++) {
      const ns = lengthOf(row);
      if (ns < leastNs) continue;
      slow.push(row);
      const above = parent[row] as number;
      if (above >= 0 && ns >= lengthOf(above) * explains) explained.add(above);
    }
    const byMethod = new Map<number, SlowCalls>();
    for (const row of slow) {
      if (explained.has(row)) continue;
      const [of, ns] = [method[row] as number, lengthOf(row)];
      const known = byMethod.get(of);
      const isLongest = ns > (known?.longestNs ?? 0);
      byMethod.set(of, {
        ...{ thread, method: of },
        count: (known?.count ?? 0) + 1,
        totalNs: (known?.totalNs ?? 0) + ns,
        cpuNs: (known?.cpuNs ?? 0) + (cpu[row] as number),
        longestNs: isLongest ? ns : (known?.longestNs ?? 0),
        beginNs: isLongest ? (begin[row] as number) : (known?.beginNs ?? 0),
      });
    }
    rows.push(...byMethod.values());
  }
  return rows.sort((a, b) => b.longestNs - a.longestNs);
}

/** A row of the overview. */
export interface SlowMainCalls extends Omit<SlowCalls, 'thread'> {
  /** Thread index. */
  readonly thread: number;
}

/** A call of the main thread is listed from this length on: at 60 Hz it costs at least one frame. */
export const slowMainNs = 2e7;

/** A call that takes this share of the scope is the program's own loop, and no single piece of work. */
const wholeScope = 0.98;

/** A call that rests for more than this share of its time had nothing to do. */
const mostRest = 0.5;

/** Slow calls of main threads, at most so many. Loops, and calls that mostly rest, are left out. */
export function slowMainCalls(trace: Trace, scope: Scope, most: number): SlowMainCalls[] {
  const threads = threadsIn(trace, scope).filter(({ isMain }) => isMain);
  if (threads.length === 0) return [];
  const whole = {
    threads: threads.map(({ index }) => index),
    beginNs: Math.max(scope.beginNs, trace.beginNs),
    endNs: Math.min(scope.endNs, trace.endNs),
  };
  const rows: SlowMainCalls[] = [];
  for (const { thread, ...row } of slowCalls(trace, whole, slowMainNs)) {
    if (rows.length === most) break;
    if (row.longestNs >= (whole.endNs - whole.beginNs) * wholeScope) continue;
    if (restIn(thread, row.beginNs, row.beginNs + row.longestNs) > row.longestNs * mostRest) continue;
    rows.push({ thread: thread.index, ...row });
  }
  return rows;
}

/** How long the thread polled in this range, or was in a wait that had not ended when the recording did. */
function restIn({ waits }: ThreadTrack, beginNs: number, endNs: number): number {
  let restNs = 0;
  for (let row = 0; row < waits.count; row++) {
    const isOpen = ((waits.flags[row] as number) & SampleFlag.OpenWait) !== 0;
    if (!isOpen && waits.kind[row] !== SampleKind.Poll) continue;
    const [begin, end] = [waits.begin[row] as number, waits.end[row] as number];
    restNs += Math.max(0, Math.min(end, endNs) - Math.max(begin, beginNs));
  }
  return restNs;
}
