/** Where an exported file is proposed to lie, and what a person can do with it once it is written. */
import { commands, env, l10n, UIKind, Uri, window, workspace } from 'vscode';
import { formatBytes } from '../../trace/measure/quantities.js';
import { baseName } from '../base-name.js';

/** Beside a recording of the workspace, else in the workspace: recordings are kept where nobody looks. `extension`: with its dot. */
export function proposedFile(recording: Uri, extension: string): Uri {
  const beside = recording.with({ path: recording.path.replace(/(\.[^./]*)?$/, extension) });
  const folder = workspace.workspaceFolders?.[0]?.uri;
  return folder === undefined || workspace.getWorkspaceFolder(recording) !== undefined
    ? beside
    : Uri.joinPath(folder, baseName(beside));
}

interface Way {
  readonly title: string;
  go(): unknown;
}

/** `open`: in what shows it; undefined: nothing here does. Does not wait for an answer. */
export function tellWritten(file: Uri, bytes: number, open: (() => unknown) | undefined): void {
  const opening = open && { title: l10n.t('Open'), go: open };
  const ways = [opening, wayToItsFolder(file)].filter((way) => way !== undefined);
  const text = l10n.t('{0} written: {1}', baseName(file), formatBytes(bytes));
  const titles = ways.map(({ title }) => title);
  void Promise.resolve(window.showInformationMessage(text, ...titles)).then((chosen) =>
    ways.find(({ title }) => title === chosen)?.go(),
  );
}

/** On a remote machine only the explorer can show where it lies, and the explorer has only the workspace. */
function wayToItsFolder(file: Uri): Way | undefined {
  if (workspace.getWorkspaceFolder(file) !== undefined)
    return { title: l10n.t('Reveal'), go: () => commands.executeCommand('revealInExplorer', file) };
  if (env.remoteName !== undefined)
    return { title: l10n.t('Copy Path'), go: () => env.clipboard.writeText(file.fsPath) };
  // A browser tells nobody where it puts a file.
  if (env.uiKind === UIKind.Web) return undefined;
  return { title: l10n.t('Reveal'), go: () => commands.executeCommand('revealFileInOS', file) };
}
