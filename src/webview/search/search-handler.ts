/**
 * Runs the search for all views, and says how much of everything it found. Made before the views, so that it hears of a
 * change first and they draw what was found now.
 */
import { formatCount, formatShare } from '../../trace/measure/quantities.js';
import type { NameIndex } from '../names.js';
import type { ViewContext } from '../model.js';
import type { SearchState } from '../store.js';
import { text } from '../texts.js';
import { Latest } from '../views/latest.js';
import { scopeKeys } from '../views/view.js';
import { shareOf } from '../weights.js';
import { searchInTurns } from './method-search.js';
import type { Found } from './method-search.js';

export class SearchHandler {
  readonly #context: ViewContext;
  readonly #show: (found: string, isBad: boolean) => void;
  readonly #latest = new Latest();
  #done: { readonly names: NameIndex; readonly search: SearchState } | undefined;

  constructor(context: ViewContext, show: (found: string, isBad: boolean) => void) {
    this.#context = context;
    this.#show = show;
    context.model.onChange(() => this.#run());
    context.store.onChange((_state, changed) => {
      if (changed.has('search')) this.#run();
      else if (scopeKeys.some((key) => key !== 'myCode' && changed.has(key))) this.#askShare();
    });
  }

  #run(): void {
    const { store, model } = this.#context;
    const { search } = store.state;
    const { names } = model;
    if (this.#done?.names === names && this.#done.search === search) {
      this.#askShare();
      return;
    }
    this.#done = { names, search };
    const isWanted = (): boolean => this.#done?.names === names && this.#done.search === search;
    const isDone = searchInTurns(names, search, isWanted, (found, isLate) => {
      this.#take(found);
      if (isLate) model.changed();
    });
    if (isDone) return;
    // What was found before stays meanwhile, unless it was in another recording.
    if (model.snapshot === undefined) model.matches = undefined;
    this.#show(text('search.running'), false);
  }

  #take({ matches, count, problem }: Found): void {
    this.#context.model.matches = matches;
    if (problem !== undefined) this.#show(text(`search.${problem}`), true);
    else if (matches === undefined) this.#show('', false);
    else if (count === 0) this.#show(text('search.none'), true);
    else this.#askShare(count);
  }

  #askShare(known?: number): void {
    const { store, model, actions } = this.#context;
    const { matches } = model;
    const count = known ?? matches?.reduce((sum, one) => sum + one, 0) ?? 0;
    if (matches === undefined || count === 0) return;
    const { weight } = store.state;
    this.#latest.take(
      actions.ask({ kind: 'matched', scope: model.scope(store.state), weight, methods: matches }),
      ({ total, sum }) => {
        if (model.matches !== matches) return;
        this.#show(
          text('search.found', { count: formatCount(count), share: formatShare(shareOf(total, sum)) }),
          false,
        );
      },
      () => this.#show(text('search.found', { count: formatCount(count), share: '–' }), false),
    );
  }
}
