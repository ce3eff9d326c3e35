/** The view of the recordings that are kept: open, rename, delete, reveal. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  commands,
  env,
  EventEmitter,
  l10n,
  RelativePattern,
  TabInputCustom,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  UIKind,
  Uri,
  window,
  workspace,
  WorkspaceEdit,
  Disposable,
  type Event,
  type Tab,
  type TreeDataProvider,
  type TreeView,
} from 'vscode';
import { safeName } from '../../targets/recording-folder.js';
import { clock } from '../clock.js';
import { Problem, words } from '../notice.js';
import { formatBytes, formatLength } from '../../trace/measure/quantities.js';
import type { Sessions } from '../recording/sessions.js';
import { shortName } from '../recording/short-name.js';
import { isGeneratedName, shownName } from '../recording/recording-names.js';
import type { RecordingStore, StoredRecording } from '../recording/store.js';
import type { ChangedSources } from '../sources/changed-sources.js';
import { goesOn, recordingLength } from '../recording/recording-length.js';

const lookAgainMs = 2000;
const drawEveryMs = 1000;

/** Names of changed sources in a tooltip. */
const shownChanged = 8;

export class RecordingsView implements TreeDataProvider<StoredRecording>, Disposable {
  readonly #change = new EventEmitter<StoredRecording[] | undefined>();
  readonly onDidChangeTreeData: Event<StoredRecording[] | undefined> = this.#change.event;
  readonly #deleted = new EventEmitter<Uri>();
  /** By a person, in this view. */
  readonly onDidDelete: Event<Uri> = this.#deleted.event;
  readonly #view: TreeView<StoredRecording>;
  readonly #listening: Disposable[];
  #watched: Disposable[] = [];
  #watchedFolder = '';
  #refreshLater: NodeJS.Timeout | undefined;
  /** While something is recorded and the view is seen. */
  #drawing: NodeJS.Timeout | undefined;
  #listed: readonly StoredRecording[] = [];
  readonly #store: RecordingStore;
  readonly #sessions: Sessions;
  readonly #changed: ChangedSources;

