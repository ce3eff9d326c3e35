/** `--exempt` of sets: methods that may differ, why, and until when. */
import { nameOfAllRuns } from '../../trace/compare/matched-methods.js';
import { UsageError } from '../exit-codes.js';
import { exemptPattern, type NamePattern } from './limit.js';

export interface Exemption {
  readonly text: string;
  readonly pattern: NamePattern;
  readonly reason: string;
  /** YYYY-MM-DD, its last day; empty: for ever. */
  readonly until: string;
}

/** A line each: "com.example.Cart.* until 2027-01-31 # known, moves to a worker". */
export function parseExemptions(text: string): Exemption[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const mark = /(?:^|\s)#/.exec(line)?.index ?? line.length;
    const [name = '', word, date = '', ...more] = line.slice(0, mark).trim().split(/\s+/);
    const pattern = exemptPattern(`${name}\n${nameOfAllRuns(name)}`);
    if (pattern === undefined) return [];
    if (word !== undefined && (word !== 'until' || !/^\d{4}-\d\d-\d\d$/.test(date) || more.length > 0))
      throw new UsageError(`An exempt line is "NAME until YYYY-MM-DD # reason", not "${line.trim()}".`);
    return [{ text: name, pattern, until: date, reason: line.slice(mark).replace(/^\s*#\s*/, '') }];
  });
}

/** The exemption that holds today for a method, and one that is over: by its name in a run, and by that in all of them. */
export function exemptionOf(
  exemptions: readonly Exemption[],
  name: string,
  today: string,
): { readonly holds?: Exemption; readonly isOver?: Exemption } {
  const names = [name, nameOfAllRuns(name)];
  const fitting = exemptions.filter(({ pattern }) => names.some((one) => pattern.test(one)));
  const holds = fitting.find(({ until }) => until === '' || until >= today);
  if (holds !== undefined) return { holds };
  const [isOver] = fitting;
  return isOver === undefined ? {} : { isOver };
}
