/**
 * An app started anew with the agent in it before its own code runs. Its main thread waits until it is recorded, so that its first
 * message is in the recording.
 */
import path from 'node:path';
import type { Adb } from '@yume-chan/adb';
import type { Conversation } from '../session/conversation.js';
import { type RecordOptions, TargetError } from '../target.js';
import { agentLibrary } from './agent-copy.js';
import { type App, asApp } from './apps.js';
import { type Door, enter, letGo, newDoor, parametersOf, reasonIn } from './attach.js';
import { openApk } from './device-file.js';
import { complains, quoted, shell } from './device-shell.js';
import { within } from './patience.js';

/** The app is held this long at most; Android calls an app that is slow to bind unresponsive after 10 s or more. */
const holdMs = 5000;
const launchMs = 20_000;
/** For whoever starts it elsewhere. */
const elsewhereMs = 300_000;
/** Often, for the app waits for it. */
const tryEveryMs = 20;
/** To look for our library in an app's packages. */
const lookMs = 5000;

/** From which Android an app can be started with an agent: before its own code, after it, or not at all. */
export const bindSdk = 28;
export const agentSdk = 27;
export const startupAgentsSdk = 30;

/** Started with the agent in it, which has been copied into it. */
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
  const agent = `${copy}=${door.options},wait=${holdMs}`;
  if (sdk < agentSdk)
    throw new TargetError(
      'not-supported',
      'Android 8.0 starts no app with an agent.',
      'Start the app, and record it as it runs.',
    );
  const way = sdk >= bindSdk ? '--attach-agent-bind' : '--attach-agent';
  await startAnew(adb, app, `${way} ${quoted(agent)}`);
  return await opened(adb, app, door, options, signal, inItsLog);
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
  if (sdk < startupAgentsSdk)
    throw new TargetError(
      'not-supported',
      'An app that somebody else starts can be recorded from its launch on Android 11 and newer.',
      'Leave out --started-elsewhere: BTrace starts it.',
    );
  const inApp = (script: string) => shell(adb, asApp(app, `cd code_cache && ${script}`));
  // A link: a copy would be a second agent in the app when it is recorded again.
  const link = quoted(`startup_agents/${path.posix.basename(copy)}`);
  try {
    await inApp(`mkdir -p startup_agents && ln -sf ${quoted(copy)} ${link}`);
    return await throughProperties(adb, app, async (door) => {
      options.startedElsewhere?.();
      return await opened(adb, app, door, options, signal, inItsLog);
    });
  } finally {
    // It holds for one launch.
    await inApp(`rm -f ${link} && rmdir startup_agents`).catch(() => undefined);
  }
}

/** For an app that takes no agent but has BTrace's library in it, which asks the properties whether somebody waits. */
export async function launchLibrary(
  adb: Adb,
  app: App,
  options: RecordOptions,
  signal: AbortSignal | undefined,
): Promise<Conversation> {
  if ((await within(lookMs, bringsLibrary(adb, app), signal).catch(() => undefined)) === false)
    throw new TargetError(
      'not-supported',
      `${app.packageName} takes no agent, and has not BTrace's library in it.`,
      'Install a debuggable build of it, or one with the library: btrace in-app FOLDER writes what its build takes (docs/ANDROID.md).',
    );
  signal?.throwIfAborted();
  return await throughProperties(adb, app, async (door) => {
    if (options.startedElsewhere) options.startedElsewhere();
    else await startAnew(adb, app, '');
    return await opened(adb, app, door, options, signal, inItsLibrary);
  });
}

/** Whether our library is in one of its packages: it may have one for each ABI. Undefined where the device does not say. */
async function bringsLibrary(adb: Adb, app: App): Promise<boolean | undefined> {
  const { stdout } = await shell(adb, `pm path --user ${app.user} ${quoted(app.packageName)}`);
  const rows = stdout.split('\n').filter((row) => row.startsWith('package:'));
  const apks = rows.map((row) => row.slice('package:'.length).trim()).filter((apk) => apk !== '');
  for (const apk of apks) if ((await openApk(adb, apk)).find(agentLibrary)) return true;
  return apks.length > 0 ? false : undefined;
}

