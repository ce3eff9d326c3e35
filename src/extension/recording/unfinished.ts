/**
 * The recordings that windows are making, a note for each: what is left of a window that is gone tells of them. In files, as what a
 * window remembers is not seen by another one of the same workspace.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface UnfinishedRecording {
  readonly file: string;
  /** Of what was recorded. */
  readonly target: string;
  /** The extension host of the window. */
  readonly host: number;
}

export class Unfinished {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(file: string, target: string): Promise<void> {
    const recording: UnfinishedRecording = { file, target, host: process.pid };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // eslint-disable-next-line btrace/shared-folders -- this folder is the extension's own
    await writeFile(this.#note(file), JSON.stringify(recording));
  }

  /** False where another window was first. */
  async remove(file: string): Promise<boolean> {
    return unlink(this.#note(file)).then(
      () => true,
      () => false,
    );
  }

  async all(): Promise<UnfinishedRecording[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = await Promise.all(names.map((name) => readNote(path.join(this.#folder, name))));
    return found.filter((one) => one !== undefined);
  }

  #note(file: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(file).digest('hex').slice(0, 24)}.json`);
  }
}

/** Undefined where it is gone meanwhile, was only begun, or is none of ours. */
async function readNote(note: string): Promise<UnfinishedRecording | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(note, 'utf8'));
    return isUnfinished(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isUnfinished(read: unknown): read is UnfinishedRecording {
  if (typeof read !== 'object' || read === null) return false;
  const { file, target, host } = read as Partial<Record<keyof UnfinishedRecording, unknown>>;
  return typeof file === 'string' && typeof target === 'string' && Number.isInteger(host);
}

/** Whether the window is there, as far as can be told: a number that another program has got looks the same. */
export function isThere({ host }: { readonly host: number }): boolean {
  try {
    process.kill(host, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
