import { IntervalTable } from './intervals.js';
import type { PathTable } from './paths.js';

/**
 * Stretches with a known stack, for formats that hold sampled or summed stacks: each is an interval. Neighbours are the
 * same calls as deep as their paths agree, as everywhere in the engine.
 *
 * Cost: the depth that changes, a stretch.
 */
export class SampledRows {
  readonly rows = new IntervalTable();
  readonly #paths: PathTable;

  constructor(paths: PathTable) {
    this.#paths = paths;
  }

  /** Stretches come in order of time; `path` is a path of the builder. */
  push(begin: number, end: number, path: number, samples: number): void {
    const { rows } = this;
    const last = rows.count - 1;
    const touches = last >= 0 && rows.end[last] === begin;
    const shared = touches ? this.#paths.common(rows.path[last] ?? 0, path) : 0;
    const row = rows.push(begin, end, path, this.#paths.depth[shared] ?? 0);
    rows.samples[row] = samples;
  }
}
