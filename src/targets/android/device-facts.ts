/** What matters of a device to whoever must find out why a recording of it fails. Nothing that tells whose it is. */
import type { Adb } from '@yume-chan/adb';
import { pushFolder, shell } from './device-shell.js';
import { within } from './patience.js';
import { findRuntime } from './runtime-symbols.js';

const runtimeMs = 5000;

/** What it is called in a report → how the device is asked. */
const questions: readonly (readonly [string, string])[] = [
  ['model', 'getprop ro.product.manufacturer; getprop ro.product.model'],
  ['Android', 'getprop ro.build.version.release'],
  ['API', 'getprop ro.build.version.sdk'],
  // Who builds Android is named in the builds that are made by hand: "eng.NAME.20261103".
  ['build', 'getprop ro.build.fingerprint | sed "s,eng\\.[^/:]*,eng,g"'],
  ['security patch', 'getprop ro.build.version.security_patch'],
  ['shell is', 'id -u | sed "s,^0$,root,; s,^2000$,shell,"'],
  ['ABIs', 'getprop ro.product.cpu.abilist'],
  ['page size', 'getconf PAGE_SIZE'],
  ['kernel', 'uname -r'],
  ['SELinux', 'getenforce'],
  ['ART module', 'pm list packages --apex-only --show-versioncode | grep "[.]art "'],
  ['room for the agent', `df -h ${pushFolder} | tail -n 1`],
  // Without, who else records an app is not seen.
  ['shell sees sockets', '[ -r /proc/net/unix ] && head -n 2 /proc/net/unix | grep -q . && echo yes'],
];

/** What the device's log has of agents and of us, newest last: why one was not loaded. */
export async function agentLog(adb: Adb): Promise<string[]> {
  const { stdout } = await shell(
    adb,
    `logcat -d -t 5000 2>/dev/null | grep -iE 'btrace|attach.*agent' | tail -n 20`,
  );
  return stdout.split('\n').filter((line) => line.trim() !== '');
}

/** In the order of the report; what a device does not say is said to be so. */
export async function deviceFacts(adb: Adb): Promise<[string, string][]> {
  const facts: [string, string][] = [];
  for (const [name, command] of questions) {
    const { stdout, code } = await shell(adb, `{ ${command}; } 2>/dev/null`);
    const text = stdout.trim().replaceAll(/\s+/g, ' ');
    facts.push([name, code === 0 && text !== '' ? text : 'not known']);
  }
  const ids: string[] = [];
  for (const abi of (facts.find(([name]) => name === 'ABIs')?.[1] ?? '').split(',')) {
    const runtime = await within(runtimeMs, findRuntime(adb, abi)).catch(() => undefined);
    if (runtime && !ids.includes(runtime.buildId)) ids.push(runtime.buildId);
  }
  facts.push(['libart build ids', ids.join(', ') || 'not known']);
  const v2 = adb.subprocess.shellProtocol !== undefined;
  facts.push(['exit codes', v2 ? 'yes' : 'no, asked for']);
  return facts;
}
