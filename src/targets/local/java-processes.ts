/** Which Java programs run on this machine, and why one cannot be recorded when it cannot. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { TargetError } from '../target.js';
import { userName } from '../user-name.js';
import { readElf } from './elf-facts.js';
import { programFromArgs, programFromCommand } from './java-command.js';
import { releasedVersion } from './jdk-release.js';
import { type Machine, openTemporaryFolder, thisMachine } from './machine.js';
import { readPerfStrings } from './perf-data.js';
import { placeOf, type ProcessPlace } from './process-place.js';
import { isAlive, mappedFiles, programOf, readProcess, type ProcessFacts } from './proc.js';

export interface JavaProcess {
  readonly facts: ProcessFacts;
  /** Main class or jar. */
  readonly name: string;
  /** "HotSpot 17.0.15"; "HotSpot" when the version is not told. */
  readonly runtime: string;
  readonly detail: string;
  /** "x64", "arm64"; empty when unknown. */
  readonly arch: string;
  readonly refusal: TargetError | undefined;
  readonly place: ProcessPlace;
}

const detailLength = 160;
const firstWithJvmti11 = 11;
/** 32 KiB unless -XX:PerfDataMemorySize says otherwise. */
const mostPerfDataBytes = 1024 * 1024;

function ownUid(): number {
  return process.geteuid?.() ?? -1;
}

function perfDataNames(names: readonly string[]): string[] {
  return names.filter((name) => name.startsWith('hsperfdata_'));
}

/** Names of the folders <tmp>/hsperfdata_<user>, each with one file a JVM. */
async function perfDataFolders(temporary: string): Promise<string[]> {
  const names = await readdir(temporary).catch(() => []);
  return perfDataNames(names).map((name) => path.posix.join(temporary, name));
}

/** As HotSpot itself, reads only what the program's own user wrote, in a folder that nobody else may write to. */
async function perfStrings(facts: ProcessFacts, machine: Machine): Promise<Map<string, string> | undefined> {
  const temporary = await openTemporaryFolder(facts, machine).catch(() => undefined);
  if (temporary === undefined) return undefined;
  try {
    for (const name of perfDataNames(await temporary.names().catch(() => []))) {
      const folder = await temporary.enter(name).catch(() => undefined);
      if (folder === undefined) continue;
      const bytes = folder.belongsTo(facts.uid)
        ? await folder.readFileOf(facts.uid, String(facts.innerPid), mostPerfDataBytes)
        : undefined;
      await folder.close();
      if (bytes !== undefined) return readPerfStrings(bytes);
    }
    return undefined;
  } finally {
    await temporary.close();
  }
}

function baseNames(files: Set<string>): string[] {
  return [...files].map((file) => path.posix.basename(file));
}

/** Alpine's name of it, or that of musl as its makers install it. With glibc no program loads a `libc.so`. */
function isMusl(file: string): boolean {
  return /^(ld-musl-.*|libc\.musl-.*|libc\.so)$/.test(file);
}

/** Why nothing can be loaded into this JVM, or undefined. */
function refusalOf(
  name: string,
  pid: number,
  version: string | undefined,
  perf: Map<string, string> | undefined,
  args: readonly string[],
): TargetError | undefined {
  const [, major] = /^(?:1\.)?(\d+)/.exec(version ?? '') ?? [];
  if (Number(major) < firstWithJvmti11) {
    return new TargetError(
      'not-supported',
      `${name} (process ${pid}) runs on Java ${major}, which lacks what the agent needs (JVMTI 11).`,
      'Run it on a HotSpot JDK, 17 or newer.',
    );
  }
  const off =
    perf?.get('sun.rt.jvmCapabilities')?.startsWith('0') ?? args.includes('-XX:+DisableAttachMechanism');
  if (!off) return undefined;
  return new TargetError(
    'attach-disabled',
    `${name} (process ${pid}) was started with attaching switched off (-XX:+DisableAttachMechanism).`,
    'Start it without that option, or with the agent in it: btrace record -- java …',
  );
}

