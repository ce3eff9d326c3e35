/**
 * Native programs recorded externally: a program of ours beside them (`btrace-external`) has the kernel sample them, and
 * speaks to us as the agent does. Nothing is loaded into the recorded program, unless it is to be recorded from inside.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { AgentSession } from '../session/agent-session.js';
import { configOf, type Conversation } from '../session/conversation.js';
import { ownPerfMap, type PerfMapOwner } from '../../symbols/native/perf-map.js';
import { nativeNames } from '../session/native-names-thread.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, type Target, TargetError } from '../target.js';
import { AgentListener } from './agent-listener.js';
import type { LocalSystemSource } from '../system/system-source.js';
import { begun, type LocalOptions, startSystem, whyStill } from './local-recording.js';
import { findExternalProgram, mostSaid, saidBy } from './native-external-program.js';
import { recordInside } from './native-inside.js';
import { type NativeProcess, nativeProcess } from './native-processes.js';
import { isAlive } from './proc.js';

/** From our program's start to its Welcome: it opens an event for each thread and processor. */
const welcomeMs = 30_000;

export class NativeTarget implements Target {
  readonly kind = 'native';
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly runtime = 'native';
  readonly detail: string;
  readonly folder: string;
  readonly refusal = undefined;
  readonly #options: LocalOptions;

  constructor({ facts, name, folder, commandLine, cpuPercent }: NativeProcess, options: LocalOptions) {
    this.#options = options;
    this.pid = facts.pid;
    this.id = `local:${this.pid}`;
    this.name = name;
    this.folder = folder;
    this.detail = cpuPercent === undefined ? commandLine : `CPU ${cpuPercent} % · ${commandLine}`;
  }

  async start(options: RecordOptions, signal?: AbortSignal): Promise<Session> {
    const now = await nativeProcess(this.pid);
    if (now === undefined) throw gone(this.pid);
    return (
      (await this.#startInside(now, options, signal)) ?? (await this.#startOutside(now, options, signal))
    );
  }

  /** Undefined where it is to be recorded from outside. */
  async #startInside(
    now: NativeProcess,
    options: RecordOptions,
    signal?: AbortSignal,
  ): Promise<Session | undefined> {
    const nativeFrom = options.survey === true ? 'inside' : options.nativeFrom;
    if (nativeFrom !== 'inside' && nativeFrom !== 'auto') return undefined;
    const say = this.#options.say ?? this.#options.log ?? (() => undefined);
    try {
      const session = await recordInside(this, now, options, this.#options, signal);
      say(`${this.name} is recorded from inside: the agent is in it.`);
      return session;
    } catch (error) {
      const isRefused = error instanceof TargetError && error.kind === 'not-supported';
      if (nativeFrom === 'inside' || !isRefused) throw error;
      say(`${this.name} is recorded from outside. ${error.message}`);
      return undefined;
    }
  }

  async #startOutside(now: NativeProcess, options: RecordOptions, signal?: AbortSignal): Promise<Session> {
    const { session } = await recordExternally(
      {
        target: this,
        words: ['--pid', String(this.pid)],
        root: now.facts.root,
        perfMap: now.facts,
      },
      options,
      this.#options,
      signal,
    );
    return session;
  }
}

export function gone(pid: number): TargetError {
  return new TargetError('not-found', `There is no process ${pid}.`, 'See what runs with: btrace list');
}

/** A native program by its pid; whose it is was looked at before (`javaProcessIfAny`). */
export async function findNative(pid: number, options: LocalOptions): Promise<NativeTarget> {
  const found = await nativeProcess(pid);
  if (found === undefined) throw gone(pid);
  return new NativeTarget(found, options);
}

interface ExternalTarget {
  /** Absent: a program that is started. */
  readonly target?: Target;
  readonly name?: string;
  /** After the options: `--pid PID`, or `--` and a command. */
  readonly words: readonly string[];
  /** The program's root folder as we reach it. */
  readonly root: string;
  /** Absent: a program that is started, which has our namespaces and user. */
  readonly perfMap?: PerfMapOwner;
}

