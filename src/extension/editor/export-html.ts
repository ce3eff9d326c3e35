/** Writes the page with its recording inside as one file that opens in any browser. Piece by piece: the recording may be large. */
import { env, l10n, ProgressLocation, Uri, window, workspace } from 'vscode';
import type { RetraceExcerpt, PageSettings } from '../../protocol/messages.js';
import { standAloneHtml, standAlonePieceBytes } from '../../protocol/page-html.js';
import { baseName } from '../base-name.js';
import { proposedFile, tellWritten } from './exported-file.js';
import { nonce } from './nonce.js';
import type { ReadFile } from './whole-bytes.js';

/** How files are read and written where the extension runs. */
export interface HtmlFiles {
  readonly read: ReadFile;
  /** Its size; undefined when it was given up: nothing is left of it then. */
  write(target: Uri, parts: AsyncIterable<string>, signal: AbortSignal): Promise<number | undefined>;
  base64(bytes: Uint8Array): string;
  /** Whether a browser can be sent to a file. */
  readonly canOpen: boolean;
}

export interface HtmlServices {
  readonly extensionUri: Uri;
  readonly files: HtmlFiles;
  settings(): PageSettings;
  /** What is shown of the recording now; undefined: it is not open. */
  shown(recording: Uri): string | undefined;
  /** What the mapping of now says of the classes that a recording names. */
  mapping(recording: Uri): Promise<RetraceExcerpt>;
}

/** Undefined when it was given up; nothing is left of it then. */
export async function exportHtml(services: HtmlServices, recording: Uri, to?: Uri): Promise<Uri | undefined> {
  const target =
    to ??
    (await window.showSaveDialog({
      title: l10n.t('Export as HTML Page'),
      defaultUri: proposedFile(recording, '.html'),
      filters: { HTML: ['html'] },
    }));
  if (target === undefined) return undefined;
  const bytes = await window.withProgress(
    {
      location: ProgressLocation.Notification,
      title: l10n.t('Writing {0}', baseName(target)),
      cancellable: true,
    },
    async (progress, token) => {
      const giveUp = new AbortController();
      token.onCancellationRequested(() => giveUp.abort());
      const report = (increment: number): void => progress.report({ increment });
      const parts = await partsOf(services, recording, report, giveUp.signal);
      return services.files.write(target, parts, giveUp.signal);
    },
  );
  if (bytes === undefined) return undefined;
  tellWritten(target, bytes, services.files.canOpen ? () => env.openExternal(target) : undefined);
  return target;
}

/** `report`: percent more. */
async function partsOf(
  services: HtmlServices,
  recording: Uri,
  report: (increment: number) => void,
  signal: AbortSignal,
): Promise<AsyncIterable<string>> {
  const bundle = async (name: string): Promise<string> => {
    const file = Uri.joinPath(services.extensionUri, 'dist', name);
    return new TextDecoder().decode(await workspace.fs.readFile(file));
  };
  const settings = services.settings();
  const mapping = await services.mapping(recording);
  const chosen = settings.mapping?.chosen === '' ? '' : mapping.file;
  return standAloneHtml({
    name: baseName(recording),
    script: await bundle('page.js'),
    worker: await bundle('page-worker.js'),
    nonce: nonce(),
    language: env.language,
    withoutScript: l10n.t(
      'This page holds a recording of BTrace and draws it itself. Allow it to run its script, or open the recording in VS Code.',
    ),
    // Where it lies on this machine is nobody's business.
    settings: { ...settings, mapping: mapping.text === '' ? undefined : { chosen } },
    mapping,
    state: services.shown(recording),
    data: base64Pieces(services.files, recording, report, signal),
  });
}

/** Each piece stands for a whole number of bytes, as `standAloneHtml` asks for: cut anew, because reads end where they like. */
async function* base64Pieces(
  files: HtmlFiles,
  recording: Uri,
  report: (increment: number) => void,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const file = await files.read(recording);
  let rest = new Uint8Array();
  for await (const { data } of file.pieces(0, signal)) {
    const bytes = new Uint8Array(rest.length + data.byteLength);
    bytes.set(rest);
    bytes.set(new Uint8Array(data), rest.length);
    let at = 0;
    for (; at + standAlonePieceBytes <= bytes.length; at += standAlonePieceBytes)
      yield files.base64(bytes.subarray(at, at + standAlonePieceBytes));
    rest = bytes.subarray(at);
    report((100 * data.byteLength) / Math.max(file.total, 1));
  }
  if (rest.length > 0) yield files.base64(rest);
}
