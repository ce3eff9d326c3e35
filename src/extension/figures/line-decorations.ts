/** Time at the end of hot lines, and their heat in the gutter. Drawn for the editors that are seen, taken away at once when stale. */
import type { Range } from 'vscode';
import {
  DecorationRangeBehavior,
  Disposable,
  OverviewRulerLane,
  ThemeColor,
  Uri,
  window,
  workspace,
  type DecorationOptions,
  type TextEditor,
  type TextEditorDecorationType,
} from 'vscode';
import { formatNs, formatShare } from '../../trace/measure/quantities.js';
import { setting } from '../settings.js';
import type { CurrentFigures } from './current-figures.js';
import { lineTimes } from './figure-texts.js';

/** Upper ends of the shares of each step but the last. Five steps can be told apart by width alone, without colour. */
const steps = [0.01, 0.03, 0.1, 0.3] as const;
const heatColors = ['#fcc419', '#ff922b', '#fd7e14', '#f76707', '#e03131'] as const;

export class LineDecorations implements Disposable {
  readonly #atEnd = window.createTextEditorDecorationType({
    rangeBehavior: DecorationRangeBehavior.ClosedOpen,
    after: { margin: '0 0 0 3em', color: new ThemeColor('editorCodeLens.foreground') },
  });
  readonly #heat: readonly TextEditorDecorationType[] = heatColors.map((color, step) =>
    window.createTextEditorDecorationType({
      gutterIconPath: heatIcon(color, step),
      gutterIconSize: 'contain',
      overviewRulerColor: color,
      overviewRulerLane: OverviewRulerLane.Left,
    }),
  );
  readonly #listening: Disposable;
  readonly #current: CurrentFigures;

  constructor(current: CurrentFigures) {
    this.#current = current;

    this.#listening = Disposable.from(
      current.onDidChange(() => this.#drawAll()),
      window.onDidChangeVisibleTextEditors(() => this.#drawAll()),
      workspace.onDidChangeTextDocument(({ document }) => {
        for (const editor of window.visibleTextEditors)
          if (editor.document === document) void this.#draw(editor);
      }),
    );
    this.#drawAll();
  }

  #drawAll(): void {
    for (const editor of window.visibleTextEditors) void this.#draw(editor);
  }

  async #draw(editor: TextEditor): Promise<void> {
    const { figures } = this.#current;
    const show = setting('figures.show');
    const lines = show === 'lensAndLines' || show === 'all';
    const heat = show === 'lensAndHeat' || show === 'all';
    const shown =
      figures === undefined || !(lines || heat)
        ? undefined
        : await this.#current.documents.of(editor.document, figures);
    const atEnd: DecorationOptions[] = [];
    const byStep: Range[][] = this.#heat.map(() => []);
    // Lines of an edited text are other lines: what cannot be followed by name is not shown.
    if (figures !== undefined && shown !== undefined && !shown.stale) {
      const threshold = setting('figures.thresholdPercent') / 100;
      const { columns } = figures;
      const all = columns.hasCpu ? columns.cpuNs : columns.wallNs;
      for (const [line, ns] of lineTimes(columns, shown.rows)) {
        const share = all > 0 ? ns / all : 0;
        if (share < threshold || line < 1 || line > editor.document.lineCount) continue;
        const range = editor.document.lineAt(line - 1).range;
        if (lines)
          atEnd.push({
            range,
            renderOptions: { after: { contentText: `${formatNs(ns)} (${formatShare(share)})` } },
          });
        const step = steps.findIndex((end) => share < end);
        if (heat) byStep[step < 0 ? steps.length : step]?.push(range);
      }
    }
    editor.setDecorations(this.#atEnd, atEnd);
    this.#heat.forEach((type, step) => editor.setDecorations(type, byStep[step] ?? []));
  }

  dispose(): void {
    this.#listening.dispose();
    this.#atEnd.dispose();
    this.#heat.forEach((type) => type.dispose());
  }
}

/** A bar that grows with the step. */
function heatIcon(color: string, step: number): Uri {
  const width = 3 + step * 2;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect x="${String(16 - width)}" y="1" width="${String(width)}" height="14" rx="1" fill="${color}"/></svg>`;
  return Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
}
