/** From a frame to its line: finds the file, asks once when several fit and their lines do not tell, and says what was looked for when none does. */
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
import type { SourceKey, SourceOpening } from '../../protocol/messages.js';
import { qualifiedWritten, writtenName } from '../../trace/model/written-name.js';
import { baseName } from '../base-name.js';
import type { Memory } from '../memory.js';
import type { Notices } from '../notice.js';

/** Looks where the workspace ends: sources that come with libraries and with the JDK. */
export interface LibrarySources {
  /** A readonly document with the source, or undefined. */
  find(key: SourceKey, signal: AbortSignal): Promise<Uri | undefined>;
}

/** Files of this machine that are not the workspace's. */
export interface OutsideFiles {
  /** Of a path that a recording names. */
  named(path: string): Uri | undefined;
  /** Whether it really lies in the workspace, or the person wants it opened. */
  mayOpen(uri: Uri): Promise<boolean>;
}

export class SourceOpener {
  readonly #index: SourceIndex;
  readonly #libraries: readonly LibrarySources[];
  readonly #memory: Memory;
  readonly #notices: Notices;
  readonly #outside: OutsideFiles | undefined;

  /** `outside`: undefined where there is nothing but the workspace. */
  constructor(
    index: SourceIndex,
    libraries: readonly LibrarySources[],
    memory: Memory,
    notices: Notices,
    outside: OutsideFiles | undefined,
  ) {
    this.#index = index;
    this.#libraries = libraries;
    this.#memory = memory;
    this.#notices = notices;
    this.#outside = outside;
  }

  /** Of a frame as it was written. `line`: the one to look at; 0: the method's first. */
  async open(recorded: SourceKey, how: SourceOpening, line = 0): Promise<void> {
    const frame = withoutEndlessNames(recorded);
    this.#notices.log.debug(
      `Source of ${frame.className}.${frame.method} (${frame.file}:${String(frame.line)})`,
    );
    const signal = new AbortController().signal;
    const search = await findSource(frame, this.#index, signal);
    const place =
      (await this.#chooseWithin(search, frame, signal)) ??
      (search.places.length > 0 ? 'left' : undefined) ??
      (await this.#inLibrary(frame, signal)) ??
      (await this.#atPath(search, frame.line));
    if (place === 'left') return;
    if (place === undefined) {
      this.#sayNone(frame, search);
      return;
    }
    await show(place, frame, how, line);
  }

  /** A link within the workspace may lead out of it: such a file is opened as any other out there. */
  async #chooseWithin(
    search: SourceSearch,
    frame: SourceKey,
    signal: AbortSignal,
  ): Promise<SourcePlace | 'left' | undefined> {
    const place = await this.#choose(search, frame, signal);
    if (place === undefined) return undefined;
    const uri = Uri.parse(place.file);
    // What the editor's languages have found elsewhere, no recording has named.
    if (workspace.getWorkspaceFolder(uri) === undefined) return place;
    return (await this.#mayOpen(uri)) ? place : 'left';
  }

  async #choose(
    search: SourceSearch,
    frame: SourceKey,
    signal: AbortSignal,
  ): Promise<SourcePlace | undefined> {
    const { wanted } = search;
    const className = frame.className.slice(frame.className.lastIndexOf('.') + 1);
    const method = { className, name: frame.method, signature: frame.signature, firstLine: frame.line };
    const places = await fittingPlaces(search.places, [method], this.#index, signal);
    const [first, second] = places;
    if (first === undefined || second === undefined) return first;
    const isNative = wanted.outerClass === '';
    const name = isNative
      ? frame.method
      : `${wanted.packageName}/${wanted.outerClass}/${wanted.baseNames[0] ?? ''}`;
    const remembered = this.#memory.sourceChoices.get()[name];
    const [again, another] = places.filter((place) => place.file === remembered);
    if (again !== undefined && another === undefined) return again;
    const items = places.map((place): QuickPickItem & { place: SourcePlace } => {
      const shown = workspace.asRelativePath(Uri.parse(place.file));
      const line = isNative && place.line > 0 ? `:${String(place.line)}` : '';
      const end = shown.lastIndexOf('/');
      return { label: shown.slice(end + 1) + line, description: end < 0 ? '.' : shown.slice(0, end), place };
    });
    const chosen = await window.showQuickPick(items, {
      title: l10n.t('Several files fit. Which one was recorded?'),
      placeHolder: l10n.t('The choice is remembered for this workspace.'),
      matchOnDescription: true,
    });
    if (chosen === undefined) return undefined;
    await this.#memory.sourceChoices.set({ ...this.#memory.sourceChoices.get(), [name]: chosen.place.file });
    return chosen.place;
  }

  async #inLibrary(frame: SourceKey, signal: AbortSignal): Promise<SourcePlace | undefined> {
    for (const library of this.#libraries) {
      const uri = await library.find(frame, signal);
      if (uri !== undefined) return { file: uri.toString(), line: frame.line };
    }
    return undefined;
  }

  /** A path that the recording names, outside of the workspace: only after asking, and only if it is there. */
  async #atPath(search: SourceSearch, line: number): Promise<SourcePlace | 'left' | undefined> {
    const uri = this.#outside?.named(search.wanted.path);
    if (uri === undefined) return undefined;
    if (!(await this.#mayOpen(uri))) return 'left';
    try {
      await workspace.fs.stat(uri);
    } catch {
      return undefined;
    }
    return { file: uri.toString(), line };
  }

  async #mayOpen(uri: Uri): Promise<boolean> {
    return this.#outside === undefined || (await this.#outside.mayOpen(uri));
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
    void this.#notices.warning(
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

/** Another group that shows a text, so that sources do not come up in ever more of them; else a new one. */
function columnBeside(): ViewColumn {
  const { activeTabGroup } = window.tabGroups;
  const columns = window.visibleTextEditors
    .map(({ viewColumn }) => viewColumn)
    .filter((column) => column !== undefined && column !== activeTabGroup.viewColumn);
  return columns[0] ?? ViewColumn.Beside;
}

async function show(
  place: SourcePlace,
  frame: SourceKey,
  how: SourceOpening,
  wantedLine: number,
): Promise<void> {
  const document = await workspace.openTextDocument(Uri.parse(place.file));
  const isLine = place.line > 0 && place.line <= document.lineCount;
  const declared = isLine ? 0 : declaredLine(document.getText(), baseName(document.uri), frame);
  // A method that was moved since has its lines elsewhere.
  const isAsRecorded = declared === 0 && wantedLine > 0 && wantedLine <= document.lineCount;
  const first = isAsRecorded ? wantedLine : declared || place.line;
  const line = Math.min(Math.max(first - 1, 0), Math.max(document.lineCount - 1, 0));
  const at = new Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
  const editor = await window.showTextDocument(document, {
    selection: new Range(at, at),
    preview: true,
    preserveFocus: how === 'peek',
    ...(how === 'replace' ? {} : { viewColumn: columnBeside() }),
  });
  editor.revealRange(new Range(at, at), TextEditorRevealType.InCenterIfOutsideViewport);
}
