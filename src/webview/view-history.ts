/** The way back, as in a browser: what was shown before each change that a person made of it. */
import { initialState, restoreState } from './store.js';
import type { Store, ViewState } from './store.js';

/** All of them are kept with the state, which is written while a person drags. */
const mostSteps = 20;
/** A drag, the wheel, a key held down, a word being typed: changes of these that follow within this time are one step. */
const gestureMs = 500;
const gestureKeys: readonly (keyof ViewState)[] = ['viewport', 'range', 'search', 'threadFilter'];
/** No step by themselves; the first two come back with one, the others stay as they are. */
const notSteps: readonly (keyof ViewState)[] = [
  'selection',
  'scrollTop',
  'parts',
  'namesAsRecorded',
  'sort',
  'columns',
  'detailsOpen',
  'factsOpen',
  'openRows',
];

export class ViewHistory {
  readonly #store: Store;
  #back: ViewState[];
  #forward: ViewState[];
  #shown: ViewState;
  #last = { keys: '', atMs: -Infinity };
  /** One command may change several things, one after the other. */
  #isSameTask = false;
  #isMoving = false;

  constructor(store: Store, kept: unknown) {
    this.#store = store;
    this.#shown = store.state;
    this.#back = keptSteps(kept, 'back');
    this.#forward = keptSteps(kept, 'forward');
    store.onChange((state, changed) => this.#changed(state, changed));
  }

  get canGoBack(): boolean {
    return this.#back.length > 0;
  }

  get canGoForward(): boolean {
    return this.#forward.length > 0;
  }

  /** What a reload shall bring back. */
  get kept(): { readonly back: readonly ViewState[]; readonly forward: readonly ViewState[] } {
    return { back: this.#back.map(withoutRows), forward: this.#forward.map(withoutRows) };
  }

  /** What nobody chose is no step. */
  withoutStep(change: () => void): void {
    this.#isMoving = true;
    change();
    this.#isMoving = false;
  }

  back(): void {
    this.#move(this.#back, this.#forward);
  }

  forward(): void {
    this.#move(this.#forward, this.#back);
  }

  /** The calls, methods and times of the steps are not those of now. */
  clear(): void {
    this.#back = [];
    this.#forward = [];
  }

  #move(from: ViewState[], to: ViewState[]): void {
    const step = from.pop();
    if (step === undefined) return;
    const { state } = this.#store;
    to.push(state);
    this.#last = { keys: '', atMs: -Infinity };
    this.#isMoving = true;
    const { parts, namesAsRecorded, sort, columns, detailsOpen, factsOpen, openRows } = state;
    this.#store.set({ ...step, parts, namesAsRecorded, sort, columns, detailsOpen, factsOpen, openRows });
    this.#isMoving = false;
  }

  #changed(state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    const before = this.#shown;
    this.#shown = state;
    if (this.#isMoving) return;
    // Of callers and callees the selection is what is shown.
    const isWalk = state.view === 'callers' && state.selection !== undefined;
    const keys = [...changed].filter((key) => !notSteps.includes(key) || (key === 'selection' && isWalk));
    if (keys.length === 0) return;
    const now = { keys: keys.join(), atMs: performance.now() };
    const isGesture = keys.every((key) => gestureKeys.includes(key));
    const goesOn = isGesture && now.keys === this.#last.keys && now.atMs - this.#last.atMs < gestureMs;
    this.#last = now;
    if (goesOn || this.#isSameTask) return;
    this.#isSameTask = true;
    queueMicrotask(() => (this.#isSameTask = false));
    this.#back = [...this.#back, before].slice(-mostSteps);
    this.#forward = [];
  }
}

/** No step brings them back, and each would carry them. */
function withoutRows(step: ViewState): ViewState {
  return { ...step, openRows: {} };
}

/** What a host kept is data from outside. */
function keptSteps(kept: unknown, which: 'back' | 'forward'): ViewState[] {
  const steps: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, which) : undefined;
  if (!Array.isArray(steps)) return [];
  return steps.slice(-mostSteps).map((step) => ({ ...initialState, ...restoreState(step) }));
}
