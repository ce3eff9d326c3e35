/** The table of what threads did, as the scheduler or the calls of an exact trace tell it. */
import { statesOf } from '../trace/measure/scheduling.js';
import { IntervalState, type ThreadTrack } from '../trace/model/trace.js';
import { priorityOf, SchedState } from '../trace/system/kernel-sink.js';
import type { ThreadStates } from '../trace/system/thread-states.js';
import { none, smallTable } from './raw-table.js';

/** −1 is one, of a thread with a deadline. */
const noPriority = -2;

/** What threads did, where the scheduler's events are there. Of samples it is not known when a thread ran. */
export const rawThreadState = smallTable(
  'thread_state',
  [
    ['ts', 'BIGINT'],
    ['dur', 'BIGINT'],
    ['utid', 'INTEGER'],
    ['cpu', 'INTEGER'],
    ['state', 'VARCHAR'],
    ['next_state', 'VARCHAR'],
    ['io_wait', 'INTEGER'],
    ['waker_utid', 'INTEGER'],
    ['priority', 'INTEGER'],
  ],
  function* ({ trace, utidOf }) {
    const states = trace.system && statesOf(trace.system, trace);
    if (states === undefined) {
      if (!trace.info.exact || !trace.info.hasCpu) return;
      for (const thread of trace.threads) yield* runsOf(thread, utidOf(thread.index));
      return;
    }
    const utids = new Map(trace.threads.map(({ tid, index }) => [tid, utidOf(index)]));
    for (const [tid, of] of states) {
      const utid = utids.get(tid);
      if (utid !== undefined) yield* statesRows(of, utid, (waker) => utids.get(waker) ?? none);
    }
  },
);

function* statesRows(
  { count, begin, end, state, core, waker, priority }: ThreadStates,
  utid: number,
  utidOf: (tid: number) => number,
): Generator<readonly (number | string)[]> {
  for (let at = 0; at < count; at++) {
    const to = end[at] as number;
    const isNextKnown = at + 1 < count && begin[at + 1] === to;
    yield [
      begin[at] as number,
      to - (begin[at] as number),
      utid,
      core[at] as number,
      stateWords[state[at] as number] ?? '',
      isNextKnown ? (stateWords[state[at + 1] as number] ?? '') : '',
      state[at] === SchedState.Io ? 1 : state[at] === SchedState.Uninterruptible ? 0 : none,
      (waker[at] as number) > 0 ? utidOf(waker[at] as number) : none,
      priorityOf(priority[at] as number) ?? noPriority,
    ];
  }
}

/** Perfetto's words, by SchedState. */
const stateWords = ['Running', 'R', 'S', 'D', '', 'D'];

function* runsOf({ intervals }: ThreadTrack, utid: number): Generator<readonly (number | string)[]> {
  const { begin, end, cpu, state, count } = intervals;
  let from = NaN;
  let to = NaN;
  for (let at = 0; at < count; at++) {
    const [low, high] = [begin[at] as number, end[at] as number];
    const runs = (cpu[at] as number) > 0 && (cpu[at] as number) >= high - low;
    if (low === high) continue;
    if (from === from && (!runs || low !== to)) {
      yield ran(from, to, utid, state[at] === IntervalState.Wait && low === to ? 'S' : 'R');
      from = NaN;
    }
    if (runs) {
      if (from !== from) from = low;
      to = high;
    }
  }
  if (from === from) yield ran(from, to, utid, '');
}

const ran = (from: number, to: number, utid: number, next: string): readonly (number | string)[] => [
  ...[from, to - from, utid, none, 'Running', next, none, none, noPriority],
];
