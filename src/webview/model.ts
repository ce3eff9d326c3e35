/** What the page knows of the recording: the last snapshot and what was made of it. Views read it and listen. */
import { isCarrier } from '../trace/measure/virtual-threads.js';
import type { RetraceExcerpt, PageSettings, SourceOpening } from '../protocol/messages.js';
import type { Span } from './geometry/time-scale.js';
import type { MenuRequest } from './menu-request.js';
import { NameIndex, plainText, shownThreadName } from './names.js';
import type { WaitKey, CallKey, Selection, Store, ViewState } from './store.js';
import { steadily, threadsInSight } from './thread-order.js';
import { callRow } from './timeline/call-walk.js';
import type { Problem } from '../trace/model/trace.js';
import type {
  Answers,
  BaselineInfo,
  LineWanted,
  NameColumns,
  Query,
  Rest,
  Scope,
  Snapshot,
  ThreadSnapshot,
  SchedulingColumns,
} from './worker/messages.js';

const noNames: NameColumns = {
  count: 0,
  classNames: [],
  classOf: new Uint32Array(0),
  names: [],
  written: new Map(),
};

/** An empty list would be all of them. */
const noThread = -1;

/** The recording that this one is compared with; without `info` it is being read, or `problem` says why it cannot be. */
export interface ModelBaseline {
  readonly name: string;
  readonly info: BaselineInfo | undefined;
  readonly problem: string;
}

export class Model {
  #snapshot: Snapshot | undefined;
  #scheduling: SchedulingColumns | undefined;
  #threads: readonly ThreadSnapshot[] = [];
  #columns = noNames;
  #myPackages: readonly string[] = [];
  #changedSources: readonly string[] = [];
  /** What the host said of a mapping. */
  mapping: Pick<RetraceExcerpt, 'file' | 'isOther'> = { file: '' };
  names = new NameIndex(noNames, []);
  /** 1 for methods the search found; undefined while nothing is searched. */
  matches: Uint8Array | undefined;
  readonly #listeners: (() => void)[] = [];
  readonly #baselineListeners: (() => void)[] = [];
  #baseline: ModelBaseline | undefined;

  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** What the kernel's scheduler did; undefined where it was not recorded, and while its columns are still to come. */
  get scheduling(): SchedulingColumns | undefined {
    return this.#scheduling;
  }

