/** The search in names that only the other recording has, of two that are compared. */
import type { SearchState } from '../store.js';
import { searchInTurns } from './method-search.js';

export class OtherNames {
  readonly #changed: () => void;
  #names: ReadonlyMap<number, string> | undefined;
  #search: SearchState | undefined;
  #found: ReadonlySet<number> = new Set();

  /** `changed`: what was found is known later. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Those that are found of `names`, by the numbers that these have. */
  find(names: ReadonlyMap<number, string>, search: SearchState): ReadonlySet<number> {
    if (names === this.#names && search === this.#search) return this.#found;
    this.#names = names;
    this.#search = search;
    this.#found = new Set();
    const [numbers, texts] = [[...names.keys()], [...names.values()]];
    searchInTurns(
      { count: texts.length, isNamed: () => true, qualified: (at) => texts[at] ?? '' },
      search,
      () => names === this.#names && search === this.#search,
      ({ matches }, isLate) => {
        this.#found = new Set(numbers.filter((_, at) => matches?.[at] === 1));
        if (isLate) this.#changed();
      },
    );
    return this.#found;
  }
}
