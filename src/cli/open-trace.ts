/** Any trace file → the engine's model. Read in pieces, so that progress can be shown and files may be large. */
import { type FileHandle, open } from 'node:fs/promises';
import {
  anyImporter,
  type FormatId,
  importers,
  recognise,
  recogniseBytes,
  type Recognised,
} from '../trace/formats/index.js';
import { type PartOptions, RecordingDecoder, type Trace, usualMemoryBytes } from '../trace/index.js';
import type { Option } from './command-line.js';
import { CliError, ExitCode } from './exit-codes.js';
import { formatBytes } from '../trace/measure/quantities.js';
import type { Terminal } from './terminal.js';

const PIECE_BYTES = 4 * 2 ** 20;

/** Share of the file that has been read, 0 to 1. */
export type OnProgress = (share: number) => void;

/** What the system says, in words, and what to do about it. */
const reasons: Readonly<Record<string, readonly [why: string, nextStep?: string]>> = {
  EISDIR: ['it is a folder'],
  EACCES: ['you may not'],
  EPERM: ['you may not'],
  EROFS: ['nothing can be written there', 'Write it elsewhere.'],
  ENOSPC: ['the disk is full', 'Make room, or write it elsewhere.'],
  EDQUOT: ['your share of the disk is full', 'Make room, or write it elsewhere.'],
  ELOOP: ['its links lead in a circle'],
  ENOTDIR: ['a part of its path is no folder'],
  ENAMETOOLONG: ['its name is too long'],
};

export function fileError(file: string, verb: 'read' | 'written', error: unknown): CliError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const missing = `there is no such ${verb === 'written' ? 'folder' : 'file'}`;
  const said = error instanceof Error ? error.message : String(error);
  const [why, nextStep] = code === 'ENOENT' ? [missing] : (reasons[code] ?? [said]);
  return new CliError(ExitCode.File, `${file} cannot be ${verb}: ${why}.`, nextStep, { cause: error });
}

/** Whether a call of the system failed, as opposed to what was done with its result. */
export function isFromSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall !== undefined;
}

/** Calls `take` with the pieces of a file, each in memory of its own, and the share of it that they end at, until it says false. */
export async function readPieces(
  file: string,
  take: (bytes: Uint8Array, share: number) => unknown,
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
      at += bytesRead;
      const share = size > 0 ? Math.min(at / size, 1) : 0;
      if (take(piece.subarray(0, bytesRead), share) === false) return;
      onProgress(share);
    }
  } catch (error) {
    throw isFromSystem(error) ? fileError(file, 'read', error) : error;
  } finally {
    await handle?.close();
  }
}

/** What takes the bytes of one format. */
interface Reader {
  append(bytes: Uint8Array): void;
  finish(): Trace;
  /** Not all of the file has room, as far as is known by now. */
  isPart(): boolean;
}

function noTrace(file: string, { name, advice }: Recognised): CliError {
  return new CliError(ExitCode.File, `${file} is no trace that can be read here: ${name}.`, advice);
}

function recordingReader(file: string, part: PartOptions): Reader {
  const decoder = new RecordingDecoder({ magic: true, ...part });
  const check = () => {
    if (decoder.refused !== '') throw new CliError(ExitCode.File, `${file}: ${decoder.refused}`);
  };
  return {
    append: (bytes) => {
      decoder.append(bytes);
      check();
    },
    finish: () => {
      decoder.finish();
      check();
      return decoder.trace();
    },
    isPart: () => decoder.isPart,
  };
}

/** A trace of another tool, perhaps within gzip: what is inside is known soon, and is told then. */
function foreignReader(file: string, part: PartOptions): Reader {
  const importer = anyImporter(part);
  const check = () => {
    const { recognised } = importer;
    if (recognised === undefined || isForeign(recognised.format)) return;
    throw recognised.format === 'btrace'
      ? noTrace(file, { ...recognised, name: `${recognised.name} within gzip`, advice: 'Unpack it first.' })
      : noTrace(file, recognised);
  };
  return {
    append: (bytes) => {
      importer.append(bytes);
      check();
    },
    finish: () => {
      const trace = importer.finish();
      check();
      const [problem] = trace.problems;
      if (importer.recognised?.format === 'gzip' && problem)
        throw new CliError(ExitCode.File, `${file}: ${problem.what}`);
      return trace;
    },
    isPart: () => importer.isPart,
  };
}

const isForeign = (format: FormatId | undefined): boolean =>
  format === 'gzip' || importers.some(({ id }) => id === format);

/** By content, never by name. */
function readerFor(file: string, first: Uint8Array, part: PartOptions): Reader {
  const recognised = recognise(first.subarray(0, recogniseBytes));
  if (recognised.format === 'btrace') return recordingReader(file, part);
  if (isForeign(recognised.format)) return foreignReader(file, part);
  throw noTrace(file, recognised);
}

/**
 * All of it, or what the memory that is given has room for. `onPart` is called as soon as it is known that this is not all, with
 * the share of the file that has been read by then: who wants no part throws there.
 */
export async function openTrace(
  file: string,
  onProgress?: OnProgress,
  part: PartOptions = {},
  onPart: (share: number) => void = () => undefined,
): Promise<Trace> {
  let reader: Reader | undefined;
  const take = (bytes: Uint8Array, share: number) => {
    reader ??= readerFor(file, bytes, part);
    reader.append(bytes);
    if (reader.isPart()) onPart(share);
  };
  await readPieces(file, take, onProgress);
  if (!reader) throw new CliError(ExitCode.File, `${file} is empty: nothing was recorded into it.`);
  const trace = reader.finish();
  if (trace.part !== undefined) onPart(1);
  return trace;
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
