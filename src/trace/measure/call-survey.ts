/**
 * How often a native program calls the functions that its images import: what says which functions are frequent enough
 * to be points. Counted by the agent in a recording that is a survey, and read from its bytes.
 */
import { ChunkKind, chunkPayload, ChunkParser } from '../recording/chunk.js';
import { Calls, Hooks, Images, Status, Threads } from '../recording/messages.js';
import { DamageError } from '../recording/wire.js';

/** Points are captured at most this often: a function that is called less often fills no gap. */
export const frequentNs = 1e6;
/** A library that calls a point this often, for each call into it, adds nothing: its callers stand in a point anyway. */
const mostPointsPerCall = 0.01;
/** As the agent calls what it puts in for a survey. */
const hookName = 'imported functions';

export interface SurveyedFunction {
  /** As the linker has it. */
  readonly name: string;
  /** Path of the image that has it; empty: not known. */
  readonly library: string;
  readonly calls: number;
  /** By thread, the busiest first. */
  readonly threads: readonly { readonly tid: number; readonly name: string; readonly calls: number }[];
  readonly isPoint: boolean;
  /** Called once in `frequentNs` of the program's CPU time, or more often. */
  readonly isFrequent: boolean;
  /** Its library seldom calls a point. */
  readonly isLeaf: boolean;
}

export interface CallSurvey {
  /** The most frequent first. */
  readonly functions: readonly SurveyedFunction[];
  readonly calls: number;
  /** Imports whose calls were not counted. */
  readonly leftOut: number;
  readonly spanNs: number;
  /** Of the program's own threads. */
  readonly cpuNs: number;
  /** False: the recording is none of a survey. */
  readonly isSurvey: boolean;
  /** What the agent says of it, such as why nothing is counted; empty: nothing. */
  readonly why: string;
}

interface ImportedFunction {
  readonly name: string;
  readonly caller: number;
  readonly library: number;
  readonly isPoint: boolean;
  readonly byThread: Map<number, number>;
}

interface Sum {
  readonly name: string;
  readonly library: number;
  readonly isPoint: boolean;
  calls: number;
  readonly byThread: Map<number, number>;
}

const add = (sums: Map<number, number>, key: number, count: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + count);
};

const sumOf = (counts: Map<number, number>): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0);

export class CallSurveyor {
  readonly #parser = new ChunkParser({ magic: true });
  readonly #functions = new Map<number, ImportedFunction>();
  readonly #images = new Map<number, string>();
  readonly #threads = new Map<number, string>();
  #leftOut = 0;
  #spanNs = 0;
  #cpuNs = 0;
  #isSurvey = false;
  #why = '';

  /** Bytes of a recording in order, cut anywhere. What is damaged is left out: whoever opens it says so. */
  append(bytes: Uint8Array): void {
    this.#parser.push(bytes);
    for (let chunk = this.#parser.next(); chunk !== undefined; chunk = this.#parser.next()) {
      try {
        this.#take(chunk.kind, () => chunkPayload(chunk));
      } catch (error) {
        if (!(error instanceof DamageError)) throw error;
      }
    }
  }

  #take(kind: number, payload: () => Uint8Array): void {
    switch (kind) {
      case ChunkKind.Calls:
        this.#takeCalls(Calls.decode(payload()));
        break;
      case ChunkKind.Images:
        for (const { id, path } of Images.decode(payload()).images) this.#images.set(id, path);
        break;
      case ChunkKind.Threads:
        for (const { tid, name } of Threads.decode(payload()).threads)
          if (name !== '') this.#threads.set(tid, name);
        break;
      case ChunkKind.Hooks:
        for (const { name, why } of Hooks.decode(payload()).hooks) if (name === hookName) this.#why = why;
        break;
      case ChunkKind.Status: {
        const { timeNs, cpuNs, drainNs, captureNs } = Status.decode(payload());
        this.#spanNs = timeNs;
        this.#cpuNs = Math.max(cpuNs - drainNs - captureNs, 0);
        break;
      }
    }
  }

  #takeCalls({ functions, function: ids, tid: tids, count: counts, leftOut }: Calls): void {
    this.#isSurvey = true;
    this.#leftOut = leftOut;
    for (const { id, name, caller, library, isPoint } of functions)
      if (!this.#functions.has(id))
        this.#functions.set(id, { name, caller, library, isPoint, byThread: new Map() });
    ids.forEach((id, row) => {
      const known = this.#functions.get(id);
      const [tid, count] = [tids[row], counts[row]];
      if (known !== undefined && tid !== undefined && count !== undefined) add(known.byThread, tid, count);
    });
  }

  survey(): CallSurvey {
    const [into, pointsFrom] = [new Map<number, number>(), new Map<number, number>()];
    const sums = new Map<string, Sum>();
    for (const { name, caller, library, isPoint, byThread } of this.#functions.values()) {
      const calls = sumOf(byThread);
      add(into, library, calls);
      if (isPoint) add(pointsFrom, caller, calls);
      const key = `${library} ${name}`;
      let sum = sums.get(key);
      if (sum === undefined) sums.set(key, (sum = { name, library, isPoint, calls: 0, byThread: new Map() }));
      sum.calls += calls;
      for (const [tid, count] of byThread) add(sum.byThread, tid, count);
    }
    const isLeaf = (library: number): boolean =>
      library > 0 && (pointsFrom.get(library) ?? 0) <= (into.get(library) ?? 0) * mostPointsPerCall;
    const functions = [...sums.values()]
      .sort((a, b) => b.calls - a.calls)
      .map(({ name, library, isPoint, calls, byThread }) => ({
        ...{ name, isPoint, calls, library: this.#images.get(library) ?? '' },
        threads: [...byThread]
          .sort((a, b) => b[1] - a[1])
          .map(([tid, count]) => ({ tid, name: this.#threads.get(tid) ?? '', calls: count })),
        isFrequent: this.#cpuNs > 0 && calls * frequentNs >= this.#cpuNs,
        isLeaf: isLeaf(library),
      }));
    return {
      functions,
      calls: functions.reduce((sum, one) => sum + one.calls, 0),
      leftOut: this.#leftOut,
      spanNs: this.#spanNs,
      cpuNs: this.#cpuNs,
      isSurvey: this.#isSurvey,
      why: this.#why,
    };
  }
}
