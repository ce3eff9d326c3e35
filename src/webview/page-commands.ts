/** What keys, buttons and the host can make the page do. */
import type { PageView, ThreadStretch } from '../protocol/messages.js';
import type { Commands } from './key-handler.js';
import type { CommandId } from './keys.js';
import type { ViewContext } from './model.js';
import type { DetailsActions } from './panes/details-pane.js';
import type { HelpDialog } from './panes/help-dialog.js';
import type { Toolbar } from './panes/toolbar.js';
import { searchedLetters } from './search/method-search.js';
import { nextMatch } from './search/next-match.js';
import type { WaitKey } from './store.js';
import type { ViewHistory } from './view-history.js';
import { waitRow } from './timeline/wait-rows.js';
import { toggleCollapsed, toggleHidden, togglePinned } from './timeline/thread-actions.js';
import type { TimelineView } from './timeline/timeline-view.js';
import { shownThreads } from './timeline/track-layout.js';
import { isHeld, isOpenWait } from './timeline/waits.js';
import type { WaitColumns } from './worker/messages.js';

export class PageCommands implements Commands, DetailsActions {
  readonly #context: ViewContext;
  readonly #timeline: TimelineView;
  readonly #toolbar: Toolbar;
  readonly #help: HelpDialog;
  readonly #history: ViewHistory;

  constructor(
    context: ViewContext,
    history: ViewHistory,
    timeline: TimelineView,
    toolbar: Toolbar,
    help: HelpDialog,
  ) {
    this.#context = context;
    this.#history = history;
    this.#timeline = timeline;
    this.#toolbar = toolbar;
    this.#help = help;
  }

  isOnChart(focused: Element | null): boolean {
    return focused === this.#timeline.chart || focused === document.body;
  }

  run(command: CommandId): void {
    const { navigation } = this.#timeline;
    const { store } = this.#context;
    switch (command) {
      case 'zoomIn':
        navigation.zoom(1);
        return;
      case 'zoomOut':
        navigation.zoom(-1);
        return;
      case 'panLeft':
        navigation.pan(-1);
        return;
      case 'panRight':
        navigation.pan(1);
        return;
      case 'zoomAll':
        navigation.zoomAll();
        return;
      case 'focus':
        navigation.focus();
        return;
      case 'caller':
      case 'callee':
      case 'before':
      case 'after':
        navigation.walk(command);
        return;
      case 'range':
        this.#selectionToRange();
        return;
      case 'measure':
        this.#timeline.setMeasuring(!this.#timeline.isMeasuring);
        return;
      case 'waker':
        this.#followLink();
        return;
      case 'collapse':
      case 'pin':
      case 'hide':
      case 'solo':
        this.#changeThread(command);
        return;
      case 'openSource':
      case 'openSourceInPlace':
      case 'copyName':
        this.#onMethod(command);
        return;
      case 'menu':
        this.#timeline.openMenu();
        return;
      case 'back':
      case 'forward':
        this.#history[command]();
        this.#timeline.restoreScroll();
        // Who pressed the button may press it again.
        if (!this.#toolbar.root.contains(document.activeElement)) this.#context.actions.focusView();
        return;
      case 'find':
        this.#toolbar.focusSearch();
        return;
      case 'nextMatch':
        this.nextMatch(1);
        return;
      case 'previousMatch':
        this.nextMatch(-1);
        return;
      case 'details':
        store.set({ detailsOpen: !store.state.detailsOpen });
        return;
      case 'help':
        this.#help.open();
        return;
      case 'escape':
        this.#escape();
        return;
      default:
        store.set({ view: command });
        this.#context.actions.focusView();
    }
  }

  #onMethod(command: 'openSource' | 'openSourceInPlace' | 'copyName'): void {
    const { model, store, actions } = this.#context;
    const method = model.methodOf(store.state.selection);
    if (method === undefined) return;
    if (command === 'copyName') actions.copy(model.names.qualified(method));
    else actions.openSource(method, command === 'openSourceInPlace' ? 'replace' : 'go');
  }