/** Ends the app; its next process finds the door in the properties, which are emptied afterwards. */
async function throughProperties(
  adb: Adb,
  app: App,
  launched: (door: Door) => Promise<Conversation>,
): Promise<Conversation> {
  const door = newDoor(0);
  const parameters = { app: app.packageName, wait: String(holdMs), ...parametersOf(door) };
  const set = (value: (given: string) => string) =>
    Object.entries(parameters)
      .map(([name, given]) => `setprop debug.btrace.${name} ${quoted(value(given))}`)
      .join('; ');
  try {
    await shell(adb, `${forceStop(app)}; ${set((given) => given)}`);
    return await launched(door);
  } finally {
    await shell(
      adb,
      set(() => ''),
    ).catch(() => undefined);
  }
}

export const forceStop = ({ packageName, user }: App): string =>
  `am force-stop --user ${user} ${quoted(packageName)}`;

/** As a finger on its icon: where the app runs already, what it showed last comes to the front. */
export const startCommand = ({ user }: App, component: string, how: string): string =>
  `am start ${how} --user ${user} -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n ${quoted(component)}`;

/** Ends the app and starts what a finger on its icon starts. */
async function startAnew(adb: Adb, app: App, how: string): Promise<void> {
  const component = await launcherActivity(adb, app);
  const said = await shell(adb, `${forceStop(app)}; ${startCommand(app, component, how)}`);
  if (complains(said))
    throw new TargetError(
      'agent-refused',
      `Android did not start ${app.packageName}${how === '' ? '' : ' with the agent'}: ${reasonIn(said.stderr + said.stdout)}.`,
      'See that it is installed for this user, and that it starts by a finger on its icon.',
    );
}

const inItsLog =
  'See its log (adb logcat) for the reason: it may have ended at once, or its first process may not be its own.';
const inItsLibrary =
  "It takes no agent, so it must have BTrace's library in it and call BTrace.recordFromLaunch() as it begins: see docs/ANDROID.md.";

async function opened(
  adb: Adb,
  app: App,
  door: Door,
  options: RecordOptions,
  signal: AbortSignal | undefined,
  nextStep: string,
): Promise<Conversation> {
  const limitMs = options.startedElsewhere ? elsewhereMs : launchMs;
  const patience = { everyMs: tryEveryMs, limitMs, signal };
  try {
    if (options.startedElsewhere) return await enter(adb, door, options, patience);
    return await enter(adb, door, options, { ...patience, isGone: wasThere(adb, app) });
  } catch (error) {
    if (signal?.aborted === true) await letGo(adb, door);
    signal?.throwIfAborted();
    throw new TargetError(
      'timeout',
      options.startedElsewhere
        ? `${app.packageName} was not started within ${limitMs / 60_000} minutes, or the agent in it did not answer.`
        : `${app.packageName} was started, but no agent in it answered.`,
      nextStep,
      { cause: error },
    );
  }
}

/** Whether an app that has been seen has ended again. */
function wasThere(adb: Adb, { process }: App): () => Promise<boolean> {
  let seen = false;
  return async () => {
    const runs = (await shell(adb, `pidof ${quoted(process)}`)).code === 0;
    seen ||= runs;
    return seen && !runs;
  };
}

/**
 * What a finger on the app's icon starts. Libraries bring icons of their own (LeakCanary does), and then Android would ask which is meant: it is
 * the one whose name has most of the package's in it, the first where several have.
 */
export async function launcherActivity(adb: Adb, app: App): Promise<string> {
  const { stdout } = await shell(
    adb,
    `cmd package query-activities --user ${app.user} --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER ${quoted(app.packageName)}`,
  );
  const [first, ...others] = launcherActivities(stdout, app.packageName);
  if (first === undefined)
    throw new TargetError(
      'not-supported',
      `${app.packageName} has no icon to start it by.`,
      'Start it as you usually do, and record it as it runs.',
    );
  const { component } = others.reduce((best, one) => (one.shared > best.shared ? one : best), first);
  return component;
}

/** In Android's order. `shared`: how many of the package's parts the class begins with. */
function launcherActivities(said: string, packageName: string): { component: string; shared: number }[] {
  const parts = packageName.split('.');
  return [...said.matchAll(/^[ \t]*([\w.]+)\/([\w.$]+)[ \t]*\r?$/gm)].flatMap(([, owner = '', name = '']) => {
    if (owner !== packageName) return [];
    const own = (name.startsWith('.') ? packageName + name : name).split('.');
    const apart = parts.findIndex((part, at) => part !== own[at]);
    return [{ component: `${owner}/${name}`, shared: apart < 0 ? parts.length : apart }];
  });
}
