/** *Export As…*: which format, which file; the worker writes it. */
import { commands, l10n, ProgressLocation, Uri, window } from 'vscode';
import { exporters, importers } from '../../trace/formats/index.js';
import type { KnownRetraceMappings } from '../engine/engine-messages.js';
import type { EngineClient } from '../engine/engine-client.js';
import { exportHtml, type HtmlServices } from './export-html.js';
import { baseName } from '../base-name.js';
import { proposedFile, tellWritten } from './exported-file.js';
import { showRecording } from './show-recording.js';

export interface ExportServices extends HtmlServices {
  newEngine(): EngineClient;
  currentRetraceMapping(): Promise<KnownRetraceMappings>;
}

/** For callers that know already: another extension, a key binding, a test. */
export interface ExportChoice {
  readonly format: string;
  readonly to: Uri;
}

export function isExportChoice(value: unknown): value is ExportChoice {
  return (
    typeof value === 'object' &&
    value !== null &&
    'format' in value &&
    'to' in value &&
    value.to instanceof Uri
  );
}

const html = 'html';

export async function exportAs(
  recording: Uri,
  services: ExportServices,
  choice?: ExportChoice,
): Promise<Uri | undefined> {
  const formats = [
    ...exporters.map(({ id, label, extension }) => ({ label, description: extension, id })),
    { label: l10n.t('HTML page that stands alone'), description: '.html', id: html },
  ];
  const format =
    choice?.format ??
    (await window.showQuickPick(formats, { title: l10n.t('Export {0} as', baseName(recording)) }))?.id;
  if (format === undefined) return undefined;
  if (format === html) return exportHtml(services, recording, choice?.to);
  const extension = exporters.find(({ id }) => id === format)?.extension ?? '';
  const suggested = proposedFile(recording, extension);
  const to = choice?.to ?? (await window.showSaveDialog({ defaultUri: suggested, title: l10n.t('Export') }));
  if (to === undefined) return undefined;
  const mapping = await services.currentRetraceMapping();
  const engine = services.newEngine();
  try {
    const written = await window.withProgress(
      {
        location: ProgressLocation.Notification,
        title: l10n.t('Writing {0}', baseName(to)),
        cancellable: true,
      },
      (_progress, token) => {
        token.onCancellationRequested(() => engine.dispose());
        return engine.export(recording, format, to.fsPath, mapping);
      },
    );
    if (written === undefined) return undefined; // given up
    // Most are no text that a person reads.
    const isTrace = importers.some(({ id }) => id === format);
    tellWritten(to, written, () =>
      isTrace ? showRecording(to) : commands.executeCommand('vscode.open', to),
    );
    return to;
  } finally {
    engine.dispose();
  }
}
