/** One search for all views: which methods it finds. */
import type { NameIndex } from '../names.js';
import type { SearchState } from '../store.js';
import { Pattern } from './pattern.js';

/** Letters of a name that are searched: a name of a megabyte is somebody's joke. */
const searchedLetters = 1000;

export interface Found {
  /** 1 by method id; undefined while nothing is searched. */
  readonly matches: Uint8Array | undefined;
  readonly count: number;
  /** The pattern cannot be understood. */
  readonly isBad: boolean;
}

const nothing: Found = { matches: undefined, count: 0, isBad: false };

/** Plain text finds names that contain it, whatever its case; words apart by spaces must all be there. */
export function searchMethods(names: NameIndex, search: SearchState): Found {
  const wanted = search.text.trim();
  if (wanted === '') return nothing;
  let test: (name: string) => boolean;
  if (search.regex) {
    try {
      const pattern = new Pattern(wanted);
      test = (name) => pattern.test(name);
    } catch {
      return { ...nothing, isBad: true };
    }
  } else {
    const words = wanted.toLowerCase().split(/\s+/);
    test = (name) => {
      const lower = name.toLowerCase();
      return words.every((word) => lower.includes(word));
    };
  }
  const matches = new Uint8Array(names.count);
  let count = 0;
  for (let method = 0; method < names.count; method++) {
    if (!names.isNamed(method) || !test(names.qualified(method).slice(0, searchedLetters))) continue;
    matches[method] = 1;
    count++;
  }
  return { matches, count, isBad: false };
}
