/** Commands in a device's shell. */
import type { Adb } from '@yume-chan/adb';
import { TargetError } from '../target.js';
import { wordsOf } from './adb-server.js';
import { within } from './patience.js';

/** The one folder of a device that the shell may write to and apps may read. */
export const pushFolder = '/data/local/tmp';

export interface ShellResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Whether an Android service refused a command, by its exit code or its words. What it echoes of the command may hold any word. */
export const complains = ({ stdout, stderr, code }: ShellResult): boolean =>
  code !== 0 ||
  /^(?:Error\b|Security exception:|Exception occurred|java\.[\w.]+:)/m.test(`${stdout}\n${stderr}`);

/** One word of a shell command, whatever is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const end = 'btrace-exit-code:';

/** No command that is used here takes long; a device or a server that hangs would be waited for without end. */
const usualLimitMs = 30_000;

/** Runs a command to its end. Devices before Android 7 have no exit codes of their own: the shell is asked for it. */
export async function shell(adb: Adb, command: string, limitMs = usualLimitMs): Promise<ShellResult> {
  try {
    return await within(limitMs, run(adb, command));
  } catch (error) {
    throw new TargetError(
      'io',
      `The device ${adb.serial} did not run a command: ${wordsOf(error)}.`,
      'See that the cable is in, and try again.',
      { cause: error },
    );
  }
}

/** The same for a command that writes bytes, whose exit code is not asked. */
export async function shellBytes(adb: Adb, command: string): Promise<Buffer> {
  const { shellProtocol, noneProtocol } = adb.subprocess;
  const output = shellProtocol
    ? shellProtocol.spawnWait(command).then(({ stdout }) => stdout)
    : noneProtocol.spawnWait(command);
  return Buffer.from(await within(usualLimitMs, output));
}

/** Who cannot say within this whether a process lives is as good as away. */
const aliveMs = 3000;

export async function isAlive(adb: Adb, pid: number): Promise<boolean> {
  return (await shell(adb, `[ -d /proc/${pid} ]`, aliveMs)).code === 0;
}

async function run(adb: Adb, command: string): Promise<ShellResult> {
  if (adb.subprocess.shellProtocol) {
    const { stdout, stderr, exitCode } = await adb.subprocess.shellProtocol.spawnWaitText(command);
    return { stdout, stderr, code: exitCode };
  }
  const output = await adb.subprocess.noneProtocol.spawnWaitText(`${command}\necho ${end}$?`);
  const at = output.lastIndexOf(end);
  const text = output.slice(0, Math.max(at, 0)).replaceAll('\r\n', '\n');
  return { stdout: text, stderr: text, code: at < 0 ? 1 : Number(output.slice(at + end.length)) };
}
