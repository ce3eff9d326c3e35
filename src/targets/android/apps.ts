/** The apps on a device: those that run, and debuggable ones that do not; and which of them may be recorded. */
import type { Adb } from '@yume-chan/adb';
import { TargetError } from '../target.js';
import { quoted, shell } from './device-shell.js';
import { profileableProcesses } from './profileable.js';

export interface App {
  /** Of the process: the package, or package:part. */
  readonly process: string;
  readonly packageName: string;
  /** The process that its icon starts, whatever that is called. */
  readonly isMain: boolean;
  /** Android's user whose it is: 0 is the first; a work profile is another, and all of a car's are. */
  readonly user: number;
  /** 0: it does not run. */
  readonly pid: number;
  /** What lets us look into it: its being debuggable, or the shell's being root; undefined: nothing does. */
  readonly access: 'run-as' | 'root' | undefined;
  /** Why nothing does, in the device's words. */
  readonly why: string;
  /** Where nothing does: whether its manifest lets the shell profile it, so that Android samples it; undefined: the device does not say. */
  readonly profileable: boolean | undefined;
  /** The ABI that it runs; undefined where it does not run, or nothing lets us see. */
  readonly abi?: string | undefined;
  readonly apk?: string;
}

/** Its process, with the user where that is not the first: the same app may run for several. */
export const fullName = ({ process, user }: App): string => (user === 0 ? process : `${process}@${user}`);

/** A shell command that runs `script` as the app, in its own folder. */
export function asApp(app: App, script: string): string {
  const name = quoted(app.packageName);
  const user = app.user === 0 ? '' : ` --user ${app.user}`;
  if (app.access !== 'root') return `run-as ${name}${user} sh -c ${quoted(script)}`;
  const folder = `${app.user === 0 ? '/data/data' : `/data/user/${app.user}`}/${app.packageName}`;
  return `cd ${quoted(folder)} && su $(stat -c %u .) sh -c ${quoted(script)}`;
}

/** Java package names; an app's other processes add ":part", or have a name of their own like a package's. Anything else is no app. */
const processName = /^([A-Za-z]\w*(?:\.[A-Za-z]\w*)+)(:[\w.]+)?$/;
/** The kernel's users of installed apps: Android's user 0 has u0_a123, 10 has u10_a45. Isolated ones (u0_i…) have no package of their own. */
const appUser = /^u(\d+)_a(\d+)$/;
/** Of u0_a0: what Android counts its apps from, and how far apart its users' are. */
const firstAppId = 10_000;
const idsPerUser = 100_000;
const isolatedUser = /^u\d+_i/;

