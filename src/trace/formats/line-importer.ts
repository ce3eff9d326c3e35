import { EventBuilder } from '../assemble/event-builder.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { LineSplitter } from './line-splitter.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';

/** Reads text in which each line says something by itself. */
export abstract class LineImporter implements TraceImporter {
  protected readonly builder = new EventBuilder();
  protected readonly names = new NameTable();
  protected readonly methods = new NamedMethods(this.names);
  readonly #lines: LineSplitter;
  readonly #signal: AbortSignal | undefined;
  readonly #whyBad: string;
  #lineCount = 0;
  #bad = 0;
  #firstBad = 0;

  /** `whyBad`: as in "7 lines were left out: no step of a build". */
  constructor(options: ImportOptions, whyBad: string) {
    this.#signal = options.signal;
    this.builder.mostBytes = options.mostBytes ?? Infinity;
    this.#whyBad = whyBad;
    this.#lines = new LineSplitter((bytes, from, to, offset) => {
      this.#lineCount++;
      if (!this.line(bytes, from, to) && this.#bad++ === 0) this.#firstBad = offset;
    });
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#lines.append(bytes);
    this.builder.read(bytes.length, this.names.memoryBytes + this.heldBytes());
  }

  get isPart(): boolean {
    return this.builder.isPart;
  }

  finish(): Trace {
    this.#lines.finish();
    if (this.#bad > 0)
      this.builder.loss(
        this.#bad,
        this.#lineCount,
        `${counted(this.#bad, 'line was', 'lines were')} left out: ${this.#whyBad}`,
        this.#firstBad,
      );
    return this.trace();
  }

  /** What it holds besides builder and names. */
  protected heldBytes(): number {
    return 0;
  }

  /** Takes a line in; false for one that is not of the format. */
  protected abstract line(bytes: Uint8Array, from: number, to: number): boolean;

  /** All lines are taken in. */
  protected abstract trace(): Trace;
}
