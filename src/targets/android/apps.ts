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
  /** The ABI that it runs; undefined where it does not run, or nothing lets us see. */
  readonly abi?: string | undefined;
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

/** What a process said when it was looked into. */
export interface Probe {
  /** Why it may not be, or '' when it may. */
  readonly why: string;
  readonly abi: string | undefined;
}

/** What is known of processes from before. */
export interface Probes {
  get(row: Row): Probe | undefined;
  set(row: Row, probe: Probe): void;
}

/** A line each: all of the device's ABIs, the best first, then those of 32 and of 64 bits. */
const ABIS = ['abilist', 'abilist32', 'abilist64'].map((name) => `getprop ro.product.cpu.${name}`).join('; ');

/** 32-bit apps on a 64-bit device have another runtime program: /system/bin/app_process32. */
function abiOfProgram(program: string, [, narrow = '', wide = '']: readonly string[]): string | undefined {
  const [, width] = /\bapp_process(32|64)$/.exec(program) ?? [];
  const [abi = ''] = (width === '32' ? narrow : width === '64' ? wide : '').split(',');
  return abi === '' ? undefined : abi;
}

/** The ABI that an app's process runs, or will. */
export async function abiOf(adb: Adb, app: App): Promise<string> {
  const installed = `dumpsys package ${quoted(app.packageName)} | grep -m 1 primaryCpuAbi=`;
  const program = asApp(app, `readlink /proc/${app.pid}/exe`);
  const { stdout } = await shell(adb, `${ABIS}; ${app.pid > 0 ? program : installed}`);
  const [all = '', narrow = '', wide = '', said = ''] = stdout.split('\n').map((line) => line.trim());
  // An app without native code has "null" there and runs as the device's first ABI.
  const own = /primaryCpuAbi=(\S+)/.exec(said)?.[1] ?? 'null';
  if (own !== 'null') return own;
  const [first = ''] = all.split(',');
  return abiOfProgram(said, [all, narrow, wide]) ?? first;
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
  const known = (row: Row): Probe | undefined => (isRoot ? { why: '', abi: undefined } : probes.get(row));
  const said = await probe(
    adb,
    rows.filter((row) => known(row) === undefined),
  );
  const apps = rows.map((row): App => {
    const found = known(row) ?? said.get(row.packageName);
    if (found === undefined) return { ...row, access: undefined, why: 'the device did not say' };
    if (!isRoot) probes.set(row, found);
    const { why } = found;
    const abi = row.pid > 0 ? found.abi : undefined;
    return { ...row, access: isRoot ? 'root' : why === '' ? 'run-as' : undefined, why, abi };
  });
  // Of what does not run and cannot be recorded there is nothing to say.
  const shown = apps.filter(({ pid, access }) => pid > 0 || access !== undefined);
  const rank = ({ access }: App) => (access === undefined ? 1 : 0);
  return shown.sort((a, b) => rank(a) - rank(b) || (a.process < b.process ? -1 : 1));
}

/**
 * By package: run-as works for debuggable apps and for no others, and sees the program that one of its processes runs: Android gives all of
 * them the same ABI. One command for all: each costs the device some 20 ms.
 */
async function probe(adb: Adb, rows: readonly Row[]): Promise<Map<string, Probe>> {
  if (rows.length === 0) return new Map();
  // Of a package's rows the first holds, which is of a process if any is.
  const pids = new Map(rows.toReversed().map(({ packageName, pid }) => [packageName, pid]));
  const asked = [...pids].map(([packageName, pid]) => quoted(`${packageName}:${pid}`)).join(' ');
  const look = 'readlink /proc/${row#*:}/exe 2>/dev/null; true';
  const ask = `said=$(run-as "\${row%:*}" sh -c "${look}" 2>&1); echo "\${row%:*} $? $said"`;
  const { stdout } = await shell(adb, `${ABIS}; for row in ${asked}; do ${ask}; done`);
  const lines = stdout.split('\n').map((line) => line.trim());
  return new Map(
    lines.flatMap((line): [string, Probe][] => {
      const [, name = '', code = '', words = ''] = /^(\S+) (\d+) ?(.*)$/.exec(line) ?? [];
      if (name === '') return [];
      return [
        [name, code === '0' ? { why: '', abi: abiOfProgram(words, lines) } : { why: words, abi: undefined }],
      ];
    }),
  );
}
