/** What matters of a device to whoever must find out why a recording of it fails. Nothing that tells whose it is. */
import type { Adb } from '@yume-chan/adb';
import { PUSHED, shell } from './device-shell.js';

/** What it is called in a report → how the device is asked. */
const questions: readonly (readonly [string, string])[] = [
  ['model', 'getprop ro.product.manufacturer; getprop ro.product.model'],
  ['Android', 'getprop ro.build.version.release'],
  ['API', 'getprop ro.build.version.sdk'],
  ['build', 'getprop ro.build.type; getprop ro.build.version.security_patch'],
  ['ABIs', 'getprop ro.product.cpu.abilist'],
  ['page size', 'getconf PAGE_SIZE'],
  ['kernel', 'uname -r'],
  ['SELinux', 'getenforce'],
  ['ART module', 'pm list packages --apex-only --show-versioncode | grep "[.]art "'],
  ['room for the agent', `df -h ${PUSHED} | tail -n 1`],
];

/** In the order of the report; what a device does not say is said to be so. */
export async function deviceFacts(adb: Adb): Promise<[string, string][]> {
  const facts: [string, string][] = [];
  for (const [name, command] of questions) {
    const { stdout, code } = await shell(adb, `{ ${command}; } 2>/dev/null`);
    const text = stdout.trim().replaceAll(/\s+/g, ' ');
    facts.push([name, code === 0 && text !== '' ? text : 'not known']);
  }
  const v2 = adb.subprocess.shellProtocol !== undefined;
  facts.push(['shell', v2 ? 'with exit codes' : 'without exit codes']);
  return facts;
}
