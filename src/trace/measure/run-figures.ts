/** The figures of one run of a program, by which runs are compared. */
import { EndReason, SampleFlag, ThreadKind } from '../model/kinds.js';
import { IntervalState, type ThreadTrack, type Trace } from '../model/trace.js';
import { allocatedBytesOf } from './allocated-bytes.js';
import { threadTimesIn } from './thread-times.js';

/** Null: not recorded, or nothing was seen of it. */
export interface RunFigures {
  readonly lengthNs: number | null;
  readonly cpuNs: number | null;
  readonly mainCpuNs: number | null;
  readonly mainWaitNs: number | null;
  readonly allocatedBytes: number | null;
}

export function figuresOf(trace: Trace): RunFigures {
  const { info } = trace;
  const lengthNs = lengthOf(trace);
  // Nothing shows that a thread waited after what was last seen of all; it may have ended.
  const seenNs = endOf(trace, seenUntilNs);
  let [cpuNs, mainCpuNs, mainWaitNs, bytes] = [0, 0, 0, 0];
  let hasMain = false;
  for (const thread of trace.threads) {
    const isRuntime = thread.kind === ThreadKind.Runtime;
    // Of the program's threads all counts, also what they did after their last sample. A compiler may work on while the end is held.
    const scope = {
      beginNs: -Infinity,
      endNs: isRuntime && !thread.isMain ? trace.beginNs + lengthNs : Infinity,
    };
    const used = threadTimesIn(trace, thread, scope).cpuNs;
    cpuNs += used;
    if (info.hasAllocations && (thread.isMain || !isRuntime)) bytes += allocatedBytesOf(trace, thread, scope);
    if (!thread.isMain) continue;
    hasMain = true;
    mainCpuNs += used;
    mainWaitNs += threadTimesIn(trace, thread, { beginNs: -Infinity, endNs: seenNs }).waitNs;
  }
  return {
    lengthNs: lengthNs > 0 ? lengthNs : null,
    cpuNs: info.hasCpu ? cpuNs : null,
    mainCpuNs: info.hasCpu && hasMain ? mainCpuNs : null,
    mainWaitNs: hasMain && lengthNs > 0 ? mainWaitNs : null,
    allocatedBytes: info.hasAllocations ? bytes : null,
  };
}

/** 0: nothing was seen of it. */
const lengthOf = (trace: Trace): number => endOf(trace, workedUntilNs) - trace.beginNs;

/**
 * A program that exits is held until the agent has sent what it has, which takes up to 100 ms and is none of the program's time. So
 * its end is the latest of its threads'.
 */
function endOf(trace: Trace, endOfThread: (thread: ThreadTrack, trace: Trace) => number): number {
  if (trace.endReason !== EndReason.TargetExited) return trace.endNs;
  return trace.threads
    .filter(({ kind }) => kind !== ThreadKind.Runtime)
    .reduce((last, thread) => Math.max(last, endOfThread(thread, trace)), trace.beginNs);
}

/**
 * The last row in which a thread was seen at work, or in a wait that ended; -1 if none. Work that ends with the recording, and a wait
 * that is open then, were closed by it: nothing shows when the thread stopped.
 */
function lastSeenRow({ intervals, waits }: ThreadTrack, { endNs }: Trace): number {
  const { count, state, end } = intervals;
  const last = waits.count - 1;
  const isOpen = last >= 0 && ((waits.flags[last] as number) & SampleFlag.OpenWait) !== 0;
  const waitedUntilNs = isOpen ? (waits.end[last] as number) : Infinity;
  const isSeen = (row: number): boolean =>
    (state[row] === IntervalState.Evidence && (end[row] as number) < endNs) ||
    (state[row] === IntervalState.Wait && (end[row] as number) < waitedUntilNs);
  let row = count - 1;
  while (row >= 0 && !isSeen(row)) row--;
  return row;
}

function seenUntilNs(thread: ThreadTrack, trace: Trace): number {
  const row = lastSeenRow(thread, trace);
  return row < 0 ? trace.beginNs : (thread.intervals.end[row] as number);
}

/** A short program works without a sample, and so does any after its last one: for as long as the CPU time says, at least. */
function workedUntilNs(thread: ThreadTrack, trace: Trace): number {
  const { count, cpu } = thread.intervals;
  let until = seenUntilNs(thread, trace);
  for (let row = lastSeenRow(thread, trace) + 1; row < count; row++) until += cpu[row] as number;
  return until;
}