interface Row {
  readonly pid: number;
  readonly process: string;
  readonly packageName: string;
  readonly user: number;
  /** The kernel's number of its package, the same for all of Android's users. */
  readonly appId?: number | undefined;
  /** Where its package lies, of what is installed beside the system: another place after each installation. */
  readonly apk?: string;
  /** Where it is not called like its package, and that does not run: the device has said that it is the one that the icon starts. */
  readonly isRenamedMain?: boolean;
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
const abis = ['abilist', 'abilist32', 'abilist64'].map((name) => `getprop ro.product.cpu.${name}`).join('; ');

/**
 * 32-bit apps on a 64-bit device have another runtime program: /system/bin/app_process32. The first ABI of a width is the device's own; the
 * others are translated, or older ones of the same processor.
 */
function abiOfProgram(program: string, [, narrow = '', wide = '']: readonly string[]): string | undefined {
  const [, width] = /\bapp_process(32|64)$/.exec(program) ?? [];
  const [abi = ''] = (width === '32' ? narrow : width === '64' ? wide : '').split(',');
  return abi === '' ? undefined : abi;
}

/** An app's native code decides the width alone: with code for ARM in it an emulator runs it in its own runtime of that width. */
function abiOfInstalled(said: string, [all = '', narrow = '', wide = '']: readonly string[]): string {
  const [, own = 'null'] = /primaryCpuAbi=(\S+)/.exec(said) ?? [];
  // An app without native code has "null" there and runs as the device's first ABI.
  const [abi = ''] = (own === 'null' ? all : own.includes('64') ? wide : narrow).split(',');
  return abi;
}

/** The ABI that an app's process runs, or will. */
export async function abiOf(adb: Adb, app: App): Promise<string> {
  const installed = `dumpsys package ${quoted(app.packageName)} | grep -m 1 primaryCpuAbi=`;
  const program = `${asApp(app, `readlink /proc/${app.pid}/exe`)} 2>/dev/null`;
  const { stdout } = await shell(adb, `${abis}; ${app.pid > 0 ? `${program} || ` : ''}${installed}`);
  const lines = stdout.split('\n').map((line) => line.trim());
  const said = lines[3] ?? '';
  return abiOfProgram(said, lines) ?? abiOfInstalled(said, lines);
}

/** Rows of `ps -A -o PID,USER,NAME`: of apps, and for root of all that are called like one (com.android.phone). */
export function parseProcesses(text: string, isRoot: boolean): Row[] {
  const rows: Row[] = [];
  for (const line of text.split('\n')) {
    const [pid, owner = '', process = ''] = line.trim().split(/\s+/);
    const name = processName.exec(process);
    const [, user = '0'] = /^u(\d+)_/.exec(owner) ?? [];
    const [, , app] = appUser.exec(owner) ?? [];
    if (!name || (isRoot ? isolatedUser.test(owner) : app === undefined)) continue;
    const appId = app === undefined ? undefined : firstAppId + Number(app);
    rows.push({ pid: Number(pid), process, packageName: name[1] ?? '', user: Number(user), appId });
  }
  return rows;
}

/** Rows of `ps -A -o PID,UID`: the kernel's number of each process's package, or of a part of the system. */
export function parseOwners(text: string): Map<number, number> {
  const rows = [...text.matchAll(/^[ \t]*(\d+)[ \t]+(\d+)[ \t]*\r?$/gm)];
  return new Map(rows.map(([, pid, uid]) => [Number(pid), Number(uid) % idsPerUser]));
}

/** Rows of `pm list packages -3 -f -U`: "package:/data/app/…/base.apk=com.example.shop uid:10123", with a number for each user on newer ones. */
export function parsePackages(text: string, user: number): Row[] {
  const rows: Row[] = [];
  for (const line of text.split('\n')) {
    const row = line.trim();
    if (!row.startsWith('package:')) continue;
    const [place = '', uids = ''] = row.slice('package:'.length).split(' uid:', 2);
    const nameAt = place.lastIndexOf('=') + 1;
    const [apk, name] = [place.slice(0, nameAt - 1), place.slice(nameAt)];
    const uid = /^\d+/.exec(uids)?.[0];
    if (nameAt > 0 && processName.test(name))
      rows.push({
        pid: 0,
        process: name,
        packageName: name,
        user,
        appId: uid === undefined ? undefined : Number(uid) % idsPerUser,
        apk,
      });
  }
  return rows;
}

/** A process may be called like another package, or like none (`android:process` without a colon): whose it is, its user tells. */
function withPackage(row: Row, installed: ReadonlyMap<string, Row>, owners: ReadonlyMap<number, Row>): Row {
  const found = installed.get(row.packageName);
  const isOwn = row.appId === undefined || found?.appId === row.appId;
  const owner = isOwn ? found : (owners.get(row.appId) ?? found);
  return {
    ...row,
    packageName: owner?.packageName ?? row.packageName,
    ...(owner?.apk !== undefined && { apk: owner.apk }),
  };
}

/**
 * For root, which sees the system's processes too: of these many have a name of their own, and some are called like a package and are none.
 * Each gets the package of its user, which shares it with others at most; who has none is no app.
 */
async function ofPackages(adb: Adb, rows: readonly Row[], user: number): Promise<Row[]> {
  const { stdout } = await shell(adb, `ps -A -o PID,UID; pm list packages --user ${user} -f -U`);
  const packages = parsePackages(stdout, user);
  if (packages.length === 0) return [...rows];
  const ids = parseOwners(stdout);
  const byName = new Map(packages.map((row) => [row.packageName, row]));
  const byId = new Map(packages.toReversed().map((row) => [row.appId, row]));
  return rows.flatMap((row) => {
    const appId = row.appId ?? ids.get(row.pid);
    const owner = byName.get(row.packageName)?.appId === appId ? row : byId.get(appId);
    if (owner) return [{ ...row, appId, packageName: owner.packageName }];
    // An app's may be installed for another of Android's users alone.
    return row.appId === undefined ? [] : [row];
  });
}

/** An app may call its main process otherwise (`android:process` of the application): its own name is then none that runs. */
async function withMains(
  adb: Adb,
  running: readonly Row[],
  installed: ReadonlyMap<string, Row>,
  user: number,
): Promise<Row[]> {
  const own = new Set(running.filter((row) => row.user === user).map((row) => row.process));
  const isUnclear = (row: Row) =>
    row.user === user &&
    row.process !== row.packageName &&
    !row.process.includes(':') &&
    installed.has(row.packageName) &&
    !own.has(row.packageName);
  const names = [...new Set(running.filter(isUnclear).map(({ packageName }) => packageName))];
  if (names.length === 0) return [...running];
  const ask = `mains() { cmd package query-activities --user ${user} -a android.intent.action.MAIN -c android.intent.category.LAUNCHER $1 | sed -n "s/.*processName=/$1 /p"; }`;
  const { stdout } = await shell(adb, [ask, ...names.map((name) => `mains ${quoted(name)}`)].join('; '));
  const mains = new Set(stdout.split('\n').map((line) => line.trim()));
  return running.map((row) => ({
    ...row,
    isRenamedMain: isUnclear(row) && mains.has(`${row.packageName} ${row.process}`),
  }));
}

/** Of the user before the screen. Only where that is not the first one `pm` has to be told. */
const packagesCommand =
  'user=$(cmd activity get-current-user 2>/dev/null); case $user in "" | *[!0-9]*) user=0 ;; esac; echo "user:$user"; ' +
  'case $user in 0) pm list packages -3 -f -U ;; *) pm list packages --user $user -3 -f -U ;; esac';

/** Those that can be looked into first, by name. */
export async function listApps(adb: Adb, probes: Probes): Promise<App[]> {
  const [{ stdout, stderr, code }, packages, profileable] = await Promise.all([
    shell(adb, 'id -u; ps -A -o PID,USER,NAME'),
    shell(adb, packagesCommand),
    profileableProcesses(adb),
  ]);
  if (code !== 0)
    throw new TargetError(
      'not-supported',
      `The device ${adb.serial} does not list its processes: ${(stderr || stdout).trim()}.`,
      'Android 8 or newer is needed.',
    );
  const isRoot = /^0\s/.test(stdout); // after `adb root`, on emulators and builds for developers
  const user = Number(/^user:(\d+)/.exec(packages.stdout)?.[1] ?? 0);
  const installed = new Map(parsePackages(packages.stdout, user).map((row) => [row.process, row]));
  const owners = new Map([...installed.values()].toReversed().map((row) => [row.appId ?? 0, row]));
  const seen = parseProcesses(stdout, isRoot);
  const processes = isRoot ? await ofPackages(adb, seen, user) : seen;
  const owned = processes.map((row) => withPackage(row, installed, owners));
  const running = await withMains(adb, owned, installed, user);
  const names = new Set(
    running
      .filter((row) => row.user === user)
      .map((row) => (row.isRenamedMain === true ? row.packageName : row.process)),
  );
  const rows = [...running, ...[...installed.values()].filter((row) => !names.has(row.process))];
  const found = await probeAll(adb, rows, probes, isRoot ? lookFunction : lookAsApp);
  const apps = rows.map((row, at): App => {
    const { why, abi } = found[at] ?? { why: 'the device did not say', abi: undefined };
    const access = isRoot ? 'root' : why === '' ? 'run-as' : undefined;
    return {
      ...row,
      isMain: row.isRenamedMain === true || row.process === row.packageName,
      access,
      why,
      profileable: access === undefined && profileable?.has(row.pid),
      abi: row.pid > 0 ? abi : undefined,
    };
  });
  // Of what does not run and cannot be recorded there is nothing to say.
  const shown = apps.filter(({ pid, access }) => pid > 0 || access !== undefined);
  const rank = ({ access, profileable }: App) => (access !== undefined ? 0 : profileable === true ? 1 : 2);
  return shown.sort((a, b) => rank(a) - rank(b) || (a.process < b.process ? -1 : 1));
}

/** Of `$2`: the program that its process runs. Root sees it of any. */
const programCommand = 'readlink /proc/$2/exe 2>/dev/null; true';
/** Called with package, process (or 0) and Android's user. */
const lookFunction = `look() { echo "$1 $3 0 $(${programCommand})"; }`;
/** run-as works for debuggable apps and for no others, and they see their own program. */
const lookAsApp = [
  'look() { as="run-as $1"; [ $3 = 0 ] || as="$as --user $3"',
  `said=$($as sh -c "${programCommand}" 2>&1)`,
  'echo "$1 $3 $? $said"; }',
].join('; ');

/** In one command: each costs the device some 20 ms, and a slow one shall have got on when it is asked again. */
const atOnce = 40;

const packageOf = ({ packageName, user }: { packageName: string; user: number }) => `${packageName} ${user}`;

/** In the order of the rows. What is known from before is not asked again; what comes is known from then on. */
async function probeAll(
  adb: Adb,
  rows: readonly Row[],
  probes: Probes,
  look: string,
): Promise<(Probe | undefined)[]> {
  const known = rows.map((row) => probes.get(row));
  rows.forEach((row, at) => {
    const before = known[at];
    if (before) probes.set(row, before);
  });
  const left = rows.filter((_, at) => known[at] === undefined);
  // By package, as Android gives all processes of one the same ABI: the first of its rows is of a process if any is.
  const firsts = [...new Map(left.toReversed().map((row) => [packageOf(row), row])).values()];
  const said = new Map<string, Probe>();
  for (let from = 0; from < firsts.length; from += atOnce) {
    for (const [of, probe] of await probeSome(adb, firsts.slice(from, from + atOnce), look))
      said.set(of, probe);
    for (const row of left) {
      const probe = said.get(packageOf(row));
      if (probe) probes.set(row, probe);
    }
  }
  return rows.map((row, at) => known[at] ?? said.get(packageOf(row)));
}

async function probeSome(adb: Adb, rows: readonly Row[], look: string): Promise<[string, Probe][]> {
  const calls = rows.map(({ packageName, pid, user }) => `look ${quoted(packageName)} ${pid} ${user}`);
  const { stdout } = await shell(adb, [abis, look, ...calls].join('; '));
  const lines = stdout.split('\n').map((line) => line.trim());
  return lines.flatMap((line): [string, Probe][] => {
    const [, of = '', code = '', words = ''] = /^(\S+ \d+) (\d+)(?: (.*))?$/.exec(line) ?? [];
    if (of === '') return [];
    const why = code === '0' ? '' : words;
    const abi = code === '0' ? abiOfProgram(words, lines) : undefined;
    return [[of, { why, abi }]];
  });
}
