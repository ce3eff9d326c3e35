/**
 * Which sources were written after a recording of them began: what it says of their lines may not be so any more. Told by the time of
 * the file, which is all that there is where the recording has no hash of a source.
 */
import { stat } from 'node:fs/promises';
import { EventEmitter, workspace, Disposable, type Event, type Uri } from 'vscode';
import { packageOf } from '../../symbols/scan/package-of.js';
import { baseName } from '../base-name.js';
import type { EngineClient } from '../engine/engine-client.js';
import type { KnownRetraceMappings } from '../engine/engine-messages.js';
import type { RecordedSources } from '../engine/recorded-sources.js';
import type { WorkspaceFiles } from './workspace-files.js';

/** Files looked at at once. */
const atOnce = 16;
/** A save or a checkout is looked at once it has settled. */
const settleMs = 500;

interface Source {
  readonly uri: Uri;
  readonly baseName: string;
  readonly writtenMs: number;
}

export class ChangedSources implements Disposable {
  readonly #change = new EventEmitter<void>();
  /** Sources were written, came or went: what was said of recordings may not be so any more. */
  readonly onDidChange: Event<void> = this.#change.event;
  readonly #listening: Disposable;
  readonly #recorded = new Map<
    string,
    { readonly key: string; readonly sources: Promise<RecordedSources> }
  >();
  readonly #packages = new Map<string, Promise<string>>();
  /** By URI. */
  #sources: Promise<Map<string, Source>> | undefined;
  /** Looked for once for all recordings of a list. */
  #mapping: Promise<KnownRetraceMappings> | undefined;
  #engine: EngineClient | undefined;
  #settling: NodeJS.Timeout | undefined;
  readonly #files: WorkspaceFiles;
  readonly #newEngine: () => EngineClient;
  readonly #currentRetraceMapping: () => Promise<KnownRetraceMappings>;

  constructor(
    files: WorkspaceFiles,
    newEngine: () => EngineClient,
    currentRetraceMapping: () => Promise<KnownRetraceMappings>,
  ) {
    this.#files = files;
    this.#newEngine = newEngine;
    this.#currentRetraceMapping = currentRetraceMapping;

    const watcher = workspace.createFileSystemWatcher('**/*.{java,kt}', true, false, true);
    this.#listening = Disposable.from(
      watcher,
      watcher.onDidChange((uri) => void this.#look(uri)),
      files.onDidChange(() => {
        this.#sources = undefined;
        this.#packages.clear();
        this.#tell();
      }),
    );
  }

  /** One was written: only that one is looked at again. */
  async #look(uri: Uri): Promise<void> {
    const source = await described(uri);
    if (source !== undefined) (await this.#sources)?.set(uri.toString(), source);
    this.#packages.delete(uri.toString());
    this.#tell();
  }

  /** Another mapping was chosen: minified recordings may be of other sources. */
  mappingChanged(): void {
    this.#tell();
  }

  #tell(): void {
    this.#mapping = undefined;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#change.fire(), settleMs);
  }

  /** Relative paths; none for what is no recording on a disk, or does not say when it began. */
  async since(recording: string): Promise<readonly string[]> {
    const { startedMs, fileKeys } = await this.#recordedIn(recording);
    if (startedMs === 0 || fileKeys.length === 0) return [];
    const keys = new Set(fileKeys);
    const names = new Set(fileKeys.map((key) => key.slice(key.indexOf('/') + 1)));
    this.#sources ??= this.#files.managed().then(withTimes);
    const later = [...(await this.#sources).values()].filter(
      ({ baseName, writtenMs }) => writtenMs > startedMs && names.has(baseName),
    );
    const changed: string[] = [];
    for (const { uri, baseName } of later) {
      if (keys.has(`${await this.#packageOf(uri)}/${baseName}`)) changed.push(workspace.asRelativePath(uri));
    }
    return changed.sort();
  }

  #packageOf(uri: Uri): Promise<string> {
    const file = uri.toString();
    let found = this.#packages.get(file);
    if (found === undefined) {
      found = this.#files.head(file).then(packageOf, () => '');
      this.#packages.set(file, found);
    }
    return found;
  }

  async #recordedIn(recording: string): Promise<RecordedSources> {
    const { size, mtimeMs } = await stat(recording);
    const mapping = await (this.#mapping ??= this.#currentRetraceMapping());
    const key = `${String(size)}:${String(mtimeMs)}:${mapping.paths.join()}`;
    let known = this.#recorded.get(recording);
    if (known?.key !== key) {
      this.#engine ??= this.#newEngine();
      known = { key, sources: this.#engine.sources(recording, mapping) };
      this.#recorded.set(recording, known);
    }
    return known.sources;
  }

  dispose(): void {
    clearTimeout(this.#settling);
    this.#listening.dispose();
    this.#engine?.dispose();
    this.#change.dispose();
  }
}

async function withTimes(uris: readonly Uri[]): Promise<Map<string, Source>> {
  const sources = new Map<string, Source>();
  for (let at = 0; at < uris.length; at += atOnce) {
    for (const source of await Promise.all(uris.slice(at, at + atOnce).map(described))) {
      if (source !== undefined) sources.set(source.uri.toString(), source);
    }
  }
  return sources;
}

async function described(uri: Uri): Promise<Source | undefined> {
  try {
    const { mtime } = await workspace.fs.stat(uri);
    return { uri, baseName: baseName(uri), writtenMs: mtime };
  } catch {
    return undefined; // gone meanwhile
  }
}
