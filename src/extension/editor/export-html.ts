/** Writes the page with its recording inside as one file that opens in any browser. Piece by piece: the recording may be large. */
import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { env, l10n, ProgressLocation, Uri, window } from 'vscode';
import type { MappingExcerpt, PageSettings } from '../../protocol/messages.js';
import { standAloneHtml, standAlonePieceBytes } from '../../protocol/page-html.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { fileBytes } from './file-bytes.js';
import { baseName } from '../base-name.js';

export interface HtmlServices {
  readonly extensionUri: Uri;
  settings(): PageSettings;
  /** What the mapping of now says of the classes that a recording names. */
  mapping(recording: Uri): Promise<MappingExcerpt>;
}

/** Undefined when it was given up; nothing is left of it then. */
export async function exportHtml(services: HtmlServices, recording: Uri, to?: Uri): Promise<Uri | undefined> {
  const target =
    to ??
    (await window.showSaveDialog({
      title: l10n.t('Export as HTML Page'),
      defaultUri: recording.with({ path: recording.path.replace(/(\.[^./]*)?$/, '.html') }),
      filters: { HTML: ['html'] },
    }));
  if (target === undefined) return undefined;
  const whole = await window.withProgress(
    {
      location: ProgressLocation.Notification,
      title: l10n.t('Writing {0}', baseName(target)),
      cancellable: true,
    },
    (progress, token) => {
      const giveUp = new AbortController();
      token.onCancellationRequested(() => giveUp.abort());
      const report = (increment: number): void => progress.report({ increment });
      return write(services, recording, target.fsPath, report, giveUp.signal);
    },
  );
  if (!whole) return undefined;
  const { size } = await stat(target.fsPath);
  window.setStatusBarMessage(l10n.t('{0} written: {1}', baseName(target), formatBytes(size)), 5000);
  return target;
}

/** Under another name until it is whole. False when it was given up. `report`: percent more. */
async function write(
  services: HtmlServices,
  recording: Uri,
  target: string,
  report: (increment: number) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const bundle = (name: string): Promise<string> =>
    readFile(Uri.joinPath(services.extensionUri, 'dist', name).fsPath, 'utf8');
  const settings = services.settings();
  const mapping = await services.mapping(recording);
  const chosen = settings.mapping?.chosen === '' ? '' : mapping.file;
  const parts = standAloneHtml({
    name: baseName(recording),
    script: await bundle('page.js'),
    worker: await bundle('page-worker.js'),
    nonce: randomBytes(24).toString('base64'),
    language: env.language,
    withoutScript: l10n.t(
      'This page holds a recording of BTrace and draws it itself. Allow it to run its script, or open the recording in VS Code.',
    ),
    // Where it lies on this machine is nobody's business.
    settings: { ...settings, mapping: mapping.text === '' ? undefined : { chosen } },
    mapping,
    data: base64Pieces(recording, report, signal),
  });
  const part = `${target}.part`;
  const out = await open(part, 'w');
  let whole = false;
  try {
    for await (const text of parts) await out.write(text);
    whole = !signal.aborted;
  } finally {
    await out.close();
    await (whole ? rename(part, target) : rm(part, { force: true }));
  }
  return whole;
}

/** Each piece stands for a whole number of bytes, as `standAloneHtml` asks for: cut anew, because reads end where they like. */
async function* base64Pieces(
  recording: Uri,
  report: (increment: number) => void,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const file = await fileBytes(recording);
  let rest = Buffer.alloc(0);
  for await (const { data } of file.pieces(0, signal)) {
    const bytes = Buffer.concat([rest, Buffer.from(data)]);
    let at = 0;
    for (; at + standAlonePieceBytes <= bytes.length; at += standAlonePieceBytes)
      yield bytes.toString('base64', at, at + standAlonePieceBytes);
    rest = bytes.subarray(at);
    report((100 * data.byteLength) / Math.max(file.total, 1));
  }
  if (rest.length > 0) yield rest.toString('base64');
}
