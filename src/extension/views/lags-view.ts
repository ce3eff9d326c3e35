/** The view of the lags that programs wrote in production: causes, within them the places, within these the longest lags. */
import path from 'node:path';
import {
  commands,
  EventEmitter,
  l10n,
  ProgressLocation,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  window,
  type Disposable,
  type Event,
  type Progress,
  type TreeDataProvider,
  type TreeView,
} from 'vscode';
import { causeFrames, type ListedLag } from '../../trace/lags/lag-groups.js';
import type { EngineClient } from '../engine/engine-client.js';
import type { KnownRetraceMappings, LagPlaceRow, LagRow, LagsOfFolder } from '../engine/engine-messages.js';
import type { Memory } from '../memory.js';
import { Problem, words } from '../notice.js';
import { lagText, lagTitle, placeTitle, rowText, rowTitle, rowTooltip, summary } from './lag-texts.js';

export type LagNode =
  | { readonly type: 'group'; readonly index: number; readonly row: LagRow }
  | { readonly type: 'place'; readonly row: LagPlaceRow }
  | { readonly type: 'lag'; readonly lag: ListedLag }
  | { readonly type: 'more'; readonly count: number };

/** Shorter than this nobody wants to cancel. */
const cancellableAfterMs = 1000;

export interface LagsServices {
  newEngine(): EngineClient;
  mapping(): Promise<KnownRetraceMappings>;
  memory: Memory;
}

/** The files of the chosen folder, as they were read. */
interface Reading {
  readonly engine: EngineClient;
  readonly done: Promise<LagsOfFolder | undefined>;
}

export class LagsView implements TreeDataProvider<LagNode>, Disposable {
  readonly #change = new EventEmitter<undefined>();
  readonly onDidChangeTreeData: Event<undefined> = this.#change.event;
  readonly #view: TreeView<LagNode>;
  readonly #services: LagsServices;
  #reading: Reading | undefined;
  #soFar = 0;

  constructor(services: LagsServices) {
    this.#services = services;
    this.#view = window.createTreeView('btrace.lags', { treeDataProvider: this });
    this.#tellFolder();
  }

