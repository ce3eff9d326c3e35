/**
 * The folder that holds the socket the agent calls back on: new, readable by this user alone, in a place both sides
 * see, and short enough. Node cannot ask a path socket for its peer's user id: the folder's mode keeps other users
 * out, and the two tokens keep out other programs of this one.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { TargetError } from '../target.js';
import { isAlive } from './proc.js';

/** sockaddr_un.sun_path holds 108 bytes on Linux, 104 on Darwin, with the zero that ends it. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
const SOCKET = 'agent';
const SUFFIX_LENGTH = 6;
const STALE_MS = 60 * 60_000;

export interface PrivateFolder {
  /** As this process reaches it. */
  readonly path: string;
  readonly socket: string;
  /** As the program, in its own mount namespace perhaps, reaches it. */
  readonly innerSocket: string;
}

const prefix = 'btrace-';

/** Options are split at commas; anything else a path may hold is passed on. */
function fits(folder: string): boolean {
  const socket = path.posix.join(folder, `${prefix}${process.pid}-${'x'.repeat(SUFFIX_LENGTH)}`, SOCKET);
  return Buffer.byteLength(socket) <= MAX_SOCKET_PATH_BYTES && !/[,\n\0]/.test(socket);
}

/** Folders that a killed desktop left behind. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = new RegExp(`^${prefix}(\\d+)-.{${SUFFIX_LENGTH}}$`).exec(name)?.[1];
    if (pid === undefined || (await isAlive(Number(pid)))) continue;
    const at = path.posix.join(folder, name);
    const found = await stat(at).catch(() => undefined);
    // The age guards a desktop in another pid namespace, which we take for dead.
    const stale = found?.uid === process.geteuid?.() && Date.now() - (found?.mtimeMs ?? 0) > STALE_MS;
    if (stale) await rm(at, { recursive: true, force: true });
  }
}

/** `root` is the program's root folder as this process reaches it; empty when it is our own. */
export async function makePrivateFolder(
  root: string,
  temporary: string = os.tmpdir(),
): Promise<PrivateFolder> {
  const places = root === '' ? [temporary, '/tmp'] : [`${root}/tmp`];
  const why: string[] = [];
  for (const place of places) {
    if (!fits(place)) {
      why.push(`${place} is too long or has a comma in it`);
      continue;
    }
    try {
      await removeStale(place).catch(() => undefined);
      const made = await mkdtemp(path.posix.join(place, `${prefix}${process.pid}-`)); // mode 0700
      const socket = path.posix.join(made, SOCKET);
      return { path: made, socket, innerSocket: socket.slice(root.length) };
    } catch (error) {
      why.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new TargetError(
    'io',
    `There is no place for the agent's socket: ${why.join('; ')}.`,
    'Set TMPDIR to a writable folder with a short path.',
  );
}
