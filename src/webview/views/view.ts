/** What every view but the timeline has in common: it asks for figures when it is seen and they may have changed. */
import type { PageView } from '../../protocol/messages.js';
import { element } from '../element.js';
import type { ViewContext } from '../model.js';
import type { ViewState } from '../store.js';
import { text } from '../texts.js';
import { Latest } from './latest.js';

/** These change what figures are about. */
export const scopeKeys = [
  'range',
  'hidden',
  'threadFilter',
  'soloThread',
  'idleShown',
  'weight',
  'counter',
  'myCode',
] as const;

export abstract class FigureView {
  readonly root: HTMLElement;
  readonly name: PageView;
  protected readonly context: ViewContext;
  protected readonly latest = new Latest();
  readonly #note = element('p', { class: 'empty-note' });
  #isStale = true;

  constructor(context: ViewContext, name: PageView, askedFor: readonly (keyof ViewState)[] = scopeKeys) {
    this.context = context;
    this.name = name;
    this.root = element('section', { class: 'figure-view', 'aria-label': text(`view.${name}`) });
    this.#note.hidden = true;
    this.root.append(this.#note);
    context.store.onChange((state, changed) => {
      if (askedFor.some((key) => changed.has(key))) this.#isStale = true;
      if (state.view !== name) return;
      if (this.#isStale || changed.has('view')) this.refresh();
      else this.stateChanged(state, changed);
    });
    context.model.onChange(() => {
      this.#isStale = true;
      if (context.store.state.view === name) this.refresh();
    });
  }

  /** Asks again when something changed since the last answer, else only shows. */
  refresh(): void {
    if (this.context.model.snapshot === undefined) return;
    if (!this.#isStale) {
      this.shown();
      return;
    }
    this.#isStale = false;
    this.load();
  }

  protected invalidate(): void {
    this.#isStale = true;
    if (this.context.store.state.view === this.name) this.refresh();
  }

  protected say(what: string): void {
    this.#note.textContent = what;
    this.#note.hidden = what === '';
  }

  abstract focus(): void;
  protected abstract load(): void;
  /** The view came into sight with what it had. */
  protected shown(): void {
    this.stateChanged(this.context.store.state, new Set(['selection', 'search']));
  }
  protected abstract stateChanged(state: ViewState, changed: ReadonlySet<keyof ViewState>): void;
}
