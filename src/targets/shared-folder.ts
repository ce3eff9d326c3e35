/**
 * The only way to make and read files in folders that other users may write to: /tmp, a program's working folder, the root
 * of a container. Such a user can put a link, a pipe or a file of theirs at any name and swap it at any time. So a folder is
 * held open while it is used, names are looked up in that open folder, nothing in it is followed, and what is opened is looked at again
 * by its descriptor. docs/SECURITY.md says what this defends against.
 */
import { constants, type Stats } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  rmdir,
  unlink,
} from 'node:fs/promises';
import path from 'node:path';
import { readRegular } from '../symbols/read-at.js';
import { TargetError } from './target.js';
import { userName } from './user-name.js';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** Opens only the name, whatever is there: Linux alone has it, and Node no word for it. */
const oPath = 0o10000000;
/** As many as the kernel follows, in a path of ours to a container's folder. */
const mostLinks = 40;
const writableByOthers = 0o022;
const openToOthers = 0o077;
const sticky = 0o1000;

const hasProc = process.platform === 'linux';

function ownUid(): number {
  return process.geteuid?.() ?? -1;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return found.isFile() ? 'a file' : 'a device';
}

/** A socket that cannot be swapped for another one any more. */
export interface PinnedSocket {
  /** To connect to. */
  readonly path: string;
  close(): Promise<void>;
}

export class SharedFolder {
  readonly #handle: FileHandle;
  readonly #facts: Stats;
  readonly #trusted: readonly number[];

  private constructor(
    /** Its path as this process reaches it, for messages. */
    readonly path: string,
    handle: FileHandle,
    facts: Stats,
    /** Owners who could take the folder from us in any case: root and, in a container, the owner of its root folder. */
    trusted: readonly number[],
  ) {
    this.#handle = handle;
    this.#facts = facts;
    this.#trusted = trusted;
  }

  /**
   * Opens `inner` below `root`, the root folder of another process as /proc shows it. Links in there are followed as that process
   * would follow them, never out of its root. An empty root is our own.
   */
  static async open(root: string, inner: string): Promise<SharedFolder> {
    if (root === '') return await SharedFolder.#opened(inner, inner, O_DIRECTORY, [0, ownUid()]);
    // Not its last part alone is a link: /proc/PID/root is one that the kernel made.
    const top = await SharedFolder.#opened(root, root, O_DIRECTORY, [0, ownUid()]);
    const trusted = [...top.#trusted, top.#facts.uid];
    const parts = (names: string) => names.split('/').filter((part) => part !== '' && part !== '.');
    let at = top;
    let links = 0;
    const left = parts(inner);
    try {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const found = await at.look(name);
        if (name === '..' || (found?.isSymbolicLink() === true && ++links > mostLinks))
          throw new Error(`the path ${inner} in it does not lead to a folder directly`);
        if (found?.isSymbolicLink() === true) {
          const target = await readlink(at.at(name));
          left.unshift(...parts(target));
          if (!target.startsWith('/')) continue;
          if (at !== top) await at.close();
          at = top;
          continue;
        }
        const next = await at.enter(name, trusted);
        if (at !== top) await at.close();
        at = next;
      }
      if (at !== top) await top.close();
      return at;
    } catch (error) {
      await at.close();
      if (at !== top) await top.close();
      throw error;
    }
  }

