/** What Linux says about a process, read from /proc. A process may end between any two reads: then there is no answer. */
import { readFile, readlink } from 'node:fs/promises';

export interface ProcessFacts {
  readonly pid: number;
  /** Effective user id. */
  readonly uid: number;
  /** The process's own pid as it sees it: differs from `pid` in a container. */
  readonly innerPid: number;
  /** True when SIGQUIT has a handler. Without one it ends the process. */
  readonly catchesQuit: boolean;
  /** Held by a signal or a debugger. */
  readonly isStopped: boolean;
  readonly args: readonly string[];
  /** The process's root folder as this process can reach it; empty when it is our own. */
  readonly root: string;
}

const sigquitBit = 1n << 2n; // signal 3

function field(status: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*)$`, 'm').exec(status)?.[1]?.trim();
}

/** Undefined when there is no such process (any more). */
export async function readProcess(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [status, args] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    return {
      pid,
      uid: Number(field(status, 'Uid')?.split(/\s+/)[1]),
      innerPid: Number(field(status, 'NSpid')?.trim().split(/\s+/).at(-1) ?? pid),
      catchesQuit: (BigInt(`0x${field(status, 'SigCgt') ?? '0'}`) & sigquitBit) !== 0n,
      isStopped: /^[Tt]/.test(field(status, 'State') ?? ''),
      args: args.split('\0').slice(0, -1),
      root: await rootOf(pid),
    };
  } catch {
    return undefined;
  }
}

/** A mount namespace of its own means that /tmp and the agent's library are elsewhere for that process. */
async function rootOf(pid: number): Promise<string> {
  try {
    const [own, theirs] = await Promise.all([readlink('/proc/self/ns/mnt'), readlink(`/proc/${pid}/ns/mnt`)]);
    return own === theirs ? '' : `/proc/${pid}/root`;
  } catch {
    return ''; // somebody else's process: it is refused by its user id
  }
}

export async function programOf(pid: number): Promise<string | undefined> {
  try {
    return await readlink(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}

/** Names of the files that a process has mapped; undefined when it may not be looked at. */
export async function mappedFiles(pid: number): Promise<Set<string> | undefined> {
  try {
    const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
    const files = new Set<string>();
    for (const line of maps.split('\n')) {
      const at = line.indexOf('/');
      if (at > 0) files.add(line.slice(at));
    }
    return files;
  } catch {
    return undefined;
  }
}

/** False also for a process that has ended and whose parent has not yet asked how. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return !/^State:\s*[ZX]/m.test(status);
}
