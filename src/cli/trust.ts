/** How far a trace can be trusted, in words: what was lost, what it cost, what is estimated, what failed. */
import { waitTime, HookState, LossReason, recordingCost, SourceKind, type Trace } from '../trace/index.js';
import { recordedMapId } from '../symbols/r8/map-id.js';
import type { Sums } from '../trace/measure/sums.js';
import { threadTimes } from '../trace/measure/thread-times.js';
import { unsampledCpu } from '../trace/measure/unsampled-cpu.js';
import { failedHooks, gapShare, lostOf, samplingOf } from '../trace/measure/trust.js';
import { captureTimes, type CaptureTimes } from '../trace/measure/capture-times.js';
import { schedulingTrust } from './report/scheduling.js';
import { plainText } from './plain-text.js';
import { formatCount, formatLength, formatNs, formatShare } from '../trace/measure/quantities.js';
import { l10n } from './l10n.js';

type ScopeSums = Pick<Sums, 'sum' | 'gap'>;

export interface TrustFact {
  readonly text: string;
  readonly isWarning: boolean;
}

const lossWords = (): ReadonlyMap<number, string> =>
  new Map<number, string>([
    [LossReason.BufferFull, l10n.t('buffers were full')],
    [LossReason.StackTableFull, l10n.t('the stack table was full')],
    [LossReason.WalkError, l10n.t('stacks could not be walked')],
    [LossReason.SuspendTimeout, l10n.t('threads could not be stopped in time')],
    [LossReason.SlowReader, l10n.t('the desktop or disk was slow')],
    [LossReason.NameUnloaded, l10n.t('classes were gone before they were named')],
    [LossReason.ThreadTableFull, l10n.t('there were too many threads')],
  ]);

const sourceWords = new Map<number, (interval: string) => string>([
  [SourceKind.CpuTime, (interval) => l10n.t('sampled every {0} of CPU time', interval)],
  [SourceKind.Points, (interval) => l10n.t('sampled at points every {0}', interval)],
  [SourceKind.ExternalSampler, (interval) => l10n.t('by the external sampler every {0}', interval)],
  [SourceKind.Waits, (interval) => l10n.t('no waits shorter than {0}', interval)],
]);

const good = (text: string): TrustFact => ({ text, isWarning: false });
const bad = (text: string): TrustFact => ({ text, isWarning: true });

function sampling({ info, status }: Trace): TrustFact[] {
  if (info.exact) return [good(l10n.t('every call was traced'))];
  return samplingOf(info, status).map(({ kind, askedNs, effectiveNs, isWidened, isLoud, isByTick }) => {
    const every = sourceWords.get(kind)?.(formatNs(effectiveNs)) ?? formatNs(effectiveNs);
    if (!isWidened) return good(every);
    const why = isByTick
      ? l10n.t('the kernel’s clock ticks no oftener')
      : l10n.t('to stay within the budget');
    return (isLoud ? bad : good)(l10n.t('{0}, not the {1} asked for: {2}', every, formatNs(askedNs), why));
  });
}

export function describeTimes({ meanNs, below }: CaptureTimes): string {
  const parts = [50, 93, 99].map((percent) => l10n.t('{0} % below {1}', percent, formatNs(below(percent))));
  return l10n.t('a capture took {0} on average, {1}', formatNs(meanNs), parts.join(', '));
}

function describeStop(stoppedNs: number): string {
  if (stoppedNs === 0) return l10n.t('no thread was stopped when it began or ended');
  return l10n.t('all threads stood still for {0}, when it began and when it ended', formatNs(stoppedNs));
}

/** Empty where the agent did not tell. */
function captures({ status }: Trace): TrustFact[] {
  const times = captureTimes(status?.costs ?? []);
  return times === undefined ? [] : [good(describeTimes(times))];
}

function part({ part: shown, endNs }: Trace): TrustFact[] {
  if (shown === undefined) return [];
  if ('fileShare' in shown)
    return [
      bad(
        l10n.t('only the first {0} of the file fit into memory: see --memory', formatShare(shown.fileShare)),
      ),
    ];
  const [read, all] = [formatLength(endNs), formatLength(shown.recordingEndNs)];
  return [bad(l10n.t('only the first {0} of {1} fit into memory: see --memory', read, all))];
}

