/** A file that gets its name when it is whole: until then it is beside it under another, and goes when anything fails. */
import { rmSync, type Stats, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { partName, toFill } from '../targets/part-file.js';
import type { ByteSink } from '../trace/index.js';
import type { Input, Option } from './command-line.js';
import { onEndSignal, mostPatienceMs } from './end-signals.js';
import { CliError, ExitCode } from './exit-codes.js';
import { fileError, isFromSystem } from './open-trace.js';

export const forceOption: Option = { name: 'force', short: 'f', help: 'write over FILE' };

/** Before any work is done for it. What is made takes the name, so a device or a pipe would be lost. */
export function refuseExisting(file: string, input: Input): void {
  const there = whatIs(file);
  if (there?.isDirectory() === true) throw fileError(file, 'written', { code: 'EISDIR' });
  if (there !== undefined && !there.isFile())
    throw new CliError(
      ExitCode.File,
      `${file} is no file: nothing can take its place.`,
      'Give a file’s name.',
    );
  if (!input.has(forceOption.name) && there !== undefined)
    throw new CliError(ExitCode.File, `${file} is there already.`, 'Write over it with --force.');
}

function whatIs(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    // Nothing that could be written over; why it cannot be written shows then.
    return undefined;
  }
}

/** Has the file made under the name that `make` is given, and gives it its own. Ctrl-C meanwhile aborts, and leaves nothing. */
export async function makeFile<T>(
  file: string,
  make: (partial: string, interrupted: AbortSignal) => Promise<T>,
): Promise<T> {
  const partial = partName(file);
  const interrupted = new AbortController();
  const off = onEndSignal(
    () => interrupted.abort(new CliError(ExitCode.Interrupted, 'Interrupted: nothing was written.')),
    mostPatienceMs,
  );
  const removeAtExit = () => rmSync(partial, { force: true });
  process.once('exit', removeAtExit);
  try {
    await (await open(partial, 'wx', 0o600)).close();
    const made = await make(partial, interrupted.signal);
    interrupted.signal.throwIfAborted();
    await rename(partial, file);
    return made;
  } catch (error) {
    throw isFromSystem(error) ? fileError(file, 'written', error) : error;
  } finally {
    off();
    process.off('exit', removeAtExit);
    await rm(partial, { force: true });
  }
}

/** Makes it of the bytes that `write` gives. */
export async function fillFile<T>(file: string, write: (sink: ByteSink) => Promise<T>): Promise<T> {
  return await makeFile(file, async (partial, interrupted) => {
    const handle = await open(partial, toFill, 0o600);
    const sink = {
      write: async (bytes: Uint8Array) => {
        interrupted.throwIfAborted();
        await handle.writeFile(bytes);
      },
    };
    try {
      return await write(sink);
    } finally {
      await handle.close();
    }
  });
}
