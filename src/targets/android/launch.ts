/**
 * An app started anew with the agent in it before its own code runs. Its main thread waits until it is recorded, so that its first
 * message is in the recording.
 */
import type { Adb } from '@yume-chan/adb';
import type { Conversation } from '../session/conversation.js';
import { type RecordOptions, TargetError } from '../target.js';
import type { App } from './apps.js';
import { type Door, enter, letGo, newDoor, reasonIn } from './attach.js';
import { quoted, shell } from './device-shell.js';

/** The app is held this long at most; Android calls an app that is slow to bind unresponsive after 10 s or more. */
const HOLD_MS = 5000;
const LAUNCH_MS = 20_000;
/** Often, for the app waits for it. */
const TRY_EVERY_MS = 20;

/** From which Android an app can be started with an agent: before its own code, after it, or not at all. */
const BIND_SDK = 28;
const AGENT_SDK = 27;

export async function launch(
  adb: Adb,
  app: App,
  sdk: number,
  copy: string,
  options: RecordOptions,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  const door = newDoor(0);
  const agent = `${copy}=${door.options},wait=${HOLD_MS}`;
  if (sdk < AGENT_SDK)
    throw new TargetError(
      'not-supported',
      'Android 8.0 starts no app with an agent.',
      'Start the app, and record it as it runs.',
    );
  const way = sdk >= BIND_SDK ? '--attach-agent-bind' : '--attach-agent';
  const component = await launcherActivity(adb, app);
  const name = quoted(app.packageName);
  const { stdout, stderr, code } = await shell(
    adb,
    `am force-stop ${name}; am start -n ${quoted(component)} ${way} ${quoted(agent)}`,
  );
  if (code !== 0 || /exception|error/i.test(stderr + stdout))
    throw new TargetError(
      'agent-refused',
      `Android did not start ${app.packageName} with the agent: ${reasonIn(stderr + stdout)}.`,
      'See that it is installed for this user and debuggable, and that it starts by a finger on its icon.',
    );
  return await opened(adb, app, door, options, signal);
}

async function opened(
  adb: Adb,
  app: App,
  door: Door,
  options: RecordOptions,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  try {
    return await enter(adb, door, options, { everyMs: TRY_EVERY_MS, limitMs: LAUNCH_MS, signal });
  } catch (error) {
    if (signal?.aborted === true) await letGo(adb, door);
    signal?.throwIfAborted();
    throw new TargetError(
      'timeout',
      `${app.packageName} was started, but the agent in it did not answer.`,
      'See its log (adb logcat) for the reason: it may have ended at once, or its first process may not be its own.',
      { cause: error },
    );
  }
}

/** What a finger on the app's icon starts. */
async function launcherActivity(adb: Adb, app: App): Promise<string> {
  const { stdout } = await shell(
    adb,
    `cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER ${quoted(app.packageName)}`,
  );
  const component = stdout.trim().split('\n').at(-1)?.trim() ?? '';
  if (/^[\w.]+\/[\w.$]+$/.test(component)) return component;
  throw new TargetError(
    'not-supported',
    `${app.packageName} has no icon to start it by.`,
    'Start it as you usually do, and record it as it runs.',
  );
}
