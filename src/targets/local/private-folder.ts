/**
 * The folder that holds the socket the agent calls back on: new, readable by this user alone, in a place both sides
 * see, and short enough. Node cannot ask a path socket for its peer's user id: the folder's mode keeps other users
 * out, and the two tokens keep out other programs of this one.
 */
import { rmdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SharedFolder } from '../shared-folder.js';
import { TargetError } from '../target.js';
import { isAlive } from './proc.js';

/** sockaddr_un.sun_path holds 108 bytes on Linux, 104 on Darwin, with the zero that ends it. */
const maxSocketPathBytes = process.platform === 'darwin' ? 103 : 107;
const socketFileName = 'agent';
const secret = 'secret';
const content = [socketFileName, secret];
const suffixLength = 6;
const staleMs = 60 * 60_000;

export interface PrivateFolder {
  /** As this process reaches it. */
  readonly path: string;
  readonly socket: string;
  /** The same for listening: in this very folder, whatever happens to its name. */
  readonly listenAt: string;
  /** As the program, in its own mount namespace perhaps, reaches it. */
  readonly innerSocket: string;
  /** Writes what only the two sides may know, and returns its path as the program reaches it. */
  writeSecret(text: string): Promise<string>;
  /** Removes the folder and all that is in it. */
  remove(): Promise<void>;
}

const prefix = 'btrace-';

/** Options are split at commas; anything else a path may hold is passed on. */
function fits(folder: string): boolean {
  const socket = path.posix.join(folder, `${prefix}${process.pid}-${'x'.repeat(suffixLength)}`, secret);
  return Buffer.byteLength(socket) <= maxSocketPathBytes && !/[,\n\0]/.test(socket);
}

/** Folders that a killed desktop left behind. */
async function removeStale(folder: SharedFolder): Promise<void> {
  for (const name of await folder.names()) {
    const pid = new RegExp(`^${prefix}(\\d+)-.{${suffixLength}}$`).exec(name)?.[1];
    if (pid === undefined || (await isAlive(Number(pid)))) continue;
    const found = await folder.look(name);
    // The age guards a desktop in another pid namespace, which we take for dead.
    const stale = found?.uid === process.geteuid?.() && Date.now() - (found?.mtimeMs ?? 0) > staleMs;
    if (stale && found?.isDirectory() === true) await removeFolder(folder, name).catch(() => undefined);
  }
}

/** With what we put in it, and no more: another user may have swapped the name for another folder of ours. */
async function removeFolder(parent: SharedFolder, name: string): Promise<void> {
  const folder = await parent.enter(name);
  try {
    for (const one of content) await folder.remove(one);
  } finally {
    await folder.close();
  }
  await parent.removeFolder(name);
}

/** `root` is the program's root folder as this process reaches it; empty when it is our own. */
export async function makePrivateFolder(
  root: string,
  temporary: string = os.tmpdir(),
): Promise<PrivateFolder> {
  const places = root === '' ? [temporary, '/tmp'] : ['/tmp'];
  const why: string[] = [];
  for (const place of places) {
    if (!fits(place)) {
      why.push(`${place} is too long or has a comma in it`);
      continue;
    }
    try {
      return await makeIn(await SharedFolder.open(root, place), place);
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

async function makeIn(parent: SharedFolder, place: string): Promise<PrivateFolder> {
  try {
    await removeStale(parent).catch(() => undefined);
    const folder = await parent.makeFolder(`${prefix}${process.pid}-`);
    const name = path.basename(folder.path);
    const socket = path.posix.join(folder.path, socketFileName);
    let remove = async () => {
      remove = () => Promise.resolve();
      process.off('exit', atExit);
      await folder.close();
      try {
        await removeFolder(parent, name);
      } finally {
        await parent.close();
      }
    };
    // When this process ends before it could tidy up, as after a second Ctrl-C.
    const atExit = () => {
      try {
        for (const one of content) rmSync(folder.at(one), { force: true });
        rmdirSync(parent.at(name));
      } catch {
        // Somebody else has removed it.
      }
    };
    process.once('exit', atExit);
    return {
      path: folder.path,
      socket,
      listenAt: folder.at(socketFileName),
      innerSocket: path.posix.join(place, name, socketFileName),
      writeSecret: async (text) => {
        const file = await folder.create(secret);
        try {
          await file.writeFile(text);
        } finally {
          await file.close();
        }
        return path.posix.join(place, name, secret);
      },
      remove: () => remove(),
    };
  } catch (error) {
    await parent.close();
    throw error;
  }
}
