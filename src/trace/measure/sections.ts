/**
 * What a system's trace has of the program's threads beside its samples: sections that Android or the program wrote, and waits
 * that the system tells, as for a monitor or for an answer of another process. Exact, from begin and end.
 */
import type { ThreadTrack, Trace } from '../model/trace.js';
import { type Scope, threadsIn } from './scope.js';

export interface SectionFigures {
  readonly name: string;
  /** Of `Trace.threads`. */
  readonly thread: ThreadTrack;
  readonly count: number;
  readonly totalNs: number;
  readonly longestNs: number;
}

/** The threads of the scope that have sections, with the tracks of `SystemTrace.sections` that these are on. */
export function sectionTracks(
  trace: Trace,
  scope: Scope,
): { readonly thread: ThreadTrack; readonly track: ThreadTrack }[] {
  const sections = trace.system?.sections;
  if (sections === undefined) return [];
  const byTid = new Map(sections.threads.filter(({ tid }) => tid > 0).map((track) => [track.tid, track]));
  return threadsIn(trace, scope).flatMap((thread) => {
    const track = byTid.get(thread.tid);
    return track === undefined ? [] : [{ thread, track }];
  });
}

/** By thread and name, the longest sum first; of each section what lies in the scope. One pass over the sections. */
export function sectionFigures(trace: Trace, scope: Scope): SectionFigures[] {
  const methods = trace.system?.sections?.methods;
  if (methods === undefined) return [];
  const rows: SectionFigures[] = [];
  for (const { thread, track } of sectionTracks(trace, scope)) {
    const { count, begin, end, method } = track.calls;
    const byMethod = new Map<number, { count: number; totalNs: number; longestNs: number }>();
    for (let row = 0; row < count; row++) {
      const from = Math.max(begin[row] as number, scope.beginNs);
      const ns = Math.min(end[row] as number, scope.endNs) - from;
      if (ns < 0) continue;
      const of = method[row] as number;
      const sum = byMethod.get(of) ?? { count: 0, totalNs: 0, longestNs: 0 };
      sum.count++;
      sum.totalNs += ns;
      sum.longestNs = Math.max(sum.longestNs, ns);
      byMethod.set(of, sum);
    }
    for (const [of, sum] of byMethod) rows.push({ name: methods.qualifiedName(of), thread, ...sum });
  }
  return rows.sort((a, b) => b.totalNs - a.totalNs);
}
