import path from 'node:path';
import type { Header } from '../../trace/recording/messages.js';
import type { Conversation } from '../session/conversation.js';
import { ProgramSwitches } from '../system/program-switches.js';
import { SystemRecorder } from '../system/system-recorder.js';
import type { LocalSystemSource } from '../system/system-source.js';
import { noTracefs, type openInstance } from '../system/tracefs.js';
import { type RecordOptions, type Target, TargetError } from '../target.js';
import type { Log } from './agent-listener.js';
import { findExternalProgram } from './native-external-program.js';
import { isAgent } from './agent-library.js';
import { mappedFiles, programOf, readProcess } from './proc.js';

/** Putting the hooks in stops the program's threads some twenty times, each of which must come to run for that. */
const beginMs = 30_000;

export interface LocalOptions {
  /** Folders the agent may be under: the extension's or the package's. */
  readonly agentRoots: readonly string[];
  readonly log?: Log;
  /** What the person who records is told; without it that is logged. */
  readonly say?: Log;
  /** What a program prints that is started for the recording goes to our standard error. */
  readonly printsToErrors?: boolean;
  /** Makes an instance of tracefs for `--system`; absent: as this user may. */
  readonly openTrace?: typeof openInstance;
}

/** What the recording says of its target, which comes when the hooks are in. `name` is for who is told that it does not. */
export async function begun(
  conversation: Conversation,
  name: string,
  signal: AbortSignal | undefined,
  limitMs = beginMs,
): Promise<Header> {
  const close = () => conversation.close();
  const timer = setTimeout(close, limitMs);
  signal?.addEventListener('abort', close, { once: true });
  try {
    return await conversation.header();
  } catch {
    throw new TargetError(
      'timeout',
      `The agent is in ${name} (process ${conversation.pid}), but could not begin to record.`,
      'The program may have ended, or its threads have more to do than this machine can: try again.',
    );
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', close);
  }
}

export async function whyStill({ name, pid }: Pick<Target, 'name' | 'pid'>): Promise<string | undefined> {
  if ((await readProcess(pid))?.isStopped !== true) return undefined;
  return `${name} is stopped, by a signal or a debugger: the recording ends where it was stopped.`;
}

/** Where the agent was in the program, and is not any more. */
export async function becameAnother({ pid }: Pick<Target, 'pid'>): Promise<string | undefined> {
  const files = await mappedFiles(pid);
  if (files === undefined || files.size === 0 || [...files].some(isAgent)) return undefined;
  const program = await programOf(pid);
  return program === undefined ? undefined : path.basename(program);
}

/**
 * Before the program is touched, so that the trace has all of the recording. Where this user may not open the kernel's trace,
 * the switches of the program alone are recorded.
 */
export async function startSystem(
  { system, redact }: RecordOptions,
  local: LocalOptions,
): Promise<LocalSystemSource | undefined> {
  if (system !== true) return undefined;
  try {
    const open = local.openTrace;
    return await SystemRecorder.start({ redact: redact === true, ...(open && { open }) });
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === undefined || process.platform !== 'linux') throw error;
    return await startProgramSwitches(refused, local);
  }
}

/** Undefined where it fails for another reason than this user's rights. */
function refusalOf(error: unknown): TargetError | undefined {
  if (error instanceof TargetError) return error.kind === 'not-permitted' ? error : undefined;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM' ? noTracefs(message) : undefined;
}

async function startProgramSwitches(refused: TargetError, local: LocalOptions): Promise<LocalSystemSource> {
  const say = local.say ?? local.log ?? (() => undefined);
  try {
    const switches = await ProgramSwitches.start(await findExternalProgram(local.agentRoots));
    say(
      `${refused.message} The switches of the program’s own threads are recorded instead: not who else ran or woke them.`,
    );
    return switches;
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw new TargetError(
      error.kind,
      `${refused.message} The switches of the program’s own threads cannot be recorded either: ${error.message}`,
      `${error.nextStep} For all programs: ${refused.nextStep}`,
      { cause: error, about: 'system' },
    );
  }
}
