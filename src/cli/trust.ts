/** How far a trace can be trusted, in words: what was lost, what it cost, what is estimated, what failed. */
import { blockedTime, HookState, type Loss, LossReason, recordingCost, type Trace } from '../trace/index.js';
import type { Sums } from '../trace/measure/sums.js';
import { plainText } from './plain-text.js';
import { formatCount, formatNs, formatPercent } from './quantities.js';

type ScopeSums = Pick<Sums, 'sum' | 'gap'>;

export interface TrustFact {
  readonly text: string;
  readonly isWarning: boolean;
}

const LOUD_GAPS = 0.1;
/** An interval that is this much wider than asked was widened to stay within the budget. */
const WIDENED = 1.05;

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
  const now = status && status.effectiveIntervalNs > 0 ? status.effectiveIntervalNs : info.syncIntervalNs;
  if (now <= 0) return [];
  const every = `sampled every ${formatNs(now)}`;
  return info.syncIntervalNs > 0 && now > info.syncIntervalNs * WIDENED
    ? [
        bad(
          `${every} at the end, not the ${formatNs(info.syncIntervalNs)} asked for, to stay within the budget`,
        ),
      ]
    : [good(every)];
}

function part({ part: shown, endNs }: Trace): TrustFact[] {
  if (shown === undefined) return [];
  if ('fileShare' in shown)
    return [
      bad(`only the first ${formatPercent(shown.fileShare, 1)} of the file fit into memory: see --memory`),
    ];
  const [read, all] = [formatNs(endNs), formatNs(shown.recordingEndNs)];
  return [bad(`only the first ${read} of ${all} fit into memory: see --memory`)];
}

function cost(trace: Trace): TrustFact[] {
  if (!trace.status) return [];
  // What it cost is known of all of the recording only.
  const blockedNs = trace.part === undefined ? blockedTime(trace) : 0;
  const found = recordingCost(trace.status, blockedNs);
  if (!found) return [];
  const ofTime = blockedNs > 0 ? `, ${formatPercent(found.ofWorkAndWaits, 1)} of work and waits` : '';
  const text = `recording took ${formatPercent(found.ofCpu, 1)} of the CPU time${ofTime}`;
  return [found.isLoud ? bad(text) : good(text)];
}

/** Losses by reason, those that were asked for left out. */
export function lossesByReason(losses: readonly Loss[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { reason, count } of losses) {
    if (reason === LossReason.Overwritten || reason === LossReason.Budget) continue;
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return counts;
}

function lost(trace: Trace): TrustFact[] {
  const counts = lossesByReason(trace.losses);
  if (counts.size === 0) {
    const dropped = trace.status?.dropped ?? 0;
    return [dropped > 0 ? bad(`${formatCount(dropped)} captures lost`) : good('nothing lost')];
  }
  return [...counts].map(([reason, count]) =>
    bad(`${formatCount(count)} lost because ${LOSS_WORDS.get(reason) ?? `of reason ${reason}`}`),
  );
}

function gaps({ info }: Trace, sums: ScopeSums): TrustFact[] {
  if (info.exact || sums.sum.wall <= 0) return [];
  const text = `${formatPercent(sums.gap.wall, sums.sum.wall)} of the time without evidence`;
  return [sums.gap.wall > LOUD_GAPS * sums.sum.wall ? bad(text) : good(text)];
}

function hooks(trace: Trace): TrustFact[] {
  return trace.hooks
    .filter(({ state }) => state === HookState.Missing || state === HookState.Failed)
    .map(({ name, state, why }) => {
      const what = `${plainText(name)} ${state === HookState.Missing ? 'is not there' : 'failed'}`;
      return bad(why === '' ? what : `${what} (${plainText(why)})`);
    });
}

/** `sums`: of what is looked at, for its gaps; all else is of the whole recording. `mapping`: what the names were retraced by. */
export function trustFacts(trace: Trace, sums: ScopeSums, mapping?: string): TrustFact[] {
  const { info, problems } = trace;
  return [
    ...part(trace),
    ...sampling(trace),
    ...cost(trace),
    ...lost(trace),
    ...gaps(trace, sums),
    ...(info.exact ? [] : [good('call counts are lower bounds')]),
    ...(info.hasAllocations && info.allocationsEstimated ? [good('allocation figures are estimates')] : []),
    ...hooks(trace),
    ...(mapping === undefined ? [] : [good(`names retraced by ${plainText(mapping)}`)]),
    ...(trace.complete ? [] : [bad('the recording has no end: it was cut off, or is still being written')]),
    ...(problems.length > 0
      ? [bad(`${formatCount(problems.length)} things were wrong in the file: see btrace info`)]
      : []),
  ];
}
