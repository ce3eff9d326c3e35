/**
 * Android stops the whole process of an app that has been in the background for some seconds (the cached-apps freezer, Android 11 and newer):
 * nothing in it runs, no agent comes in, and one that is there says nothing.
 */
import type { Adb } from '@yume-chan/adb';
import type { App } from './apps.js';
import { quoted, shell } from './device-shell.js';

/** False, too, where Android does not say. Some 50 ms. */
export async function isFrozen(adb: Adb, app: App, pid: number): Promise<boolean> {
  const { stdout } = await shell(
    adb,
    `dumpsys activity processes ${quoted(app.packageName)} | grep -E '^ *[*]|isFrozen='`,
  );
  return frozenProcesses(stdout).includes(pid);
}

/** Of `dumpsys activity processes`: a heading for each process, "*APP* UID 10213 ProcessRecord{9a7d2c4 12345:com.example.shop/u0a213}", and lines of it below. */
export function frozenProcesses(text: string): number[] {
  const frozen: number[] = [];
  let pid = 0;
  for (const line of text.split('\n')) {
    const [, heading] = /^\s*\*\w+\* UID \d+ ProcessRecord\{\w+ (\d+):/.exec(line) ?? [];
    if (heading !== undefined) pid = Number(heading);
    if (pid > 0 && /\bisFrozen=true\b/.test(line)) frozen.push(pid);
  }
  return frozen;
}
