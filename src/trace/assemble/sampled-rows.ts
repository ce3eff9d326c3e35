import { IntervalTable } from './intervals.js';
import { isTime } from './number-gate.js';
import type { PathTable } from './paths.js';
import { WaitTable } from './waits.js';

/**
 * Stretches with a known stack, for formats that hold sampled or summed stacks: each is an interval. Neighbours are the
 * same calls as deep as their paths agree, as everywhere in the engine.
 *
 * Cost: the depth that changes, a stretch.
 */
export class SampledRows {
  readonly rows = new IntervalTable();
  /** Waits among them, in order of time, where the format says what a thread waited for. */
  readonly waits = new WaitTable();
  /** Stretches whose times are none: they are left out. */
  refused = 0;
  readonly #paths: PathTable;

  constructor(paths: PathTable) {
    this.#paths = paths;
  }

  /** Stretches come in order of time; `path` is a path of the builder. False for one that is left out. */
  push(begin: number, end: number, path: number, samples: number): boolean {
    const { rows } = this;
    if (!isTime(begin) || !isTime(end) || end < begin || begin < (rows.end[rows.count - 1] ?? begin)) {
      this.refused++;
      return false;
    }
    const last = rows.count - 1;
    const touches = last >= 0 && rows.end[last] === begin;
    const shared = touches ? this.#paths.common(rows.path[last] ?? 0, path) : 0;
    const row = rows.push(begin, end, path, this.#paths.depth[shared] ?? 0);
    rows.samples[row] = samples;
    return true;
  }
}
