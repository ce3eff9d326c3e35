/** Sources that come with the JDK and with libraries, shown readonly out of their archives. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Disposable } from 'vscode';
import { l10n, Uri, window, workspace, type TextDocumentContentProvider } from 'vscode';
import type { SourceKey } from '../../protocol/messages.js';
import { jdksWithSources } from '../../symbols/jdk-homes.js';
import { packagePath, wantedSource } from '../../symbols/wanted-source.js';
import { ZipArchive } from '../../symbols/zip.js';
import { setting } from '../settings.js';
import type { LibrarySources } from './open-source.js';

export const archiveScheme = 'btrace-source';
const maxJars = 2000;
/** How deep Maven's and Gradle's caches go below their roots, with room to spare. */
const maxDepth = 14;

export class ArchiveSources implements LibrarySources, TextDocumentContentProvider {
  readonly #archives = new Map<string, Promise<ZipArchive | undefined>>();
  #jars: Promise<readonly string[]> | undefined;
  readonly #runtime: () => string;

  /** `runtime`: what was recorded, such as "HotSpot 17.0.15". */
  constructor(runtime: () => string) {
    this.#runtime = runtime;
  }

  register(): Disposable {
    return workspace.registerTextDocumentContentProvider(archiveScheme, this);
  }

  async find(key: SourceKey, signal: AbortSignal): Promise<Uri | undefined> {
    const wanted = wantedSource(key);
    // The default package says nothing about where a class is from.
    if (wanted.packageName === '') return undefined;
    const names = wanted.baseNames.map((name) => packagePath(wanted.packageName) + name);
    const feature = Number(/\d+/.exec(this.#runtime())?.[0] ?? 0);
    const places = { platform: process.platform, env: process.env, homeFolder: homedir() };
    for (const jdk of await jdksWithSources(places, setting('sources.jdk'), feature)) {
      const uri = await this.#in(jdk.archive, names);
      if (uri === undefined) continue;
      if (feature > 0 && jdk.feature !== feature) {
        window.setStatusBarMessage(
          l10n.t(
            'This source is of JDK {0}; JDK {1} was recorded, so lines may differ.',
            jdk.feature,
            feature,
          ),
          8000,
        );
      }
      return uri;
    }
    for (const jar of await this.#sourceJars()) {
      if (signal.aborted) return undefined;
      const uri = await this.#in(jar, names);
      if (uri !== undefined) return uri;
    }
    return undefined;
  }

  async #in(archivePath: string, names: readonly string[]): Promise<Uri | undefined> {
    const archive = await this.#open(archivePath);
    for (const name of names) {
      const entry = archive?.find(name);
      if (entry !== undefined)
        return Uri.from({ scheme: archiveScheme, path: `/${entry.name}`, query: archivePath });
    }
    return undefined;
  }

  /** A damaged archive is one that holds nothing. */
  #open(archivePath: string): Promise<ZipArchive | undefined> {
    let archive = this.#archives.get(archivePath);
    if (archive === undefined) {
      archive = ZipArchive.open(archivePath).catch(() => undefined);
      this.#archives.set(archivePath, archive);
    }
    return archive;
  }

  /** Jars named `…-sources.jar` in the workspace and in the caches of Maven and Gradle; looked for once a window. */
  #sourceJars(): Promise<readonly string[]> {
    this.#jars ??= (async () => {
      const home = homedir();
      const gradle = process.env['GRADLE_USER_HOME'] ?? path.join(home, '.gradle');
      const inWorkspace = await workspace.findFiles('**/*-sources.jar', '**/node_modules/**', maxJars);
      const jars = inWorkspace.filter((uri) => uri.scheme === 'file').map((uri) => uri.fsPath);
      for (const root of [
        path.join(home, '.m2', 'repository'),
        path.join(gradle, 'caches', 'modules-2', 'files-2.1'),
      ]) {
        await collectJars(root, maxDepth, jars);
      }
      return jars;
    })();
    return this.#jars;
  }

  /** Only what this class may have given out is served: a link made by somebody else names no other file. */
  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const archivePath = uri.query;
    if (!/(^|[/\\])src\.zip$|-sources\.jar$/.test(archivePath))
      throw new Error(l10n.t('This is no archive of sources.'));
    const archive = await this.#open(archivePath);
    const entry = archive?.find(uri.path.slice(1));
    if (archive === undefined || entry === undefined) {
      throw new Error(l10n.t('{0} is not there any more.', archivePath));
    }
    return archive.text(entry);
  }
}

async function collectJars(folder: string, depth: number, jars: string[]): Promise<void> {
  if (depth === 0 || jars.length >= maxJars) return;
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return; // not there, or not ours to read
  }
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await collectJars(full, depth - 1, jars);
    else if (entry.name.endsWith('-sources.jar') && jars.length < maxJars) jars.push(full);
  }
}
