import type { Calls, ThreadTrack, Trace } from '../model/trace.js';
import type { ExportOptions } from './importer.js';

/**
 * Calls as begin and end events in the order they happened, for exporters. Calls are rows ordered by begin, a parent
 * before its children, so which call an event closes follows from `parent` alone, also where times are equal.
 *
 * Cost: one step a call. Memory: the open calls.
 */
export function walkCalls(calls: Calls, onBegin: (row: number) => void, onEnd: (row: number) => void): void {
  const open: number[] = [];
  for (let row = 0; row < calls.count; row++) {
    const parent = calls.parent[row] ?? -1;
    for (let top = open.at(-1); top !== undefined && top !== parent; top = open.at(-1)) {
      open.pop();
      onEnd(top);
    }
    open.push(row);
    onBegin(row);
  }
  for (let top = open.pop(); top !== undefined; top = open.pop()) onEnd(top);
}

/** CPU ns a thread had used before each of its intervals, in its calls; one entry more than intervals. */
export function cpuBefore(track: ThreadTrack): Float64Array {
  return totalBefore(track.intervals.count, track.intervals.cpu);
}

/** What a column of intervals came to before each of them; one entry more than intervals. */
export function totalBefore(count: number, column: Float64Array): Float64Array {
  const before = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) before[i + 1] = (before[i] ?? 0) + (column[i] ?? 0);
  return before;
}

/** The threads an export is asked for; without a wish, all that have something to say. */
export function threadsToWrite(trace: Trace, options: ExportOptions): readonly ThreadTrack[] {
  const wanted = options.threads;
  if (wanted !== undefined) return trace.threads.filter((thread) => wanted.includes(thread.index));
  return trace.threads.filter((thread) => thread.calls.count > 0 || thread.events.count > 0);
}

/** Above all that Linux gives: numbers for tracks that are no threads, and for threads that share one with another. */
const firstFreeTid = 2 ** 22 + 1;

export interface ExportedIds {
  readonly pid: number;
  readonly tid: number;
}

/** The process and the number that each thread is written with: those of two are never the same, or tools would merge them. */
export function idsOf(trace: Trace, threads: readonly ThreadTrack[]): Map<number, ExportedIds> {
  const ids = new Map<number, ExportedIds>();
  const taken = new Set<string>();
  let free = firstFreeTid;
  for (const { index, pid, tid } of threads) {
    const process = pid === undefined || pid === 0 ? trace.info.pid : pid;
    const own = tid > 0 && !taken.has(`${process} ${tid}`) ? tid : free++;
    taken.add(`${process} ${own}`);
    ids.set(index, { pid: process, tid: own });
  }
  return ids;
}
