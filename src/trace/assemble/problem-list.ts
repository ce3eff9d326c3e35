import { counted } from '../model/counted.js';
import type { Problem } from '../model/trace.js';

/** At most so many problems are listed; the rest are counted in one more. */
const maxProblems = 100;
/** What is lost beyond this share may bend the figures. */
const loudLoss = 0.01;

/** What was wrong with a foreign file, in a person's words. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  #leftOut = 0;

  add(problem: Problem): void {
    if (this.#problems.length < maxProblems) this.#problems.push(problem);
    else this.#leftOut++;
  }

  /** `lost` of `all` were left out: told first, and loudly where they are more than a few. */
  loss(lost: number, all: number, what: string, offset?: number): void {
    const isLoud = lost > all * loudLoss;
    this.#problems.unshift({
      ...(offset !== undefined && { offset }),
      what,
      ...(isLoud && { isLoud }),
    });
  }

  get listed(): Problem[] {
    if (this.#leftOut === 0) return this.#problems;
    const what = `${counted(this.#leftOut, 'more problem is', 'more problems are')} not listed`;
    return [...this.#problems, { what }];
  }
}
