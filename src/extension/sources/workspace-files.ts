/** The workspace as a `SourceIndex`: VS Code's own index of files, its symbol providers, and open texts before saved ones. */
import {
  commands,
  EventEmitter,
  RelativePattern,
  Uri,
  workspace,
  Disposable,
  type Event,
  type SymbolInformation,
} from 'vscode';
import type { SourceIndex, SourcePlace } from '../../symbols/find-source.js';
import { nativeExtensions } from '../../symbols/scan/declarations.js';

/** What builds leave behind is not what a person edits. Generated sources stay: people do step into them. */
const notSources =
  '{**/node_modules/**,**/.git/**,**/build/intermediates/**,**/build/tmp/**,**/bin/**,**/out/**}';
const maxFiles = 200;
const headBytes = 8 * 1024;
const maxNames = 1000;
const maxManaged = 20_000;
const maxNatives = 5000;
const nativePattern = nativeExtensions.join();

export class WorkspaceFiles implements SourceIndex, Disposable {
  /** File name → URIs; emptied when files come or go, and not let grow without end. */
  readonly #named = new Map<string, Promise<readonly string[]>>();
  #managed: Promise<readonly Uri[]> | undefined;
  #natives: Promise<readonly string[]> | undefined;
  readonly #change = new EventEmitter<void>();
  /** Sources came or went. */
  readonly onDidChange: Event<void> = this.#change.event;
  readonly #listening: Disposable[];

  constructor() {
    const watcher = workspace.createFileSystemWatcher(
      `**/*.{java,kt,kts,${nativePattern}}`,
      false,
      true,
      false,
    );
    const forget = (): void => {
      this.#named.clear();
      this.#managed = undefined;
      this.#natives = undefined;
      this.#change.fire();
    };
    this.#listening = [
      watcher,
      watcher.onDidCreate(forget),
      watcher.onDidDelete(forget),
      // What is done in VS Code itself needs no watcher, which may be late, or off for a folder.
      workspace.onDidCreateFiles(forget),
      workspace.onDidDeleteFiles(forget),
      workspace.onDidRenameFiles(forget),
      workspace.onDidChangeWorkspaceFolders(forget),
    ];
  }

  filesNamed(baseName: string): Promise<readonly string[]> {
    let files = this.#named.get(baseName);
    if (files === undefined) {
      if (this.#named.size >= maxNames) this.#named.clear();
      files = this.#find(baseName);
      this.#named.set(baseName, files);
      files.catch(() => this.#named.delete(baseName));
    }
    return files;
  }

  async #find(baseName: string): Promise<readonly string[]> {
    const pattern = `**/${escapeGlob(baseName)}`;
    const folders = workspace.workspaceFolders ?? [];
    const found = await Promise.all(
      folders.map((folder) =>
        workspace.findFiles(new RelativePattern(folder, pattern), notSources, maxFiles),
      ),
    );
    return [...new Set(found.flat().map(String))].sort();
  }

  /** All Java and Kotlin sources. */
  managed(): Promise<readonly Uri[]> {
    if (this.#managed === undefined) {
      const found = Promise.resolve(workspace.findFiles('**/*.{java,kt}', notSources, maxManaged));
      found.catch(() => (this.#managed = undefined));
      this.#managed = found;
    }
    return this.#managed;
  }

  natives(): Promise<readonly string[]> {
    this.#natives ??= this.#nativeFiles();
    this.#natives.catch(() => (this.#natives = undefined));
    return this.#natives;
  }

  async #nativeFiles(): Promise<readonly string[]> {
    const found = await workspace.findFiles(`**/*.{${nativePattern}}`, notSources, maxNatives);
    return found.map(String).sort();
  }

  async head(file: string): Promise<string> {
    const uri = Uri.parse(file);
    const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    if (open !== undefined) return open.getText().slice(0, headBytes);
    const bytes = await workspace.fs.readFile(uri);
    return new TextDecoder().decode(bytes.subarray(0, headBytes));
  }

  async text(file: string): Promise<string> {
    return new TextDecoder().decode(await workspace.fs.readFile(Uri.parse(file)));
  }

  async symbols(name: string): Promise<readonly SourcePlace[]> {
    const found = await commands.executeCommand<SymbolInformation[] | undefined>(
      'vscode.executeWorkspaceSymbolProvider',
      name,
    );
    return (found ?? [])
      .filter((symbol) => symbol.name === name || symbol.name.startsWith(`${name}(`))
      .map(({ location }) => ({ file: location.uri.toString(), line: location.range.start.line + 1 }));
  }

  dispose(): void {
    Disposable.from(...this.#listening).dispose();
    this.#change.dispose();
  }
}

/** A file name is a name, not a pattern. */
function escapeGlob(name: string): string {
  return name.replace(/[*?{}[\]!,]/g, '[$&]');
}
