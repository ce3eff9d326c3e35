/**
 * A mark on the device for an app that died of the agent: the next recording of it is an external one. And one for an app that was killed
 * in the middle of a walk. They hold for this version of the agent; one that is newer removes them.
 */
import path from 'node:path';
import type { Adb } from '@yume-chan/adb';
import { type App, asApp } from './apps.js';
import { quoted, shell } from './device-shell.js';

/** `pushed`: where the agent lies on the device. Its older versions go with all that begins with their names. */
const markOf = (pushed: string, app: App) => quoted(`${pushed}.died.${app.packageName}`);

export async function markDeath(adb: Adb, pushed: string, app: App): Promise<void> {
  await shell(adb, `: > ${markOf(pushed, app)}`);
}

export async function hasDied(adb: Adb, pushed: string, app: App): Promise<boolean> {
  return (await shell(adb, `[ -f ${markOf(pushed, app)} ]`)).code === 0;
}

/**
 * Whether an app that has ended died of the agent: with the agent on its stack, or in the middle of a walk. One that the system or a
 * person ended just then (an update, too little memory, *force stop*) has no crash in Android's log: that counts only where it was so
 * the last time as well, as of an app that walks make hang. To be asked before the copy is removed. `pid`: 0 where it ended before it
 * was known.
 */
export async function diedOfAgent(
  adb: Adb,
  pushed: string,
  app: App,
  pid: number,
  copy: string,
): Promise<boolean> {
  const crashes = await nativeCrashes(adb, app, pid);
  if (crashes?.some((crash) => crash.includes(path.posix.basename(copy))) === true) return true;
  if (!(await endedInWalk(adb, app, copy))) {
    await forgetKill(adb, pushed, app);
    return false;
  }
  if (crashes === undefined || crashes.length > 0) return true;
  const mark = killedMarkOf(pushed, app);
  return (await shell(adb, `[ -f ${mark} ] || { : > ${mark}; false; }`)).code === 0;
}

const killedMarkOf = (pushed: string, app: App) => quoted(`${pushed}.killed.${app.packageName}`);

/** Its last recording ended in order, or it was not in a walk when it was ended. */
export async function forgetKill(adb: Adb, pushed: string, app: App): Promise<void> {
  await shell(adb, `rm -f ${killedMarkOf(pushed, app)}`);
}

/** The agent counts a process's walks that are under way in a file beside its copy: there while it records, and gone with the copy. */
async function endedInWalk(adb: Adb, app: App, copy: string): Promise<boolean> {
  const { stdout } = await shell(
    adb,
    asApp(app, `od -A n -t d4 -N 4 ${quoted(`${copy}.${app.process}.walking`)} 2>/dev/null`),
  );
  return /[1-9]/.test(stdout);
}

/** What Android's crash log has of this process; undefined where the log cannot be read. */
async function nativeCrashes(adb: Adb, app: App, pid: number): Promise<string[] | undefined> {
  const { stdout, code } = await shell(adb, `logcat -b crash -d -t 2000`);
  if (code !== 0) return undefined;
  const heading = /^.*\bpid: \d+, tid: /;
  const isOurs = (crash: string) =>
    pid > 0 ? new RegExp(`\\bpid: ${pid},`).test(crash) : crash.includes(`>>> ${app.process} <<<`);
  return stdout.split(/^(?=.*\bpid: \d+, tid: )/m).filter((crash) => heading.test(crash) && isOurs(crash));
}
