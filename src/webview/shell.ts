/** The page around its views: takes what host and engine say, and keeps the state. */
import type { Problem } from '../trace/model/trace.js';
import type {
  HostMessage,
  PageCommand,
  PageSettings,
  SourceOpening,
  WantedRetraceMapping,
} from '../protocol/messages.js';
import { element } from './element.js';
import type { EngineClient, EngineListener } from './engine-client.js';
import { formatShare } from '../trace/measure/quantities.js';
import type { Host } from './host.js';
import { listenForKeys } from './key-handler.js';
import { useKeys } from './keys.js';
import { Model } from './model.js';
import type { PageActions, ViewContext } from './model.js';
import type { MenuRequest } from './menu-request.js';
import { plainText } from './names.js';
import { PageCommands } from './page-commands.js';
import { ContextMenu } from './panes/context-menu.js';
import { DetailsPane } from './panes/details-pane.js';
import { HelpDialog } from './panes/help-dialog.js';
import { LockWaitsBar } from './panes/lock-waits.js';
import { Toolbar } from './panes/toolbar.js';
import { TrustLine } from './panes/trust-line.js';
import { PendingReveals } from './pending-reveals.js';
import { rehearse } from './rehearse.js';
import { SearchHandler } from './search/search-handler.js';
import { exportedState } from './store.js';
import type { WaitKey, Store, ViewState } from './store.js';
import { text } from './texts.js';
import { describeCall } from './timeline/accessible-mirror.js';
import { hueVariables, readPalette } from './timeline/palette.js';
import { TimelineView } from './timeline/timeline-view.js';
import { createViews } from './views/create.js';
import { ViewHistory } from './view-history.js';
import type { FigureView } from './views/view.js';
import type {
  Answers,
  BaselineInfo,
  LineWanted,
  Query,
  Rest,
  Scope,
  Snapshot,
  Weight,
  SchedulingColumns,
} from './worker/messages.js';

/** What is kept is written at most this often: a drag changes it every frame. */
const keepMs = 250;

/** Recordings whose lengths differ by less are as long as each other: what a person stops by hand is never exactly so. */
const alikeLength = 0.9;

