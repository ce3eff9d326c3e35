/** *Add System Trace…*: lays the kernel's scheduler of another tool's trace beside a recording, in a new recording. */
import { l10n, ProgressLocation, Uri, window } from 'vscode';
import { baseName } from '../base-name.js';
import type { EngineClient } from '../engine/engine-client.js';
import type { MergeOutcome } from '../engine/engine-messages.js';
import { Problem } from '../notice.js';
import { showRecording } from './show-recording.js';

/** For callers that know already which trace, and where to: another extension, a test. */
export interface SystemTraceChoice {
  readonly systemTrace: Uri;
  readonly to: Uri;
}

export function isSystemTraceChoice(value: unknown): value is SystemTraceChoice {
  return (
    typeof value === 'object' &&
    value !== null &&
    'systemTrace' in value &&
    'to' in value &&
    value.systemTrace instanceof Uri &&
    value.to instanceof Uri
  );
}

/** Returns the new recording, undefined where the person gave up. */
export async function addSystemTrace(
  recording: Uri,
  newEngine: () => EngineClient,
  choice?: SystemTraceChoice,
): Promise<Uri | undefined> {
  const systemTrace = choice?.systemTrace ?? (await chosenTrace(recording));
  if (systemTrace === undefined) return undefined;
  const suggested = recording.with({ path: recording.path.replace(/(\.[^./]*)?$/, '-system.btrace') });
  const to =
    choice?.to ??
    (await window.showSaveDialog({
      defaultUri: suggested,
      title: l10n.t('Where to Save the Recording with Its System Trace'),
    }));
  if (to === undefined) return undefined;
  const engine = newEngine();
  try {
    const outcome = await window.withProgress(
      {
        location: ProgressLocation.Notification,
        title: l10n.t('Adding {0}', baseName(systemTrace)),
        cancellable: true,
      },
      (_progress, token) => {
        token.onCancellationRequested(() => engine.dispose());
        return engine.merge(recording.fsPath, systemTrace.fsPath, to.fsPath);
      },
    );
    if (outcome === undefined) return undefined; // given up
    if (outcome.refusal !== '') throw problemOf(outcome, recording, systemTrace);
  } finally {
    engine.dispose();
  }
  await showRecording(to);
  return to;
}

async function chosenTrace(recording: Uri): Promise<Uri | undefined> {
  const [chosen] =
    (await window.showOpenDialog({
      title: l10n.t('System Trace of the Same Device and Time as {0}', baseName(recording)),
      openLabel: l10n.t('Add'),
      filters: {
        [l10n.t('System traces')]: ['pftrace', 'perfetto-trace', 'trace', 'ftrace', 'txt', 'html', 'gz'],
        [l10n.t('All files')]: ['*'],
      },
    })) ?? [];
  return chosen;
}

function problemOf({ refusal, apartNs }: MergeOutcome, recording: Uri, systemTrace: Uri): Problem {
  const [one, other] = [baseName(recording), baseName(systemTrace)];
  switch (refusal) {
    case 'noRecording':
      return new Problem(
        l10n.t('{0} is no recording of BTrace.', one),
        l10n.t('A system trace is laid beside a .btrace file.'),
      );
    case 'hasSystemTrace':
      return new Problem(
        l10n.t('{0} has a system trace already.', one),
        l10n.t('Take a recording without one.'),
      );
    case 'noSchedulerEvents':
      return new Problem(
        l10n.t('{0} has no events of the kernel’s scheduler.', other),
        l10n.t('It takes a Perfetto trace, or ftrace’s text or systrace’s HTML, with sched_switch in it.'),
      );
    default:
      return new Problem(
        l10n.t('{0} and {1} were not made at the same time.', one, other),
        l10n.t('They begin {0} s apart.', Math.round(Math.abs(apartNs) / 1e9)),
      );
  }
}
