/**
 * A mark on the device for an app that died of the agent: the next recording of it is an external one. It holds for this version of the
 * agent; one that is newer removes it.
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
 * Whether an app that has ended was in the middle of a walk, or has in Android's crash log ended with the agent on its stack. To be asked
 * before the copy is removed. `pid`: 0 where it ended before it was known.
 */
export async function diedOfAgent(adb: Adb, app: App, pid: number, copy: string): Promise<boolean> {
  return (await diedInWalk(adb, app, copy)) || (await isInCrashLog(adb, app, pid, copy));
}

/** The agent counts a process's walks that are under way in a file beside its copy: there while it records, and gone with the copy. */
async function diedInWalk(adb: Adb, app: App, copy: string): Promise<boolean> {
  const { stdout } = await shell(
    adb,
    asApp(app, `od -A n -t d4 -N 4 ${quoted(`${copy}.${app.process}.walking`)} 2>/dev/null`),
  );
  return /[1-9]/.test(stdout);
}

/** Whether Android's crash log has this process end with this version of the agent on its stack. */
async function isInCrashLog(adb: Adb, app: App, pid: number, copy: string): Promise<boolean> {
  const { stdout } = await shell(adb, `logcat -b crash -d -t 500`);
  const name = path.posix.basename(copy);
  const isOurs = (crash: string) =>
    pid > 0 ? new RegExp(`\\bpid: ${pid},`).test(crash) : crash.includes(`>>> ${app.process} <<<`);
  return stdout.split(/^(?=.*\bpid: \d+, tid: )/m).some((crash) => isOurs(crash) && crash.includes(name));
}