  static async #opened(
    reachedBy: string,
    shown: string,
    how: number,
    trusted: readonly number[],
  ): Promise<SharedFolder> {
    const handle = await open(reachedBy, O_RDONLY | O_DIRECTORY | O_NONBLOCK | how);
    return new SharedFolder(shown, handle, await handle.stat(), trusted);
  }

  /** A path that leads to `name` in this very folder, whatever happens to the folder's own name. */
  at(name: string): string {
    return hasProc ? `/proc/self/fd/${this.#handle.fd}/${name}` : path.join(this.path, name);
  }

  /** True when no user whom we do not trust can rename or replace what lies in this folder and is not theirs. */
  get keepsNames(): boolean {
    const { mode, uid } = this.#facts;
    return this.#trusted.includes(uid) && ((mode & writableByOthers) === 0 || (mode & sticky) !== 0);
  }

  /** True when `uid` alone, and nobody else but root, decides what is in it. */
  belongsTo(uid: number): boolean {
    return this.#facts.uid === uid && (this.#facts.mode & writableByOthers) === 0;
  }

  async names(): Promise<string[]> {
    return await readdir(this.at('.'));
  }

  /** What is at a name, a link itself; undefined where there is nothing. */
  async look(name: string): Promise<Stats | undefined> {
    return await lstat(this.at(name)).catch(() => undefined);
  }

  async enter(name: string, trusted: readonly number[] = this.#trusted): Promise<SharedFolder> {
    return await SharedFolder.#opened(this.at(name), path.join(this.path, name), O_NOFOLLOW, trusted);
  }

  /** Makes an empty file, for this user alone. A file of this user's that is there already is left as it is. */
  async makeFile(name: string): Promise<void> {
    try {
      await (await this.create(name)).close();
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const found = await this.look(name);
      if (found?.isFile() !== true || found.uid !== ownUid()) throw await this.#inTheWay(name, found);
    }
  }

  /** A new file, to be written. Fails where there is anything of that name. */
  async create(name: string, mode = 0o600): Promise<FileHandle> {
    return await open(this.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  /** A new folder for this user alone, named by `prefix` and something that nobody can guess. */
  async makeFolder(prefix: string): Promise<SharedFolder> {
    const made = path.basename(await mkdtemp(this.at(prefix)));
    return await this.#entered(made);
  }

  /** The folder of this user's of that name, which is made where there is none. */
  async ownFolder(name: string): Promise<SharedFolder> {
    try {
      await mkdir(this.at(name), { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    return await this.#entered(name);
  }

  async #entered(name: string): Promise<SharedFolder> {
    const folder = await this.enter(name).catch(async () => {
      throw await this.#inTheWay(name, await this.look(name));
    });
    if (folder.#facts.uid === ownUid() && (folder.#facts.mode & openToOthers) === 0) return folder;
    await folder.close();
    throw await this.#inTheWay(name, folder.#facts);
  }

  /** The first bytes of a regular file of `uid`'s, without waiting; undefined for anything else. */
  async readFileOf(uid: number, name: string, mostBytes: number): Promise<Buffer | undefined> {
    const isTheirs = (found: Stats) => found.uid === uid && found.nlink === 1;
    return await readRegular(this.at(name), mostBytes, O_NOFOLLOW, isTheirs).catch(() => undefined);
  }

  /** The socket of `uid`'s at that name, which nobody else may use; undefined where there is none. */
  async pinSocket(name: string, uid: number): Promise<PinnedSocket | undefined> {
    const isTheirs = (found: Stats) =>
      found.isSocket() && found.uid === uid && (found.mode & openToOthers) === 0;
    if (!hasProc) {
      const found = await this.look(name);
      return found && isTheirs(found) ? { path: this.at(name), close: () => Promise.resolve() } : undefined;
    }
    const handle = await open(this.at(name), oPath | O_NOFOLLOW).catch(() => undefined);
    if (handle === undefined) return undefined;
    if (isTheirs(await handle.stat()))
      return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() };
    await handle.close();
    return undefined;
  }

  async remove(name: string): Promise<void> {
    await unlink(this.at(name)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }

  async removeFolder(name: string): Promise<void> {
    await rmdir(this.at(name));
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #inTheWay(name: string, found: Stats | undefined): Promise<TargetError> {
    const shown = path.join(this.path, name);
    if (found === undefined)
      return new TargetError('io', `${shown} comes and goes: another program changes it.`, 'Try again.');
    const owner = found.uid === ownUid() ? 'you own' : `${await userName(found.uid)} owns`;
    const also = found.isDirectory() && found.uid === ownUid() ? ' and that others may look into' : '';
    return new TargetError(
      'not-permitted',
      `${shown} is in the way: it is ${kindOf(found)} that ${owner}${also}. It was not touched.`,
      'See who made it, remove it, and try again.',
    );
  }
}
