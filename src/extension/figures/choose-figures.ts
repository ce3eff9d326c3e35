/** The switch of what figures show in the editor: all, less, or nothing. */
import { commands, ConfigurationTarget, l10n, window, workspace, type QuickPickItem, type Uri } from 'vscode';
import { baseName } from '../base-name.js';
import { setting, type FiguresShown } from '../settings.js';
import type { CurrentFigures } from './current-figures.js';

interface Choice extends QuickPickItem {
  readonly run: () => unknown;
}

/** A recording as a person reads it. */
export function recordingName(recording: Uri): string {
  return baseName(recording).replace(/\.btrace$/, '');
}

/** Where a person set it before, so that the change takes hold; else for all workspaces. */
export async function chooseFigures(shown: FiguresShown): Promise<void> {
  const settings = workspace.getConfiguration('btrace');
  const { workspaceFolderValue, workspaceValue } = settings.inspect('figures.show') ?? {};
  const place =
    workspaceFolderValue !== undefined
      ? ConfigurationTarget.WorkspaceFolder
      : workspaceValue !== undefined
        ? ConfigurationTarget.Workspace
        : ConfigurationTarget.Global;
  await settings.update('figures.show', shown, place);
}

export async function pickFigures(figures: CurrentFigures): Promise<void> {
  const now = setting('figures.show');
  const choice = (shown: FiguresShown, label: string, detail: string): Choice => ({
    label: `$(${shown === now ? 'check' : 'blank'}) ${label}`,
    detail,
    run: () => chooseFigures(shown),
  });
  const recording = figures.figures?.recording;
  const choices: Choice[] = [
    choice('all', l10n.t('Everything'), l10n.t('above methods, at line ends, heat beside line numbers')),
    choice('lensAndHeat', l10n.t('Methods and heat'), l10n.t('above methods, heat beside line numbers')),
    choice('lensAndLines', l10n.t('Methods and line ends'), l10n.t('above methods, at line ends')),
    choice('lens', l10n.t('Methods'), l10n.t('above methods only')),
    choice('off', l10n.t('Nothing'), l10n.t('“Show Figures in the Editor” brings them back')),
  ];
  if (recording !== undefined)
    choices.push({
      label: `$(go-to-file) ${l10n.t('Open {0}', recordingName(recording))}`,
      run: () => commands.executeCommand('btrace.openRecording', recording),
    });
  const chosen = await window.showQuickPick(choices, {
    title: l10n.t('BTrace: Figures in the Editor'),
    placeHolder: recording === undefined ? '' : l10n.t('Of {0}', recordingName(recording)),
  });
  await chosen?.run();
}
