import { EventBuilder } from '../assemble/event-builder.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { UnnamedCode } from './code-names.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { GzipStream } from './inflate.js';
import { Utf16Stream, utf16Mark } from './utf16.js';
import { ZipStream } from './zip-stream.js';
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
 * Reads a trace of any format that is known, recognised by its first bytes, inflated where it is gzip or in a zip archive,
 * and made UTF-8 where it is UTF-16. What is no trace becomes an empty one whose problem says what it is.
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
  #utf16: Utf16Stream | undefined;
  #zip: ZipStream | undefined;
  /** True once it is known what is inside, also where that cannot be read. */
  #decided = false;
  #hasEnded = false;

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
    if (this.#zip !== undefined) this.#zip.push(bytes, false);
    else this.#unzipped(bytes);
  }

  get isPart(): boolean {
    return this.#importer?.isPart ?? false;
  }

  unnamedCode(): readonly UnnamedCode[] {
    this.#end();
    return this.#importer?.unnamedCode?.() ?? [];
  }

  /** No more bytes of the whole file. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#zip === undefined) this.#decideAtEnd();
    this.#zip?.push(new Uint8Array(0), true);
    // Of an archive, its trace has ended already, unless it is cut.
    if (this.#zip === undefined || this.#zip.opened === '') this.#endOfFile();
  }

  finish(): Trace {
    this.#end();
    const zip = this.#zip;
    if (this.#importer === undefined) {
      if (zip !== undefined) this.#recognised = withoutTrace(zip);
      return this.#nothing();
    }
    const trace = this.#importer.finish();
    const problems = [...trace.problems];
    const inflated = this.#gzip?.failed;
    if (inflated !== undefined)
      problems.push({ what: `The gzip file could not be inflated to its end: ${inflated}` });
    if (zip?.failed !== undefined)
      problems.push({ what: `The zip archive could not be unpacked to its end: ${zip.failed}` });
    else if (zip !== undefined && zip.others > 0) {
      const others = counted(zip.others, 'other file', 'other files');
      problems.push({ what: `Of the zip archive "${zip.opened}" is shown; it has ${others}` });
    }
    const isWhole = inflated === undefined && zip?.failed === undefined;
    return { ...trace, problems, complete: trace.complete && isWhole };
  }

  #unzipped(bytes: Uint8Array): void {
    if (this.#gzip !== undefined) this.#gzip.push(bytes, false);
    else this.#plain(bytes);
  }

  /** A file that is shorter than what is held to recognise it. */
  #decideAtEnd(): void {
    if (!this.#decided && this.#gzip === undefined && this.#utf16 === undefined) this.#decide();
  }

  /** The file, or the one at hand of an archive, has no more bytes. */
  #endOfFile(): void {
    this.#decideAtEnd();
    if (this.#gzip !== undefined) {
      this.#gzip.push(new Uint8Array(0), true);
      // Of one that cannot be inflated at all there is nothing to look at.
      const isUnknown = this.#heldBytes === 0 && this.#gzip.failed !== undefined;
      if (!this.#decided && !isUnknown) this.#decide();
    }
    this.#endUtf16();
  }

  #plain(bytes: Uint8Array): void {
    if (this.#utf16 !== undefined) {
      const text = this.#utf16.push(bytes);
      if (text.length > 0) this.#utf8(text);
    } else this.#utf8(bytes);
  }

  #endUtf16(): void {
    if (this.#utf16 === undefined) return;
    this.#utf8(this.#utf16.end());
    if (!this.#decided) this.#decide();
  }

  #utf8(bytes: Uint8Array): void {
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
    const mark = this.#utf16 === undefined ? utf16Mark(held) : undefined;
    if (mark !== undefined) {
      this.#utf16 = new Utf16Stream(mark);
      this.#plain(held);
      return;
    }
    const recognised = recognise(held);
    const { format } = recognised;
    if (format === 'zip' && this.#zip === undefined && this.#gzip === undefined) {
      this.#zip = new ZipStream(maxInflatedBytes, {
        piece: (bytes) => {
          this.#unzipped(bytes);
          return !this.#decided || this.#importer !== undefined;
        },
        end: () => this.#endOfEntry(),
      });
      this.#zip.push(held, false);
      return;
    }
    if (format === 'gzip' && this.#gzip === undefined) {
      this.#recognised = recognised;
      this.#gzip = new GzipStream(maxInflatedBytes, (piece) => this.#plain(piece));
      this.#gzip.push(held, false);
      return;
    }
    if (format === 'gzip' || format === 'zip') {
      // A gzip file in an archive is gone into, and nothing else in another.
      this.#decided = true;
      const outer = this.#gzip === undefined ? 'zip archive' : 'gzip file';
      this.#recognised = {
        format: undefined,
        name: `${recognised.name} within a ${outer}`,
        advice: 'Unpack it first.',
      };
      return;
    }
    this.#decided = true;
    this.#recognised = recognised;
    if (format === undefined) return;
    this.#importer = this.#importerOf(format, this.#options);
    if (this.#importer !== undefined) this.#feed(this.#importer, withoutMark(held));
  }

  /** True where the file of the archive that ends here was a trace; if not, the next one may be. */
  #endOfEntry(): boolean {
    this.#endOfFile();
    if (this.#importer !== undefined) return true;
    this.#decided = false;
    this.#gzip = undefined;
    this.#utf16 = undefined;
    this.#recognised = undefined;
    return false;
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

function withoutTrace({ failed }: ZipStream): Recognised {
  const advice =
    failed === undefined
      ? 'No file in it is a trace that can be read here.'
      : `It could not be unpacked to its end: ${failed}.`;
  return { format: undefined, name: 'zip archive', advice };
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
