/** Records launches of one or two programs in turns, so that a slow minute of the machine meets both. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { onEndSignal } from '../end-signals.js';
import { CliError, ExitCode } from '../exit-codes.js';
import type { Begin, Begun } from '../recording/begin.js';
import type { Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';

/** A program that is asked to end has this long to do so. */
const patienceMs = 5000;

export interface Side {
  /** Of the folder that its recordings go to, and in texts. */
  readonly name: string;
  readonly begin: (file: string) => Begin;
}

/** A recording, and of a like start that was not recorded, for how long Android waited for the first frame. */
export interface Launch {
  readonly file: string;
  readonly screenNs: number | null;
}

/** By side. The first `warmUp` rounds are started like the others, and their recordings do not count. */
export async function recordLaunches(
  sides: readonly Side[],
  {
    folder,
    launches,
    warmUp,
  }: { readonly folder: string; readonly launches: number; readonly warmUp: number },
  terminal: Terminal,
): Promise<Launch[][]> {
  const counted = sides.map((): Launch[] => []);
  const digits = String(warmUp + launches - 1).length;
  for (let round = 0; round < warmUp + launches; round++)
    for (const [at, { name, begin }] of sides.entries()) {
      const isCounted = round >= warmUp;
      const title = isCounted
        ? l10n.t('launch {0} of {1}', round - warmUp + 1, launches)
        : l10n.t('warm-up {0} of {1}', round + 1, warmUp);
      terminal.progress(`${name === '' ? '' : `${name}: `}${title}`);
      const place = isCounted ? name : path.join(name, 'warm-up');
      const number = String(isCounted ? round - warmUp : round).padStart(digits, '0');
      const file = path.join(folder, place, `${number}.btrace`);
      await mkdir(path.dirname(file), { recursive: true });
      const { screenNs = null } = await recordOne(begin(file), title);
      if (isCounted) counted[at]?.push({ file, screenNs });
    }
  terminal.endProgress();
  return counted;
}

async function recordOne(begin: Begin, title: string): Promise<Begun> {
  const interrupted = new AbortController();
  const off = onEndSignal(() =>
    interrupted.abort(new CliError(ExitCode.Interrupted, `Interrupted in ${title}.`)),
  );
  let late: NodeJS.Timeout | undefined;
  try {
    const begun = await begin(interrupted.signal);
    const { session, launched } = begun;
    const stop = (): void => void session.stop();
    interrupted.signal.addEventListener('abort', stop);
    if (interrupted.signal.aborted) stop();
    const end = await session.ended;
    // A program that is started to be measured has no other use.
    const endProgram = (): void => {
      launched?.kill('SIGTERM');
      late ??= setTimeout(() => launched?.kill('SIGKILL'), patienceMs);
    };
    const isLeftRunning = end.reason !== 'target-exited';
    if (isLeftRunning || interrupted.signal.aborted) endProgram();
    // What was recorded may be a JVM below the command, which itself goes on.
    else interrupted.signal.addEventListener('abort', endProgram);
    const exit = await launched?.exit;
    interrupted.signal.throwIfAborted();
    if (end.reason === 'fault' || end.reason === 'connection-lost' || end.reason === 'disk-full')
      throw new CliError(ExitCode.CutShort, `The recording of ${title} was cut short: ${end.message}`);
    if (!isLeftRunning && exit !== undefined && exit !== 0)
      throw new CliError(
        ExitCode.Failed,
        `The program ended with exit code ${exit} in ${title}.`,
        'Figures of a program that fails would mislead: let it end well.',
      );
    return begun;
  } finally {
    clearTimeout(late);
    off();
  }
}
