/** The Java programs of this machine as targets. */
import type { Header } from '../../trace/recording/messages.js';
import { AgentSession } from '../session/agent-session.js';
import { configOf, type Conversation } from '../session/conversation.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, type Target, TargetError, type TargetSource } from '../target.js';
import { bringAgent, findAgent } from './agent-library.js';
import { AgentListener, type Log } from './agent-listener.js';
import { loadAgent, openAttachSocket } from './attach.js';
import { javaProcess, type JavaProcess, listJavaProcesses } from './java-processes.js';
import { isAlive, readProcess } from './proc.js';

/** From the library being loaded to the agent's Welcome. */
const WELCOME_MS = 20_000;
/** Putting the hooks in stops the program's threads some twenty times, each of which must come to run for that. */
const BEGIN_MS = 30_000;

export interface LocalOptions {
  /** Folders the agent may be under: the extension's or the package's. */
  readonly agentRoots: readonly string[];
  readonly log?: Log;
}

export class LocalTargets implements TargetSource {
  readonly kind = 'local';

  constructor(private readonly options: LocalOptions) {}

  async list(signal?: AbortSignal): Promise<Target[]> {
    return (await listJavaProcesses(signal)).map((java) => new LocalTarget(java, this.options));
  }

  /** One process by its pid, whatever it is; a TargetError says why it cannot be a target. */
  async find(pid: number): Promise<Target> {
    return new LocalTarget(await javaProcess(pid), this.options);
  }
}

class LocalTarget implements Target {
  readonly kind = 'local';
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly runtime: string;
  readonly detail: string;
  readonly refusal: string | undefined;

  constructor(
    java: JavaProcess,
    private readonly options: LocalOptions,
  ) {
    this.pid = java.facts.pid;
    this.id = `local:${this.pid}`;
    this.name = java.name;
    this.runtime = java.runtime;
    this.detail = java.detail;
    this.refusal = java.refusal && `${java.refusal.message} ${java.refusal.nextStep}`;
  }

  /** Nothing is left behind when this throws: no file, no folder, no socket. */
  async start(options: RecordOptions, signal?: AbortSignal): Promise<Session> {
    // Looked at anew: the list may be old.
    const java = await javaProcess(this.pid);
    if (java.refusal) throw java.refusal;
    const library = await findAgent(this.options.agentRoots, java.arch);
    const log = this.options.log ?? (() => undefined);
    const file = await RecordingFile.create(options.file);
    let listener: AgentListener | undefined;
    const gaveUp = new AbortController();
    try {
      const open = (listener = await AgentListener.open(java.facts.root, log));
      const socket = await openAttachSocket(java.facts, signal);
      const until = AbortSignal.any([gaveUp.signal, ...(signal ? [signal] : [])]);
      const welcomed = open.accept(configOf(options), until);
      welcomed.catch(() => undefined); // when loading fails, that is the error to tell
      const inner = java.facts.root === '' ? library : await bringAgent(library, java.facts.root);
      await loadAgent(java.facts, socket, inner, open.options, signal);
      const timer = setTimeout(() => gaveUp.abort(noWelcome(this)), WELCOME_MS);
      const conversation = await welcomed.finally(() => clearTimeout(timer));
      open.stopListening();
      await begun(conversation, this.name, until);
      return new AgentSession({
        target: this,
        options,
        conversation,
        file,
        imageRoot: java.facts.root,
        targetIsAlive: () => isAlive(this.pid),
        whyStill: () => whyStill(this),
        release: () => open.close(),
        log,
      });
    } catch (error) {
      gaveUp.abort(error);
      await listener?.close();
      await file.close();
      await file.remove();
      signal?.throwIfAborted(); // its own reason, whichever wait it interrupted
      throw error;
    }
  }
}

/** What the recording says of its target, which comes when the hooks are in. `name` is for who is told that it does not. */
export async function begun(
  conversation: Conversation,
  name: string,
  signal: AbortSignal | undefined,
  limitMs = BEGIN_MS,
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

function noWelcome(target: Target): TargetError {
  return new TargetError(
    'timeout',
    `The agent was loaded into ${target.name} (process ${target.pid}) but did not answer.`,
    'Another recording of it may be running, its threads may have more to do than this machine can, or its memory or files are used up: stop the other recording, try again, or restart the program.',
  );
}
