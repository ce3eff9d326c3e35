/** The traces that a query is about, and the numbers by which all their rows are told apart. */
import type { Trace } from '../trace/index.js';

export interface QuerySource {
  /** As it is shown: the file's name. */
  readonly file: string;
  readonly trace: Trace;
}

/** Offsets of a trace's rows among those of all traces, so that ids of two traces never meet. */
export interface NumberedSource extends QuerySource {
  /** From 1; also the process's `upid`. */
  readonly id: number;
  /** `utid` of a thread is this plus its position in `trace.threads`. */
  readonly firstUtid: number;
  readonly firstMethod: number;
  readonly firstPath: number;
  readonly firstLink: number;
  /** utid by thread index; −1 for one that is not there. */
  readonly utidOf: (index: number) => number;
}

export function numbered(sources: readonly QuerySource[]): NumberedSource[] {
  let [firstUtid, firstMethod, firstPath, firstLink] = [1, 0, 0, 0];
  return sources.map(({ file, trace }, at) => {
    const first = firstUtid;
    const byIndex = new Map(trace.threads.map(({ index }, position) => [index, first + position]));
    const source: NumberedSource = {
      file,
      trace,
      id: at + 1,
      firstUtid,
      firstMethod,
      firstPath,
      firstLink,
      utidOf: (index) => byIndex.get(index) ?? -1,
    };
    firstUtid += trace.threads.length;
    firstMethod += trace.methods.count;
    firstPath += trace.paths.count;
    firstLink += trace.links.count;
    return source;
  });
}
