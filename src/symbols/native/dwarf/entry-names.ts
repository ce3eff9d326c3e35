/** Names of the entries of one section: the file's own, or that of a unit which lies apart from it. */
import { type AbbreviationTables } from './abbreviations.js';
import { DwarfDamage, type Section } from './section.js';
import { readName, type UnitFunctions } from './unit-functions.js';
import { type Unit, type UnitIndex } from './units.js';

/** From a copy to its origin to its declaration. */
const mostSteps = 8;
/** Classes and namespaces of a name, and its letters. */
const mostScopes = 64;
const mostNameLength = 4096;
/** What a name takes beside its letters. */
const entryLetters = 64;

/** How many letters of names may still be kept: each of a damaged file's functions may have a name of the greatest length. */
export interface LetterBudget {
  left: number;
}

export interface NamedSection {
  readonly info: Section;
  readonly index: UnitIndex;
  readonly tables: AbbreviationTables;
}

export class EntryNames {
  readonly #section: NamedSection;
  readonly #functionsOf: (entry: number) => UnitFunctions | undefined;
  readonly #budget: LetterBudget;
  readonly #shared: () => EntryNames | undefined;
  readonly #known = new Map<number, string>();
  #letters = 0;

  /** `functionsOf`: the functions of an entry's unit, where they are in memory. `shared`: the names that several files share. */
  constructor(
    section: NamedSection,
    functionsOf: (entry: number) => UnitFunctions | undefined,
    budget: LetterBudget,
    shared: () => EntryNames | undefined = () => undefined,
  ) {
    this.#section = section;
    this.#functionsOf = functionsOf;
    this.#budget = budget;
    this.#shared = shared;
  }

  of(entry: number): string {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    if (this.#budget.left <= 0) return ''; // what is beyond has no name
    let found = '';
    try {
      found = this.#find(entry);
    } catch (error) {
      if (!(error instanceof DwarfDamage)) throw error; // it has none
    }
    const letters = found.length + entryLetters;
    this.#letters += letters;
    this.#budget.left -= letters;
    this.#known.set(entry, found);
    return found;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#budget.left += this.#letters;
    this.#letters = 0;
    this.#known.clear();
  }

  #find(entry: number): string {
    const { info, index, tables } = this.#section;
    let plain = '';
    for (let at = entry, steps = 0; at >= 0 && steps < mostSteps; steps++) {
      const unit = index.unitOf(at);
      const said = unit && readName(at, unit, info, index, tables);
      if (unit === undefined || said === undefined) break;
      if (said.linkageName !== '') return said.linkageName;
      // The declaration comes last, and lies in its class.
      if (said.name !== '') plain = this.#qualified(unit, at, said.name);
      if (said.isShared) return this.#shared()?.of(said.more) || plain;
      at = said.more;
    }
    return plain;
  }

  #qualified(unit: Unit, entry: number, name: string): string {
    const { info, index, tables } = this.#section;
    const around = this.#functionsOf(entry)?.scopesAround(entry).slice(-mostScopes) ?? [];
    const names = around.map((scope) => {
      const said = readName(scope.entry, unit, info, index, tables);
      if (said !== undefined && said.name !== '') return said.name;
      // A class without a name that can be called is what a lambda is.
      return scope.isNamespace ? '(anonymous namespace)' : name === 'operator()' ? '<lambda>' : '(anonymous)';
    });
    return [...names, name].join('::').slice(0, mostNameLength);
  }
}
