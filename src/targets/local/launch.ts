/**
 * Starts a program with the agent in it from its first moment. A `java` command gets -agentpath; anything else (Gradle,
 * Maven, a script) gets it by JAVA_TOOL_OPTIONS, which every JVM below it reads and says so on its standard error.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Header } from '../../trace/recording/messages.js';
import { AgentSession } from '../session/agent-session.js';
import { configOf, type Conversation } from '../session/conversation.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, type Target, TargetError } from '../target.js';
import { findAgent } from './agent-library.js';
import { AgentListener } from './agent-listener.js';
import { isJava, nameOfCommand } from './java-command.js';
import { begun, type LocalOptions, whyStill } from './local-targets.js';
import { isAlive } from './proc.js';

/** A program is held this long at most, until it is recorded: then it begins, whatever keeps us. */
const HOLD_MS = 5000;

export interface Launched {
  readonly session: Session;
  /** How the program that was started ended: its exit code, or 128 + the number of the signal. */
  readonly exit: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

export interface LaunchOptions extends LocalOptions {
  /** Of several JVMs below the command, the first whose main class or jar holds this; without, the first. */
  readonly name?: string;
  /** From the agent's Welcome to the recording's header. */
  readonly beginMs?: number;
  /** Runs the command somewhere else than on this process's own terminal. */
  readonly run?: (command: AgentCommand) => Promise<RunningCommand>;
}

/** A command line and an environment that carry the agent into the program. */
export interface AgentCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface RunningCommand {
  readonly exit: Promise<number>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

export function withAgent(command: readonly string[], agent: string, env: NodeJS.ProcessEnv): AgentCommand {
  const [program = '', ...rest] = command;
  const option = `-agentpath:${agent}`;
  if (isJava(program)) return { args: [program, option, ...rest], env };
  const before = env['JAVA_TOOL_OPTIONS'];
  // HotSpot splits this variable at white space and knows quotes.
  const quoted = /\s/.test(option) ? `"${option}"` : option;
  return { args: [...command], env: { ...env, JAVA_TOOL_OPTIONS: before ? `${before} ${quoted}` : quoted } };
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (SIGNAL_NUMBERS.get(signal ?? '') ?? 0)));
  });
}

const SIGNAL_NUMBERS = new Map([
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGQUIT', 3],
  ['SIGABRT', 6],
  ['SIGKILL', 9],
  ['SIGSEGV', 11],
  ['SIGTERM', 15],
]);

/** The program runs on when the recording is stopped before it ends. */
export async function launch(
  command: readonly string[],
  record: RecordOptions,
  options: LaunchOptions,
  aborted: AbortSignal,
): Promise<Launched> {
  const log = options.log ?? (() => undefined);
  const library = await findAgent(options.agentRoots, process.arch);
  const file = await RecordingFile.create(record.file);
  let listener: AgentListener | undefined;
  try {
    const open = (listener = await AgentListener.open('', log));
    const { args, env } = withAgent(command, `${library}=${open.options},wait=${HOLD_MS}`, process.env);
    const [program = ''] = args;
    const over = new AbortController();
    const accepted = open.accept(configOf(record), AbortSignal.any([aborted, over.signal]), (conversation) =>
      isWanted(conversation, options.name),
    );
    accepted.catch(() => undefined); // told below, unless the start itself failed
    const { exit, kill } = await (options.run ?? onOurTerminal)({ args, env });
    void exit.then((code) => over.abort(noJvm(program, code, options.name)));
    const conversation = await accepted;
    const name = nameOfCommand(command);
    const header = await begun(conversation, name, aborted, options.beginMs);
    const target = targetOf(conversation.pid, name, header);
    const session = new AgentSession({
      target,
      options: record,
      conversation,
      file,
      imageRoot: '',
      targetIsAlive: () => isAlive(target.pid),
      whyStill: () => whyStill(target),
      release: () => open.close(),
      log,
    });
    return { session, exit, kill };
  } catch (error) {
    await listener?.close();
    await file.close();
    await file.remove();
    aborted.throwIfAborted(); // its own reason, whichever wait it interrupted
    throw error;
  }
}

async function onOurTerminal({ args, env }: AgentCommand): Promise<RunningCommand> {
  const [program = '', ...rest] = args;
  const child = spawn(program, rest, { env, stdio: 'inherit' });
  await started(child, program);
  return { exit: exitOf(child), kill: (signal) => void child.kill(signal) };
}

async function started(child: ChildProcess, program: string): Promise<void> {
  try {
    await once(child, 'spawn');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new TargetError(
      'not-found',
      missing ? `There is no program ${program}.` : `${program} could not be started: ${String(error)}`,
      'Give the command as you would type it, after --',
      { cause: error },
    );
  }
}

async function isWanted(conversation: Conversation, name: string | undefined): Promise<boolean> {
  if (name === undefined) return true;
  return (await conversation.header()).target.name.toLowerCase().includes(name.toLowerCase());
}

function targetOf(pid: number, command: string, { target }: Header): Target {
  return {
    id: `local:${pid}`,
    kind: 'local',
    name: target.name || command,
    pid,
    runtime: target.runtime,
    detail: '',
    refusal: undefined,
    start: () =>
      Promise.reject(new TargetError('busy', 'It is being recorded.', 'Stop this recording first.')),
  };
}

/** What a shell ends with where there is no such program. */
const commandNotFound = 127;

function noJvm(program: string, code: number, name: string | undefined): TargetError {
  return new TargetError(
    'not-found',
    `${program} ended with code ${code} before ${name === undefined ? 'a JVM' : `a JVM of the name "${name}"`} called back.`,
    code === commandNotFound
      ? 'The shell did not find a program: see what it printed, and give the whole path.'
      : isJava(program)
        ? 'See what it printed. HotSpot 17 or newer is needed.'
        : 'The JVM may run elsewhere (a Gradle daemon: use --no-daemon) or clear its environment.',
  );
}
