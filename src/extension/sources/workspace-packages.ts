/** The workspace's own packages, for *My code*: what the settings say, else what its sources say they are in. */
import { EventEmitter, type Disposable, type Event, type Uri } from 'vscode';
import { findMyPackages, type SourceFolder } from '../../symbols/my-packages.js';
import { packageOf } from '../../symbols/scan/package-of.js';
import { baseName } from '../base-name.js';
import { setting } from '../settings.js';
import type { WorkspaceFiles } from './workspace-files.js';

/** Heads read at once: enough to keep a disk busy, few enough that none of their turns takes long. */
const atOnce = 16;
/** Files come and go in swarms (a checkout, a build): looked at once they have settled. */
const settleMs = 1000;

export class WorkspacePackages implements Disposable {
  readonly #change = new EventEmitter<void>();
  readonly onDidChange: Event<void> = this.#change.event;
  readonly #listening: Disposable;
  #found: readonly string[] = [];
  #looking: Promise<void> | undefined;
  #settling: NodeJS.Timeout | undefined;
  readonly #files: WorkspaceFiles;

  constructor(files: WorkspaceFiles) {
    this.#files = files;

    this.#listening = files.onDidChange(() => {
      if (this.#looking === undefined) return; // nobody has asked yet
      clearTimeout(this.#settling);
      this.#settling = setTimeout(() => void this.#look(), settleMs);
    });
  }

  /** What is known now; the first call begins to look, and `onDidChange` tells when more is known. */
  get prefixes(): readonly string[] {
    const own = setting('sources.myPackages');
    if (own.length > 0) return own;
    void this.look();
    return this.#found;
  }

  /** Resolves once the workspace was looked at. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look());
  }

  async #look(): Promise<void> {
    const byFolder = new Map<string, Uri[]>();
    for (const uri of await this.#files.managed()) {
      const folder = uri.path.slice(0, uri.path.lastIndexOf('/'));
      const list = byFolder.get(folder);
      if (list === undefined) byFolder.set(folder, [uri]);
      else list.push(uri);
    }
    const all = [...byFolder.values()];
    const folders: SourceFolder[] = [];
    for (let at = 0; at < all.length; at += atOnce) {
      const some = all.slice(at, at + atOnce).map((inFolder) => this.#folder(inFolder));
      folders.push(...(await Promise.all(some)).filter((one) => one !== undefined));
    }
    const found = findMyPackages(folders);
    if (found.join() === this.#found.join()) return;
    this.#found = found;
    this.#change.fire();
  }

  async #folder(uris: readonly Uri[]): Promise<SourceFolder | undefined> {
    const [first] = uris;
    if (first === undefined) return undefined;
    try {
      const packageName = packageOf(await this.#files.head(first.toString()));
      return { packageName, baseNames: uris.map(baseName) };
    } catch {
      return undefined; // gone meanwhile, or not ours to read
    }
  }

  dispose(): void {
    clearTimeout(this.#settling);
    this.#listening.dispose();
    this.#change.dispose();
  }
}
