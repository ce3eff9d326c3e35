/** How far a trace can be trusted, in words: what was lost, what it cost, what is estimated, what failed. */
import { blockedTime, HookState, LossReason, recordingCost, type Trace } from '../trace/index.js';
import { recordedMapId } from '../symbols/r8/map-id.js';
import type { Sums } from '../trace/measure/sums.js';
import { counted } from '../trace/model/counted.js';
import { threadTimes } from '../trace/measure/thread-times.js';
import { unsampledCpu } from '../trace/measure/unsampled-cpu.js';
import { failedHooks, gapShare, lostOf, samplingOf } from '../trace/measure/trust.js';
import { plainText } from './plain-text.js';
import { formatCount, formatLength, formatNs, formatShare } from '../trace/measure/quantities.js';

type ScopeSums = Pick<Sums, 'sum' | 'gap'>;

export interface TrustFact {
  readonly text: string;
  readonly isWarning: boolean;
}

const LOSS_WORDS = new Map<number, string>([
  [LossReason.BufferFull, 'buffers were full'],
  [LossReason.StackTableFull, 'the stack table was full'],
  [LossReason.WalkError, 'stacks could not be walked'],
  [LossReason.SuspendTimeout, 'threads could not be stopped in time'],
  [LossReason.SlowReader, 'the desktop or disk was slow'],
  [LossReason.NameUnloaded, 'classes were gone before they were named'],
  [LossReason.ThreadTableFull, 'there were too many threads'],
]);

const good = (text: string): TrustFact => ({ text, isWarning: false });
const bad = (text: string): TrustFact => ({ text, isWarning: true });

function sampling({ info, status }: Trace): TrustFact[] {
  if (info.exact) return [good('every call was traced')];
  const found = samplingOf(info, status);
  if (found === undefined) return [];
  const every = `sampled every ${formatNs(found.everyNs)}`;
  return found.isWidened
    ? [bad(`${every} at the end, not the ${formatNs(found.askedNs)} asked for, to stay within the budget`)]
    : [good(every)];
}

function part({ part: shown, endNs }: Trace): TrustFact[] {
  if (shown === undefined) return [];
  if ('fileShare' in shown)
    return [bad(`only the first ${formatShare(shown.fileShare)} of the file fit into memory: see --memory`)];
  const [read, all] = [formatLength(endNs), formatLength(shown.recordingEndNs)];
  return [bad(`only the first ${read} of ${all} fit into memory: see --memory`)];
}

function cost(trace: Trace): TrustFact[] {
  // What it cost is known of all of the recording only.
  const blockedNs = trace.part === undefined ? blockedTime(trace) : 0;
  const found = trace.status && recordingCost(trace.status, blockedNs);
  if (!found) return trace.info.format === 'btrace' ? [good('what recording cost is not known')] : [];
  const ofTime = blockedNs > 0 ? `, ${formatShare(found.ofWorkAndWaits)} of work and waits` : '';
  const text = `recording took ${formatShare(found.ofCpu)} of the CPU time${ofTime}`;
  return [found.isLoud ? bad(text) : good(text)];
}

function lost({ info, losses, status }: Trace): TrustFact[] {
  const { total, byReason, unexplained } = lostOf(losses, status);
  // What other tools lost their traces seldom tell.
  if (total === 0) return info.format === 'btrace' ? [good('nothing lost')] : [];
  return [
    ...[...byReason].map(([reason, count]) =>
      bad(`${formatCount(count)} lost because ${LOSS_WORDS.get(reason) ?? `of reason ${reason}`}`),
    ),
    ...(unexplained > 0 ? [bad(`${formatCount(unexplained)} captures lost`)] : []),
  ];
}

function gaps({ info }: Trace, sums: ScopeSums): TrustFact[] {
  const found = gapShare(info, sums);
  if (found === undefined) return [];
  const text = `${formatShare(found.ofTime)} of the time without evidence`;
  return [found.isLoud ? bad(text) : good(text)];
}

function unsampled(trace: Trace): TrustFact[] {
  const sampledNs = trace.threads.reduce((sum, { intervals }) => sum + threadTimes(intervals).cpuNs, 0);
  const found = unsampledCpu(trace, sampledNs);
  if (found === undefined) return [];
  const { unsampledNs, processNs, isLoud } = found;
  const text = `${formatShare(unsampledNs / processNs)} of the CPU time (${formatNs(unsampledNs)} of ${formatNs(processNs)}) in threads that are not sampled: JIT, GC, native or very short ones`;
  return [isLoud ? bad(text) : good(text)];
}

function hooks(trace: Trace): TrustFact[] {
  return failedHooks(trace.hooks).map(({ name, state, why }) => {
    const what = `${plainText(name)} ${state === HookState.Missing ? 'is not there' : 'failed'}`;
    return bad(why === '' ? what : `${what} (${plainText(why)})`);
  });
}

function names({ methods }: Trace, mapping: string | undefined): TrustFact[] {
  if (mapping !== undefined) return [good(`names retraced by ${plainText(mapping)}`)];
  const build = recordedMapId(methods);
  if (build === '') return [];
  return [
    bad(`R8 has minified the names: give --mapping the mapping.txt whose pg_map_id is ${plainText(build)}`),
  ];
}

/** `sums`: of what is looked at, for its gaps; all else is of the whole recording. `mapping`: what the names were retraced by. */
export function trustFacts(trace: Trace, sums: ScopeSums, mapping?: string): TrustFact[] {
  const { info, problems } = trace;
  return [
    ...part(trace),
    ...sampling(trace),
    // What whoever made the trace, or read it, has to say of its times.
    ...(info.modeReason === '' ? [] : [good(plainText(info.modeReason))]),
    ...cost(trace),
    ...lost(trace),
    ...gaps(trace, sums),
    ...unsampled(trace),
    ...(info.exact ? [] : [good('call counts are lower bounds')]),
    ...(info.hasAllocations && info.allocationsEstimated ? [good('allocation figures are estimates')] : []),
    ...hooks(trace),
    ...names(trace, mapping),
    ...(trace.complete ? [] : [bad('the recording has no end: it was cut off, or is still being written')]),
    ...(problems.length > 0
      ? [bad(`${counted(problems.length, 'thing was', 'things were')} wrong in the file: see btrace info`)]
      : []),
  ];
}
