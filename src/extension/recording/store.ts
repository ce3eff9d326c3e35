/** Where recordings are kept: a folder of the person's, or one of the extension's own, whose oldest files go after a while. */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { commands, l10n, workspace, type Disposable, type ExtensionContext } from 'vscode';
import { newRecordingFile, safeName } from '../../targets/recording-folder.js';
import { Problem } from '../notice.js';
import { setting } from '../settings.js';
import { DiscardedRecordings } from './discarded.js';
import { OpenRecordings } from './open-recordings.js';
import { isGeneratedName } from './recording-names.js';
import { isThere, Unfinished } from './unfinished.js';

export interface StoredRecording {
  readonly file: string;
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Undefined where the disk does not keep it. */
  readonly createdMs: number | undefined;
}

export class RecordingStore implements Disposable {
  readonly unfinished: Unfinished;
  readonly open: OpenRecordings;
  readonly discarded: DiscardedRecordings;
  readonly #context: ExtensionContext;

  constructor(context: ExtensionContext) {
    this.#context = context;

    this.unfinished = new Unfinished(path.join(this.#ownFolder(), 'unfinished'));
    this.open = new OpenRecordings(path.join(this.#ownFolder(), 'open'));
    this.discarded = new DiscardedRecordings(path.join(this.#ownFolder(), 'cancelled'));
  }

  dispose(): void {
    this.open.dispose();
  }

  /** The folder for new recordings, and whether it is the extension's own. */
  folder(): { readonly path: string; readonly own: boolean } {
    // Of several folders in the workspace the first one's settings hold, too.
    const base = workspace.workspaceFolders?.find((folder) => folder.uri.scheme === 'file')?.uri;
    const chosen = setting('recording.folder', base).trim();
    if (chosen !== '') {
      if (path.isAbsolute(chosen)) return { path: chosen, own: false };
      if (base !== undefined) return { path: path.join(base.fsPath, chosen), own: false };
    }
    return { path: this.#ownFolder(), own: true };
  }

  #ownFolder(): string {
    return path.join(this.#context.globalStorageUri.fsPath, 'recordings', workspaceKey());
  }

  /** A path that no file has yet; its folder exists afterwards. */
  async newFile(target: string): Promise<string> {
    const { path: folder } = this.folder();
    try {
      return await newRecordingFile(folder, target, new Date());
    } catch (error) {
      throw unusable(folder, error);
    }
  }

  /** Newest first. A folder that is not there holds nothing. */
  async list(): Promise<StoredRecording[]> {
    const { path: folder } = this.folder();
    let names: string[];
    try {
      names = await readdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw unusable(folder, error);
    }
    const found = await Promise.all(
      names.filter((name) => name.endsWith('.btrace')).map((name) => describe(path.join(folder, name))),
    );
    return found.filter((one) => one !== undefined).sort((a, b) => b.modifiedMs - a.modifiedMs);
  }

  /** Deletes the oldest of the names we gave, in our own folder only, that nobody writes or has open. Returns what went. */
  async retain(except: ReadonlySet<string>): Promise<string[]> {
    const keep = setting('recording.keep');
    if (keep === 0 || !this.folder().own) return [];
    const ours = (await this.list()).filter((one) => isGeneratedName(one.name));
    const written = (await this.unfinished.all()).filter(isThere).map(({ file }) => file);
    const inUse = new Set([...except, ...written, ...(await this.open.all())]);
    const gone = ours.slice(keep).filter((one) => !inUse.has(one.file));
    for (const one of gone) await rm(one.file, { force: true });
    return gone.map((one) => one.file);
  }
}

function unusable(folder: string, cause: unknown): Problem {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Problem(
    l10n.t('The folder for recordings cannot be used: {0} ({1}).', folder, why),
    l10n.t('Choose another one by the setting btrace.recording.folder.'),
    [
      {
        title: l10n.t('Open Settings'),
        run: () => commands.executeCommand('workbench.action.openSettings', 'btrace.recording.folder'),
      },
    ],
    { cause },
  );
}

/**
 * A folder name for the workspace. VS Code has a storage folder for each, but gives a second window of the same workspace, or
 * one whose last host is not gone yet, another one: their recordings would not be seen here.
 */
function workspaceKey(): string {
  const { workspaceFile, workspaceFolders } = workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  if (uri === undefined) return 'no workspace';
  const hash = createHash('sha256').update(uri.toString()).digest('hex').slice(0, 12);
  return `${safeName(path.posix.basename(uri.path))} ${hash}`;
}

/** Undefined where it is not there. */
export async function describe(file: string): Promise<StoredRecording | undefined> {
  try {
    const { size, mtimeMs, birthtimeMs } = await stat(file);
    const createdMs = birthtimeMs > 0 && birthtimeMs < mtimeMs ? birthtimeMs : undefined;
    return { file, name: path.basename(file), bytes: size, modifiedMs: mtimeMs, createdMs };
  } catch {
    return undefined; // deleted between the listing and the look: not there any more
  }
}
