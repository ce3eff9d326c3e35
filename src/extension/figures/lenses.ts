/** CodeLens above each declaration that the recording knows. Answers at once from what was scanned, so lenses never flash. */
import {
  CodeLens,
  Disposable,
  EventEmitter,
  l10n,
  Range,
  window,
  workspace,
  type CodeLensProvider,
  type Event,
  type TextDocument,
} from 'vscode';
import { setting } from '../settings.js';
import { recordingName } from './choose-figures.js';
import type { CurrentFigures } from './current-figures.js';
import type { DocumentFigures } from './document-figures.js';
import type { Figures } from './figures.js';
import { figuresText, measured, share } from './figure-texts.js';

/** VS Code asks again well before, unless the keyboard left the editor right after the edit: then it does not ask at all. */
const askedByMs = 1000;

export class Lenses implements CodeLensProvider, Disposable {
  readonly #change = new EventEmitter<void>();
  readonly onDidChangeCodeLenses: Event<void> = this.#change.event;
  /** The version that was asked for last. */
  readonly #asked = new WeakMap<TextDocument, number>();
  readonly #listening: Disposable;
  #timer: NodeJS.Timeout | undefined;
  readonly #current: CurrentFigures;

  constructor(current: CurrentFigures) {
    this.#current = current;

    this.#listening = Disposable.from(
      current.onDidChange(() => this.#change.fire()),
      workspace.onDidChangeTextDocument(({ document }) => {
        if (!this.#asked.has(document)) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#remind(), askedByMs);
      }),
    );
  }

  #remind(): void {
    const isBehind = (document: TextDocument): boolean =>
      (this.#asked.get(document) ?? document.version) !== document.version;
    if (window.visibleTextEditors.some(({ document }) => isBehind(document))) this.#change.fire();
  }

  provideCodeLenses(document: TextDocument): CodeLens[] | Promise<CodeLens[]> {
    const { figures } = this.#current;
    if (figures === undefined || setting('figures.show') === 'off') return [];
    this.#asked.set(document, document.version);
    const shown = this.#current.documents.of(document, figures);
    return shown instanceof Promise ? shown.then((one) => lenses(one, figures)) : lenses(shown, figures);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#listening.dispose();
    this.#change.dispose();
  }
}

function lenses({ declarations, stale }: DocumentFigures, figures: Figures): CodeLens[] {
  const time = setting('figures.time');
  const threshold = setting('figures.thresholdPercent') / 100;
  const { columns } = figures;
  const result: CodeLens[] = [];
  const recording = recordingName(figures.recording);
  for (const { declaration, rows } of declarations) {
    const values = measured(columns, rows, time);
    if (share(columns, values) < threshold) continue;
    const text = figuresText(columns, values, time);
    result.push(
      new CodeLens(new Range(declaration.line, declaration.column, declaration.line, declaration.endColumn), {
        title: stale ? l10n.t('{0} · before the last edit', text) : text,
        tooltip: stale
          ? l10n.t('The file was edited since it was recorded. Click to show the method in {0}.', recording)
          : l10n.t('Click to show the method in {0}.', recording),
        command: 'btrace.revealMethod',
        arguments: [rows[0]],
      }),
    );
  }
  // Of the text as a whole: whose figures these are, and the way to fewer or none.
  if (result.length > 0)
    result.unshift(
      new CodeLens(new Range(0, 0, 0, 0), {
        title: `$(flame) ${recording} · ${l10n.t('change…')}`,
        tooltip: l10n.t(
          'The figures in this file are of this recording. Click to choose what of them is shown, or nothing.',
        ),
        command: 'btrace.chooseFigures',
      }),
    );
  return result;
}