  get #folder(): string {
    return this.#services.memory.lagsFolder.get();
  }

  /** What the view says above its rows. */
  get message(): string {
    return this.#view.message ?? '';
  }

  /** The row that the keyboard is on. */
  get selected(): LagNode | undefined {
    return this.#view.selection[0];
  }

  /** Asks for a folder unless one is given, and shows its lags. */
  async show(given?: Uri): Promise<void> {
    const folder = given ?? (await this.#ask());
    if (folder === undefined) return;
    if (folder.scheme !== 'file')
      throw new Problem(
        l10n.t('Only folders on a disk can be read.'),
        l10n.t('Copy the lag files into a folder there.'),
      );
    await this.#services.memory.lagsFolder.set(folder.fsPath);
    this.refresh();
    await commands.executeCommand('btrace.lags.focus');
  }

  async #ask(): Promise<Uri | undefined> {
    const chosen = await window.showOpenDialog({
      title: l10n.t('Folder of Lag Files'),
      openLabel: l10n.t('Show Lags'),
      canSelectFolders: true,
      canSelectFiles: false,
      ...(this.#folder === '' ? {} : { defaultUri: Uri.file(this.#folder) }),
    });
    return chosen?.[0];
  }

  /** Reads the folder again. */
  refresh(): void {
    this.#reading?.engine.dispose();
    this.#reading = undefined;
    this.#tellFolder();
    this.#change.fire(undefined);
  }

  /** Ends the reading, if it goes on. */
  cancel(): void {
    this.#reading?.engine.dispose();
  }

  /** No folder any more. */
  async forget(): Promise<void> {
    await this.#services.memory.lagsFolder.set('');
    this.refresh();
  }

  #tellFolder(): void {
    this.#view.description = path.basename(this.#folder);
    void commands.executeCommand('setContext', 'btrace.noLagsFolder', this.#folder === '');
  }

  async getChildren(node?: LagNode): Promise<LagNode[]> {
    if (node === undefined) return this.#groups();
    if (node.type === 'place') return node.row.longest.map((lag): LagNode => ({ type: 'lag', lag }));
    if (node.type !== 'group') return [];
    const places = await this.#reading?.engine.lagPlaces(node.index);
    return places?.map((row): LagNode => ({ type: 'place', row })) ?? [];
  }

  async #groups(): Promise<LagNode[]> {
    if (this.#folder === '') {
      this.#view.message = '';
      return [];
    }
    this.#reading ??= this.#read(this.#folder);
    const reading = this.#reading;
    try {
      const found = await this.#tellProgress(reading);
      // Another folder was chosen meanwhile, or the same one is read again.
      if (reading !== this.#reading) return [];
      if (found === undefined) {
        this.#view.message = l10n.t('Reading was cancelled after {0} files.', this.#soFar);
        return [];
      }
      this.#view.message = summary(found, this.#folder);
      const groups = found.groups.map((row, index): LagNode => ({ type: 'group', index, row }));
      return found.moreGroups > 0 ? [...groups, { type: 'more', count: found.moreGroups }] : groups;
    } catch (error) {
      if (reading !== this.#reading) return [];
      // VS Code would show the bare error in a notification, each time it looks.
      const { message, nextStep } = words(error);
      this.#view.message = `${message} ${nextStep}`;
      return [];
    }
  }

  #read(folder: string): Reading {
    const engine = this.#services.newEngine();
    this.#soFar = 0;
    this.#view.message = '';
    const read = async () =>
      engine.lags(folder, await this.#services.mapping(), (files) => (this.#soFar = files));
    return { engine, done: read() };
  }

  /** In the view at once, and with a way to end it where it takes long. */
  async #tellProgress({ engine, done }: Reading): Promise<LagsOfFolder | undefined> {
    const later = setTimeout(() => {
      void window.withProgress(
        { location: ProgressLocation.Notification, title: l10n.t('Reading lag files'), cancellable: true },
        async (progress, token) => {
          token.onCancellationRequested(() => engine.dispose());
          const told = setInterval(() => this.#tellSoFar(progress), cancellableAfterMs);
          await done.catch(() => undefined);
          clearInterval(told);
        },
      );
    }, cancellableAfterMs);
    try {
      return await window.withProgress({ location: { viewId: 'btrace.lags' } }, () => done);
    } finally {
      clearTimeout(later);
    }
  }

  #tellSoFar(progress: Progress<{ message: string }>): void {
    progress.report({ message: l10n.t('{0} files', this.#soFar) });
  }

  getTreeItem(node: LagNode): TreeItem {
    switch (node.type) {
      case 'group':
        return itemOf(rowTitle(node.row.frames), node.row, 'flame', String(node.index));
      case 'place':
        return itemOf(placeTitle(node.row.frames.slice(causeFrames)), node.row, 'list-tree');
      case 'lag': {
        const item = new TreeItem(lagTitle(node.lag));
        item.description = lagText(node.lag);
        item.tooltip = node.lag.file;
        item.iconPath = new ThemeIcon(node.lag.isFreeze ? 'error' : 'graph-line');
        item.contextValue = 'lag';
        item.command = { command: 'btrace.openLag', title: l10n.t('Open'), arguments: [node] };
        return item;
      }
      case 'more':
        return new TreeItem(l10n.t('{0} rarer groups: see btrace lags', node.count));
    }
  }

  dispose(): void {
    this.#reading?.engine.dispose();
    this.#view.dispose();
    this.#change.dispose();
  }
}

function itemOf(title: string, row: LagRow, icon: string, id?: string): TreeItem {
  const item = new TreeItem(title, TreeItemCollapsibleState.Collapsed);
  if (id !== undefined) item.id = id;
  item.description = rowText(row);
  item.tooltip = rowTooltip(row);
  item.iconPath = new ThemeIcon(icon);
  // Bars are no words for who listens.
  item.accessibilityInformation = { label: `${title}, ${rowTooltip(row)}` };
  return item;
}
