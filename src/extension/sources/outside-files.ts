/** Files of this machine that a recording, or a link in the workspace, leads to: opened only after asking. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { l10n, Uri, window, workspace } from 'vscode';
import type { Memory } from '../memory.js';
import type { OutsideFiles } from './open-source.js';

export class FilesOfThisMachine implements OutsideFiles {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  named(given: string): Uri | undefined {
    return given !== '' && path.isAbsolute(given) ? Uri.file(path.normalize(given)) : undefined;
  }

  async mayOpen(uri: Uri): Promise<boolean> {
    const outside = await realPlaceOutside(uri);
    if (outside === undefined) return true;
    const folder = path.dirname(outside.fsPath);
    const allowed = this.#memory.allowedFolders.get();
    if (allowed.some((one) => folder === one || folder.startsWith(one + path.sep))) return true;
    const once = l10n.t('Open Once');
    const always = l10n.t('Always from This Folder');
    const answer = await window.showWarningMessage(
      l10n.t('The recording points to a file outside of the workspace. Open it?'),
      { modal: true, detail: outside.fsPath },
      once,
      always,
    );
    if (answer === always) await this.#memory.allowedFolders.set([...allowed, folder]);
    return answer === once || answer === always;
  }
}

/** Where a file really lies, if that is outside of the workspace, whatever links lead there. */
async function realPlaceOutside(uri: Uri): Promise<Uri | undefined> {
  if (uri.scheme !== 'file') return workspace.getWorkspaceFolder(uri) === undefined ? uri : undefined;
  // What is not there lies where it is said to.
  const resolved = (file: string): Promise<string> => realpath(file).catch(() => file);
  const file = await resolved(uri.fsPath);
  const folders = (workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
  for (const folder of folders) {
    const fromThere = path.relative(await resolved(folder.uri.fsPath), file);
    if (fromThere !== '..' && !fromThere.startsWith(`..${path.sep}`) && !path.isAbsolute(fromThere))
      return undefined;
  }
  return Uri.file(file);
}
