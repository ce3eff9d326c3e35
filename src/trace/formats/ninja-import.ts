import type { EventThread } from '../assemble/event-builder.js';
import { madeOfSlice } from '../assemble/event-columns.js';
import { isTime, numberIn } from '../assemble/number-gate.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions } from './importer.js';
import { LineImporter } from './line-importer.js';

/** More steps at once than any machine runs: what is beyond is drawn over the first. */
const maxJobs = 1024;

/** An estimate: an object, its key, and the slice that it becomes. */
const stepBytes = 200 + madeOfSlice;

interface Step {
  readonly begin: number;
  readonly end: number;
  readonly output: number;
}

/**
 * Reads Ninja's build log: "begin end mtime output hash" a line, in ms of its build. Steps that ran at once are laid out as jobs; a log
 * keeps several builds, which follow each other here. A step with several outputs stands there once for each: it is shown once.
 */
export class NinjaImporter extends LineImporter {
  #build: Step[] = [];
  #seen = new Set<string>();
  #lastEnd = 0;
  /** Where the build at hand begins, in ns. */
  #offset = 0;
  readonly #jobs: { readonly thread: EventThread; until: number }[] = [];

  constructor(options: ImportOptions = {}) {
    super(options, 'no step of a build');
  }

  protected override trace(): Trace {
    this.#layOut();
    return this.builder.finish(this.methods, { format: 'ninja' });
  }

  protected override heldBytes(): number {
    return stepBytes * this.#build.length;
  }

  protected override line(bytes: Uint8Array, from: number, to: number): boolean {
    if (bytes[from] === 0x23 || this.builder.isFull) return true;
    const [begin = '', end = '', , output = '', hash = ''] = textOf(bytes.subarray(from, to)).split('\t');
    if (!/^\d{1,15}$/.test(begin) || !/^\d{1,15}$/.test(end) || output === '') {
      return false;
    }
    const beginNs = numberIn(begin) * 1e6;
    const endNs = numberIn(end) * 1e6;
    if (!isTime(beginNs) || !isTime(endNs)) {
      this.builder.refuseNumber();
      return true;
    }
    if (endNs < beginNs) this.builder.tellNegative();
    // Steps are written as they end: an earlier end begins another build.
    if (endNs < this.#lastEnd) this.#layOut();
    this.#lastEnd = endNs;
    const step = `${begin} ${end} ${hash}`;
    if (hash !== '' && this.#seen.has(step)) return true;
    this.#seen.add(step);
    this.#build.push({
      begin: beginNs,
      end: endNs,
      output: this.names.internText(output),
    });
    return true;
  }

  /** Each step goes to the first job that is free when it begins. */
  #layOut(): void {
    this.#build.sort((a, b) => a.begin - b.begin || b.end - a.end);
    let last = 0;
    for (const { begin, end, output } of this.#build) {
      const at = this.#offset + begin;
      let job = this.#jobs.find(({ until }) => until <= at);
      if (job === undefined && this.#jobs.length >= maxJobs) job = this.#jobs[0];
      if (job === undefined) {
        job = { thread: this.builder.thread(0, 0, `job ${this.#jobs.length + 1}`), until: 0 };
        this.#jobs.push(job);
      }
      const until = this.#offset + Math.max(begin, end);
      job.thread.events.slice(at, until, output);
      job.until = Math.max(job.until, until);
      last = Math.max(last, until);
    }
    this.#offset = Math.max(this.#offset, last);
    this.#build = [];
    this.#seen = new Set();
    this.#lastEnd = 0;
  }
}
