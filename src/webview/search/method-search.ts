/** One search for all views: which methods it finds. */
import type { NameIndex } from '../names.js';
import type { SearchState } from '../store.js';
import { Pattern, PatternError } from './pattern.js';

/** Letters of a name that are searched, and searched for: a name of a megabyte is somebody's joke. */
export const searchedLetters = 1000;

/** Of a frame, so that typing and panning go on while a costly pattern is tried on many names. */
const sliceMs = 8;

export type SearchedNames = Pick<NameIndex, 'count' | 'isNamed' | 'qualified'>;

export interface Found {
  /** 1 by method id; undefined while nothing is searched. */
  readonly matches: Uint8Array | undefined;
  readonly count: number;
  /** Why there is nothing to search with. */
  readonly problem?: 'bad' | 'tooLong';
}

/**
 * Plain text finds names that contain it, whatever its case; words apart by spaces must all be there. Pauses after each
 * name, for whom has something else to do.
 */
export function* searchMethods(names: SearchedNames, search: SearchState): Generator<undefined, Found> {
  const wanted = search.text.trim();
  if (wanted === '') return { matches: undefined, count: 0 };
  const test = testFor(wanted, search.regex);
  if (typeof test === 'string') return { matches: undefined, count: 0, problem: test };
  const matches = new Uint8Array(names.count);
  let count = 0;
  for (let method = 0; method < names.count; method++) {
    if (!names.isNamed(method)) continue;
    if (test(names.qualified(method).slice(0, searchedLetters))) {
      matches[method] = 1;
      count++;
    }
    yield;
  }
  return { matches, count };
}

function testFor(wanted: string, isPattern: boolean): ((name: string) => boolean) | 'bad' | 'tooLong' {
  if (!isPattern) {
    const words = [...new Set(wanted.slice(0, searchedLetters).toLowerCase().split(/\s+/))];
    return (name) => {
      const lower = name.toLowerCase();
      return words.every((word) => lower.includes(word));
    };
  }
  try {
    const pattern = new Pattern(wanted);
    return (name) => pattern.test(name);
  } catch (error) {
    return error instanceof PatternError && error.reason === 'too-large' ? 'tooLong' : 'bad';
  }
}

/** `take` is told at once where that is quick; else in turn with whatever there is to do, if it `isWanted` then, and false comes back. */
export function searchInTurns(
  names: SearchedNames,
  search: SearchState,
  isWanted: () => boolean,
  take: (found: Found, isLate: boolean) => void,
): boolean {
  const searching = searchMethods(names, search);
  const goOn = (isLate: boolean): boolean => {
    if (isLate && !isWanted()) return false;
    const found = searchUntil(searching, performance.now() + sliceMs);
    if (found === undefined) setTimeout(goOn, 0, true);
    else take(found, isLate);
    return found !== undefined;
  };
  return goOn(false);
}

/** On the clock of `performance.now()`; `undefined` where there is more to do. */
export function searchUntil(searching: ReturnType<typeof searchMethods>, untilMs: number): Found | undefined {
  for (;;) {
    const step = searching.next();
    if (step.done === true) return step.value;
    if (performance.now() >= untilMs) return undefined;
  }
}
