/**
 * Native programs that run, recorded from inside: a program of ours stops one thread for a moment, which starts another
 * that loads the agent (native-agent/host/agent_loader.h). It refuses where that could do harm.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type RecordOptions, type Session, type Target, TargetError } from '../target.js';
import { findAgent } from './agent-library.js';
import { recordLoaded } from './loaded-recording.js';
import type { LocalOptions } from './local-recording.js';
import { findExternalProgram, mostSaid, saidBy } from './native-external-program.js';
import type { NativeProcess } from './native-processes.js';

/** The thread that is started waits for locks as any other one does. */
const welcomeMs = 40_000;
const afterSilence =
  'Its threads may have more to do than this machine can: try again, or record it from outside.';

export async function recordInside(
  target: Target,
  { facts }: NativeProcess,
  options: RecordOptions,
  local: LocalOptions,
  signal?: AbortSignal,
): Promise<Session> {
  const library = await findAgent(local.agentRoots, process.arch, process.platform, 'native');
  const program = await findExternalProgram(local.agentRoots);
  const loadIt = (agentOptions: string): Promise<void> =>
    load(program, [agentOptions, '--load', library, String(target.pid)], target.name, signal);
  return await recordLoaded(
    target,
    { root: '', perfMap: facts, load: loadIt, welcomeMs, afterSilence },
    options,
    local,
    signal,
  );
}

/** The recorded program is as it was when this rejects, also where our program is ended in the middle. */
async function load(
  program: string,
  words: readonly string[],
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], ...(signal && { signal }) });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    if (said.length < mostSaid) said += bytes.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  const { what, nextStep } = saidBy(said);
  throw new TargetError(
    'not-supported',
    what === ''
      ? `${name} cannot be recorded from inside: what loads the agent ended before it was done.`
      : what.replace(/^It /, `${name} `),
    nextStep || 'Record it from outside: --from outside, in VS Code btrace.recording.nativeFrom.',
  );
}