  /** In layers: what lies on top goes first. */
  #escape(): void {
    const { store } = this.#context;
    const { selection, search, range, view } = store.state;
    const isMeasured = this.#timeline.isMeasuring || this.#timeline.overlay.measured !== undefined;
    if (isMeasured && view === 'timeline') {
      this.#timeline.setMeasuring(false);
      this.#timeline.overlay.measured = undefined;
      this.#timeline.requestDraw();
    } else if (selection !== undefined) store.set({ selection: undefined });
    else if (search.text !== '') store.set({ search: { ...search, text: '' } });
    else if (range !== undefined) store.set({ range: undefined });
  }

  #selectionToRange(): void {
    const { store, model } = this.#context;
    const { selection } = store.state;
    if (selection?.kind === 'call') {
      const call = model.call(selection);
      const endNs = call?.thread.chart.end[call.row];
      if (endNs !== undefined && endNs > selection.beginNs) {
        store.set({ range: { beginNs: selection.beginNs, endNs } });
      }
      return;
    }
    // Without a call, what is in sight.
    store.set({ range: store.state.viewport });
  }

  #selectedThread(): number | undefined {
    const { selection } = this.#context.store.state;
    return selection === undefined || selection.kind === 'method' ? undefined : selection.thread;
  }

  #changeThread(command: 'collapse' | 'pin' | 'hide' | 'solo'): void {
    const { store } = this.#context;
    const index = this.#selectedThread();
    if (command === 'solo') {
      store.set({ soloThread: store.state.soloThread === undefined ? index : undefined });
      return;
    }
    if (index === undefined) return;
    if (command === 'pin') togglePinned(store, index);
    else if (command === 'hide') toggleHidden(store, index);
    else {
      const place = this.#timeline.layout.places.find(
        (one) => one.kind === 'thread' && one.thread.index === index,
      );
      if (place?.kind === 'thread') toggleCollapsed(store, place);
    }
  }

  #followLink(): void {
    const { store, model } = this.#context;
    const { selection } = store.state;
    const links = model.snapshot?.links;
    if (selection?.kind !== 'wait' || links === undefined) return;
    const waits = model.thread(selection.thread)?.waits;
    const row = waits === undefined ? -1 : waitRow(waits, selection.beginNs);
    if (waits === undefined || row < 0) return;
    const link = waits.link[row] ?? -1;
    if (link >= 0) this.goTo(links.waker[link] ?? 0, links.wakerTime[link] ?? 0);
    else if (isHeld(waits, row)) this.goToOwner(waits, row);
  }

  /** What who has the lock does at that time: its own wait, where that has not ended either. */
  goToOwner(waits: WaitColumns, row: number): void {
    const owner = waits.owner[row] ?? 0;
    const own = this.#context.model.thread(owner)?.waits;
    if (own === undefined) return;
    const last = own.count - 1;
    if (!isOpenWait(waits, row)) this.goTo(owner, waits.begin[row] ?? 0);
    else if (isOpenWait(own, last))
      this.goToWait({ kind: 'wait', thread: owner, beginNs: own.begin[last] ?? 0 });
    else this.goTo(owner, waits.end[row] ?? 0);
  }

  goToWait(key: WaitKey): void {
    this.#context.store.set({ view: 'timeline' });
    this.#timeline.navigation.selectWait(key);
    this.#timeline.chart.focus();
  }

  goTo(thread: number, timeNs: number): void {
    this.#context.store.set({ view: 'timeline' });
    this.#timeline.navigation.goTo(thread, timeNs);
    this.#timeline.chart.focus();
  }

  /** The range is the stretch, as if it was asked why it took its time; the timeline shows a little more than it. */
  showStretch({ thread, beginNs, endNs }: ThreadStretch): void {
    const { store, model } = this.#context;
    const { bounds } = model;
    const range = { beginNs: Math.max(beginNs, bounds.beginNs), endNs: Math.min(endNs, bounds.endNs) };
    if (range.endNs <= range.beginNs) return;
    const beside = (range.endNs - range.beginNs) / 8;
    const viewport = {
      beginNs: Math.max(range.beginNs - beside, bounds.beginNs),
      endNs: Math.min(range.endNs + beside, bounds.endNs),
    };
    store.set({ range, viewport, soloThread: thread });
    this.goTo(thread, (range.beginNs + range.endNs) / 2);
  }

  focusSelection(): void {
    this.#context.store.set({ view: 'timeline' });
    this.#timeline.navigation.focus();
  }

  showIn(view: PageView, method: number): void {
    const { store, actions } = this.#context;
    store.set({ selection: { kind: 'method', method }, view });
    if (view === 'timeline') this.#nextCall(method);
    else if (view === 'flameGraph') this.searchFor(method);
    actions.focusView();
  }

  reveal(method: number): void {
    this.#context.store.set({ selection: { kind: 'method', method } });
    this.searchFor(method);
    if (this.#context.store.state.view === 'timeline') this.#nextCall(method);
  }

  /** The flame graph has many frames of one method: the search shows them all. */
  searchFor(method: number): void {
    const { store, model } = this.#context;
    store.set({ search: { text: model.names.qualified(method).slice(0, searchedLetters), regex: false } });
  }

  #nextCall(method: number): void {
    const { model } = this.#context;
    const only = new Uint8Array(model.names.count);
    only[method] = 1;
    this.#goToNext(only, 1);
  }

  nextMatch(step: 1 | -1): void {
    const { store, model } = this.#context;
    if (model.matches === undefined) return;
    if (store.state.view !== 'timeline') store.set({ view: 'timeline' });
    this.#goToNext(model.matches, step);
  }

  #goToNext(matches: Uint8Array, step: 1 | -1): void {
    const { store, model } = this.#context;
    if (model.snapshot === undefined) return;
    const { selection } = store.state;
    const from = selection?.kind === 'call' ? selection : undefined;
    const found = nextMatch(shownThreads(model.threads, store.state), matches, from, step);
    if (found !== undefined) this.#timeline.navigation.select(found);
  }
}
