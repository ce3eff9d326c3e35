/** A recording of an app of the rig on this machine, without adb: the agent connects to a path socket as in any local program. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { AgentListener } from '../../../src/targets/local/agent-listener.js';
import { AgentSession } from '../../../src/targets/session/agent-session.js';
import { configOf, type Conversation } from '../../../src/targets/session/conversation.js';
import { RecordingFile } from '../../../src/targets/session/recording-file.js';
import type { RecordOptions, Session, Target } from '../../../src/targets/target.js';
import type { ArtApp } from './runtime.js';
import { until } from '../until.js';

/** The agent for this machine, as the build leaves it. */
export const agentLibrary = path.join(root, 'build/native/host/libbtrace-agent.so');

/** Where the agent tells that a process of this name is being walked. */
export const walkMarker = (name: string): string => `${agentLibrary}.${name}.walking`;

/** After apps were killed: what they were doing is not held against the next of their name. */
export async function forgetWalks(): Promise<void> {
  const folder = path.dirname(agentLibrary);
  for (const name of await readdir(folder))
    if (name.endsWith('.walking')) await rm(path.join(folder, name), { force: true });
}

export interface AgentDoor {
  /** What the agent is attached or launched with. */
  readonly agent: string;
  session(): Promise<Session>;
}

/** Opens the socket that the agent calls back on; the session is there when it has called. */
export async function openDoor(
  options: RecordOptions,
  app: () => ArtApp,
  signal: AbortSignal,
): Promise<AgentDoor> {
  const listener = await AgentListener.open('', () => undefined);
  const accepted = listener.accept(configOf(options), signal);
  accepted.catch(() => undefined); // told by session()
  return {
    agent: `${agentLibrary}=${listener.options}`,
    session: async () => {
      try {
        return await sessionOf(app(), options, await accepted, () => listener.close());
      } catch (error) {
        await listener.close();
        throw error;
      }
    },
  };
}

/** A recording of the app over this conversation with its agent. */
export async function sessionOf(
  app: ArtApp,
  options: RecordOptions,
  conversation: Conversation,
  release: () => Promise<void>,
): Promise<Session> {
  return new AgentSession({
    target: targetOf(app),
    options,
    conversation,
    file: await RecordingFile.create(options.file),
    targetIsAlive: () => Promise.resolve(app.process.exitCode === null),
    release,
    log: () => undefined,
  });
}

/** Attaches to a running app; it is being recorded when this settles, or the recording has ended already. */
export async function recordApp(app: ArtApp, options: RecordOptions, signal: AbortSignal): Promise<Session> {
  const door = await openDoor(options, () => app, signal);
  app.system(`attach-agent ${door.agent}`);
  const session = await door.session();
  await hooksAreIn(session);
  return session;
}

/** The agent answers before it puts its hooks in, so that a desktop that waits sees that somebody is there. */
async function hooksAreIn(session: Session): Promise<void> {
  let hasEnded = false;
  void session.ended.then(() => (hasEnded = true));
  const areIn = (): boolean => session.status().hooks.some(({ name }) => name === 'external sampler');
  await until('the hooks are in', () => hasEnded || areIn(), 10);
}

function targetOf(app: ArtApp): Target {
  return {
    id: `art:${app.pid}`,
    kind: 'local',
    name: 'an app of the rig',
    pid: app.pid,
    runtime: '',
    detail: '',
    refusal: undefined,
    start: () => Promise.reject(new Error('started by the test')),
  };
}
