/** The recording of a program that runs, by the agent that is loaded into it. */
import { AgentSession } from '../session/agent-session.js';
import { configOf } from '../session/conversation.js';
import { nativeNames } from '../session/native-names-thread.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, type Target, TargetError } from '../target.js';
import type { PerfMapOwner } from '../../symbols/native/perf-map.js';
import type { LocalSystemSource } from '../system/system-source.js';
import { AgentListener } from './agent-listener.js';
import { becameAnother, begun, type LocalOptions, startSystem, whyStill } from './local-recording.js';
import { isAlive } from './proc.js';

export interface Loading {
  /** The program's root folder as we reach it; empty when it is our own. */
  readonly root: string;
  readonly perfMap?: PerfMapOwner;
  /** Loads the agent, which is given these options. */
  readonly load: (agentOptions: string) => Promise<void>;
  /** From then to the agent's Welcome. */
  readonly welcomeMs: number;
  /** What to do where that does not come. */
  readonly afterSilence: string;
}

/** Nothing is left behind when this throws: no file, no folder, no socket. */
export async function recordLoaded(
  target: Target,
  { root, perfMap, load, welcomeMs, afterSilence }: Loading,
  options: RecordOptions,
  local: LocalOptions,
  signal?: AbortSignal,
): Promise<Session> {
  const log = local.log ?? (() => undefined);
  const file = await RecordingFile.create(options.file);
  const gaveUp = new AbortController();
  const until = AbortSignal.any([gaveUp.signal, ...(signal ? [signal] : [])]);
  let listener: AgentListener | undefined;
  let recorder: LocalSystemSource | undefined;
  try {
    recorder = await startSystem(options, local);
    await recorder?.watch(target.pid);
    const open = (listener = await AgentListener.open(root, log));
    const welcomed = open.accept(configOf(options), until);
    welcomed.catch(() => undefined); // when loading fails, that is the error to tell
    await load(open.options);
    const timer = setTimeout(() => gaveUp.abort(noWelcome(target, afterSilence)), welcomeMs);
    const conversation = await welcomed.finally(() => clearTimeout(timer));
    open.stopListening();
    const { clock } = await begun(conversation, target.name, until);
    return new AgentSession({
      target,
      options,
      conversation,
      file,
      nativeNames: nativeNames({ root, ...(perfMap && { perfMap }) }, local.agentRoots, log),
      system: recorder && { source: recorder, clock },
      targetIsAlive: () => isAlive(target.pid),
      becameAnother: () => becameAnother(target),
      whyStill: () => whyStill(target),
      release: () => open.close(),
      log,
    });
  } catch (error) {
    gaveUp.abort(error);
    await recorder?.stop();
    await listener?.close();
    await file.close();
    await file.remove();
    signal?.throwIfAborted(); // its own reason, whichever wait it interrupted
    throw error;
  }
}

function noWelcome({ name, pid }: Target, nextStep: string): TargetError {
  return new TargetError(
    'timeout',
    `The agent was loaded into ${name} (process ${pid}) but did not answer.`,
    nextStep,
  );
}
