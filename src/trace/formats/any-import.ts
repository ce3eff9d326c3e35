import { EventBuilder } from '../build/event-builder.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { GzipStream } from './inflate.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';
import { recognise, recogniseBytes, withoutMark } from './recognise.js';
import type { FormatId, Recognised } from './recognised.js';

export type ImporterOf = (format: FormatId, options: ImportOptions) => TraceImporter | undefined;

/** A gzip file inflates to at most so much. */
const maxInflatedBytes = 4 * 2 ** 30;
/** Importers look after each piece whether there is room for more. */
const pieceBytes = 2 ** 20;

/**
 * Reads a trace of any format that is known, recognised by its first bytes and inflated where it is gzip. What is no trace
 * becomes an empty one whose problem says what it is.
 */
export class AnyImporter implements TraceImporter {
  readonly #importerOf: ImporterOf;
  readonly #options: ImportOptions;
  /** First bytes, until they are enough to recognise. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #recognised: Recognised | undefined;
  #importer: TraceImporter | undefined;
  #gzip: GzipStream | undefined;
  /** True once it is known what is inside, also where that cannot be read. */
  #decided = false;

  constructor(importerOf: ImporterOf, options: ImportOptions = {}) {
    this.#importerOf = importerOf;
    this.#options = options;
  }

  /** What the file is; undefined while too little of it is known. */
  get recognised(): Recognised | undefined {
    return this.#recognised;
  }

  append(bytes: Uint8Array): void {
    this.#options.signal?.throwIfAborted();
    if (this.#gzip !== undefined) this.#gzip.push(bytes, false);
    else this.#plain(bytes);
  }

  get isPart(): boolean {
    return this.#importer?.isPart ?? false;
  }

  finish(): Trace {
    if (this.#recognised === undefined) this.#decide();
    if (this.#gzip !== undefined) {
      this.#gzip.push(new Uint8Array(0), true);
      // Of one that cannot be inflated at all there is nothing to look at.
      const isUnknown = this.#heldBytes === 0 && this.#gzip.failed !== undefined;
      if (!this.#decided && !isUnknown) this.#decide();
    }
    if (this.#importer === undefined) return this.#nothing();
    const trace = this.#importer.finish();
    const failed = this.#gzip?.failed;
    if (failed === undefined) return trace;
    return {
      ...trace,
      complete: false,
      problems: [...trace.problems, { what: `The gzip file could not be inflated to its end: ${failed}` }],
    };
  }

  #plain(bytes: Uint8Array): void {
    if (this.#importer !== undefined) {
      this.#feed(this.#importer, bytes);
      return;
    }
    if (this.#decided) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= recogniseBytes) this.#decide();
  }

  #decide(): void {
    const held = joined(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    const recognised = recognise(held);
    // Within gzip, what is inside counts; gzip within gzip is not gone into.
    if (recognised.format === 'gzip') {
      if (this.#gzip !== undefined) {
        this.#decided = true;
        this.#recognised = {
          format: undefined,
          name: 'gzip file within a gzip file',
          advice: 'Unpack it first.',
        };
        return;
      }
      this.#recognised = recognised;
      this.#gzip = new GzipStream(maxInflatedBytes, (piece) => this.#plain(piece));
      this.#gzip.push(held, false);
      return;
    }
    this.#decided = true;
    this.#recognised = recognised;
    if (recognised.format === undefined) return;
    this.#importer = this.#importerOf(recognised.format, this.#options);
    if (this.#importer !== undefined) this.#feed(this.#importer, withoutMark(held));
  }

  #feed(importer: TraceImporter, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += pieceBytes)
      importer.append(bytes.subarray(at, at + pieceBytes));
  }

  #nothing(): Trace {
    const builder = new EventBuilder();
    const { name, advice } = this.#recognised ?? { name: 'empty file', advice: '' };
    const failed = this.#gzip?.failed;
    builder.remark(
      failed === undefined
        ? `This is no trace that can be read here: ${name}. ${advice}`
        : `The gzip file cannot be inflated: ${failed}`,
    );
    return builder.finish(new NamedMethods(new NameTable()), { format: this.#recognised?.format ?? '' });
  }
}

function joined(pieces: readonly Uint8Array[], total: number): Uint8Array {
  const only = pieces[0];
  if (pieces.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