  constructor(store: RecordingStore, sessions: Sessions, changed: ChangedSources) {
    this.#store = store;
    this.#sessions = sessions;
    this.#changed = changed;

    this.#view = window.createTreeView('btrace.recordings', { treeDataProvider: this });
    this.#listening = [
      sessions.onDidChange(() => {
        this.refresh();
        this.#schedule();
      }),
      this.#view.onDidChangeVisibility(() => this.#schedule()),
      changed.onDidChange(() => this.refresh()),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('btrace.recording.folder')) this.refresh();
      }),
    ];
  }

  refresh(): void {
    clearTimeout(this.#refreshLater);
    this.#refreshLater = undefined;
    this.#change.fire(undefined);
  }

  /** The rows of what is recorded here tell for how long. */
  #schedule(): void {
    clearInterval(this.#drawing);
    this.#drawing = undefined;
    if (!this.#view.visible || this.#sessions.all.length === 0) return;
    const isWritten = ({ file }: StoredRecording): boolean => this.#sessions.writing(file) !== undefined;
    this.#drawing = setInterval(() => this.#change.fire(this.#listed.filter(isWritten)), drawEveryMs);
  }

  /** The one that the keyboard is on, for commands that are called without an argument. */
  get selected(): StoredRecording | undefined {
    return this.#view.selection[0];
  }

  async getChildren(node?: StoredRecording): Promise<StoredRecording[]> {
    if (node !== undefined) return [];
    this.#watch(this.#store.folder().path);
    let found: StoredRecording[] = [];
    let problem = '';
    try {
      found = await this.#store.list();
    } catch (error) {
      // Said in the view: VS Code would show the bare error in a notification, each time it looks.
      const { message, nextStep } = words(error);
      problem = `${message} ${nextStep}`;
    }
    this.#listed = found;
    this.#view.message = problem;
    // That there are none is not said before somebody looked: VS Code takes a view for empty until then.
    void commands.executeCommand('setContext', 'btrace.noRecordings', found.length === 0 && problem === '');
    return found;
  }

  async getTreeItem(recording: StoredRecording): Promise<TreeItem> {
    const active = this.#sessions.writing(recording.file);
    const lengthNs = active === undefined ? await recordingLength(recording) : undefined;
    const isOthers = active === undefined && (await goesOn(recording));
    if (isOthers) this.#refreshLater ??= setTimeout(() => this.refresh(), lookAgainMs);
    const writing = active !== undefined || isOthers;
    const changed = writing ? [] : await this.#changedSince(recording);
    const isNamed = !isGeneratedName(recording.name);
    const name = shownName(recording.name);
    // Of one program there are many: when comes first, as a narrow side bar cuts off what is last.
    const startedMs = active?.startedMs ?? (isOthers ? recording.createdMs : undefined);
    const elapsed = startedMs === undefined ? undefined : clock(Date.now() - startedMs);
    const when = writing ? elapsed : shortTime(recording.modifiedMs, isNamed);
    const length = lengthNs === undefined ? l10n.t('cut off') : formatLength(lengthNs);
    const facts = [
      writing ? l10n.t('recording…') : length,
      formatBytes(active?.session.status().fileBytes ?? recording.bytes),
      ...(changed.length > 0 ? [changedText(changed.length)] : []),
    ];
    const item = new TreeItem(isNamed || when === undefined ? shortName(name) : `${when} ${shortName(name)}`);
    item.id = recording.file;
    item.resourceUri = Uri.file(recording.file);
    item.description = [...(isNamed && when !== undefined ? [when] : []), ...facts].join(' · ');
    const full = new Intl.DateTimeFormat(env.language, { dateStyle: 'medium', timeStyle: 'medium' });
    item.tooltip = [
      name,
      full.format(startedMs ?? recording.modifiedMs),
      ...facts,
      ...changed.slice(0, shownChanged).map((file) => `  ${file}`),
      recording.file,
    ].join('\n');
    const icon = writing ? 'record' : changed.length > 0 ? 'warning' : 'graph-line';
    item.iconPath = writing ? new ThemeIcon(icon, new ThemeColor('charts.red')) : new ThemeIcon(icon);
    item.contextValue = writing ? 'writing' : 'recording';
    item.command = { command: 'btrace.reopenRecording', title: l10n.t('Open'), arguments: [recording] };
    return item;
  }

  /** What cannot be told is not said. */
  #changedSince(recording: StoredRecording): Promise<readonly string[]> {
    return this.#changed.since(recording.file).catch(() => []);
  }

  async rename(recording: StoredRecording): Promise<string | undefined> {
    await this.#refuseWriting(recording);
    const before = recording.name.replace(/\.btrace$/, '');
    const answer = await window.showInputBox({
      title: l10n.t('Rename Recording'),
      value: before,
      prompt: l10n.t('A recording with a name of yours is never deleted by itself.'),
      validateInput: (text) => (text.trim() === '' ? l10n.t('A name, please.') : undefined),
    });
    if (answer === undefined || answer === before) return undefined;
    return this.renameTo(recording, answer);
  }

  async renameTo(recording: StoredRecording, name: string): Promise<string> {
    const file = path.join(path.dirname(recording.file), `${safeName(name.replace(/\.btrace$/, ''))}.btrace`);
    if (file === recording.file) return file;
    if (await exists(file)) {
      throw new Problem(l10n.t('There is a recording called {0} already.', path.basename(file)));
    }
    // As VS Code does it, so that its tab and its figures go with it.
    const edit = new WorkspaceEdit();
    edit.renameFile(Uri.file(recording.file), Uri.file(file));
    if (!(await workspace.applyEdit(edit))) {
      throw new Problem(
        l10n.t('{0} could not be renamed.', recording.name),
        l10n.t('See that you may write to {0}.', path.dirname(recording.file)),
      );
    }
    this.refresh();
    return file;
  }

  /** Whoever makes it, in this window or another, writes on under the name that it has. */
  async #refuseWriting(recording: StoredRecording): Promise<void> {
    if (this.#sessions.writing(recording.file) === undefined && !(await goesOn(recording))) return;
    throw new Problem(l10n.t('{0} is being written. Stop it first.', recording.name));
  }

  /** To the trash where there is one; remote hosts have none, so there it asks first and then it is gone. */
  async delete(recording: StoredRecording): Promise<boolean> {
    await this.#refuseWriting(recording);
    const uri = Uri.file(recording.file);
    if (env.remoteName === undefined && env.uiKind === UIKind.Desktop) {
      try {
        await workspace.fs.delete(uri, { useTrash: true });
        await this.#forget(uri);
        return true;
      } catch {
        // No trash on this disk: ask, then delete.
      }
    }
    const remove = l10n.t('Delete');
    const answer = await window.showWarningMessage(
      l10n.t('Delete {0} for good?', recording.name),
      { modal: true, detail: l10n.t('There is no trash here.') },
      remove,
    );
    if (answer !== remove) return false;
    await rm(recording.file, { force: true });
    await this.#forget(uri);
    return true;
  }

  /** What is gone is shown nowhere. */
  async #forget(recording: Uri): Promise<void> {
    this.refresh();
    await window.tabGroups.close(tabsOf(recording));
    this.#deleted.fire(recording);
  }

  async reveal(recording: StoredRecording): Promise<void> {
    const uri = Uri.file(recording.file);
    // The system's file manager is on the person's machine; on a remote host the explorer of the workspace has to do.
    if (env.remoteName === undefined && env.uiKind === UIKind.Desktop) {
      await commands.executeCommand('revealFileInOS', uri);
    } else if (workspace.getWorkspaceFolder(uri) !== undefined) {
      await commands.executeCommand('revealInExplorer', uri);
    } else {
      await env.clipboard.writeText(recording.file);
      void window.showInformationMessage(l10n.t('The path of the recording was copied: {0}', recording.file));
    }
  }

  #watch(folder: string): void {
    if (folder === this.#watchedFolder) return;
    this.#watchedFolder = folder;
    Disposable.from(...this.#watched).dispose();
    const watcher = workspace.createFileSystemWatcher(
      new RelativePattern(Uri.file(folder), '*.btrace'),
      false,
      true,
      false,
    );
    this.#watched = [
      watcher,
      watcher.onDidCreate(() => this.refresh()),
      watcher.onDidDelete(() => this.refresh()),
    ];
  }

  dispose(): void {
    clearTimeout(this.#refreshLater);
    clearInterval(this.#drawing);
    Disposable.from(...this.#listening, ...this.#watched).dispose();
    this.#view.dispose();
    this.#change.dispose();
    this.#deleted.dispose();
  }
}

function tabsOf(recording: Uri): Tab[] {
  const isOfIt = ({ input }: Tab): boolean =>
    input instanceof TabInputCustom && input.uri.toString() === recording.toString();
  return window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isOfIt));
}

/** The time of day, to the second as one records again and again; of another day that, which is enough of what has a name. */
function shortTime(ms: number, isNamed: boolean): string {
  const [then, now] = [new Date(ms), new Date()];
  const format = (shown: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(env.language, shown).format(then);
  if (then.toDateString() === now.toDateString()) return format({ timeStyle: 'medium' });
  if (then.getFullYear() !== now.getFullYear()) return format({ dateStyle: 'medium' });
  const time = isNamed ? {} : ({ hour: 'numeric', minute: '2-digit' } as const);
  return format({ month: 'short', day: 'numeric', ...time });
}

function changedText(count: number): string {
  return count === 1 ? l10n.t('1 source changed since') : l10n.t('{0} sources changed since', count);
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}
