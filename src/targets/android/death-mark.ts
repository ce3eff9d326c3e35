/**
 * A mark on the device for an app that died of the agent: the next recording of it is made from outside. It holds for this version of the
 * agent; one that is newer removes it.
 */
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
 * before the copy is removed.
 */
export async function diedOfAgent(adb: Adb, app: App, pid: number, copy: string): Promise<boolean> {
  return (await diedInWalk(adb, app, copy)) || (await isInCrashLog(adb, pid));
}

/** The agent counts its walks that are under way in a file beside its copy: there while it records, and gone with the copy. */
async function diedInWalk(adb: Adb, app: App, copy: string): Promise<boolean> {
  const script = `for f in ${quoted(copy)}.*.walking; do [ ! -f "$f" ] || od -A n -t d4 -N 4 "$f"; done`;
  const { stdout } = await shell(adb, asApp(app, script));
  return /[1-9]/.test(stdout);
}

/** Whether Android's crash log has this process end with the agent on its stack. */
async function isInCrashLog(adb: Adb, pid: number): Promise<boolean> {
  const { stdout } = await shell(adb, `logcat -b crash -d -t 500`);
  const lines = stdout.split('\n');
  const begin = lines.findLastIndex((line) => new RegExp(`\\bpid: ${pid}\\b`).test(line));
  return begin >= 0 && lines.slice(begin).some((line) => line.includes('btrace-agent-'));
}
