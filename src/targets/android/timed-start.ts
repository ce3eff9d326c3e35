/** Starts of an app that Android itself times: of its process, of its screen, or of nothing anew. */
import type { Adb } from '@yume-chan/adb';
import { TargetError } from '../target.js';
import type { App } from './apps.js';
import { reasonIn } from './attach.js';
import { complains, shell } from './device-shell.js';
import { forceStop, launcherActivity, startCommand } from './launch.js';

/** As Android calls them. Cold: its process is made. Warm: its process is there, its screen is made. Hot: its screen is there, too. */
export const startKinds = ['cold', 'warm', 'hot'] as const;
export type StartKind = (typeof startKinds)[number];

/** `am start -W` itself gives up after 10 s or more, by the version of Android. */
const startMs = 60_000;

const home = 'am start -W -a android.intent.action.MAIN -c android.intent.category.HOME';

/** As the person leaves it: the process stays, and so does its screen. */
export async function leaveApp(adb: Adb, app: App): Promise<void> {
  const said = await shell(adb, `${home} --user ${app.user}`, startMs);
  if (complains(said))
    throw new TargetError(
      'io',
      `Android did not show its home screen: ${reasonIn(said.stderr + said.stdout)}.`,
      'Unlock the device, and try again.',
    );
}

/** Starts it by its icon. Returns for how long Android waited for its first frame, if it says so. For all but a cold start it was left before. */
export async function timedStart(adb: Adb, app: App, kind: StartKind): Promise<number | undefined> {
  const component = await launcherActivity(adb, app);
  const before = kind === 'cold' ? `${forceStop(app)}; ` : '';
  const how = kind === 'warm' ? '-W --activity-clear-task' : '-W';
  const said = await shell(adb, `${before}${startCommand(app, component, how)}`, startMs);
  const text = said.stdout + said.stderr;
  if (complains(said))
    throw new TargetError(
      'not-supported',
      `Android did not start ${app.packageName}: ${reasonIn(text)}.`,
      'See that it is installed for this user, and that it starts by a finger on its icon.',
    );
  const state = /^LaunchState: ([A-Z]{1,20})/m.exec(text)?.[1]?.toLowerCase();
  if (state !== undefined && state !== kind)
    throw new TargetError(
      'not-supported',
      `Android says that this start of ${app.packageName} was ${state}, and not ${kind}.`,
      kind === 'cold'
        ? 'Something else may have started its process again: close what uses it.'
        : 'Its process may have ended when it was left, or its screen may have closed itself: measure another kind of start.',
    );
  const ms = Number(/^TotalTime: (\d{1,9})\b/m.exec(text)?.[1] ?? 0);
  return ms > 0 ? ms : undefined;
}
