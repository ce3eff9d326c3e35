/** The notification of one recording: live figures, a button that stops and opens it, links to watch and to cancel it. */
import { l10n, ProgressLocation, window } from 'vscode';
import type { SessionEnd, SessionStatus } from '../../targets/target.js';
import { recordingCost } from '../../trace/measure/recording-cost.js';
import { HookState } from '../../trace/model/kinds.js';
import { boundByTick } from '../../trace/measure/trust.js';
import { formatBytes, formatCount, formatNs, formatShare } from '../../trace/measure/quantities.js';
import { clock } from '../clock.js';
import type { ActiveRecording } from './sessions.js';

/** How long it goes on, and its figures. */
export function statusLine(status: SessionStatus): string {
  return `${clock(status.elapsedMs)} · ${figuresLine(status)}`;
}

/** Without the time: a notification tells its text only now and then, and the status bar has the seconds beside it. */
function figuresLine(status: SessionStatus): string {
  // How long threads waited is not known before the recording is read.
  const cost = recordingCost(status, 0);
  const parts = [
    ...(status.external === undefined
      ? [l10n.t('{0} samples', formatCount(status.samples)), formatBytes(status.fileBytes)]
      : [l10n.t('externally, by Android: samples come at the end')]),
    ...(cost === undefined ? [] : [l10n.t('overhead {0} of CPU', formatShare(cost.ofCpu))]),
    ...(status.dropped > 0 ? [l10n.t('{0} dropped', formatCount(status.dropped))] : []),
  ];
  return [...parts, ...troubles(status)].join(' · ');
}

function troubles(status: SessionStatus): string[] {
  const { hooks, isSilent, external } = status;
  const failed = hooks.filter((hook) => hook.state === HookState.Failed);
  const bound = boundByTick(status);
  return [
    ...(bound === undefined
      ? []
      : [l10n.t('by CPU time every {0}: the kernel’s clock ticks no oftener', formatNs(bound.tickNs))]),
    ...(failed.length > 0 ? [l10n.t('hooks failed: {0}', failed.map((hook) => hook.name).join(', '))] : []),
    ...(isSilent
      ? [
          external === undefined
            ? l10n.t('does not answer, it may be stopped or very busy')
            : l10n.t('the device is away, connect it again'),
        ]
      : []),
  ];
}

/**
 * VS Code draws all of a notification anew when its text changes: a click on a link that began before goes nowhere, and the
 * keyboard is no longer on it. The first figures come as they are told, later ones so far apart.
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

/** Shows the notification until the recording has ended. */
export async function showProgress({ session, name, id }: ActiveRecording): Promise<SessionEnd> {
  // VS Code's API has no type for it, but a text names the one button of such a notification. Should a version not take it, the
  // button is called Cancel, and still keeps the recording.
  const button = l10n.t('Stop and Open') as unknown as boolean;
  return window.withProgress(
    {
      location: ProgressLocation.Notification,
      title: l10n.t('Recording {0}', plain(name)),
      cancellable: button,
    },
    async (progress, token) => {
      let shown: SessionStatus | undefined;
      const report = (status: SessionStatus): void => {
        if (token.isCancellationRequested || !isDue(status, shown)) return;
        shown = status;
        const watch = link(l10n.t('Watch'), 'btrace.watch', id);
        const cancel = link(l10n.t('Cancel'), 'btrace.cancel', id);
        progress.report({ message: `${figuresLine(status)} — ${watch} · ${cancel}` });
      };
      report(session.status());
      const silence = session.onStatus(report);
      token.onCancellationRequested(() => {
        progress.report({ message: l10n.t('Writing the rest…') });
        void session.stop();
      });
      return session.ended.finally(silence);
    },
  );
}

/** Notifications read links out of their text, and lists icons, `$(name)`: a program's name must become neither. */
export function plain(name: string): string {
  return name.replace(/\$\(|[[\]\p{Cc}\p{Cf}]/gu, ' ').slice(0, 120);
}
