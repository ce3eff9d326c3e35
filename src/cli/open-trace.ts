/** Any trace file → the engine's model. Read in pieces, so that progress can be shown and files may be large. */
import { type FileHandle, open } from 'node:fs/promises';
import { anyImporter, importers, recognise, recogniseBytes } from '../trace/formats/index.js';
import { type PartOptions, RecordingDecoder, type Trace, usualMemoryBytes } from '../trace/index.js';
import type { Option } from './command-line.js';
import { CliError, ExitCode } from './exit-codes.js';
import { formatBytes } from '../trace/measure/quantities.js';
import type { Terminal } from './terminal.js';

const PIECE_BYTES = 4 * 2 ** 20;

/** Share of the file that has been read, 0 to 1. */
export type OnProgress = (share: number) => void;

export function fileError(file: string, verb: 'read' | 'written', error: unknown): CliError {
  const code = (error as NodeJS.ErrnoException).code;
  const why =
    code === 'ENOENT'
      ? `there is no such ${verb === 'written' ? 'folder' : 'file'}`
      : code === 'EISDIR'
        ? 'it is a folder'
        : code === 'EACCES'
          ? 'you may not'
          : error instanceof Error
            ? error.message
            : String(error);
  return new CliError(ExitCode.File, `${file} cannot be ${verb}: ${why}.`, '', { cause: error });
}

/** Calls `take` with the pieces of a file, each in memory of its own. */
export async function readPieces(
  file: string,
  take: (bytes: Uint8Array) => void,
  onProgress: OnProgress = () => undefined,
): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const { size } = await handle.stat();
    for (let at = 0; ;) {
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      take(piece.subarray(0, bytesRead));
      at += bytesRead;
      onProgress(size > 0 ? Math.min(at / size, 1) : 0);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw fileError(file, 'read', error);
  } finally {
    await handle?.close();
  }
}

/** What takes the bytes of one format. */
interface Reader {
  append(bytes: Uint8Array): void;
  finish(): Trace;
}

function recordingReader(file: string, part: PartOptions): Reader {
  const decoder = new RecordingDecoder({ magic: true, ...part });
  return {
    append: (bytes) => decoder.append(bytes),
    finish: () => {
      decoder.finish();
      if (decoder.refused !== '') throw new CliError(ExitCode.File, `${file}: ${decoder.refused}`);
      return decoder.trace();
    },
  };
}

/** By content, never by name. */
function readerFor(file: string, first: Uint8Array, part: PartOptions): Reader {
  const { format, name, advice } = recognise(first.subarray(0, recogniseBytes));
  if (format === 'btrace') return recordingReader(file, part);
  if (format !== undefined && (format === 'gzip' || importers.some(({ id }) => id === format))) {
    return anyImporter(part);
  }
  throw new CliError(ExitCode.File, `${file} is no trace that can be read here: ${name}.`, advice);
}

/** All of it, or what the memory that is given has room for. */
export async function openTrace(
  file: string,
  onProgress?: OnProgress,
  part: PartOptions = {},
): Promise<Trace> {
  let reader: Reader | undefined;
  await readPieces(file, (bytes) => (reader ??= readerFor(file, bytes, part)).append(bytes), onProgress);
  if (!reader) throw new CliError(ExitCode.File, `${file} is empty: nothing was recorded into it.`);
  return reader.finish();
}

/** Of a file that it has no room for, the first part is shown; it is not converted. */
export const memoryOption: Option = {
  name: 'memory',
  value: 'SIZE',
  help: `how much an opened file may take (default: ${formatBytes(usualMemoryBytes)})`,
};

export async function openWithProgress(
  file: string,
  terminal: Terminal,
  mostBytes = usualMemoryBytes,
): Promise<Trace> {
  return withProgress(terminal, `Reading ${file}`, (say) => openTrace(file, say, { mostBytes }));
}

/** Says how far `work` is, and takes the line away when it has ended. */
export async function withProgress<T>(
  terminal: Terminal,
  what: string,
  work: (say: OnProgress) => Promise<T>,
): Promise<T> {
  try {
    return await work((share) => terminal.progress(`${what}: ${Math.round(100 * share)} %`));
  } finally {
    terminal.endProgress();
  }
}
