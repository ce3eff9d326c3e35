/** What the person has chosen to see: one object, changed only here, kept across reloads by the host. */
import { pageViews } from '../protocol/messages.js';
import type { PageView } from '../protocol/messages.js';
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
export interface BlockKey {
  readonly kind: 'block';
  readonly thread: number;
  readonly beginNs: number;
}

/** A method, wherever it was called. */
export interface MethodKey {
  readonly kind: 'method';
  readonly method: number;
}

export type Selection = CallKey | BlockKey | MethodKey;

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
  readonly pinned: readonly number[];
  /** Threads folded or unfolded against the default. */
  readonly folded: readonly number[];
  readonly unfolded: readonly number[];
  readonly countersUnfolded: boolean;
  /** Figures of this thread only; undefined: of all that are shown. */
  readonly soloThread: number | undefined;
  readonly weight: Weight;
  readonly search: SearchState;
  readonly onlyMine: boolean;
  /** Names as the recording has them, where a mapping could give the ones that were written. */
  readonly namesAsRecorded: boolean;
  readonly sort: { readonly column: string; readonly descending: boolean };
  readonly columns: readonly string[];
  /** How the recording is compared with another one: any of total, scaled, all, flame. */
  readonly comparing: readonly string[];
  readonly detailsOpen: boolean;
  /** Methods from the root to the frame that the flame graph is zoomed to. */
  readonly flamePath: readonly number[];
  /** The same in the flame graph of what differs from another recording, by its numbers of methods of both. */
  readonly comparePath: readonly number[];
  /** Rows of the trees that are open, by the methods that lead there; absent: nobody has seen the tree yet. */
  readonly openRows: OpenRows;
}

export type OpenRows = Readonly<Partial<Record<'callTree' | 'bottomUp', readonly string[]>>>;

export const initialState: ViewState = {
  view: 'timeline',
  parts: [],
  viewport: undefined,
  scrollTop: 0,
  selection: undefined,
  range: undefined,
  hidden: [],
  threadFilter: '',
  pinned: [],
  folded: [],
  unfolded: [],
  countersUnfolded: false,
  soloThread: undefined,
  weight: 'wall',
  search: { text: '', regex: false },
  onlyMine: false,
  namesAsRecorded: false,
  sort: { column: 'self', descending: true },
  columns: [],
  comparing: [],
  detailsOpen: true,
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
  for (const key of ['parts', 'hidden', 'pinned', 'folded', 'unfolded', 'flamePath', 'comparePath'] as const)
    take(key, isNumbers);
  take('threadFilter', (value) => typeof value === 'string');
  take('soloThread', (value) => typeof value === 'number');
  take(
    'weight',
    (value) =>
      typeof value === 'string' &&
      value in { wall: 1, cpu: 1, blocked: 1, allocations: 1, allocatedBytes: 1, faults: 1, switches: 1 },
  );
  take(
    'search',
    (value) => isRecord(value) && typeof value['text'] === 'string' && typeof value['regex'] === 'boolean',
  );
  take('countersUnfolded', (value) => typeof value === 'boolean');
  take('onlyMine', (value) => typeof value === 'boolean');
  take('namesAsRecorded', (value) => typeof value === 'boolean');
  take('detailsOpen', (value) => typeof value === 'boolean');
  take(
    'sort',
    (value) =>
      isRecord(value) && typeof value['column'] === 'string' && typeof value['descending'] === 'boolean',
  );
  take('openRows', (value) => isRecord(value) && Object.values(value).every(isStrings));
  take('columns', isStrings);
  take('comparing', isStrings);
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
  return value['kind'] === 'block' || (value['kind'] === 'call' && typeof value['depth'] === 'number');
}
