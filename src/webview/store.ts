/** What the person has chosen to see: one object, changed only here, kept across reloads by the host. */
import { pageViews } from '../protocol/messages.js';
import type { PageView } from '../protocol/messages.js';
import { allWeights } from '../trace/measure/weights.js';
import type { Span } from './geometry/time-scale.js';
import type { Weight } from './worker/messages.js';

/** A call, found again after the columns were made anew: by its thread, depth and begin. */
export interface CallKey {
  readonly kind: 'call';
  readonly thread: number;
  readonly depth: number;
  readonly beginNs: number;
}

/** A blocking sample of a thread. */
export interface WaitKey {
  readonly kind: 'wait';
  readonly thread: number;
  readonly beginNs: number;
}

/** A method, wherever it was called. */
export interface MethodKey {
  readonly kind: 'method';
  readonly method: number;
}

export type Selection = CallKey | WaitKey | MethodKey;

export interface SearchState {
  readonly text: string;
  readonly regex: boolean;
}

export interface ViewState {
  readonly view: PageView;
  /** Where in the file the part that is shown begins, last, after those before it; empty: at the beginning. */
  readonly parts: readonly number[];
  /** undefined: all of it, also as it grows. */
  readonly viewport: Span | undefined;
  readonly scrollTop: number;
  readonly selection: Selection | undefined;
  /** The stretch that scopes every figure; undefined: all. */
  readonly range: Span | undefined;
  readonly hidden: readonly number[];
  /** Words that the names of the threads in sight have; empty: all. */
  readonly threadFilter: string;
  /** Threads that rested all the time are left out of chart and figures, unless this is true. */
  readonly idleShown: boolean;
  readonly pinned: readonly number[];
  /** Threads collapsed or expanded against the default. */
  readonly collapsed: readonly number[];
  readonly expanded: readonly number[];
  readonly countersExpanded: boolean;
  readonly coresExpanded: boolean;
  /** Figures of this thread only; undefined: of all that are shown. */
  readonly soloThread: number | undefined;
  readonly weight: Weight;
  /** Of the program, for the weight `counted`; empty: none is chosen. */
  readonly counter: string;
  readonly search: SearchState;
  readonly myCode: boolean;
  /** Names as the recording has them, where a mapping could give the ones that were written. */
  readonly namesAsRecorded: boolean;
  readonly sort: { readonly column: string; readonly descending: boolean };
  readonly columns: readonly string[];
  /** How the recording is compared with another one: any of total, scaled, all, flame. */
  readonly comparing: readonly string[];
  /** The recording that `comparing` was last chosen for; empty: none yet. */
  readonly comparedWith: string;
  readonly detailsOpen: boolean;
  /** The trust line has all facts, not only those that change a conclusion. */
  readonly factsOpen: boolean;
  /** Methods from the root to the frame that the flame graph is zoomed to. */
  readonly flamePath: readonly number[];
  /** The same in the flame graph of what differs from another recording, by its numbers of methods of both. */
  readonly comparePath: readonly number[];
  /** Rows of the trees that are open, by the methods that lead there; absent: nobody has seen the tree yet. */
  readonly openRows: OpenRows;
}

export type OpenRows = Readonly<Partial<Record<'callTree' | 'bottomUp', readonly string[]>>>;

export const initialState: ViewState = {
  view: 'overview',
  parts: [],
  viewport: undefined,
  scrollTop: 0,
  selection: undefined,
  range: undefined,
  hidden: [],
  threadFilter: '',
  idleShown: false,
  pinned: [],
  collapsed: [],
  expanded: [],
  countersExpanded: false,
  coresExpanded: false,
  soloThread: undefined,
  weight: 'wall',
  counter: '',
  search: { text: '', regex: false },
  myCode: false,
  namesAsRecorded: false,
  sort: { column: 'self', descending: true },
  columns: [],
  comparing: [],
  comparedWith: '',
  detailsOpen: true,
  factsOpen: false,
  flamePath: [],
  comparePath: [],
  openRows: {},
};

export type Listener = (state: ViewState, changed: ReadonlySet<keyof ViewState>) => void;

export class Store {
  #state: ViewState;
  readonly #listeners = new Set<Listener>();

  constructor(restored?: Partial<ViewState>) {
    this.#state = { ...initialState, ...restored };
  }

  get state(): ViewState {
    return this.#state;
  }

  set(patch: Partial<ViewState>): void {
    const changed = new Set<keyof ViewState>();
    for (const key of Object.keys(patch) as (keyof ViewState)[]) {
      if (!Object.is(this.#state[key], patch[key])) changed.add(key);
    }
    if (changed.size === 0) return;
    this.#state = { ...this.#state, ...patch };
    for (const listener of [...this.#listeners]) listener(this.#state, changed);
  }

  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }
}

/** What an exported page begins with. It has one recording: nothing is left of what that was compared with. */
export function exportedState(state: ViewState): ViewState {
  const { comparing, comparedWith, comparePath } = initialState;
  const view = state.view === 'compare' ? initialState.view : state.view;
  return { ...state, view, comparing, comparedWith, comparePath };
}

/** What a host kept is data from outside: only fields of the right shape are taken. */
export function restoreState(kept: unknown): Partial<ViewState> {
  if (typeof kept !== 'object' || kept === null) return {};
  const from = kept as Record<string, unknown>;
  const restored: Record<string, unknown> = {};
  const take = (key: keyof ViewState, fits: (value: unknown) => boolean): void => {
    if (fits(from[key])) restored[key] = from[key];
  };
  take('view', (value) => pageViews.some((name) => name === value));
  take('viewport', isSpan);
  take('range', isSpan);
  take('scrollTop', (value) => typeof value === 'number' && value >= 0);
  take('selection', isSelection);
  for (const key of [
    'parts',
    'hidden',
    'pinned',
    'collapsed',
    'expanded',
    'flamePath',
    'comparePath',
  ] as const)
    take(key, isNumbers);
  take('threadFilter', (value) => typeof value === 'string');
  take('soloThread', (value) => typeof value === 'number');
  take('weight', (value) => typeof value === 'string' && allWeights.some((weight) => weight === value));
  take('counter', (value) => typeof value === 'string');
  take(
    'search',
    (value) => isRecord(value) && typeof value['text'] === 'string' && typeof value['regex'] === 'boolean',
  );
  take('idleShown', (value) => typeof value === 'boolean');
  take('countersExpanded', (value) => typeof value === 'boolean');
  take('coresExpanded', (value) => typeof value === 'boolean');
  take('myCode', (value) => typeof value === 'boolean');
  take('namesAsRecorded', (value) => typeof value === 'boolean');
  take('factsOpen', (value) => typeof value === 'boolean');
  take('detailsOpen', (value) => typeof value === 'boolean');
  take(
    'sort',
    (value) =>
      isRecord(value) && typeof value['column'] === 'string' && typeof value['descending'] === 'boolean',
  );
  take('openRows', (value) => isRecord(value) && Object.values(value).every(isStrings));
  take('columns', isStrings);
  take('comparing', isStrings);
  take('comparedWith', (value) => typeof value === 'string');
  return restored;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isSpan(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['beginNs'] === 'number' &&
    typeof value['endNs'] === 'number' &&
    value['beginNs'] < value['endNs']
  );
}

function isSelection(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['kind'] === 'method') return typeof value['method'] === 'number';
  if (typeof value['thread'] !== 'number' || typeof value['beginNs'] !== 'number') return false;
  return value['kind'] === 'wait' || (value['kind'] === 'call' && typeof value['depth'] === 'number');
}
