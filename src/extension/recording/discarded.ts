/** Cancelled recordings of this window. They are kept until it closes, so that a person can have one back. */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isThere } from './unfinished.js';

export interface DiscardedRecording {
  /** What was recorded. */
  readonly target: string;
  /** Where the recording was, and goes back to. */
  readonly file: string;
  readonly at: Date;
}

/** Each window has a folder of its own, named by its extension host: windows that are gone can be told. */
export class DiscardedRecordings {
  readonly #folder: string;
  readonly #kept = new Map<DiscardedRecording, string>();
  #next = 1;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Newest first. */
  get all(): readonly DiscardedRecording[] {
    return [...this.#kept.keys()].reverse();
  }

  /** Undefined where there is no file to keep. */
  async take(file: string, target: string): Promise<DiscardedRecording | undefined> {
    const folder = this.#own();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const kept = path.join(folder, `${String(this.#next++)}.btrace`);
    try {
      await move(file, kept);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const one = { target, file, at: new Date() };
    this.#kept.set(one, kept);
    return one;
  }

  /** Puts the recording back, into `file` where its own place is taken. Returns where it is; undefined if it was put back before. */
  async restore(one: DiscardedRecording, file = one.file): Promise<string | undefined> {
    const kept = this.#kept.get(one);
    if (kept === undefined) return undefined;
    this.#kept.delete(one);
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await move(kept, file);
    } catch (error) {
      this.#kept.set(one, kept);
      throw error;
    }
    return file;
  }

  /** The window closes. */
  async clear(): Promise<void> {
    this.#kept.clear();
    await rm(this.#own(), { recursive: true, force: true });
  }

  /** Deletes what windows left that ended without `clear`. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const host = Number(name);
      if (Number.isInteger(host) && !isThere({ host }))
        await rm(path.join(this.#folder, name), { recursive: true, force: true });
    }
  }

  #own(): string {
    return path.join(this.#folder, String(process.pid));
  }
}

/** A person's own folder may be on another disk. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await rm(from, { force: true });
  }
}
