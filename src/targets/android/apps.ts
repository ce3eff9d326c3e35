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
  /** Where nothing does: its manifest lets the shell profile it, so that Android samples it. */
  readonly profileable: boolean;
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
  readonly profileable: boolean;
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
  const said = await probe(
    adb,
    rows.filter((row) => probes.get(row) === undefined),
    isRoot ? LOOK : LOOK_AS_APP,
  );
  const apps = rows.map((row): App => {
    const found = probes.get(row) ?? said.get(row.packageName);
    if (found) probes.set(row, found);
    const { why, profileable } = found ?? { why: 'the device did not say', profileable: false };
    const abi = row.pid > 0 ? found?.abi : undefined;
    const access = isRoot ? 'root' : why === '' ? 'run-as' : undefined;
    return { ...row, access, why, profileable: access === undefined && profileable, abi };
  });
  // Of what does not run and cannot be recorded there is nothing to say.
  const shown = apps.filter(({ pid, access }) => pid > 0 || access !== undefined);
  const rank = ({ access, profileable }: App) => (access !== undefined ? 0 : profileable ? 1 : 2);
  return shown.sort((a, b) => rank(a) - rank(b) || (a.process < b.process ? -1 : 1));
}

/** Of `$row`, "package:pid:beside": the program that its process runs. Root sees it of any. */
const PROGRAM = 'pid=${row#*:}; readlink /proc/${pid%:*}/exe 2>/dev/null; true';
const LOOK = `echo "\${row%%:*} 0 $(${PROGRAM})"`;
/**
 * run-as works for debuggable apps and for no others, and they see their own program. Of the others, where they run and were installed beside
 * the system, the package's flags say whether the shell may profile them: Android 10 and newer have such a flag.
 */
const LOOK_AS_APP = [
  `said=$(pid=\${row#*:}; run-as \${row%%:*} sh -c "readlink /proc/\${pid%:*}/exe 2>/dev/null; true" 2>&1)`,
  'code=$?',
  'case $code:$row in 0:* | *:0:* | *:system) ;; *) dumpsys package ${row%%:*} | grep -q PROFILEABLE_BY_SHELL && code=profileable ;; esac',
  'echo "${row%%:*} $code $said"',
].join('; ');

/** By package, as Android gives all processes of one the same ABI. One command for all: each costs the device some 20 ms. */
async function probe(adb: Adb, rows: readonly Row[], look: string): Promise<Map<string, Probe>> {
  if (rows.length === 0) return new Map();
  // Of a package's rows the first holds, which is of a process if any is.
  const firsts = new Map(rows.toReversed().map((row) => [row.packageName, row]));
  const asked = [...firsts.values()].map(({ packageName, pid, apk }) =>
    quoted(`${packageName}:${pid}:${apk === undefined ? 'system' : 'beside'}`),
  );
  const { stdout } = await shell(adb, `${ABIS}; for row in ${asked.join(' ')}; do ${look}; done`);
  const lines = stdout.split('\n').map((line) => line.trim());
  return new Map(
    lines.flatMap((line): [string, Probe][] => {
      const [, name = '', code = '', words = ''] = /^(\S+) (\d+|profileable) ?(.*)$/.exec(line) ?? [];
      if (name === '') return [];
      const why = code === '0' ? '' : words;
      const abi = code === '0' ? abiOfProgram(words, lines) : undefined;
      return [[name, { why, profileable: code === 'profileable', abi }]];
    }),
  );
}
