/** One file into another format. Runs in a worker thread, so that Ctrl-C is heard meanwhile. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { exporters, type StackWeight } from '../../trace/formats/index.js';
import { ChunkParser, RecordingWriter, type Trace } from '../../trace/index.js';
import { Footer } from '../../trace/recording/messages.js';
import { ChunkKind, chunkPayload } from '../../trace/recording/chunk.js';
import { toFill } from '../../targets/part-file.js';
import { Redactor } from '../../targets/session/redact.js';
import { threadIndexes } from '../choose-threads.js';
import { CliError, ExitCode } from '../exit-codes.js';
import { retraced } from '../retrace-mapping.js';
import { type OnProgress, openTrace, readPieces } from '../open-trace.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { l10n } from '../l10n.js';

/** BTrace's own format, for redacting and deflating; the others are the engine's exporters. */
export const ownFormat = 'btrace';

export interface ConversionRequest {
  readonly input: string;
  /** Written from its begin; "-" is standard output. */
  readonly output: string;
  readonly format: string;
  readonly thread: string | undefined;
  readonly weight: StackWeight | undefined;
  readonly redact: boolean;
  /** Path of an R8 mapping. */
  readonly mapping: string | undefined;
  /** What the input may take. BTrace's own format is written chunk by chunk, in the memory of one. */
  readonly memoryBytes: number;
}

export interface Converted {
  readonly bytes: number;
  /** Damage in the input: what of it could be read is in the output. */
  readonly problems: readonly string[];
}

/** What is being done, and how far it is. */
export type OnConversion = (line: string) => void;

const standardOutput = 1;
const sayEveryBytes = 2 ** 20;
const pauseMs = 2;

class SyncFile {
  bytes = 0;
  readonly #file: number;
  readonly #onWritten: (bytes: number) => void;

  constructor(path: string, onWritten: (bytes: number) => void) {
    this.#onWritten = onWritten;

    this.#file = path === '-' ? standardOutput : openSync(path, toFill, 0o600);
  }

  readonly write = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(this.#file, bytes, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        // A pipe whose reader is slow: this thread has nothing else to do.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
      }
    }
    const said = Math.floor(this.bytes / sayEveryBytes);
    this.bytes += bytes.length;
    if (Math.floor(this.bytes / sayEveryBytes) > said) this.#onWritten(this.bytes);
  };

  close(): void {
    if (this.#file !== standardOutput) closeSync(this.#file);
  }
}

function exported(trace: Trace, request: ConversionRequest, file: SyncFile): void {
  const exporter = exporters.find(({ id }) => id === request.format);
  if (!exporter) throw new CliError(ExitCode.Usage, `There is no format "${request.format}".`);
  const threads = threadIndexes(trace, request.thread);
  exporter.write(trace, file.write, {
    ...(threads.length > 0 && { threads }),
    ...(request.weight && { weight: request.weight }),
  });
}

/** Chunk by chunk: a recording of any length in the memory of one chunk. */
async function rewritten(
  request: ConversionRequest,
  file: SyncFile,
  onProgress: OnProgress,
): Promise<string[]> {
  const parser = new ChunkParser({ magic: true });
  const sink = {
    write: (bytes: Uint8Array) => {
      file.write(bytes);
      return Promise.resolve();
    },
  };
  const redactor = request.redact ? new Redactor() : undefined;
  const writer = new RecordingWriter(sink, { deflate: true });
  let footer: Footer | undefined;
  let written = Promise.resolve();
  const drain = () => {
    for (let chunk = parser.next(); chunk; chunk = parser.next()) {
      if (chunk.kind === ChunkKind.Footer) footer = Footer.decode(chunkPayload(chunk));
      const kept = redactor ? redactor.redact(chunk) : chunk;
      if (kept) written = writer.append(kept);
    }
  };
  await readPieces(
    request.input,
    (bytes) => {
      parser.push(bytes);
      drain();
      if (parser.notRecording) {
        throw new CliError(
          ExitCode.File,
          `${request.input} is no BTrace recording: only those can be written as one.`,
          'Choose another format with --to.',
        );
      }
    },
    onProgress,
  );
  parser.finish();
  drain();
  if (footer) written = writer.finish(endReason(footer), request.redact ? '' : footer.detail, footer.endNs);
  await written;
  return parser.problems.map(({ what }) => what);
}

type EndReasonValue = Parameters<RecordingWriter['finish']>[0];

/** A newer agent may know reasons that are not known here: they are kept. */
function endReason({ reason }: Footer): EndReasonValue {
  return reason as EndReasonValue;
}

export async function convertFile(request: ConversionRequest, say: OnConversion): Promise<Converted> {
  const onProgress: OnProgress = (share) =>
    say(l10n.t('Reading {0}: {1} %', request.input, Math.round(100 * share)));
  // A recording is written while it is read.
  const file = new SyncFile(request.output, (bytes) => {
    if (request.format !== ownFormat) say(l10n.t('Writing {0}: {1}', request.format, formatBytes(bytes)));
  });
  try {
    if (request.format === ownFormat) {
      const problems = await rewritten(request, file, onProgress);
      return { bytes: file.bytes, problems };
    }
    const tooLarge = (share: number) => {
      // What was read takes all that was given, so the whole takes at least this.
      const needed =
        share > 0 && share < 1 ? l10n.t(', {0} at least', formatBytes(request.memoryBytes / share)) : '';
      throw new CliError(
        ExitCode.File,
        `${request.input} takes more than ${formatBytes(request.memoryBytes)} of memory: nothing was written.`,
        `Give more with --memory${needed}.`,
      );
    };
    const read = await openTrace(request.input, onProgress, { mostBytes: request.memoryBytes }, tooLarge);
    const problems = read.problems.map(({ what }) => what);
    const trace = await retraced(read, request.mapping, (text) => problems.push(text));
    exported(trace, request, file);
    return { bytes: file.bytes, problems };
  } catch (error) {
    // A reader that has seen enough (`… -o - | head`) is no error.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    return { bytes: file.bytes, problems: [] };
  } finally {
    file.close();
  }
}
