/** The traces that were opened last: a conversation asks again and again about the same ones. */
import { stat } from 'node:fs/promises';
import type { Trace } from '../trace/index.js';

const mostKept = 3;

interface Kept {
  /** Of the file when it was opened: one that was written since is opened again. */
  readonly stamp: string;
  readonly trace: Promise<Trace>;
}

export class KeptTraces {
  readonly #kept = new Map<string, Kept>();

  /** Calls `open` if no trace is kept of the file, as it is now, with these settings. */
  async get(file: string, settings: string, open: () => Promise<Trace>): Promise<Trace> {
    const stamp = await stampOf(file);
    const key = JSON.stringify([file, settings]);
    const known = this.#kept.get(key);
    if (known?.stamp === stamp) return known.trace;
    this.#kept.delete(key);
    const made = { stamp, trace: open() };
    // One that failed may be there later.
    made.trace.catch(() => {
      if (this.#kept.get(key) === made) this.#kept.delete(key);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, made);
    return made.trace;
  }
}

/** Empty where there is no file: `open` says what is wrong. */
async function stampOf(file: string): Promise<string> {
  try {
    const { size, mtimeNs, ino } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}
