/** What compilers put behind the name of a copy of a function. */
import { Unreadable } from './unreadable.js';

/** " [clone .cold]" of ".cold"; empty of nothing. */
export function clonesOf(rest: string): string {
  let clones = '';
  for (let at = 0; at < rest.length;) {
    const clone = /^(?:\.[a-zA-Z_]\w{0,99})?(?:\.\d{1,99}){0,99}/.exec(rest.slice(at, at + 999))?.[0] ?? '';
    if (clone === '') throw new Unreadable();
    at += clone.length;
    clones += ` [clone ${clone}]`;
  }
  return clones;
}
