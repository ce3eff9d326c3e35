/** The figures of one run of a program, by which runs are compared. */
import { EndReason, ThreadKind } from '../model/kinds.js';
import { IntervalState, type Trace } from '../model/trace.js';
import { allocatedBytesOf } from './allocated-bytes.js';
import { threadTimesIn } from './thread-times.js';

/** Null: not recorded. */
export interface RunFigures {
  readonly lengthNs: number;
  readonly cpuNs: number | null;
  readonly mainCpuNs: number | null;
  readonly mainWaitNs: number | null;
  readonly allocatedBytes: number | null;
}

export function figuresOf(trace: Trace): RunFigures {
  const { info } = trace;
  const endNs = lastSeenNs(trace);
  const scope = { beginNs: -Infinity, endNs };
  let [cpuNs, mainCpuNs, mainWaitNs, bytes] = [0, 0, 0, 0];
  let hasMain = false;
  for (const thread of trace.threads) {
    const times = threadTimesIn(trace, thread, scope);
    cpuNs += times.cpuNs;
    if (info.hasAllocations && (thread.isMain || thread.kind !== ThreadKind.Runtime))
      bytes += allocatedBytesOf(trace, thread, scope);
    if (!thread.isMain) continue;
    hasMain = true;
    mainCpuNs += times.cpuNs;
    mainWaitNs += times.waitNs;
  }
  return {
    lengthNs: endNs - trace.beginNs,
    cpuNs: info.hasCpu ? cpuNs : null,
    mainCpuNs: info.hasCpu && hasMain ? mainCpuNs : null,
    mainWaitNs: hasMain ? mainWaitNs : null,
    allocatedBytes: info.hasAllocations ? bytes : null,
  };
}

/**
 * When a thread of the program was last seen at work, or in a wait that ended. A program that exits is held until the agent
 * has sent what it has, which takes up to 100 ms and is none of the program's time.
 */
function lastSeenNs(trace: Trace): number {
  if (trace.endReason !== EndReason.TargetExited) return trace.endNs;
  let last = trace.beginNs;
  for (const { kind, intervals } of trace.threads) {
    if (kind === ThreadKind.Runtime) continue;
    const { count, state, end } = intervals;
    let row = count - 1;
    while (row >= 0 && state[row] !== IntervalState.Evidence && state[row] !== IntervalState.Wait) row--;
    if (row >= 0) last = Math.max(last, end[row] as number);
  }
  return last;
}
