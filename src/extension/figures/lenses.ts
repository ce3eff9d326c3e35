/** CodeLens above each declaration that the recording knows. Answers at once from what was scanned, so lenses never flash. */
import {
  CodeLens,
  EventEmitter,
  l10n,
  Range,
  type CodeLensProvider,
  type Event,
  type TextDocument,
} from 'vscode';
import { setting } from '../settings.js';
import type { CurrentFigures } from './current-figures.js';
import type { DocumentFigures } from './document-figures.js';
import type { Figures } from './figures.js';
import { figuresText, measured, share } from './figure-texts.js';

export class Lenses implements CodeLensProvider {
  readonly #change = new EventEmitter<void>();
  readonly onDidChangeCodeLenses: Event<void> = this.#change.event;

  constructor(private readonly current: CurrentFigures) {
    current.onDidChange(() => this.#change.fire());
  }

  provideCodeLenses(document: TextDocument): CodeLens[] | Promise<CodeLens[]> {
    const { figures } = this.current;
    if (figures === undefined || setting('figures.show') === 'off') return [];
    const shown = this.current.documents.of(document, figures);
    return shown instanceof Promise ? shown.then((one) => lenses(one, figures)) : lenses(shown, figures);
  }
}

function lenses({ declarations, stale }: DocumentFigures, figures: Figures): CodeLens[] {
  const time = setting('figures.time');
  const threshold = setting('figures.thresholdPercent') / 100;
  const { columns } = figures;
  const result: CodeLens[] = [];
  for (const { declaration, rows } of declarations) {
    const values = measured(columns, rows, time);
    if (share(columns, values) < threshold) continue;
    const text = figuresText(columns, values, time);
    result.push(
      new CodeLens(new Range(declaration.line, declaration.column, declaration.line, declaration.endColumn), {
        title: stale ? l10n.t('{0} · before the last edit', text) : text,
        tooltip: stale
          ? l10n.t('The file was edited since it was recorded. Click to show the method in the recording.')
          : l10n.t('Click to show the method in the recording.'),
        command: 'btrace.revealMethod',
        arguments: [rows[0]],
      }),
    );
  }
  return result;
}
