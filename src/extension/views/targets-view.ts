/** The view of what can be recorded, and of what is being recorded. Looks while it is seen, and not otherwise. */
import {
  commands,
  EventEmitter,
  l10n,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  window,
  workspace,
  Disposable,
  type Event,
  type TreeDataProvider,
  type TreeView,
} from 'vscode';
import { isTargetError, type Target } from '../../targets/target.js';
import { plain, statusLine } from '../recording/progress.js';
import type { ActiveRecording, Sessions } from '../recording/sessions.js';
import { cutOff, shortName } from '../recording/short-name.js';
import { failureWords, kindName } from '../recording/target-items.js';
import type { TargetListing, TargetRegistry } from '../recording/target-registry.js';

export type TargetNode =
  | { readonly type: 'kind'; readonly kind: string }
  | { readonly type: 'target'; readonly target: Target }
  | { readonly type: 'session'; readonly active: ActiveRecording }
  | { readonly type: 'failure'; readonly kind: string; readonly error: unknown };

/** How often it looks again while it is seen, and how often a recording's figures are drawn anew. */
const lookEveryMs = 5000;
const drawEveryMs = 1000;

export class TargetsView implements TreeDataProvider<TargetNode>, Disposable {
  readonly #change = new EventEmitter<TargetNode[] | undefined>();
  readonly onDidChangeTreeData: Event<TargetNode[] | undefined> = this.#change.event;
  readonly #view: TreeView<TargetNode>;
  readonly #listening: Disposable[];
  #listing: TargetListing = { targets: [], failures: [] };
  #looking: Promise<void> | undefined;
  #looked = false;
  #shown = '';
  /** Rows of what is recorded here, as VS Code has them. */
  #sessionNodes: TargetNode[] = [];
  #timers: NodeJS.Timeout[] = [];
  #watching: Disposable | undefined;
  readonly #registry: TargetRegistry;
  readonly #sessions: Sessions;

