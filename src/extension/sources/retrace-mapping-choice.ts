/** Which R8 mappings may hold for this workspace: the one in the settings, the one chosen, else those in the build's outputs. */
import path from 'node:path';
import { l10n, Uri, window, workspace } from 'vscode';
import type { RetraceExcerpt, SourceKey, WantedRetraceMapping } from '../../protocol/messages.js';
import type { EngineClient } from '../engine/engine-client.js';
import type { KnownRetraceMappings } from '../engine/engine-messages.js';
import type { Memory } from '../memory.js';
import { setting } from '../settings.js';

const inOutputs = '**/build/outputs/mapping/**/mapping.txt';

export class RetraceMappingChoice {
  #engine: EngineClient | undefined;
  readonly #memory: Memory;
  readonly #newEngine: () => EngineClient;

  constructor(memory: Memory, newEngine: () => EngineClient) {
    this.#memory = memory;
    this.#newEngine = newEngine;
  }

  /** By the person; empty: it is looked for. */
  get chosen(): string {
    return setting('sources.mapping') || this.#memory.mapping.get();
  }

  async current(): Promise<KnownRetraceMappings> {
    const { chosen } = this;
    if (chosen !== '') return { paths: [chosen], chosen: true };
    const found = await workspace.findFiles(inOutputs, undefined, 50);
    const dated = await Promise.all(
      found
        .filter((uri) => uri.scheme === 'file')
        .map(async (uri) => ({ uri, mtime: (await workspace.fs.stat(uri)).mtime })),
    );
    const paths = dated.sort((a, b) => b.mtime - a.mtime).map(({ uri }) => uri.fsPath);
    return { paths, chosen: false };
  }

  /** Resolves to false when nothing was chosen. */
  async choose(): Promise<boolean> {
    const none = l10n.t('The one of the recorded build, or the newest');
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
    await this.#memory.mapping.set(chosen?.fsPath ?? '');
    return true;
  }

  /** What the mapping of now says of what is wanted, or of what a recording names; and which file it is, as a person knows it. */
  async excerpt(of: WantedRetraceMapping | Uri): Promise<RetraceExcerpt> {
    this.#engine ??= this.#newEngine();
    const { path: from, text, isOther } = await this.#engine.excerpt(await this.current(), of);
    if (from === '') return { file: '', text };
    const uri = Uri.file(from);
    const isOurs = workspace.getWorkspaceFolder(uri) !== undefined;
    return { file: isOurs ? workspace.asRelativePath(uri) : path.basename(from), text, isOther };
  }

  /** A frame as it was written; one that no mapping knows stays. */
  async retrace(key: SourceKey): Promise<SourceKey> {
    const mappings = await this.current();
    if (mappings.paths.length === 0 || key.className === '') return key;
    this.#engine ??= this.#newEngine();
    const [innermost] = await this.#engine.retrace(mappings, key);
    return innermost ?? key;
  }

  dispose(): void {
    this.#engine?.dispose();
  }
}
