/** Which R8 mapping holds for this workspace: the one in the settings, the one chosen, else the newest in the build's outputs. */
import path from 'node:path';
import { l10n, Uri, window, workspace } from 'vscode';
import type { SourceKey } from '../../protocol/messages.js';
import type { EngineClient } from '../engine/engine-client.js';
import type { ChosenMapping } from '../engine/engine-messages.js';
import type { Memory } from '../memory.js';
import { setting } from '../settings.js';

const inOutputs = '**/build/outputs/mapping/**/mapping.txt';

export class MappingChoice {
  #engine: EngineClient | undefined;

  constructor(
    private readonly memory: Memory,
    private readonly newEngine: () => EngineClient,
  ) {}

  /** By the person; empty: it is looked for. */
  get chosen(): string {
    return setting('sources.mapping') || this.memory.mapping.get();
  }

  async current(): Promise<ChosenMapping> {
    const { chosen } = this;
    if (chosen !== '') return { path: chosen, chosen: true };
    const found = await workspace.findFiles(inOutputs, undefined, 50);
    const dated = await Promise.all(
      found
        .filter((uri) => uri.scheme === 'file')
        .map(async (uri) => ({ uri, mtime: (await workspace.fs.stat(uri)).mtime })),
    );
    const newest = dated.sort((a, b) => b.mtime - a.mtime)[0];
    return { path: newest?.uri.fsPath ?? '', chosen: false };
  }

  /** Resolves to false when nothing was chosen. */
  async choose(): Promise<boolean> {
    const none = l10n.t('No mapping');
    const browse = l10n.t('Browse…');
    const found = await workspace.findFiles(inOutputs, undefined, 50);
    const items = [
      ...found.map((uri) => ({ label: workspace.asRelativePath(uri), uri })),
      { label: browse, uri: undefined },
      { label: none, uri: undefined },
    ];
    const item = await window.showQuickPick(items, { title: l10n.t('R8 mapping of the recorded program') });
    if (item === undefined) return false;
    let chosen: Uri | undefined = item.uri;
    if (item.label === browse) {
      chosen = (await window.showOpenDialog({ filters: { [l10n.t('R8 mapping')]: ['txt', 'map'] } }))?.[0];
      if (chosen === undefined) return false;
    }
    await this.memory.mapping.set(chosen?.fsPath ?? '');
    return true;
  }

  /** What the mapping of now says of these classes, or of those that a recording names; and which file it is, as a person knows it. */
  async excerpt(of: readonly string[] | Uri): Promise<{ file: string; text: string }> {
    const mapping = await this.current();
    if (mapping.path === '') return { file: '', text: '' };
    this.#engine ??= this.newEngine();
    const text = await this.#engine.excerpt(mapping, of);
    const uri = Uri.file(mapping.path);
    const isOurs = workspace.getWorkspaceFolder(uri) !== undefined;
    return { file: isOurs ? workspace.asRelativePath(uri) : path.basename(mapping.path), text };
  }

  /** A frame as it was written; one that the mapping does not know stays. */
  async unmap(key: SourceKey): Promise<SourceKey> {
    const { path } = await this.current();
    if (path === '' || key.className === '') return key;
    this.#engine ??= this.newEngine();
    const [innermost] = await this.#engine.unmap(path, key);
    return innermost ?? key;
  }

  dispose(): void {
    this.#engine?.dispose();
  }
}