async function describe(facts: ProcessFacts, machine: Machine): Promise<JavaProcess | undefined> {
  const hasProc = machine.platform === 'linux';
  const [published, program, files] = await Promise.all([
    perfStrings(facts, machine),
    programOf(facts.pid),
    hasProc ? mappedFiles(facts.pid) : undefined,
  ]);
  // A JVM that was killed leaves its file, and another process gets its number.
  const isItsOwn = files === undefined || [...files].some((file) => /\/hsperfdata_[^/]+\/\d+$/.test(file));
  const perf = isItsOwn ? published : undefined;
  const libraries = files ? baseNames(files) : [];
  const openJ9 = libraries.some((file) => /^libj9vm\d+\.so$/.test(file));
  const hotSpot = perf !== undefined || libraries.some((file) => /^libjvm\.(so|dylib)$/.test(file));
  if (!openJ9 && !hotSpot) return undefined;
  const command = perf?.get('sun.rt.javaCommand') ?? '';
  const name =
    programFromCommand(command) ??
    programFromArgs(facts.args) ??
    path.posix.basename(facts.args[0] ?? program ?? `process ${facts.pid}`);
  const version =
    perf?.get('java.property.java.version') ??
    (program === undefined ? undefined : await releasedVersion(facts.root + program));
  const elf = hasProc ? await readElf(`/proc/${facts.pid}/exe`) : undefined;
  const place = hasProc ? await placeOf(facts.pid) : { ports: [] };
  const common = {
    facts,
    name,
    detail: (command || facts.args.slice(1).join(' ')).slice(0, detailLength),
    arch: elf?.arch ?? (hasProc ? '' : process.arch),
    place,
  };
  if (openJ9) {
    const refusal = new TargetError(
      'not-supported',
      `${name} (process ${facts.pid}) runs on OpenJ9, which the agent cannot read.`,
      'Run it on a HotSpot JDK (OpenJDK, Temurin, Corretto, Zulu …).',
    );
    return { ...common, runtime: 'OpenJ9', refusal };
  }
  const runtime = version ? `HotSpot ${version}` : 'HotSpot';
  const refusal = libraries.some(isMusl)
    ? new TargetError(
        'not-supported',
        `${name} (process ${facts.pid}) runs on musl (Alpine Linux); the agent is built for glibc.`,
        'Run it in an image with glibc (Debian, Ubuntu, Fedora …).',
      )
    : refusalOf(name, facts.pid, version, perf, facts.args);
  return { ...common, runtime, refusal };
}

async function candidates({ platform, temporary }: Machine): Promise<number[]> {
  if (platform === 'linux') {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  }
  const folders = await perfDataFolders(temporary);
  const pids = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return pids.flat().map(Number).filter(Number.isInteger);
}

/** Facts where there is no /proc: what hsperfdata told by being there, and no more. */
async function factsOf(pid: number, { platform }: Machine): Promise<ProcessFacts | undefined> {
  if (platform === 'linux') return await readProcess(pid);
  if (!(await isAlive(pid))) return undefined;
  return { pid, uid: ownUid(), innerPid: pid, catchesQuit: true, isStopped: false, args: [], root: '' };
}

/** This user's Java programs, by pid. */
export async function listJavaProcesses(
  signal?: AbortSignal,
  machine: Machine = thisMachine(),
): Promise<JavaProcess[]> {
  if (machine.platform === 'win32') {
    throw new TargetError(
      'not-supported',
      'Programs on Windows cannot be recorded: there is no agent for it.',
      'Run the program in WSL or on Linux, or open a recording that was made there.',
    );
  }
  const uid = ownUid();
  const found = await Promise.all(
    (await candidates(machine)).map(async (pid) => {
      const facts = await factsOf(pid, machine);
      return facts?.uid === uid ? await describe(facts, machine) : undefined;
    }),
  );
  signal?.throwIfAborted();
  return found.filter((java) => java !== undefined).sort((a, b) => a.facts.pid - b.facts.pid);
}

/** One process by its pid; undefined for one that is no JVM. Throws a TargetError where it is not there, or another user's. */
export async function javaProcessIfAny(
  pid: number,
  machine: Machine = thisMachine(),
): Promise<JavaProcess | undefined> {
  return (await found(pid, machine)).java;
}

async function found(
  pid: number,
  machine: Machine,
): Promise<{ readonly facts: ProcessFacts; readonly java: JavaProcess | undefined }> {
  const facts = await factsOf(pid, machine);
  if (!facts) {
    throw new TargetError(
      'not-found',
      `There is no process ${pid}.`,
      'See the running Java programs with: btrace list',
    );
  }
  if (facts.uid !== ownUid()) {
    const owner = await userName(facts.uid);
    throw new TargetError(
      'not-permitted',
      `Process ${pid} belongs to ${owner}; only one's own programs can be recorded.`,
      `Run as that user, for example: sudo -u ${owner} btrace record --pid ${pid}`,
    );
  }
  return { facts, java: await describe(facts, machine) };
}

/** One process by its pid. Throws a TargetError that says what the process is when it is none to record. */
export async function javaProcess(pid: number, machine: Machine = thisMachine()): Promise<JavaProcess> {
  const { facts, java } = await found(pid, machine);
  if (java) return java;
  // What the kernel runs, and what has ended, has no command line to name it by.
  const [program] = facts.args;
  const what = program === undefined ? `Process ${pid}` : `Process ${pid} (${path.posix.basename(program)})`;
  if ((await readElf(`/proc/${pid}/exe`))?.sections.has('.svm_heap')) {
    throw new TargetError(
      'not-supported',
      `${what} is a native image: it has no JVM that could be asked.`,
      'Record the program on a JVM instead.',
    );
  }
  throw new TargetError(
    'not-supported',
    `${what} is not a Java program${program === undefined ? ': it has just ended, or is the kernel’s own' : ''}.`,
    'See the running Java programs with: btrace list',
  );
}
