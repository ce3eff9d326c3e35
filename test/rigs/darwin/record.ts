/** Recordings of programs of Darwin that run here, by the agent that is shipped and over a port as an app's are. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { AgentSession } from '../../../src/targets/session/agent-session.js';
import {
  configOf,
  Conversation,
  newTokens,
  tokenOptions,
} from '../../../src/targets/session/conversation.js';
import { nativeNames } from '../../../src/targets/session/native-names-thread.js';
import { RecordingFile } from '../../../src/targets/session/recording-file.js';
import { type RecordOptions, type Session, type Target, TargetError } from '../../../src/targets/target.js';
import { waitLimitMs } from '../wait-limit.js';
import { type DarwinMachine, darwinLibrary, type DarwinRun, freePort, runDarwin } from './darwin.js';
import { until } from '../until.js';

export interface DarwinRecording {
  readonly session: Session;
  readonly run: DarwinRun;
}

const target: Target = {
  id: 'ios:test',
  kind: 'ios',
  name: 'truth',
  pid: 0,
  runtime: 'native',
  detail: '',
  refusal: undefined,
  start: () => Promise.reject(new TargetError('busy', 'It is being recorded.', 'Stop this recording first.')),
};

/** Tries until somebody listens there. */
export async function connectTo(port: number): Promise<Socket> {
  return await until(`somebody listens at ${port}`, async () => {
    const socket = connect(port, '127.0.0.1');
    return await once(socket, 'connect').then(
      () => socket,
      () => undefined,
    );
  });
}

/** The program waits for the recording, which is there from its first instruction. */
export async function recordDarwin(
  machine: DarwinMachine,
  program: string,
  args: readonly string[],
  options: RecordOptions,
): Promise<DarwinRecording> {
  const port = await freePort();
  const tokens = newTokens();
  const run = runDarwin(machine, program, args, {
    DYLD_INSERT_LIBRARIES: darwinLibrary(machine),
    BTRACE_NATIVE: `port=${port},${tokenOptions(tokens)},wait=${waitLimitMs}`,
  });
  const conversation = await Conversation.open(await connectTo(port), tokens, configOf(options), waitLimitMs);
  const session = new AgentSession({
    target,
    options,
    conversation,
    file: await RecordingFile.create(options.file),
    nativeNames: nativeNames({ root: '' }, [], () => undefined),
    targetIsAlive: () => Promise.resolve(run.isAlive()),
    release: () => Promise.resolve(),
    log: () => undefined,
  });
  return { session, run };
}
