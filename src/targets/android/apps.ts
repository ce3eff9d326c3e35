/** The apps on a device: those that run, and debuggable ones that do not; and which of them may be recorded. */
import type { Adb } from '@yume-chan/adb';
import { TargetError } from '../target.js';
import { quoted, shell } from './device-shell.js';

export interface App {
  /** Of the process: the package, or package:part. */
  readonly process: string;
  readonly packageName: string;
  /** 0: it does not run. */
  readonly pid: number;
  /** What lets us look into it: its being debuggable, or the shell's being root; undefined: nothing does. */
  readonly access: 'run-as' | 'root' | undefined;
  /** Why nothing does, in the device's words. */
  readonly why: string;
  readonly apk?: string;
}

/** A shell command that runs `script` as the app, in its own folder. */
export function asApp(app: App, script: string): string {
  const name = quoted(app.packageName);
  if (app.access !== 'root') return `run-as ${name} sh -c ${quoted(script)}`;
  const folder = `/data/data/${app.packageName}`;
  return `cd ${quoted(folder)} && su $(stat -c %u .) sh -c ${quoted(script)}`;
}

/** Java package names; an app's other processes add ":part". Anything else is no app. */
const processName = /^([A-Za-z]\w*(?:\.[A-Za-z]\w*)+)(:[\w.]+)?$/;
/** The kernel's users of installed apps: u0_a123, u10_a45. Isolated ones (u0_i…) have no package of their own. */
const appUser = /^u\d+_a\d+$/;
const isolatedUser = /^u\d+_i/;

interface Row {
  readonly pid: number;
  readonly process: string;
  readonly packageName: string;
  /** Where its package lies, of what is installed beside the system: another place after each installation. */
  readonly apk?: string;
}

/** What is known of processes from before: why one may not be looked into, or '' when it may. */
export interface Probes {
  get(row: Row): string | undefined;
  set(row: Row, why: string): void;
}

/** Rows of `ps -A -o PID,USER,NAME`: of apps, and for root of all that are called like one (com.android.phone). */
export function parseProcesses(text: string, isRoot: boolean): Row[] {
  const rows: Row[] = [];
  for (const line of text.split('\n')) {
    const [pid, user = '', process = ''] = line.trim().split(/\s+/);
    const name = processName.exec(process);
    if (name && (isRoot ? !isolatedUser.test(user) : appUser.test(user)))
      rows.push({ pid: Number(pid), process, packageName: name[1] ?? '' });
  }
  return rows;
}

/** Rows of `pm list packages -3 -f`: "package:/data/app/…/base.apk=com.example.shop". */
export function parsePackages(text: string): Row[] {
  const rows: Row[] = [];
  for (const line of text.split('\n')) {
    const [, apk, name] = /^package:(.*)=([^=]+)$/.exec(line.trim()) ?? [];
    if (apk !== undefined && name !== undefined && processName.test(name))
      rows.push({ pid: 0, process: name, packageName: name, apk });
  }
  return rows;
}

/** Those that can be looked into first, by name. */
export async function listApps(adb: Adb, probes: Probes): Promise<App[]> {
  const [{ stdout, stderr, code }, packages] = await Promise.all([
    shell(adb, 'id -u; ps -A -o PID,USER,NAME'),
    shell(adb, 'pm list packages -3 -f'),
  ]);
  if (code !== 0)
    throw new TargetError(
      'not-supported',
      `The device ${adb.serial} does not list its processes: ${(stderr || stdout).trim()}.`,
      'Android 8 or newer is needed.',
    );
  const isRoot = /^0\s/.test(stdout); // after `adb root`, on emulators and builds for developers
  const installed = new Map(parsePackages(packages.stdout).map((row) => [row.process, row]));
  const running = parseProcesses(stdout, isRoot).map((row) => ({
    ...installed.get(row.packageName),
    ...row,
  }));
  const names = new Set(running.map((row) => row.process));
  const rows = [...running, ...[...installed.values()].filter((row) => !names.has(row.process))];
  const known = (row: Row): string | undefined => (isRoot ? '' : probes.get(row));
  const unknown = rows.filter((row) => known(row) === undefined);
  const refusals = await probe(adb, [...new Set(unknown.map((row) => row.packageName))]);
  const apps = rows.map((row): App => {
    const why = known(row) ?? refusals.get(row.packageName);
    if (why === undefined) return { ...row, access: undefined, why: 'the device did not say' };
    if (!isRoot) probes.set(row, why);
    return { ...row, access: isRoot ? 'root' : why === '' ? 'run-as' : undefined, why };
  });
  // Of what does not run and cannot be recorded there is nothing to say.
  const shown = apps.filter(({ pid, access }) => pid > 0 || access !== undefined);
  const rank = ({ access }: App) => (access === undefined ? 1 : 0);
  return shown.sort((a, b) => rank(a) - rank(b) || (a.process < b.process ? -1 : 1));
}

/** run-as works for debuggable apps and for no others. One command for all: each costs the device some 20 ms. */
async function probe(adb: Adb, packages: readonly string[]): Promise<Map<string, string>> {
  if (packages.length === 0) return new Map();
  const names = packages.map(quoted).join(' ');
  const { stdout } = await shell(
    adb,
    `for p in ${names}; do why=$(run-as "$p" true 2>&1) && why=; echo "$p $why"; done`,
  );
  return new Map(
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const space = line.indexOf(' ');
        return [line.slice(0, space), line.slice(space + 1).trim()];
      }),
  );
}
