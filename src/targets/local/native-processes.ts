/** Which native programs of this user run here: those that are no JVM, no kernel thread and none of BTrace's own. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, programOf, readProcess, type ProcessFacts } from './proc.js';

export interface NativeProcess {
  readonly facts: ProcessFacts;
  /** The program file's name. */
  readonly name: string;
  /** Where the program's file lies. */
  readonly folder: string;
  readonly commandLine: string;
  /** Of one processor, over the last moment; undefined when it was not measured. */
  readonly cpuPercent: number | undefined;
}

/** What a shorter time tells of the load is chance. */
const measuredMs = 150;
const detailLength = 160;
/** The kernel's unit in /proc/PID/stat on every Linux that Node runs on. */
const ticksPerSecond = 100;
export const externalProgram = 'btrace-external';

/** Undefined for what has ended, and for the kernel's own, which have no program file. */
export async function nativeProcess(pid: number): Promise<NativeProcess | undefined> {
  const [facts, program] = await Promise.all([readProcess(pid), programOf(pid)]);
  if (facts === undefined) return undefined;
  // The link of another user's process cannot be read; it has a command line all the same.
  const file = program?.replace(/ \(deleted\)$/, '') ?? facts.args[0];
  if (file === undefined || file === '' || !(await isAlive(pid))) return undefined;
  return {
    facts,
    name: path.posix.basename(file),
    folder: path.posix.dirname(file),
    commandLine: facts.args.join(' ').slice(0, detailLength),
    cpuPercent: undefined,
  };
}

/** This user's, the busiest first. `isOther` leaves out those that other sources have. */
export async function listNativeProcesses(
  isOther: (pid: number) => boolean,
  signal?: AbortSignal,
): Promise<NativeProcess[]> {
  const uid = process.geteuid?.() ?? -1;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const before = new Map(await Promise.all(pids.map(async (pid) => [pid, await cpuTicks(pid)] as const)));
  const began = performance.now();
  const found = (await Promise.all(pids.filter((pid) => !isOther(pid)).map(nativeProcess))).filter(
    (one) => one !== undefined && one.facts.uid === uid && !isOurs(one),
  ) as NativeProcess[];
  await delay(Math.max(0, measuredMs - (performance.now() - began)), undefined, {
    ...(signal && { signal }),
  });
  const measured = await Promise.all(
    found.map(async (one) => {
      const { pid } = one.facts;
      const ticks = (await cpuTicks(pid)) - (before.get(pid) ?? 0);
      const seconds = (performance.now() - began) / 1000;
      return { ...one, cpuPercent: Math.max(0, Math.round((ticks / ticksPerSecond / seconds) * 100)) };
    }),
  );
  return measured.sort((a, b) => b.cpuPercent - a.cpuPercent || b.facts.pid - a.facts.pid);
}

function isOurs({ facts, name }: NativeProcess): boolean {
  return facts.pid === process.pid || name === externalProgram;
}

/** User and system time; the program's name before it may hold anything. */
async function cpuTicks(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
