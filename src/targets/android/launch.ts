/**
 * An app started anew with the agent in it before its own code runs. Its main thread waits until it is recorded, so that its first
 * message is in the recording.
 */
import path from 'node:path';
import type { Adb } from '@yume-chan/adb';
import type { Conversation } from '../session/conversation.js';
import { type RecordOptions, TargetError } from '../target.js';
import type { App } from './apps.js';
import { type Door, enter, letGo, newDoor, parametersOf, reasonIn } from './attach.js';
import { quoted, shell } from './device-shell.js';

/** The app is held this long at most; Android calls an app that is slow to bind unresponsive after 10 s or more. */
const HOLD_MS = 5000;
const LAUNCH_MS = 20_000;
/** For whoever starts it elsewhere. */
const ELSEWHERE_MS = 300_000;
/** Often, for the app waits for it. */
const TRY_EVERY_MS = 20;

/** From which Android an app can be started with an agent: before its own code, after it, or not at all. */
const BIND_SDK = 28;
const AGENT_SDK = 27;
const STARTUP_AGENTS_SDK = 30;

export async function launch(
  adb: Adb,
  app: App,
  sdk: number,
  copy: string,
  options: RecordOptions,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  if (options.startedElsewhere) return await startedElsewhere(adb, app, sdk, copy, options, signal);
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
  return await opened(adb, app, door, options, LAUNCH_MS, signal);
}

/**
 * Waits for an app that somebody else starts: Android attaches what lies in code_cache/startup_agents to each process of the app,
 * without options; the agent finds them in properties.
 */
async function startedElsewhere(
  adb: Adb,
  app: App,
  sdk: number,
  copy: string,
  options: RecordOptions,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  if (sdk < STARTUP_AGENTS_SDK)
    throw new TargetError(
      'not-supported',
      'An app that somebody else starts can be recorded from its launch on Android 11 and newer.',
      'Leave out --started-elsewhere: BTrace starts it.',
    );
  const door = newDoor(0);
  const parameters = { app: app.packageName, wait: String(HOLD_MS), ...parametersOf(door) };
  const inApp = (script: string) =>
    shell(adb, `run-as ${quoted(app.packageName)} sh -c ${quoted(`cd code_cache && ${script}`)}`);
  const set = (value: (name: string, given: string) => string) =>
    Object.entries(parameters)
      .map(([name, given]) => `setprop debug.btrace.${name} ${quoted(value(name, given))}`)
      .join('; ');
  // A link: a copy would be a second agent in the app when it is recorded again.
  const link = quoted(`startup_agents/${path.posix.basename(copy)}`);
  try {
    await shell(adb, `am force-stop ${quoted(app.packageName)}; ${set((_, given) => given)}`);
    await inApp(`mkdir -p startup_agents && ln -sf ${quoted(copy)} ${link}`);
    options.startedElsewhere?.();
    return await opened(adb, app, door, options, ELSEWHERE_MS, signal);
  } finally {
    // It holds for one launch.
    await inApp(`rm -f ${link} && rmdir startup_agents`).catch(() => undefined);
    await shell(
      adb,
      set(() => ''),
    ).catch(() => undefined);
  }
}

async function opened(
  adb: Adb,
  app: App,
  door: Door,
  options: RecordOptions,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  try {
    return await enter(adb, door, options, { everyMs: TRY_EVERY_MS, limitMs, signal });
  } catch (error) {
    if (signal?.aborted === true) await letGo(adb, door);
    signal?.throwIfAborted();
    throw new TargetError(
      'timeout',
      options.startedElsewhere
        ? `${app.packageName} was not started within ${limitMs / 60_000} minutes, or the agent in it did not answer.`
        : `${app.packageName} was started, but the agent in it did not answer.`,
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