export interface ExternalSession {
  readonly session: Session;
  readonly exit: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

export async function recordExternally(
  { target, name, words, root, perfMap }: ExternalTarget,
  options: RecordOptions,
  local: LocalOptions,
  signal?: AbortSignal,
): Promise<ExternalSession> {
  if (options.policy === 'ring') {
    throw new TargetError(
      'not-supported',
      'A native program that is recorded externally keeps no ring.',
      'Record without --ring; --max-size bounds the file.',
    );
  }
  const program = await findExternalProgram(local.agentRoots);
  const log = local.log ?? (() => undefined);
  const file = await RecordingFile.create(options.file);
  let listener: AgentListener | undefined;
  let child: ChildProcess | undefined;
  let recorder: LocalSystemSource | undefined;
  try {
    recorder = await startSystem(options, local);
    if (target !== undefined) await recorder?.watch(target.pid);
    const open = (listener = await AgentListener.open('', log));
    const over = new AbortController();
    const until = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
    const welcomed = open.accept(configOf(options), until);
    welcomed.catch(() => undefined); // told below, unless the start itself failed
    const isStarted = target === undefined;
    child = spawn(program, [open.options, ...words], {
      stdio: isStarted
        ? ['inherit', local.printsToErrors === true ? process.stderr : 'inherit', 'pipe']
        : ['ignore', 'ignore', 'pipe'],
    });
    const running = child;
    let said = '';
    running.stderr?.on('data', (bytes: Buffer) => {
      if (isStarted) process.stderr.write(bytes);
      if (said.length < mostSaid) said += bytes.toString();
    });
    await once(running, 'spawn');
    const exit = new Promise<number>((resolve) => {
      running.once('exit', (code, ended) => resolve(code ?? (ended === null ? 1 : 128)));
    });
    const closed = once(running, 'close');
    void closed.then(() => over.abort(refusal(said, name ?? target?.name ?? '')));
    const timer = setTimeout(() => over.abort(refusal('', name ?? target?.name ?? '')), welcomeMs);
    const conversation = await welcomed.finally(() => clearTimeout(timer));
    open.stopListening();
    const recorded = target ?? startedTarget(conversation, name ?? '');
    if (target === undefined) await recorder?.watch(recorded.pid);
    const { clock } = await begun(conversation, recorded.name, until);
    const session = new AgentSession({
      target: recorded,
      options,
      conversation,
      file,
      nativeNames: nativeNames({ root, perfMap: perfMap ?? ownPerfMap(recorded.pid) }, local.agentRoots, log),
      system: recorder && { source: recorder, clock },
      targetIsAlive: () => isAlive(recorded.pid),
      whyStill: () => whyStill(recorded),
      release: () => open.close(),
      log,
    });
    return { session, exit, kill: (which) => void process.kill(recorded.pid, which) };
  } catch (error) {
    child?.kill('SIGTERM');
    await recorder?.stop();
    await listener?.close();
    await file.close();
    await file.remove();
    signal?.throwIfAborted(); // its own reason, whichever wait it interrupted
    throw error;
  }
}

function startedTarget({ pid }: Conversation, name: string): Target {
  return {
    id: `local:${pid}`,
    kind: 'native',
    name,
    pid,
    runtime: 'native',
    detail: '',
    refusal: undefined,
    start: () =>
      Promise.reject(new TargetError('busy', 'It is being recorded.', 'Stop this recording first.')),
  };
}

function refusal(said: string, name: string): TargetError {
  const { what, nextStep } = saidBy(said);
  return what === ''
    ? new TargetError('timeout', `The kernel did not begin to sample ${name}.`, 'Try again.')
    : new TargetError('not-permitted', what, nextStep || 'See what it printed.');
}
