/**
 * Which files are open in an editor, of this window and of the others: what is open is not deleted by itself, as a page that is shown
 * again reads its recording again. A window does not see the others: each leaves a note.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Uri, window, type Disposable } from 'vscode';
import { isThere } from './unfinished.js';

export class OpenRecordings implements Disposable {
  readonly #listening = window.tabGroups.onDidChangeTabs(() => void this.tell());
  /** One after the other, so that the last one holds. */
  #telling = Promise.resolve();
  #told = '[]';
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;

    void this.tell();
  }

  /** Resolves when the other windows can know. */
  tell(): Promise<void> {
    this.#telling = this.#telling.then(() => this.#tell()).catch(() => undefined);
    return this.#telling;
  }

  async #tell(): Promise<void> {
    const files = JSON.stringify(openHere());
    if (files === this.#told) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // eslint-disable-next-line btrace/shared-folders -- this folder is the extension's own
    await writeFile(path.join(this.#folder, `${String(process.pid)}.json`), files);
    this.#told = files;
  }

  async all(): Promise<Set<string>> {
    const open = new Set(openHere());
    const notes = await readdir(this.#folder).catch(() => []);
    for (const note of notes) {
      const host = Number(path.basename(note, '.json'));
      const file = path.join(this.#folder, note);
      if (!Number.isInteger(host) || !isThere({ host })) await rm(file, { force: true });
      else if (host !== process.pid) for (const one of await readNote(file)) open.add(one);
    }
    return open;
  }

  dispose(): void {
    this.#listening.dispose();
  }
}

/** Also those behind others, which have no page. */
function openHere(): string[] {
  const inputs = window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  return inputs.map(recordingPath).filter((file) => file !== undefined);
}

/** `input` of a tab: of one that is edited as text, compared or shown by another extension, too. */
function recordingPath(input: unknown): string | undefined {
  const uri = typeof input === 'object' && input !== null && 'uri' in input ? input.uri : undefined;
  return uri instanceof Uri && uri.scheme === 'file' && uri.path.endsWith('.btrace') ? uri.fsPath : undefined;
}

/** Of a note that is gone or only begun, nothing. */
async function readNote(note: string): Promise<string[]> {
  try {
    const read: unknown = JSON.parse(await readFile(note, 'utf8'));
    return Array.isArray(read) ? read.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