  /** Of a thread that ran on a core, of whichever program. */
  taskName(tid: number): string {
    const own = this.#threads.find((thread) => thread.tid === tid);
    if (own !== undefined) return shownThreadName(own);
    const name = plainText(this.#scheduling?.otherNames.get(tid) ?? '');
    return name === '' ? `#${tid}` : name;
  }

  takeScheduling(scheduling: SchedulingColumns, problems: readonly Problem[]): void {
    this.#scheduling = scheduling;
    if (this.#snapshot !== undefined) this.#snapshot = { ...this.#snapshot, problems };
    this.changed();
  }

  /** In the order that they are shown in. */
  get threads(): readonly ThreadSnapshot[] {
    return this.#threads;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get baseline(): ModelBaseline | undefined {
    return this.#baseline;
  }

  set baseline(baseline: ModelBaseline | undefined) {
    this.#baseline = baseline;
    for (const listener of this.#baselineListeners) listener();
  }

  onBaseline(listener: () => void): void {
    this.#baselineListeners.push(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Another part of the recording is to come: the memory of this one is given back. */
  clear(): void {
    this.#snapshot = undefined;
    this.#scheduling = undefined;
    this.#threads = [];
    this.#takeNames(noNames);
  }

  take(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const before = snapshot.live ? this.#threads.map(({ index }) => index) : [];
    this.#threads = steadily(snapshot.threads, before);
    this.#takeNames(snapshot.names);
  }

  /** What the first snapshot of a large recording left out. */
  takeRest({ names, threads: drawn }: Rest): void {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return;
    const threads = snapshot.threads.map((thread) => ({ ...thread, ...drawn.get(thread.index) }));
    this.take({ ...snapshot, toCome: undefined, names, threads });
  }

  #takeNames(names: NameColumns): void {
    this.#columns = names;
    this.names = new NameIndex(names, this.#myPackages);
    this.changed();
  }

  use(settings: PageSettings): void {
    this.#myPackages = settings.myPackages;
    this.names = new NameIndex(this.#columns, this.#myPackages);
    this.changed();
  }

  /** Prefixes of the workspace's packages. */
  get myPackages(): readonly string[] {
    return this.#myPackages;
  }

  /** Sources that are no longer as they were recorded. */
  get changedSources(): readonly string[] {
    return this.#changedSources;
  }

  takeChangedSources(files: readonly string[]): void {
    this.#changedSources = files;
    this.changed();
  }

  /** Then messages are virtual threads. */
  get hasVirtualThreads(): boolean {
    return this.#snapshot?.threads.some(isCarrier) ?? false;
  }

  thread(index: number): ThreadSnapshot | undefined {
    return this.#snapshot?.threads.find((thread) => thread.index === index);
  }

  /** From where times are counted: the first that was seen; of a part, where its recording begins, as the trust line does. */
  get originNs(): number {
    return this.#snapshot?.part === undefined ? this.bounds.beginNs : 0;
  }

  /** All that is shown of the recording. */
  get bounds(): Span {
    const snapshot = this.#snapshot;
    if (snapshot === undefined || snapshot.endNs <= snapshot.beginNs) return { beginNs: 0, endNs: 1 };
    return { beginNs: snapshot.beginNs, endNs: snapshot.endNs };
  }

  viewport(state: ViewState): Span {
    return state.viewport ?? this.bounds;
  }

  /** What figures are about: the range, and the threads that are shown or the one that was chosen. */
  scope(state: ViewState): Scope {
    const { beginNs, endNs } = state.range ?? this.bounds;
    const { soloThread, weight, counter } = state;
    const part = { beginNs, endNs, ...(weight === 'counted' && { counter }) };
    if (soloThread !== undefined && this.thread(soloThread) !== undefined) {
      return { threads: [soloThread], ...part };
    }
    const all = this.#snapshot?.threads ?? [];
    const shown = threadsInSight(all, state);
    if (shown.length === all.length) return { threads: [], ...part };
    return { threads: shown.length === 0 ? [noThread] : shown.map(({ index }) => index), ...part };
  }

  /** The selected call's place in the columns of now. */
  call(key: CallKey): { readonly thread: ThreadSnapshot; readonly row: number } | undefined {
    const thread = this.thread(key.thread);
    if (thread === undefined) return undefined;
    const row = callRow(thread.chart, key.depth, key.beginNs);
    return row < 0 ? undefined : { thread, row };
  }

  methodOf(selection: Selection | undefined): number | undefined {
    if (selection === undefined || selection.kind === 'wait') return undefined;
    if (selection.kind === 'method') return selection.method;
    const call = this.call(selection);
    return call?.thread.chart.method[call.row];
  }
}

/** What every view is given. */
export interface ViewContext {
  readonly store: Store;
  readonly model: Model;
  readonly actions: PageActions;
}

/** What views ask the page to do. */
export interface PageActions {
  /** `moment`: where the thread stood then; without it, the hottest line of the selected call or of what is in scope. */
  openSource(method: number, how: SourceOpening, moment?: LineWanted['moment']): void;
  copy(text: string): void;
  announce(message: string): void;
  ask<Q extends Query>(query: Q): Promise<Answers[Q['kind']]>;
  showCallers(method: number): void;
  showMenu(request: MenuRequest): void;
  /** Goes to a wait, or to a moment of a thread, in the timeline. */
  showWait(key: WaitKey): void;
  showMoment(thread: number, timeNs: number): void;
  /** Asks for another recording to compare this one with, or (false) for none. */
  compareWith(another: boolean): void;
  /** Shows the part of the recording that begins at the last of these places in the file. */
  showPart(parts: readonly number[]): void;
  /** Moves the keyboard to the view that is shown. */
  focusView(): void;
  /** False where nobody could open one. */
  readonly canOpenSource: boolean;
}
