/** A recording of an app on a device, tried for a moment, for `btrace doctor`. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { defaultMemoryBytes, recordingPresets } from '../targets/presets.js';
import type { RecordOptions, Target } from '../targets/target.js';
import { HookState, Mode, SampleKind, type Trace } from '../trace/index.js';
import { formatCount, formatNs } from '../trace/measure/quantities.js';
import { wholeTrace } from '../trace/measure/scope.js';
import { sumScope } from '../trace/measure/sums.js';
import type { Report } from './doctor-report.js';
import { describeMethods } from './info.js';
import { openTrace } from './open-trace.js';
import { wordOf } from './report/words.js';
import { trustFacts } from './trust.js';
import { errorWords, l10n } from './l10n.js';

/** `isExternal`: without the agent, which then is no failure. */
export async function tryOut(
  target: Target,
  isExternal: boolean,
  durationNs: number,
  report: Report,
): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'btrace-doctor-'));
  try {
    const began = performance.now();
    report.part(l10n.t('A recording of it'));
    const session = await target.start(options(path.join(folder, 'try.btrace'), durationNs));
    report.line(l10n.t('began after'), formatNs((performance.now() - began) * 1e6));
    const end = await session.ended;
    const problem = end.reason !== 'limit' && end.reason !== 'stopped';
    if (problem)
      report.failed(l10n.t('The recording ended: {0}. {1}', end.reason, errorWords(end.message)), '');
    else report.line(l10n.t('ended'), end.reason);
    const trace = await openTrace(end.file);
    tell(trace, report);
    if (trace.info.mode === Mode.External && !isExternal)
      report.failed(
        l10n.t('The agent could not be used: there are stacks alone, no waits, owners or allocations.'),
        l10n.t('The reason stands above, at "how".'),
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const options = (file: string, durationNs: number): RecordOptions => ({
  ...recordingPresets.balanced,
  file,
  memoryBytes: defaultMemoryBytes,
  policy: 'stream',
  ringNs: 0,
  maxDurationMs: durationNs / 1e6,
  maxBytes: 0,
});

function tell(trace: Trace, report: Report): void {
  const { info, hooks, status, problems, threads } = trace;
  report.line(
    l10n.t('how'),
    `${wordOf(Mode, info.mode)}${info.modeReason === '' ? '' : `: ${info.modeReason}`}`,
  );
  report.line(l10n.t('runtime'), [info.runtime, info.os, info.arch].filter((part) => part !== '').join(', '));
  report.line(
    l10n.t('samples'),
    l10n.t(
      '{0} in {1} threads',
      formatCount(threads.reduce((sum, one) => sum + one.sampleCount, 0)),
      threads.length,
    ),
  );
  report.line(l10n.t('methods'), describeMethods(trace.methods));
  for (const { kind, count, totalNs } of status?.costs ?? [])
    if (count > 0)
      report.line(
        l10n.t('at {0}', wordOf(SampleKind, kind)),
        l10n.t('{0} captures, {1} each', formatCount(count), formatNs(totalNs / count)),
      );
  // What was in is taken out at the end, and says so.
  const worked = hooks.filter(({ state }) => state === HookState.Installed || state === HookState.Removed);
  report.line(l10n.t('hooks that worked'), worked.map(({ name }) => name).join(', ') || l10n.t('none'));
  for (const { name, state, why } of hooks) {
    if (worked.some((one) => one.name === name)) {
      if (why !== '') report.line(l10n.t('hook {0}', name), why);
      continue;
    }
    const how = `${wordOf(HookState, state)}${why === '' ? '' : `: ${why}`}`;
    if (state === HookState.Failed) report.failed(l10n.t('hook {0}: {1}', name, how), '');
    else report.line(l10n.t('hook {0}', name), how);
  }
  for (const { isWarning, text } of trustFacts(trace, sumScope(trace, wholeTrace)))
    report.line(isWarning ? l10n.t('NOTE') : '', text);
  for (const { what } of problems) report.failed(what, '');
  if (threads.every(({ sampleCount }) => sampleCount === 0))
    report.failed(
      l10n.t('Nothing was sampled.'),
      l10n.t('Bring the app to the front, do something in it meanwhile, and try again.'),
    );
}
