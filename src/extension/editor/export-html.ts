/** Writes the page with its recording inside as one file that opens in any browser. Streams: the recording may be large. */
import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { l10n, ProgressLocation, Uri, window, type CancellationToken } from 'vscode';
import { standAloneHtml, standAlonePieceBytes } from '../../protocol/page-html.js';
import { pageSettings } from './page-settings.js';
import { baseName } from './recording-editor.js';

export async function exportHtml(extension: Uri, recording: Uri, to?: Uri): Promise<Uri | undefined> {
  const target =
    to ??
    (await window.showSaveDialog({
      title: l10n.t('Export as HTML Page'),
      defaultUri: recording.with({ path: recording.path.replace(/(\.[^./]*)?$/, '.html') }),
      filters: { HTML: ['html'] },
    }));
  if (target === undefined) return undefined;
  await window.withProgress(
    {
      location: ProgressLocation.Notification,
      title: l10n.t('Writing {0}', baseName(target)),
      cancellable: true,
    },
    (_progress, token) => write(extension, recording, target, token),
  );
  return target;
}

async function write(extension: Uri, recording: Uri, target: Uri, token: CancellationToken): Promise<void> {
  const bundle = (name: string): Promise<string> =>
    readFile(Uri.joinPath(extension, 'dist', name).fsPath, 'utf8');
  const data = await base64Pieces(recording.fsPath, token);
  const out = await open(target.fsPath, 'w');
  try {
    const parts = standAloneHtml({
      name: baseName(recording),
      script: await bundle('page.js'),
      worker: await bundle('page-worker.js'),
      nonce: randomBytes(24).toString('base64'),
      settings: pageSettings(),
      data,
    });
    for (const part of parts) await out.write(part);
  } finally {
    await out.close();
  }
}

/** `standAloneHtml` takes its data without waiting, so it is read first; base64 is a third more than the file. */
async function base64Pieces(path: string, token: CancellationToken): Promise<string[]> {
  const pieces: string[] = [];
  const file = await open(path, 'r');
  try {
    const piece = Buffer.alloc(standAlonePieceBytes);
    for (;;) {
      if (token.isCancellationRequested) return pieces;
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return pieces;
      pieces.push(piece.toString('base64', 0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
