/** Sources of the sample recording, which comes with the extension: shown readonly, and only for that recording. */
import { Uri, workspace, type Disposable, type TextDocumentContentProvider } from 'vscode';
import type { SourceKey } from '../../protocol/messages.js';
import { packagePath, wantedSource } from '../../symbols/wanted-source.js';
import type { LibrarySources } from './open-source.js';

export const sampleScheme = 'btrace-sample';

export class SampleSources implements LibrarySources, TextDocumentContentProvider {
  readonly recording: Uri;
  readonly #folder: Uri;
  readonly #ledBy: () => Uri | undefined;

  /** `ledBy`: the recording whose call a person wants to see. */
  constructor(extension: Uri, ledBy: () => Uri | undefined) {
    this.#folder = Uri.joinPath(extension, 'media', 'sample');
    this.recording = Uri.joinPath(this.#folder, 'shop.btrace');
    this.#ledBy = ledBy;
  }

  register(): Disposable {
    return workspace.registerTextDocumentContentProvider(sampleScheme, this);
  }

  isSample(recording: Uri | undefined): boolean {
    return recording?.toString() === this.recording.toString();
  }

  async find(key: SourceKey): Promise<Uri | undefined> {
    if (!this.isSample(this.#ledBy())) return undefined;
    const { packageName, baseNames } = wantedSource(key);
    for (const name of baseNames) {
      const path = `/${packagePath(packageName)}${name}`;
      // Read, because what comes from a web server has no other sign of being there.
      const isThere = await workspace.fs.readFile(Uri.joinPath(this.#folder, path)).then(
        () => true,
        () => false,
      );
      // With a scheme of its own, it has no time of its installation, which would make it newer than the recording.
      if (isThere) return Uri.from({ scheme: sampleScheme, path });
    }
    return undefined;
  }

  async provideTextDocumentContent({ path }: Uri): Promise<string> {
    const file = Uri.joinPath(this.#folder, path);
    // A link made by somebody else leads to nothing outside of the folder.
    if (!file.path.startsWith(`${this.#folder.path}/`) || !file.path.endsWith('.java')) return '';
    return new TextDecoder().decode(await workspace.fs.readFile(file));
  }
}
