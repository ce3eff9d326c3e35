/** Any trace file → the engine's model. Read in pieces, so that progress can be shown and files may be large. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { nameCode } from '../symbols/native/name-code.js';
import { type PartOptions, type Trace, TraceReader, usualMemoryBytes } from '../trace/index.js';
import type { Option } from './command-line.js';
import { CliError, errorPart, ExitCode } from './exit-codes.js';
import { formatBytes } from '../trace/measure/quantities.js';
import type { Terminal } from './terminal.js';
import { l10n } from './l10n.js';

const pieceBytes = 4 * 2 ** 20;

/** Share of the file that has been read, 0 to 1. */
export type OnProgress = (share: number) => void;

/** What the system says, in words, and what to do about it. */
const reasons: Readonly<Record<string, readonly [why: string, nextStep?: string]>> = {
  EISDIR: [errorPart('it is a folder')],
  EACCES: [errorPart('you may not')],
  EPERM: [errorPart('you may not')],
  EROFS: [errorPart('nothing can be written there'), errorPart('Write it elsewhere.')],
  ENOSPC: [errorPart('the disk is full'), errorPart('Make room, or write it elsewhere.')],
  EDQUOT: [errorPart('your share of the disk is full'), errorPart('Make room, or write it elsewhere.')],
  ELOOP: [errorPart('its links lead in a circle')],
  ENOTDIR: [errorPart('a part of its path is no folder')],
  ENAMETOOLONG: [errorPart('its name is too long')],
};

export function fileError(file: string, verb: 'read' | 'written', error: unknown): CliError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const missing =
    verb === 'written' ? errorPart('there is no such folder') : errorPart('there is no such file');
  const said = error instanceof Error ? error.message : String(error);
  const [why, nextStep] = code === 'ENOENT' ? [missing] : (reasons[code] ?? [said]);
  return new CliError(
    ExitCode.File,
    verb === 'read' ? `${file} cannot be read: ${why}.` : `${file} cannot be written: ${why}.`,
    nextStep,
    { cause: error },
  );
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
      const piece = Buffer.allocUnsafeSlow(pieceBytes);
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, null);
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

/** The pieces of a file, each in memory of its own. */
export async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: pieceBytes }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isFromSystem(error) ? fileError(file, 'read', error) : error;
  }
}

/** Throws what stands in the way as soon as the reader knows it. */
function throwIfRefused(file: string, { refusal }: TraceReader): void {
  if (refusal === undefined) return;
  const { isOtherFile, what, advice } = refusal;
  if (!isOtherFile) throw new CliError(ExitCode.File, `${file}: ${what}`);
  throw new CliError(ExitCode.File, `${file} is no trace that can be read here: ${what}.`, advice);
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
  const reader = new TraceReader(part);
  let size = 0;
  const take = (bytes: Uint8Array, share: number) => {
    size += bytes.length;
    reader.append(bytes);
    throwIfRefused(file, reader);
    if (reader.isPart) onPart(share);
  };
  await readPieces(file, take, onProgress);
  if (size === 0) throw new CliError(ExitCode.File, `${file} is empty: nothing was recorded into it.`);
  await nameCode(reader.unnamedCode());
  reader.finish();
  throwIfRefused(file, reader);
  const trace = reader.trace();
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
  return withProgress(terminal, l10n.t('Reading {0}', file), (say) => openTrace(file, say, { mostBytes }));
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
