/** What tells programs of one name apart: since when they run, in which folder, and on which ports they listen. From /proc. */
import { createReadStream } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { uptime } from 'node:os';

export interface ProcessPlace {
  /** Working folder. */
  readonly folder?: string;
  /** Unix time, to the second. */
  readonly startedMs?: number;
  /** TCP ports that it listens on, ascending. */
  readonly ports: readonly number[];
}

/** The kernel's unit in /proc/PID/stat on every Linux that Node runs on. */
const ticksPerSecond = 100;
/** Sockets to listen on are opened early, so their numbers are low. A server may have thousands of others. */
const mostDescriptors = 512;
/** The kernel lists sockets that listen first. A server may have 100,000 others, with 150 bytes for each. */
const mostTableBytes = 1 << 18;
const listening = '0A';

export async function placeOf(pid: number): Promise<ProcessPlace> {
  const [folder, startedMs, ports] = await Promise.all([
    readlink(`/proc/${pid}/cwd`).catch(() => undefined),
    startOf(pid),
    portsOf(pid),
  ]);
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(startedMs === undefined ? {} : { startedMs }),
    ports,
  };
}

async function startOf(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const ticks = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? NaN);
  if (!Number.isFinite(ticks)) return undefined;
  const seconds = Date.now() / 1000 - uptime() + ticks / ticksPerSecond;
  return Math.round(seconds) * 1000;
}

/** As the process's own network namespace has them. */
async function portsOf(pid: number): Promise<number[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => beginOf(`/proc/${pid}/net/${name}`).catch(() => '')),
  );
  const byInode = new Map(tables.flatMap(listeningSockets));
  if (byInode.size === 0) return [];
  const numbers = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const first = numbers.sort((a, b) => Number(a) - Number(b)).slice(0, mostDescriptors);
  const links = await Promise.all(
    first.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => '')),
  );
  const ports = links.map((link) => byInode.get(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? ''));
  return [...new Set(ports.filter((port) => port !== undefined))].sort((a, b) => a - b);
}

/** Its first lines. */
async function beginOf(table: string): Promise<string> {
  let text = '';
  // eslint-disable-next-line btrace/shared-folders -- it is the kernel's, in /proc
  for await (const piece of createReadStream(table, { encoding: 'latin1', end: mostTableBytes - 1 }))
    text += piece as string;
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

/** Inode → port, of /proc/net/tcp and tcp6. */
export function listeningSockets(table: string): [string, number][] {
  return table.split('\n').flatMap((line): [string, number][] => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const port = parseInt(local.slice(local.lastIndexOf(':') + 1), 16);
    return state === listening && inode !== undefined && Number.isFinite(port) ? [[inode, port]] : [];
  });
}
