/** The notification of one recording: live figures, links to stop or watch it, Cancel to throw it away. */
import { l10n, ProgressLocation, window } from 'vscode';
import type { SessionEnd, SessionStatus } from '../../targets/target.js';
import { recordingCost } from '../../trace/measure/recording-cost.js';
import { HookState } from '../../trace/model/kinds.js';
import { formatBytes, formatCount, formatShare } from '../../trace/measure/quantities.js';
import { clock } from '../clock.js';
import type { ActiveRecording } from './sessions.js';

export function statusLine(status: SessionStatus): string {
  // How long threads waited is not known before the recording is read.
  const cost = recordingCost(status, 0);
  const parts = [
    clock(status.elapsedMs),
    ...(status.outside === undefined
      ? [l10n.t('{0} samples', formatCount(status.samples)), formatBytes(status.fileBytes)]
      : [l10n.t('from outside, by Android: samples come at the end')]),
    ...(cost === undefined ? [] : [l10n.t('overhead {0} of CPU', formatShare(cost.ofCpu))]),
    ...(status.dropped > 0 ? [l10n.t('{0} dropped', formatCount(status.dropped))] : []),
  ];
  return [...parts, ...troubles(status)].join(' · ');
}

function troubles({ hooks, isSilent, outside }: SessionStatus): string[] {
  const failed = hooks.filter((hook) => hook.state === HookState.Failed);
  return [
    ...(failed.length > 0 ? [l10n.t('hooks failed: {0}', failed.map((hook) => hook.name).join(', '))] : []),
    ...(isSilent
      ? [
          outside === undefined
            ? l10n.t('does not answer, it may be stopped or very busy')
            : l10n.t('the device is away, connect it again'),
        ]
      : []),
  ];
}

/**
 * VS Code draws all of a notification anew when its text changes: a click on a link that began before goes nowhere, and the
 * keyboard is no longer on it. The first figures come as they are told, later ones so far apart; the status bar has the seconds.
 */
const apartMs = 5000;

function isDue(status: SessionStatus, shown: SessionStatus | undefined): boolean {
  return (
    shown === undefined ||
    status.elapsedMs < apartMs ||
    status.elapsedMs - shown.elapsedMs >= apartMs ||
    status.dropped > 0 !== shown.dropped > 0 ||
    troubles(status).join() !== troubles(shown).join()
  );
}

/** A command link as notifications understand it. */
function link(text: string, command: string, argument: unknown): string {
  return `[${text}](command:${command}?${encodeURIComponent(JSON.stringify([argument]))})`;
}

/** Longer than this, and throwing it away is asked about first. */
const askAfterMs = 10_000;

/** Shows the notification until the recording has ended. */
export async function showProgress(active: ActiveRecording): Promise<SessionEnd> {
  const { session, name } = active;
  for (;;) {
    const cancelled = await window.withProgress(
      {
        location: ProgressLocation.Notification,
        title: l10n.t('Recording {0}', plain(name)),
        cancellable: true,
      },
      (progress, token) =>
        new Promise<boolean>((resolve) => {
          let shown: SessionStatus | undefined;
          const report = (status: SessionStatus): void => {
            if (!isDue(status, shown)) return;
            shown = status;
            const stop = link(l10n.t('Stop and Open'), 'btrace.stop', active.id);
            const watch = link(l10n.t('Watch'), 'btrace.watch', active.id);
            progress.report({ message: `${statusLine(status)} — ${stop} · ${watch}` });
          };
          report(session.status());
          const silence = session.onStatus(report);
          const done = (answer: boolean): void => {
            silence();
            resolve(answer);
          };
          token.onCancellationRequested(() => done(true));
          void session.ended.then(() => done(false));
        }),
    );
    if (!cancelled) return session.ended;
    if (await mayDiscard(active)) return session.cancel();
  }
}

/** Asks when there is something to lose; an answer that is not a yes goes on recording. */
export async function mayDiscard(active: ActiveRecording): Promise<boolean> {
  if (Date.now() - active.startedMs < askAfterMs) return true;
  const discard = l10n.t('Discard');
  const stop = l10n.t('Stop and Open');
  const answer = await window.showWarningMessage(
    l10n.t('Discard the recording of {0}?', plain(active.name)),
    { modal: true, detail: statusLine(active.session.status()) },
    discard,
    stop,
  );
  if (answer === stop) await active.session.stop();
  return answer === discard;
}

/** Notifications read links out of their text: a program's name must not become one. */
export function plain(name: string): string {
  return name.replace(/[[\]()\p{Cc}\p{Cf}]/gu, ' ').slice(0, 120);
}
