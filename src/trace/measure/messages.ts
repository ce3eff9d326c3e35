/** What a thread that runs a message loop did with each message: docs/MEASURES.md, "Messages". */
import { SampleKind } from '../model/kinds.js';
import { IntervalState, type Waits, type Paths, type ThreadTrack, type Trace } from '../model/trace.js';
import { mostOf } from './most-of.js';
import { isWait } from './scope.js';
import { isCarrier } from './virtual-threads.js';

/** A row a message, by thread, then begin. Messages that nothing was seen of are not there. */
export interface MessageFigures {
  readonly count: number;
  /** Thread index. */
  readonly thread: Uint32Array;
  /** As the recording counts them, for each thread. */
  readonly id: Uint32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly cpu: Float64Array;
  readonly wait: Float64Array;
  /** Of its time, without evidence. */
  readonly gap: Float64Array;
  /** The innermost method that at least half of its time was in, −1: none. */
  readonly method: Int32Array;
}

/** Longer than a frame of a display with 60 Hz: one is missed. */
export const missedFrameNs = 1e9 / 60;
/** A person takes it for hanging. */
export const hangNs = 7e8;

/** One pass over the intervals of threads with messages. `threads`: indexes, none: all. */
export function messageFigures(trace: Trace, threads: readonly number[] = []): MessageFigures {
  const rows: Row[] = [];
  for (const thread of trace.threads) {
    if (isCarrier(thread)) continue;
    if (threads.length === 0 || threads.includes(thread.index)) addMessages(rows, thread, trace.paths);
  }
  return {
    count: rows.length,
    thread: Uint32Array.from(rows, (row) => row.thread),
    id: Uint32Array.from(rows, (row) => row.id),
    begin: Float64Array.from(rows, (row) => row.begin),
    end: Float64Array.from(rows, (row) => row.end),
    cpu: Float64Array.from(rows, (row) => row.cpu),
    wait: Float64Array.from(rows, (row) => row.wait),
    gap: Float64Array.from(rows, (row) => row.gap),
    method: Int32Array.from(rows, (row) => row.method),
  };
}

interface Row {
  readonly thread: number;
  readonly id: number;
  readonly begin: number;
  end: number;
  cpu: number;
  wait: number;
  gap: number;
  method: number;
}

function addMessages(rows: Row[], thread: ThreadTrack, paths: Paths): void {
  const { intervals, message } = thread;
  const polls = new PollWaits(thread.waits);
  let row: Row | undefined;
  let inPath = new Map<number, number>();
  const close = (): void => {
    if (row !== undefined) row.method = mostOf(inPath, row.end - row.begin, paths);
    row = undefined;
  };
  for (let at = 0; at < intervals.count; at++) {
    const id = message[at] as number;
    const begin = intervals.begin[at] as number;
    const end = intervals.end[at] as number;
    // The wait for the next message is no work of this one.
    const isOutside = id === 0 || polls.has(begin, end);
    if (isOutside || id !== row?.id) close();
    if (isOutside || end <= begin) continue;
    if (row === undefined) {
      row = { thread: thread.index, id, begin, end, cpu: 0, wait: 0, gap: 0, method: -1 };
      rows.push(row);
      inPath = new Map();
    }
    row.end = end;
    row.cpu += intervals.cpu[at] as number;
    const state = intervals.state[at] as number;
    if (isWait(state)) row.wait += end - begin;
    if (state === IntervalState.Gap) row.gap += end - begin;
    const path = intervals.path[at] as number;
    inPath.set(path, (inPath.get(path) ?? 0) + end - begin);
  }
  close();
}

/** The waits of a message loop, asked for in the order of time. */
class PollWaits {
  readonly #rows: readonly number[];
  #next = 0;
  readonly #waits: Waits;

  constructor(waits: Waits) {
    this.#waits = waits;

    const { count, kind, begin } = waits;
    const rows: number[] = [];
    for (let row = 0; row < count; row++) if (kind[row] === SampleKind.Poll) rows.push(row);
    this.#rows = rows.sort((a, b) => (begin[a] as number) - (begin[b] as number));
  }

  /** Whether the stretch lies in one. */
  has(begin: number, end: number): boolean {
    const rows = this.#rows;
    const waits = this.#waits;
    while (this.#next < rows.length && (waits.end[rows[this.#next] as number] as number) <= begin)
      this.#next++;
    const row = rows[this.#next];
    return row !== undefined && (waits.begin[row] as number) <= begin && end <= (waits.end[row] as number);
  }
}
