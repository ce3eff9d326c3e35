/** *Compare With…*: which recording another one is compared with, and how it gets to the page. */
import { env, l10n, Uri, window, type QuickPickItem, type Webview } from 'vscode';
import type { HostMessage } from '../../protocol/messages.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { baseName } from '../base-name.js';
import type { Memory } from '../memory.js';
import { shownName } from '../recording/recording-names.js';
import type { RecordingStore } from '../recording/store.js';
import type { NamedCode } from '../../trace/index.js';
import { mayHaveUnnamedCode } from './code-names.js';
import type { ReadFile } from './whole-bytes.js';

/** Of so many recordings it is remembered. */
const remembered = 100;

interface Item extends QuickPickItem {
  readonly file?: string;
}

/** There are none in a browser. */
export type KeptRecordings = Pick<RecordingStore, 'list'>;

export class Baselines {
  readonly #memory: Memory;
  readonly #kept: KeptRecordings;

  constructor(memory: Memory, kept: KeptRecordings) {
    this.#memory = memory;
    this.#kept = kept;
  }

  of(recording: Uri): Uri | undefined {
    const found = this.#memory.baselines.get()[recording.toString()];
    return found === undefined ? undefined : Uri.parse(found);
  }

  async set(recording: Uri, baseline: Uri | undefined): Promise<void> {
    const key = recording.toString();
    const others = Object.entries(this.#memory.baselines.get()).filter(([known]) => known !== key);
    const own: [string, string][] = baseline === undefined ? [] : [[key, baseline.toString()]];
    await this.#memory.baselines.set(Object.fromEntries([...own, ...others].slice(0, remembered)));
  }

  /** Of the recordings that are kept, newest first, or any other file. */
  async choose(recording: Uri): Promise<Uri | undefined> {
    const kept = await this.#kept.list().catch(() => []);
    const when = new Intl.DateTimeFormat(env.language, { dateStyle: 'medium', timeStyle: 'medium' });
    const items: Item[] = kept
      .filter(({ file }) => file !== recording.fsPath)
      .map(({ file, name, modifiedMs, bytes }) => ({
        label: shownName(name),
        description: `${when.format(modifiedMs)} · ${formatBytes(bytes)}`,
        file,
      }));
    const another: Item = { label: l10n.t('Another File…'), alwaysShow: true };
    const title = l10n.t('Compare {0} With', baseName(recording));
    const chosen = await window.showQuickPick([...items, another], {
      title,
      placeHolder: l10n.t('The recording from before'),
      matchOnDescription: true,
    });
    if (chosen === undefined) return undefined;
    if (chosen.file !== undefined) return Uri.file(chosen.file);
    const folder = recording.scheme === 'file' ? Uri.joinPath(recording, '..') : undefined;
    const [file] = (await window.showOpenDialog({ title, ...(folder && { defaultUri: folder }) })) ?? [];
    return file;
  }
}

/** Each message is awaited, so that a slow page never piles up buffers here. `onSent`: told how much of it there is at the page. */
export async function feedBaseline(
  webview: Webview,
  baseline: Uri,
  readFile: ReadFile,
  signal: AbortSignal,
  codeNames: () => Promise<readonly NamedCode[] | undefined>,
  onSent: (bytes: number) => void,
): Promise<void> {
  const send = async (message: HostMessage): Promise<void> => {
    if (!signal.aborted) await webview.postMessage(message);
  };
  const name = baseName(baseline);
  try {
    const file = await readFile(baseline);
    await send({ type: 'baseline', name, totalBytes: file.total });
    let isUnnamed = false;
    for await (const { offset, data } of file.pieces(0, signal)) {
      if (offset === 0) isUnnamed = mayHaveUnnamedCode(data);
      const sent = offset + data.byteLength;
      await send({ type: 'baselineBytes', data });
      onSent(sent);
    }
    const names = isUnnamed ? await codeNames() : undefined;
    if (names !== undefined) await send({ type: 'baselineCodeNames', names });
    await send({ type: 'baselineEnd' });
  } catch (error) {
    await send({ type: 'noBaseline', name, why: error instanceof Error ? error.message : String(error) });
  }
}