export class PageShell implements EngineListener, PageActions {
  readonly root = element('main', { class: 'page' });
  readonly #host: Host;
  readonly #store: Store;
  readonly #model = new Model();
  readonly #context: ViewContext;
  readonly #history: ViewHistory;
  readonly #timeline: TimelineView;
  readonly #stage: HTMLElement;
  readonly #views: readonly FigureView[];
  readonly #toolbar: Toolbar;
  readonly #commands: PageCommands;
  readonly #reveals: PendingReveals;
  readonly #menu: ContextMenu;
  readonly #notice = element('div', { class: 'notice', role: 'status' });
  readonly #banner = element('div', { class: 'banner', role: 'alert' });
  readonly #live = element('div', { class: 'sr-only announcement', 'aria-live': 'polite' });
  readonly #engine: EngineClient;
  #name = '';
  #settings: PageSettings = { myPackages: [], texts: {} };
  /** Weight that the recording's question led to; undefined: a person chose, now or before a reload. */
  #askedWeight: Weight | undefined;
  #keepTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, store: Store, engine: EngineClient) {
    this.#engine = engine;
    this.#host = host;
    this.#store = store;
    this.#askedWeight = host.keptState === undefined ? store.state.weight : undefined;
    this.#context = { store, model: this.#model, actions: this };
    const context = this.#context;
    this.#history = new ViewHistory(store, host.keptState);
    new SearchHandler(context, (found, isBad) => this.#toolbar.showFound(found, isBad));
    this.#timeline = new TimelineView(context);
    this.#views = createViews(context);
    const help = new HelpDialog();
    this.#toolbar = new Toolbar(
      context,
      this.#history,
      {
        run: (command) => this.#commands.run(command),
        nextMatch: (step) => this.#commands.nextMatch(step),
        showHelp: () => help.open(),
        exportHtml: () => this.#exportHtml(),
      },
      host.canOpenSource,
    );
    this.#commands = new PageCommands(context, this.#history, this.#timeline, this.#toolbar, help);
    this.#reveals = new PendingReveals(context, this.#commands);
    this.#menu = new ContextMenu(context, this.#commands);
    const details = new DetailsPane(context, this.#commands);
    const trust = new TrustLine(context);
    const locks = new LockWaitsBar(context, (wait) => this.#commands.goToWait(wait));
    this.#stage = element(
      'div',
      { class: 'stage' },
      this.#timeline.root,
      ...this.#views.map((view) => view.root),
    );
    this.root.append(
      this.#toolbar.root,
      trust.root,
      locks.root,
      this.#banner,
      element('div', { class: 'middle' }, this.#stage, details.root),
      this.#notice,
      this.#live,
      help.root,
      this.#menu.root,
    );
    // VS Code's own menu has nothing for a view: Cut, Copy and Paste stay with fields and with what can be marked as text.
    this.#stage.addEventListener('contextmenu', (event) => {
      if (!isField(event)) event.preventDefault();
    });
    this.#banner.hidden = true;
    this.#timeline.root.id = 'view-timeline';
    this.#timeline.root.setAttribute('role', 'tabpanel');
    for (const view of this.#views) {
      view.root.id = `view-${view.name}`;
      view.root.setAttribute('role', 'tabpanel');
    }
    this.#dress();
    this.#showView(store.state);
    this.#say(text('open.waiting'));
    listenForKeys(document, store, this.#commands);
    store.onChange((state, changed) => {
      if (changed.has('view')) this.#showView(state);
      if (changed.has('selection')) this.#announceSelection();
      if (changed.has('myCode')) this.#sendMyCode();
      if (changed.has('namesAsRecorded')) this.#tellNames();
      this.#keepSoon();
    });
    // What was done last before a reload is kept, too.
    addEventListener('pagehide', () => {
      if (this.#keepTimer !== undefined) this.#keep();
    });
  }

  /** What concerns the engine has gone there before. */
  take(message: HostMessage): void {
    switch (message.type) {
      case 'open':
        this.#name = plainText(message.name);
        this.#use(message.settings);
        return;
      case 'bytes':
      case 'codeNames':
      case 'baselineCodeNames':
      case 'end':
      case 'baselineBytes':
      case 'baselineEnd':
        return;
      case 'baseline':
        // After a reload it is the one from before.
        if (this.#model.baseline !== undefined) this.#store.set({ comparePath: [] });
        this.#model.baseline = { name: message.name, info: undefined, problem: '' };
        return;
      case 'noBaseline': {
        const { name, why } = message;
        this.#model.baseline = why === '' ? undefined : { name, info: undefined, problem: why };
        if (why !== '') this.#host.post({ type: 'compared', problem: why });
        return;
      }
      case 'retraceMapping':
        this.#model.mapping = message;
        return;
      case 'settings':
        this.#use(message.settings);
        this.#sendMyCode();
        this.#tellNames();
        return;
      case 'changedSources':
        this.#model.takeChangedSources(message.files);
        return;
      case 'problem':
        this.#warn(message.message);
        // Nothing is to come.
        if (this.#model.snapshot === undefined) this.#sayAlone('');
        return;
      case 'reveal':
        this.#reveals.method(message.key);
        return;
      case 'revealStretch':
        this.#reveals.stretch(message);
        return;
      case 'command':
        this.#runHostCommand(message.command);
        return;
    }
  }

  #use(settings: PageSettings): void {
    this.#settings = settings;
    useKeys(settings.keys ?? {});
    this.#model.use(settings);
  }

  #runHostCommand(command: PageCommand): void {
    if (command === 'exportHtml') this.#exportHtml();
    else this.#commands.run(command);
  }

  #exportHtml(): void {
    // With what is shown now, not a quarter of a second ago.
    this.#keep();
    this.#host.post({ type: 'exportHtml' });
  }

