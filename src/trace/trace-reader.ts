/**
 * Bytes of any trace file → the engine's model: BTrace's own recordings and every foreign format, told apart by content.
 * The page, the extension and the command line all open files through this.
 *
 *   const reader = new TraceReader();
 *   reader.append(bytes);             // any cut
 *   if (reader.refusal) …             // known early: nobody waits for the end of a film of 2 GB
 *   reader.finish();
 *   const trace = reader.trace();
 */
import { RecordingDecoder } from './assemble/decoder.js';
import type { PartOptions } from './assemble/part.js';
import {
  type AnyImporter,
  anyImporter,
  type ImportOptions,
  importers,
  type UnnamedCode,
} from './formats/index.js';
import type { Recognised } from './formats/recognised.js';
import type { Trace } from './model/trace.js';

export type TraceReaderOptions = PartOptions & ImportOptions;

/** Why nothing of a file can be shown. */
export interface Refusal {
  /** False: a recording of BTrace, but of a version that cannot be read. */
  readonly isOtherFile: boolean;
  /** What the file is, as "zip archive"; of a recording, a whole sentence. */
  readonly what: string;
  /** The next step, a sentence; empty when there is none. */
  readonly advice: string;
}

const recordingMagic = [0x42, 0x54, 0x52, 0x41, 0x43, 0x45]; // BTRACE

/** Nothing in a file makes it throw, but an aborted signal does. */
export class TraceReader {
  readonly #options: TraceReaderOptions;
  /** The first bytes, until they are enough to tell a recording from everything else. */
  #held: Uint8Array = new Uint8Array(0);
  #decoder: RecordingDecoder | undefined;
  #importer: AnyImporter | undefined;
  #imported: Trace | undefined;

  constructor(options: TraceReaderOptions = {}) {
    this.#options = options;
  }

  /** The reader may keep a view of `bytes`: the caller must not write to them again. */
  append(bytes: Uint8Array): void {
    if (this.#decoder !== undefined) this.#decoder.append(bytes);
    else if (this.#importer !== undefined) this.#importer.append(bytes);
    else {
      this.#held = this.#held.length === 0 ? bytes : Uint8Array.from([...this.#held, ...bytes]);
      if (this.#held.length >= recordingMagic.length) this.#choose();
    }
  }

  /** Undefined as long as the file can be read, as far as is known by now. */
  get refusal(): Refusal | undefined {
    const refused = this.#decoder?.refused ?? '';
    if (refused !== '') return { isOtherFile: false, what: refused, advice: '' };
    const recognised = this.#importer?.recognised;
    if (recognised !== undefined) return refusalOf(recognised, this.#imported);
    return undefined;
  }

  /** Whether not all of the file had room, as far as is known by now. */
  get isPart(): boolean {
    return this.#decoder?.isPart ?? this.#importer?.isPart ?? false;
  }

  /** What is known so far. A foreign format has nothing to show before its end, so this ends it. */
  trace(): Trace {
    this.#choose();
    return this.#decoder?.trace() ?? this.#finishImport();
  }

  /**
   * Code whose names stand in other files. Asked after the last byte; whoever can read those files names it before
   * `finish`.
   */
  unnamedCode(): readonly UnnamedCode[] {
    this.#choose();
    return this.#importer?.unnamedCode() ?? [];
  }

  /** No more bytes will come. */
  finish(): void {
    this.#choose();
    if (this.#decoder !== undefined) this.#decoder.finish();
    else this.#finishImport();
  }

  #finishImport(): Trace {
    return (this.#imported ??= (this.#importer ?? anyImporter()).finish());
  }

  #choose(): void {
    if (this.#decoder !== undefined || this.#importer !== undefined) return;
    const isRecording = recordingMagic.every((byte, at) => this.#held[at] === byte);
    if (isRecording) this.#decoder = new RecordingDecoder({ magic: true, ...this.#options });
    else this.#importer = anyImporter(this.#options);
    (this.#decoder ?? this.#importer)?.append(this.#held);
    this.#held = new Uint8Array(0);
  }
}

function refusalOf({ format, name, advice }: Recognised, read: Trace | undefined): Refusal | undefined {
  // Still only known to be gzip at its end: nothing came out of it.
  const [problem] = format === 'gzip' ? (read?.problems ?? []) : [];
  if (problem !== undefined) return { isOtherFile: false, what: problem.what, advice: '' };
  if (format === 'gzip' || importers.some(({ id }) => id === format)) return undefined;
  // The one format that is known and has no importer is ours: it stands within something else.
  if (format === 'btrace')
    return { isOtherFile: true, what: `${name} within gzip`, advice: 'Unpack it first.' };
  return { isOtherFile: true, what: name, advice };
}

export function refusalText({ isOtherFile, what, advice }: Refusal): string {
  return isOtherFile ? `${what}. ${advice}`.trim() : what;
}
