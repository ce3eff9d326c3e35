/**
 * Starts a program with the agent in it from its first moment. A `java` command gets -agentpath; a program without a
 * runtime gets the native agent by LD_PRELOAD; anything else (Gradle, Maven, a script) gets it by JAVA_TOOL_OPTIONS,
 * which every JVM below it reads and says so on its standard error.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Header } from '../../trace/recording/messages.js';
import { AgentSession } from '../session/agent-session.js';
import { configOf, type Conversation } from '../session/conversation.js';
import { ownPerfMap } from '../../symbols/native/perf-map.js';
import { nativeNames } from '../session/native-names-thread.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, type Target, TargetError } from '../target.js';
import { bringAgent, findAgent } from './agent-library.js';
import { AgentListener } from './agent-listener.js';
import { isJava, nameOfCommand } from './java-command.js';
import { becameAnother, begun, type LocalOptions, startSystem, whyStill } from './local-recording.js';
import {
  type ExternalProgram,
  externalProgramOf,
  nativeProgram,
  notSurveyed,
  preloaded,
} from './native-command.js';
import { recordExternally } from './native-target.js';
import type { LocalSystemSource } from '../system/system-source.js';
import { isAlive } from './proc.js';

/** A program is held this long at most, until it is recorded: then it begins, whatever keeps us. */
const holdMs = 5000;

export interface Launched {
  readonly session: Session;
  /** How the program that was started ended: its exit code, or 128 + the number of the signal. */
  readonly exit: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

export interface LaunchOptions extends LocalOptions {
  /** Of several JVMs below the command, the first whose main class or jar holds this; without, the first. */
  readonly name?: string;
  /** By the kernel's samples, whatever the program is. */
  readonly external?: boolean;
  /** Added to this process's environment, or in place of what is there. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that the command runs in; without, this process's. */
  readonly runsIn?: string;
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
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

/** The program runs on when the recording is stopped before it ends. */
export async function launch(
  command: readonly string[],
  record: RecordOptions,
  options: LaunchOptions,
  aborted: AbortSignal,
): Promise<Launched> {
  const log = options.log ?? (() => undefined);
  const external = await externalProgramOf(command, options.runsIn);
  const native = await nativeProgram(command, options.runsIn);
  if (record.survey === true && (native === undefined || external !== undefined || options.external === true))
    throw notSurveyed(nameOfCommand(command));
  if (external !== undefined && options.external !== true) {
    if (options.run !== undefined || external.forkedBy !== undefined) throw notFromStart(external);
    log(`${external.name} is recorded externally: ${external.why}`);
  }
  if (external !== undefined || options.external === true) {
    const name = external?.name ?? nameOfCommand(command);
    return await recordExternally({ name, words: ['--', ...command], root: '' }, record, options, aborted);
  }
  const isNative = native !== undefined;
  const library = await loadable(
    await findAgent(options.agentRoots, process.arch, process.platform, isNative ? 'native' : 'agent'),
    isNative,
  );
  const file = await RecordingFile.create(record.file);
  let listener: AgentListener | undefined;
  let running: RunningCommand | undefined;
  let recorder: LocalSystemSource | undefined;
  try {
    recorder = await startSystem(record, options);
    const open = (listener = await AgentListener.open('', log));
    const only = native?.behindOthers === undefined ? '' : `,program=${native.behindOthers}`;
    const agentOptions = `${open.options},wait=${holdMs}${only}`;
    const own = { ...process.env, ...options.env };
    const { args, env } = isNative
      ? { args: command, env: preloaded(library, agentOptions, own, record.survey === true) }
      : withAgent(command, `${library}=${agentOptions}`, own);
    const [program = ''] = args;
    const over = new AbortController();
    const accepted = open.accept(configOf(record), AbortSignal.any([aborted, over.signal]), (conversation) =>
      isWanted(conversation, options.name),
    );
    accepted.catch(() => undefined); // told below, unless the start itself failed
    running = await (options.run ?? onOurTerminal(options))({ args, env });
    const { exit, kill } = running;
    void exit.then((code) =>
      over.abort(isNative ? noAgent(program, code) : noJvm(program, code, options.name)),
    );
    const conversation = await accepted;
    await recorder?.watch(conversation.pid);
    const name = nameOfCommand(command);
    const header = await begun(conversation, name, aborted, options.beginMs);
    const target = targetOf(conversation.pid, name, header);
    const session = new AgentSession({
      target,
      options: record,
      conversation,
      file,
      nativeNames: nativeNames(
        { root: '', ...(isNative ? { perfMap: ownPerfMap(target.pid) } : {}) },
        options.agentRoots,
        log,
      ),
      system: recorder && { source: recorder, clock: header.clock },
      targetIsAlive: () => isAlive(target.pid),
      becameAnother: () => becameAnother(target),
      whyStill: () => whyStill(target),
      release: () => open.close(),
      log,
    });
    return { session, exit, kill };
  } catch (error) {
    // Nobody else can end what was started here for nobody to see.
    if (aborted.aborted && options.run === undefined) running?.kill('SIGTERM');
    await recorder?.stop();
    await listener?.close();
    await file.close();
    await file.remove();
    aborted.throwIfAborted(); // its own reason, whichever wait it interrupted
    throw error;
  }
}

const onOurTerminal =
  ({ printsToErrors }: LocalOptions) =>
  async ({ args, env }: AgentCommand): Promise<RunningCommand> => {
    const [program = '', ...rest] = args;
    const stdio = ['inherit', printsToErrors === true ? process.stderr : 'inherit', 'inherit'] as const;
    const child = spawn(program, rest, { env, stdio: [...stdio] });
    await started(child, program);
    return { exit: exitOf(child), kill: (signal) => void child.kill(signal) };
  };

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

/** The dynamic linker's list has spaces and colons between its entries. */
async function loadable(library: string, isNative: boolean): Promise<string> {
  return isNative && /[\s:]/.test(library) ? await bringAgent(library, '/') : library;
}

function notFromStart({ name, why, forkedBy }: ExternalProgram): TargetError {
  return new TargetError(
    'not-supported',
    `No agent can be loaded into ${name} as it starts: ${why}.`,
    forkedBy === undefined
      ? 'Start it, and record it while it runs.'
      : `Leave out ${forkedBy}, or start it, and record it while it runs.`,
  );
}

function noAgent(program: string, code: number): TargetError {
  return new TargetError(
    'not-found',
    `${program} ended with code ${code} before its agent called back.`,
    'See what it printed. With --external nothing is loaded into it.',
  );
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