  #sendMyCode(): void {
    this.#engine.send({
      type: 'myCode',
      myPackages: this.#settings.myPackages,
      hideLibraries: this.#store.state.myCode,
    });
  }

  #tellNames(): void {
    this.#engine.send({
      type: 'naming',
      mapping: this.#settings.mapping,
      asRecorded: this.#store.state.namesAsRecorded,
    });
  }

  snapshot(snapshot: Snapshot): void {
    const before = this.#model.snapshot;
    const isFirst = before === undefined;
    // Other names, other numbers of methods, other calls.
    if (!isFirst && before.isRetraced !== snapshot.isRetraced) {
      this.#store.set({ selection: undefined, flamePath: [], comparePath: [], openRows: {} });
      this.#history.clear();
    }
    this.#followQuestion(snapshot);
    this.#model.take(snapshot);
    this.#stage.classList.remove('is-bare');
    // The first sample of a thread tells of no time.
    const isIdle = snapshot.threads.every((thread) => thread.wallNs === 0);
    const isEmpty = isIdle && (snapshot.threads.length > 0 || snapshot.counters.length === 0);
    this.#say(isEmpty ? text(snapshot.live ? 'open.empty' : 'open.nothing') : '');
    if (isFirst && this.#store.state.scrollTop > 0) this.#timeline.restoreScroll();
    if (snapshot.problems.length > 0) {
      const [first] = snapshot.problems;
      this.#warn(
        text('open.problems', {
          count: snapshot.problems.length,
          first: plainText(first?.what ?? '').replace(/\.$/, ''),
        }),
      );
    }
    this.#reveals.show();
    // Not in the next frame: that may be a whole one away.
    this.#timeline.draw();
    if (snapshot.live) return;
    const samples = snapshot.threads.reduce((sum, thread) => sum + thread.sampleCount, 0);
    this.#host.post({
      type: 'opened',
      threads: snapshot.threads.length,
      samples,
      problems: snapshot.problems.length,
    });
  }

  /** Figures begin with what the recording is asked first, until a person chooses. */
  #followQuestion({ question }: Snapshot): void {
    if (this.#askedWeight === undefined) return;
    if (this.#store.state.weight !== this.#askedWeight) {
      this.#askedWeight = undefined;
      return;
    }
    const weight = question === 'cpu' ? 'cpu' : 'wall';
    this.#askedWeight = weight;
    this.#history.withoutStep(() => this.#store.set({ weight }));
  }

  rehearse(snapshot: Snapshot): void {
    // Once something is being opened there is no time for it.
    if (this.#name === '') rehearse(this.#stage, snapshot);
  }

  rest(rest: Rest): void {
    this.#model.takeRest(rest);
    this.#reveals.show();
  }

  scheduling(scheduling: SchedulingColumns, problems: readonly Problem[]): void {
    this.#model.takeScheduling(scheduling, problems);
  }

  wantRetraceMapping(wanted: WantedRetraceMapping): void {
    this.#host.post({ type: 'wantRetraceMapping', ...wanted });
  }

  progress(bytes: number, totalBytes: number): void {
    if (totalBytes <= 0 || this.#model.snapshot !== undefined) return;
    this.#say(
      text('open.reading', { name: this.#name, share: formatShare(Math.min(1, bytes / totalBytes)) }),
    );
  }

  baseline(info: BaselineInfo | undefined, problem: string): void {
    const known = this.#model.baseline;
    if (known === undefined || (info === undefined && problem === '')) return;
    if (info !== undefined) this.#chooseLengths(known.name, info);
    this.#model.baseline = { ...known, info, problem };
    this.#host.post({ type: 'compared', problem });
  }

  /** Recordings of other lengths differ in every row, which says nothing: they are scaled until a person chooses otherwise. */
  #chooseLengths(name: string, { lengthNs }: BaselineInfo): void {
    const { comparing, comparedWith } = this.#store.state;
    if (comparedWith === name) return;
    const { beginNs, endNs } = this.#model.bounds;
    const [shorter, longer] = [lengthNs, endNs - beginNs].sort((one, other) => one - other) as [
      number,
      number,
    ];
    const others = comparing.filter((one) => one !== 'scaled');
    const chosen = shorter < longer * alikeLength ? ['scaled', ...others] : others;
    this.#history.withoutStep(() => this.#store.set({ comparing: chosen, comparedWith: name }));
  }

  notTrace(what: string): void {
    this.#sayAlone(text('open.notTrace', { what: plainText(what) }));
    this.#host.post({ type: 'notTrace', what });
  }

  failed(message: string): void {
    this.#sayAlone(text('open.failed', { what: plainText(message) }));
    this.#host.post({ type: 'failed', message });
  }

  themeChanged(): void {
    this.#dress();
    this.#timeline.themeChanged();
  }

  /** The chart's hues for everything that is not the canvas. */
  #dress(): void {
    for (const [name, value] of hueVariables(readPalette(document.documentElement))) {
      this.root.style.setProperty(name, value);
    }
  }

  showPart(parts: readonly number[]): void {
    // Places in time, calls and methods are those of another part.
    const places = { viewport: undefined, range: undefined, selection: undefined };
    const anew = { ...places, flamePath: [], comparePath: [], openRows: {} };
    this.#store.set({ parts, ...anew });
    this.#history.clear();
    this.#model.clear();
    this.#stage.classList.remove('is-bare');
    this.#say(text('open.waiting'));
    this.#host.post({ type: 'ready' });
  }

  get canOpenSource(): boolean {
    return this.#host.canOpenSource;
  }

  openSource(method: number, how: SourceOpening, moment?: LineWanted['moment']): void {
    if (!this.canOpenSource || method < 0) return;
    if (how === 'peek' && this.#settings.clickSelectsOnly === true) return;
    const isRecorded = this.#model.snapshot?.isRetraced !== true;
    const wanted = { scope: this.#scopeOfLine(method), ...(moment && { moment }) };
    this.ask({ kind: 'source', method, ...wanted }).then(
      ({ at: line, ...key }) => this.#host.post({ type: 'openSource', key, how, line, isRecorded }),
      (error: unknown) => this.#warn(String(error)),
    );
  }

  /** The selected call, if it is one of the method; else what all figures are of. */
  #scopeOfLine(method: number): Scope {
    const { state } = this.#store;
    const call = state.selection?.kind === 'call' ? this.#model.call(state.selection) : undefined;
    const { chart, index } = call?.thread ?? {};
    if (call === undefined || chart === undefined || index === undefined || chart.method[call.row] !== method)
      return this.#model.scope(state);
    return { threads: [index], beginNs: chart.begin[call.row] ?? 0, endNs: chart.end[call.row] ?? 0 };
  }

  copy(copied: string): void {
    this.#host.post({ type: 'copy', text: copied });
    this.announce(text('details.copied'));
  }

  announce(message: string): void {
    this.#live.textContent = message;
  }

  ask<Q extends Query>(query: Q): Promise<Answers[Q['kind']]> {
    return this.#engine.ask(query);
  }

  compareWith(another: boolean): void {
    this.#host.post({ type: 'compareWith', another });
  }

  showCallers(method: number): void {
    if (method >= 0) this.#store.set({ selection: { kind: 'method', method }, view: 'callers' });
  }

  showMenu(request: MenuRequest): void {
    this.#menu.open(request);
  }

  showWait(key: WaitKey): void {
    this.#commands.goToWait(key);
  }

  showMoment(thread: number, timeNs: number): void {
    this.#commands.goTo(thread, timeNs);
  }

  focusView(): void {
    const { view } = this.#store.state;
    if (view === 'timeline') this.#timeline.chart.focus();
    else this.#views.find((one) => one.name === view)?.focus();
  }

  #showView(state: ViewState): void {
    this.#timeline.root.hidden = state.view !== 'timeline';
    for (const view of this.#views) view.root.hidden = view.name !== state.view;
  }

  #announceSelection(): void {
    const { selection } = this.#store.state;
    const call = selection?.kind === 'call' ? this.#model.call(selection) : undefined;
    if (call === undefined) return;
    const said = describeCall(this.#context, call.thread.index, call.row);
    const isCollapsed = this.#timeline.navigation.isCollapsed(call.thread.index);
    this.announce(
      isCollapsed ? text('joined.parts', { one: said, other: text('thread.isCollapsed') }) : said,
    );
  }

  #say(notice: string): void {
    this.#notice.textContent = notice;
    this.#notice.hidden = notice === '';
  }

  /** Where there is nothing else to show: canvases that were never drawn are black. */
  #sayAlone(notice: string): void {
    this.#say(notice);
    if (this.#model.snapshot === undefined) this.#stage.classList.add('is-bare');
  }

  #warn(message: string): void {
    this.#banner.textContent = message;
    this.#banner.hidden = message === '';
  }

  #keepSoon(): void {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = setTimeout(() => this.#keep(), keepMs);
  }

  #keep(): void {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    const { state } = this.#store;
    this.#host.keepState({ ...state, ...this.#history.kept });
    // Without the way back: an exported page begins anew.
    this.#host.post({ type: 'kept', state: JSON.stringify(exportedState(state)) });
  }
}

function isField(event: Event): boolean {
  const [inner] = event.composedPath();
  return inner instanceof HTMLInputElement || inner instanceof HTMLTextAreaElement;
}
