/** *Export As…*: which format, which file; the worker writes it. */
import { l10n, ProgressLocation, Uri, window } from 'vscode';
import { exporters } from '../../trace/formats/index.js';
import type { KnownMappings } from '../engine/engine-messages.js';
import type { EngineClient } from '../engine/engine-client.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { exportHtml, type HtmlServices } from './export-html.js';
import { baseName } from '../base-name.js';

export interface ExportServices extends HtmlServices {
  newEngine(): EngineClient;
  currentMapping(): Promise<KnownMappings>;
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
  const suggested = recording.with({ path: recording.path.replace(/\.[^./]*$/, '') + extension });
  const to = choice?.to ?? (await window.showSaveDialog({ defaultUri: suggested, title: l10n.t('Export') }));
  if (to === undefined) return undefined;
  const mapping = await services.currentMapping();
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
    window.setStatusBarMessage(l10n.t('{0} written: {1}', baseName(to), formatBytes(written)), 5000);
    return to;
  } finally {
    engine.dispose();
  }
}
