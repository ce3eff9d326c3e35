/** The agent into an app that runs, and the way to where an agent listens. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Adb } from '@yume-chan/adb';
import {
  configOf,
  Conversation,
  newTokens,
  StrangerError,
  type Tokens,
  tokenOptions,
} from '../session/conversation.js';
import { type RecordOptions, TargetError } from '../target.js';
import type { App } from './apps.js';
import { complains, isAlive, quoted, shell } from './device-shell.js';
import { isFrozen } from './frozen.js';
import { within } from './patience.js';
import { streamOf } from './socket-stream.js';

/** From the attach to the agent's socket: the app's main thread must get round to it. */
const listenMs = 10_000;
const welcomeMs = 10_000;
/** For adb to say whether there is such a socket. */
const openMs = 10_000;
const letGoTries = 10;
const letGoEveryMs = 100;

/** Where one agent listens, and the tokens that it and we know each other by. */
export interface Door {
  readonly name: string;
  readonly tokens: Tokens;
  /** For the agent. */
  readonly options: string;
}

/** `pid` is in the name, for others to see that this app is being recorded. */
export function newDoor(pid: number): Door {
  const tokens = newTokens();
  const name = `btrace-${pid}-${randomBytes(8).toString('hex')}`;
  return { name, tokens, options: `listen=${name},${tokenOptions(tokens)}` };
}

/** The same, one by one: a property holds 91 characters. */
export const parametersOf = ({ name, tokens }: Door): Record<'listen' | 'token' | 'answer', string> => ({
  listen: name,
  token: tokens.ours.toString('hex'),
  answer: tokens.theirs.toString('hex'),
});

export interface Patience {
  readonly everyMs: number;
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  /** Asked now and then: nobody will ever listen. */
  readonly isGone?: () => Promise<boolean>;
}

const lookEveryTries = 5;

/** Tries until the agent listens. Throws what the last try said. */
export async function enter(
  adb: Adb,
  door: Door,
  options: RecordOptions,
  { everyMs, limitMs, signal, isGone }: Patience,
): Promise<Conversation> {
  const until = performance.now() + limitMs;
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    try {
      const socket = await within(openMs, Promise.resolve(adb.createSocket(`localabstract:${door.name}`)));
      return await Conversation.open(streamOf(socket), door.tokens, configOf(options), welcomeMs);
    } catch (error) {
      if (error instanceof StrangerError || performance.now() >= until) throw error;
      if (tries % lookEveryTries === 0 && isGone && (await isGone())) throw error;
    }
    await delay(everyMs, undefined, { signal });
  }
}

export async function attach(
  adb: Adb,
  app: App,
  copy: string,
  options: RecordOptions,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  const [recorded, frozen] = await Promise.all([isRecorded(adb, app), isFrozen(adb, app, app.pid)]);
  if (recorded)
    throw new TargetError(
      'busy',
      `${app.process} is being recorded already, from another window or computer.`,
      'Stop that recording first.',
    );
  if (frozen)
    throw new TargetError(
      'busy',
      `Android has frozen ${app.process}, because it is in the background: nothing in it runs.`,
      'Bring it to the front on the device, and record it then.',
    );
  const door = newDoor(app.pid);
  // By its number: another user's process may bear the same name.
  const said = await shell(adb, `cmd activity attach-agent ${app.pid} ${quoted(`${copy}=${door.options}`)}`);
  if (complains(said)) throw refused(app, said.stderr + said.stdout);
  try {
    const isGone = async () => !(await isAlive(adb, app.pid));
    return await enter(adb, door, options, { everyMs: 100, limitMs: listenMs, signal, isGone });
  } catch (error) {
    if (signal?.aborted === true) await letGo(adb, door);
    signal?.throwIfAborted();
    throw await silent(adb, app, error);
  }
}

/** An agent has one recording at a time. Devices that do not show their sockets to the shell say nothing. */
async function isRecorded(adb: Adb, app: App): Promise<boolean> {
  return (await shell(adb, `grep -q '@btrace-${app.pid}-' /proc/net/unix`)).code === 0;
}

/** An agent that listens for us, and will not be needed: it ends when it is left, and else only after its own limit. */
export async function letGo(adb: Adb, door: Door): Promise<void> {
  for (let tries = 0; tries < letGoTries; tries++) {
    try {
      const socket = await within(openMs, Promise.resolve(adb.createSocket(`localabstract:${door.name}`)));
      await socket.close();
      return;
    } catch {
      await delay(letGoEveryMs);
    }
  }
}

/** Android does not attach an agent to this app. */
export class RefusedError extends TargetError {}
/** The app ended as the agent came. */
export class DiedError extends TargetError {}

function refused(app: App, words: string): TargetError {
  const unknown = /unknown process/i.test(words);
  return new (unknown ? TargetError : RefusedError)(
    unknown ? 'not-found' : 'agent-refused',
    unknown
      ? `${app.process} does not run any more.`
      : `Android did not attach the agent: ${reasonIn(words)}.`,
    unknown ? 'Start the app and try again.' : 'Android 8 or newer and a debuggable build are needed.',
  );
}

/** The one line of a service's complaint that says something. */
export const reasonIn = (words: string): string =>
  (/(?:Exception|Error):\s*(.*)/.exec(words)?.[1] ?? words.trim()).replace(/\.$/, '');

async function silent(adb: Adb, app: App, cause: unknown): Promise<TargetError> {
  const alive = await isAlive(adb, app.pid).catch(() => true);
  return new (alive ? TargetError : DiedError)(
    alive ? 'timeout' : 'agent-refused',
    alive
      ? `The agent was attached to ${app.process} but did not answer.`
      : `${app.process} ended while the agent was attached.`,
    alive
      ? 'The app may be busy, stopped in the background or in a debugger, or another recording of it may be running: bring it to the front, or restart it.'
      : 'Start it again: the next recording is an external one, by Android itself. Its log (adb logcat) may have the reason.',
    { cause },
  );
}
