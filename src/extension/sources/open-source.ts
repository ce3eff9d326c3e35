/** From a frame to its line: finds the file, asks once when several fit and their lines do not tell, and says what was looked for when none does. */
import path from 'node:path';
import {
  commands,
  l10n,
  Position,
  Range,
  TextEditorRevealType,
  Uri,
  ViewColumn,
  window,
  workspace,
  type QuickPickItem,
} from 'vscode';
import {
  findSource,
  type SourceIndex,
  type SourcePlace,
  type SourceSearch,
} from '../../symbols/find-source.js';
import { withoutEndlessNames } from '../../symbols/wanted-source.js';
import { declaredLine } from '../../symbols/declared-line.js';
import { fittingPlaces } from '../../symbols/fitting-places.js';
import type { SourceKey } from '../../protocol/messages.js';
import { qualifiedWritten, writtenName } from '../../trace/model/written-name.js';
import { baseName } from '../base-name.js';
import type { Memory } from '../memory.js';
import type { Notices } from '../notice.js';

/** Looks where the workspace ends: sources that come with libraries and with the JDK. */
export interface LibrarySources {
  /** A readonly document with the source, or undefined. */
  find(key: SourceKey, signal: AbortSignal): Promise<Uri | undefined>;
}

export class SourceOpener {
  constructor(
    private readonly index: SourceIndex,
    private readonly libraries: readonly LibrarySources[],
    private readonly memory: Memory,
    private readonly notices: Notices,
  ) {}

  /** Of a frame as it was written. */
  async open(recorded: SourceKey, beside: boolean): Promise<void> {
    const frame = withoutEndlessNames(recorded);
    this.notices.log.debug(
      `Source of ${frame.className}.${frame.method} (${frame.file}:${String(frame.line)})`,
    );
    const signal = new AbortController().signal;
    const search = await findSource(frame, this.index, signal);
    const place =
      (await this.#choose(search, frame, signal)) ??
      (search.places.length > 0 ? 'left' : undefined) ??
      (await this.#inLibrary(frame, signal)) ??
      (await this.#atPath(search, frame.line));
    if (place === 'left') return;
    if (place === undefined) {
      this.#sayNone(frame, search);
      return;
    }
    await show(place, frame, beside);
  }

  async #choose(
    search: SourceSearch,
    frame: SourceKey,
    signal: AbortSignal,
  ): Promise<SourcePlace | undefined> {
    const { wanted } = search;
    const className = frame.className.slice(frame.className.lastIndexOf('.') + 1);
    const method = { className, name: frame.method, signature: frame.signature, firstLine: frame.line };
    const places = await fittingPlaces(search.places, [method], this.index, signal);
    const [first, second] = places;
    if (first === undefined || second === undefined) return first;
    const isNative = wanted.outerClass === '';
    const name = isNative
      ? frame.method
      : `${wanted.packageName}/${wanted.outerClass}/${wanted.baseNames[0] ?? ''}`;
    const remembered = this.memory.sourceChoices.get()[name];
    const [again, another] = places.filter((place) => place.file === remembered);
    if (again !== undefined && another === undefined) return again;
    const items = places.map((place): QuickPickItem & { place: SourcePlace } => {
      const shown = workspace.asRelativePath(Uri.parse(place.file));
      const line = isNative && place.line > 0 ? `:${String(place.line)}` : '';
      return { label: path.posix.basename(shown) + line, description: path.posix.dirname(shown), place };
    });
    const chosen = await window.showQuickPick(items, {
      title: l10n.t('Several files fit. Which one was recorded?'),
      placeHolder: l10n.t('The choice is remembered for this workspace.'),
      matchOnDescription: true,
    });
    if (chosen === undefined) return undefined;
    await this.memory.sourceChoices.set({ ...this.memory.sourceChoices.get(), [name]: chosen.place.file });
    return chosen.place;
  }

  async #inLibrary(frame: SourceKey, signal: AbortSignal): Promise<SourcePlace | undefined> {
    for (const library of this.libraries) {
      const uri = await library.find(frame, signal);
      if (uri !== undefined) return { file: uri.toString(), line: frame.line };
    }
    return undefined;
  }

  /** A path that the recording names, outside of the workspace: only after asking, and only if it is there. */
  async #atPath(search: SourceSearch, line: number): Promise<SourcePlace | 'left' | undefined> {
    const { path: given } = search.wanted;
    if (given === '' || !path.isAbsolute(given)) return undefined;
    const uri = Uri.file(path.normalize(given));
    if (workspace.getWorkspaceFolder(uri) === undefined && !(await this.#mayOpen(uri))) return 'left';
    try {
      await workspace.fs.stat(uri);
    } catch {
      return undefined;
    }
    return { file: uri.toString(), line };
  }

  async #mayOpen(uri: Uri): Promise<boolean> {
    const folder = path.dirname(uri.fsPath);
    const allowed = this.memory.allowedFolders.get();
    if (allowed.some((one) => folder === one || folder.startsWith(one + path.sep))) return true;
    const once = l10n.t('Open Once');
    const always = l10n.t('Always from This Folder');
    const answer = await window.showWarningMessage(
      l10n.t('The recording points to a file outside of the workspace. Open it?'),
      { modal: true, detail: uri.fsPath },
      once,
      always,
    );
    if (answer === always) await this.memory.allowedFolders.set([...allowed, folder]);
    return answer === once || answer === always;
  }

  #sayNone(frame: SourceKey, search: SourceSearch): void {
    const { className, method, file } = frame;
    const written = writtenName(className, method, () => file) ?? { className, joint: '.', name: method };
    const name = className === '' ? method : qualifiedWritten(written);
    const looked = search.lookedFor.slice(0, 3).map(printable).join(', ');
    const message =
      looked === ''
        ? l10n.t('The recording does not say where the source of {0} is.', printable(name))
        : l10n.t('No source found for {0}. Looked for: {1}.', printable(name), looked);
    const folders = workspace.workspaceFolders ?? [];
    void this.notices.warning(
      message,
      folders.length === 0 ? l10n.t('Open the folder that holds the sources.') : '',
      folders.length === 0
        ? [{ title: l10n.t('Open Folder…'), run: () => commands.executeCommand('vscode.openFolder') }]
        : [],
    );
  }
}

/** Names come from the recorded program: shown in a toast, they must not be links or turn the text around. */
function printable(name: string): string {
  return name.replace(/[[\]\p{Cc}\p{Cf}]/gu, '�').slice(0, 200);
}

async function show(place: SourcePlace, frame: SourceKey, beside: boolean): Promise<void> {
  const document = await workspace.openTextDocument(Uri.parse(place.file));
  const isLine = place.line > 0 && place.line <= document.lineCount;
  const declared = isLine ? 0 : declaredLine(document.getText(), baseName(document.uri), frame);
  const line = Math.min(Math.max((declared || place.line) - 1, 0), Math.max(document.lineCount - 1, 0));
  const at = new Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
  const editor = await window.showTextDocument(document, {
    selection: new Range(at, at),
    preview: true,
    ...(beside ? { viewColumn: ViewColumn.Beside } : {}),
  });
  editor.revealRange(new Range(at, at), TextEditorRevealType.InCenterIfOutsideViewport);
}