function cost(trace: Trace): TrustFact[] {
  // What it cost is known of all of the recording only.
  const waitNs = trace.part === undefined ? waitTime(trace) : 0;
  const found = trace.status && recordingCost(trace.status, waitNs);
  if (!found) return trace.info.format === 'btrace' ? [good(l10n.t('what recording cost is not known'))] : [];
  const ofTime = waitNs > 0 ? l10n.t(', {0} of work and waits', formatShare(found.ofWorkAndWaits)) : '';
  const text = l10n.t('recording took {0} of the CPU time{1}', formatShare(found.ofCpu), ofTime);
  const { stoppedNs } = trace.status;
  return [
    found.isLoud ? bad(text) : good(text),
    ...(stoppedNs === undefined ? [] : [good(describeStop(stoppedNs))]),
  ];
}

function lost({ info, losses, status }: Trace): TrustFact[] {
  const { total, byReason, unexplained } = lostOf(losses, status);
  // What other tools lost their traces seldom tell.
  if (total === 0) return info.format === 'btrace' ? [good(l10n.t('nothing lost'))] : [];
  return [
    ...[...byReason].map(([reason, count]) =>
      bad(
        l10n.t(
          '{0} lost because {1}',
          formatCount(count),
          lossWords().get(reason) ?? l10n.t('of reason {0}', reason),
        ),
      ),
    ),
    ...(unexplained > 0 ? [bad(l10n.t('{0} captures lost', formatCount(unexplained)))] : []),
  ];
}

function gaps({ info }: Trace, sums: ScopeSums): TrustFact[] {
  const found = gapShare(info, sums);
  if (found === undefined) return [];
  const text = l10n.t('{0} of the time without evidence', formatShare(found.ofTime));
  return [found.isLoud ? bad(text) : good(text)];
}

function unsampled(trace: Trace): TrustFact[] {
  const sampledNs = trace.threads.reduce((sum, { intervals }) => sum + threadTimes(intervals).cpuNs, 0);
  const found = unsampledCpu(trace, sampledNs);
  if (found === undefined) return [];
  const { unsampledNs, processNs, isLoud } = found;
  const text = l10n.t(
    '{0} of the CPU time ({1} of {2}) in threads that are not sampled: very short ones, and compilers, collectors and native ones where no signals are used',
    formatShare(unsampledNs / processNs),
    formatNs(unsampledNs),
    formatNs(processNs),
  );
  return [isLoud ? bad(text) : good(text)];
}

function hooks(trace: Trace): TrustFact[] {
  return failedHooks(trace.hooks).map(({ name, state, why }) => {
    const what = `${plainText(name)} ${state === HookState.Missing ? l10n.t('is not there') : l10n.t('failed')}`;
    return bad(why === '' ? what : `${what} (${plainText(why)})`);
  });
}

function names({ methods }: Trace, mapping: string | undefined): TrustFact[] {
  if (mapping !== undefined) return [good(l10n.t('names retraced by {0}', plainText(mapping)))];
  const build = recordedMapId(methods);
  if (build === '') return [];
  return [
    bad(
      l10n.t(
        'R8 has minified the names: give --mapping the mapping.txt whose pg_map_id is {0}',
        plainText(build),
      ),
    ),
  ];
}

/** `sums`: of what is looked at, for its gaps; all else is of the whole recording. `mapping`: what the names were retraced by. */
export function trustFacts(trace: Trace, sums: ScopeSums, mapping?: string): TrustFact[] {
  const { info, problems } = trace;
  return [
    ...problems.filter(({ isLoud }) => isLoud === true).map(({ what }) => bad(plainText(what))),
    ...part(trace),
    ...sampling(trace),
    // What whoever made the trace, or read it, has to say of its times.
    ...(info.modeReason === '' ? [] : [good(plainText(info.modeReason))]),
    ...cost(trace),
    ...captures(trace),
    ...lost(trace),
    ...schedulingTrust(trace).map((text, at) => (at === 0 ? good(text) : bad(text))),
    ...gaps(trace, sums),
    ...unsampled(trace),
    ...(info.exact ? [] : [good(l10n.t('call counts are lower bounds'))]),
    ...(info.hasAllocations && info.allocationsEstimated
      ? [good(l10n.t('allocation figures are estimates'))]
      : []),
    ...hooks(trace),
    ...names(trace, mapping),
    ...(trace.complete
      ? []
      : [bad(l10n.t('the recording has no end: it was cut off, or is still being written'))]),
    ...(problems.length > 0
      ? [
          bad(
            problems.length === 1
              ? l10n.t('1 thing was wrong in the file: see btrace info')
              : l10n.t('{0} things were wrong in the file: see btrace info', problems.length),
          ),
        ]
      : []),
  ];
}