  constructor(registry: TargetRegistry, sessions: Sessions) {
    this.#registry = registry;
    this.#sessions = sessions;

    this.#view = window.createTreeView('btrace.targets', { treeDataProvider: this });
    this.#listening = [
      this.#view.onDidChangeVisibility(() => this.#schedule()),
      registry.onDidChangeSources(() => void this.refresh()),
      workspace.onDidGrantWorkspaceTrust(() => void this.refresh()),
      sessions.onDidChange(() => {
        this.#change.fire(undefined);
        this.#schedule();
      }),
    ];
    this.#schedule();
  }

  /** Looks again; several calls while it looks are one. */
  refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<void> {
    // Nothing is looked for where nothing may be recorded: the view says so, and how to trust the workspace.
    this.#listing = workspace.isTrusted ? await this.#registry.list() : { targets: [], failures: [] };
    this.#looked = true;
    // A tree that is told of a change loses its hover and may flicker: only when there is one.
    const shown = JSON.stringify([
      // How busy a native program is changes each time.
      this.#listing.targets.map((one) => [
        one.id,
        one.label,
        one.runtime,
        one.kind === 'native' ? '' : one.detail,
        one.refusal,
      ]),
      this.#listing.failures.map((one) => [one.kind, String(one.error)]),
    ]);
    if (shown !== this.#shown) this.#change.fire(undefined);
    // What failed is in the tree then, so that VS Code does not show the welcome of an empty one.
    const { targets, failures } = this.#listing;
    this.#view.message =
      targets.length === 0 && failures.length > 0
        ? l10n.t('No program found that can be recorded. Start one, then look again.')
        : '';
    this.#shown = shown;
  }

  #schedule(): void {
    this.#timers.forEach((timer) => clearInterval(timer));
    this.#timers = [];
    this.#watching?.dispose();
    this.#watching = undefined;
    if (!this.#view.visible) return;
    this.#timers.push(setInterval(() => void this.refresh(), lookEveryMs));
    this.#watching = this.#registry.watch(() => void this.refresh());
    if (this.#sessions.all.length > 0) {
      this.#timers.push(setInterval(() => this.#change.fire(this.#sessionNodes), drawEveryMs));
    }
    void this.refresh();
  }

  async getChildren(node?: TargetNode): Promise<TargetNode[]> {
    if (node !== undefined) return node.type === 'kind' ? this.#ofKind(node.kind) : [];
    if (!this.#looked) await this.refresh();
    const kinds = new Set([
      ...this.#listing.targets.map((target) => target.kind),
      ...this.#listing.failures.map((failure) => failure.kind),
    ]);
    this.#sessionNodes = this.#sessions.all.map((one): TargetNode => ({ type: 'session', active: one }));
    // There are always some, and many: they stay out of the way until somebody opens their row.
    const hasNative = kinds.delete('native');
    const [only] = kinds;
    const rest = kinds.size === 1 && only !== undefined ? this.#ofKind(only) : [...kinds].map(kindNode);
    const found = [...this.#sessionNodes, ...rest, ...(hasNative ? [kindNode('native')] : [])];
    // That there is nothing is not said before somebody looked: VS Code takes a view for empty until then.
    void commands.executeCommand('setContext', 'btrace.noTargets', found.length === 0);
    return found;
  }

  #ofKind(kind: string): TargetNode[] {
    const targets = this.#listing.targets.filter((target) => target.kind === kind);
    // Native programs come with the busiest first.
    if (kind !== 'native')
      targets.sort(
        (a, b) =>
          Number(a.refusal !== undefined) - Number(b.refusal !== undefined) ||
          a.name.localeCompare(b.name) ||
          a.pid - b.pid,
      );
    return [
      ...targets.map((target): TargetNode => ({ type: 'target', target })),
      ...this.#listing.failures
        .filter((failure) => failure.kind === kind)
        .map(({ error }): TargetNode => ({ type: 'failure', kind, error })),
    ];
  }

  getTreeItem(node: TargetNode): TreeItem {
    switch (node.type) {
      case 'kind': {
        const item = new TreeItem(
          kindName(node.kind),
          node.kind === 'native' ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.Expanded,
        );
        item.id = `kind:${node.kind}`;
        return item;
      }
      case 'target':
        return targetItem(node.target);
      case 'session': {
        const { active } = node;
        const item = new TreeItem(plain(shortName(active.name)));
        item.id = `session:${String(active.id)}`;
        item.description = statusLine(active.session.status());
        item.tooltip = [cutOff(active.name), item.description, active.session.file].join('\n');
        item.iconPath = new ThemeIcon('record', new ThemeColor('charts.red'));
        item.contextValue = active.session.whyNoDump === undefined ? 'sessionWithRing' : 'session';
        item.command = { command: 'btrace.watch', title: l10n.t('Watch'), arguments: [active.id] };
        return item;
      }
      case 'failure': {
        const { error } = node;
        const said = failureWords(error);
        const item = new TreeItem(said.message);
        item.id = `failure:${node.kind}`;
        item.iconPath = new ThemeIcon('warning');
        item.tooltip = isTargetError(error) ? `${said.message}\n${said.nextStep}` : String(error);
        item.description = said.nextStep;
        item.command = { command: 'btrace.explain', title: l10n.t('What to do'), arguments: [error] };
        return item;
      }
    }
  }

  dispose(): void {
    this.#timers.forEach((timer) => clearInterval(timer));
    this.#watching?.dispose();
    Disposable.from(...this.#listening).dispose();
    this.#view.dispose();
    this.#change.dispose();
  }
}

function kindNode(kind: string): TargetNode {
  return { type: 'kind', kind };
}

function targetItem(target: Target): TreeItem {
  const item = new TreeItem(plain(target.label ?? shortName(target.name)));
  item.id = target.id;
  // Of this machine's programs it is the command line: long, and in the tooltip.
  const isOnDevice = target.kind === 'android' || target.kind === 'ios';
  const where = isOnDevice && (target.pid > 0 || target.kind === 'ios') ? target.detail : '';
  const name = target.label === undefined ? '' : cutOff(target.name);
  item.description = [name, target.pid > 0 ? String(target.pid) : '', where || target.runtime]
    .filter((s) => s !== '')
    .join(' · ');
  item.tooltip = [target.name, target.detail === target.name ? '' : target.detail, target.refusal ?? '']
    .filter((s) => s !== '')
    .map(cutOff)
    .join('\n');
  const can = target.refusal === undefined;
  item.iconPath = new ThemeIcon(can ? (isOnDevice ? 'device-mobile' : 'vm') : 'circle-slash');
  item.contextValue = can || target.launchable === true ? 'target' : 'refused';
  return item;
}
