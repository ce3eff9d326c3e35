/** What a method's name tells on hover: its figures, who calls it, what it calls, its lines. */
import {
  Hover,
  l10n,
  MarkdownString,
  Range,
  type HoverProvider,
  type Position,
  type TextDocument,
} from 'vscode';
import { formatLength, formatNs, formatShare } from '../../trace/measure/quantities.js';
import { holdsLine } from '../../symbols/match-declarations.js';
import { languageOf } from '../../symbols/scan/declarations.js';
import { baseName } from '../base-name.js';
import { setting } from '../settings.js';
import { recordingName } from './choose-figures.js';
import type { CurrentFigures } from './current-figures.js';
import type { DeclarationFigures } from './document-figures.js';
import type { FigureColumns, Neighbour } from '../engine/engine-messages.js';
import { figuresText, lineTimes, measured } from './figure-texts.js';

const shownNeighbours = 5;
const shownLines = 5;

export class Hovers implements HoverProvider {
  readonly #current: CurrentFigures;

  constructor(current: CurrentFigures) {
    this.#current = current;
  }

  async provideHover(document: TextDocument, position: Position): Promise<Hover | undefined> {
    const { figures } = this.#current;
    if (figures === undefined || setting('figures.show') === 'off') return undefined;
    const shown = await this.#current.documents.of(document, figures);
    const found = shown.declarations.find(
      ({ declaration: d }) =>
        d.line === position.line && d.column <= position.character && position.character <= d.endColumn,
    );
    if (found === undefined) return undefined;
    const { declaration, rows } = found;
    const { columns } = figures;
    const detail = await figures.engine.detail(rows);
    const text = new MarkdownString();
    text.isTrusted = { enabledCommands: ['btrace.revealMethod'] };
    const lines: string[] = [];
    for (const time of ['total', 'self'] as const) {
      lines.push(
        `${time === 'total' ? `${l10n.t('total')} ` : ''}${figuresText(columns, measured(columns, rows, time), time)}`,
      );
    }
    text.appendText(lines.join('\n'));
    text.appendText(`\n${l10n.t('Recording: {0}', recordingName(figures.recording))}`);
    if (shown.stale) text.appendText(`\n${l10n.t('The file was edited since it was recorded.')}`);
    if (columns.part !== undefined) text.appendText(`\n${partText(columns.part, columns.endNs)}`);
    if (detail !== undefined) {
      table(text, l10n.t('Called by'), detail.callers, columns);
      table(text, l10n.t('Calls'), detail.callees, columns);
    }
    lineList(text, columns, withCodeIn(found, columns, shown.stale), lastOwnLine(document, shown.stale));
    const link = `command:btrace.revealMethod?${encodeURIComponent(JSON.stringify([rows[0]]))}`;
    text.appendMarkdown(`\n\n[${l10n.t('Show in the recording')}](${link})`);
    return new Hover(
      text,
      new Range(declaration.line, declaration.column, declaration.line, declaration.endColumn),
    );
  }
}

function partText(part: NonNullable<FigureColumns['part']>, endNs: number): string {
  if ('fileShare' in part)
    return l10n.t(
      'Of the first {0} of the file: it is too large to be read whole.',
      formatShare(part.fileShare),
    );
  const [read, all] = [formatLength(endNs), formatLength(part.recordingEndNs)];
  return l10n.t('Of the first {0} of {1}: the recording is too large to be read whole.', read, all);
}

/** Names come from the recorded program: appended as text, never as markdown. */
function table(
  text: MarkdownString,
  title: string,
  rows: readonly Neighbour[],
  columns: FigureColumns,
): void {
  if (rows.length === 0) return;
  text.appendMarkdown(`\n\n**${title}**\n\n`);
  for (const { name, cpuNs, wallNs } of rows.slice(0, shownNeighbours)) {
    const time = columns.hasCpu
      ? l10n.t('CPU {0} · wall {1}', formatNs(cpuNs), formatNs(wallNs))
      : l10n.t('wall {0}', formatNs(wallNs));
    text.appendMarkdown('- ');
    text.appendText(`${time} — ${plainName(name)}`);
    text.appendMarkdown('\n');
  }
}

/** On one line, without characters that turn text around, and not endless. */
function plainName(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}]/gu, '�');
  return plain.length > 120 ? `${plain.slice(0, 119)}…` : plain;
}

/** What has its lines in the declaration itself: a bridge has that of its class. All, where none has or the lines are others now. */
function withCodeIn(
  { declaration, rows }: DeclarationFigures,
  { firstLine }: FigureColumns,
  stale: boolean,
): readonly number[] {
  const within = stale ? [] : rows.filter((row) => holdsLine(declaration, firstLine[row] ?? 0));
  return within.length > 0 ? within : rows;
}

interface HotLine {
  /** From 1; 0 for all code of inlined functions. */
  readonly line: number;
  readonly ns: number;
}

/** The heaviest first. Lines after `lastLine` are none of the text's own: together they are one. */
function hotLines(columns: FigureColumns, rows: readonly number[], lastLine: number): HotLine[] {
  const hot: HotLine[] = [];
  let inlinedNs = 0;
  for (const [line, ns] of lineTimes(columns, rows)) {
    if (line > lastLine) inlinedNs += ns;
    else if (ns > 0) hot.push({ line, ns });
  }
  // Where the method calls itself, the times of its lines are nested: they are not more than the method's.
  const total = measured(columns, rows, 'total');
  if (inlinedNs > 0)
    hot.push({ line: 0, ns: Math.min(inlinedNs, columns.hasCpu ? total.cpuNs : total.wallNs) });
  return hot.sort((a, b) => b.ns - a.ns);
}

/**
 * Kotlin's compiler numbers the code of inlined functions from after the last line of the file: which line of which file that is, a
 * recording does not say. The text must be what was recorded.
 */
function lastOwnLine(document: TextDocument, stale: boolean): number {
  if (stale || languageOf(baseName(document.uri)) !== 'kotlin') return Infinity;
  const { lineCount } = document;
  return document.lineAt(lineCount - 1).isEmptyOrWhitespace ? lineCount - 1 : lineCount;
}

function lineList(
  text: MarkdownString,
  columns: FigureColumns,
  rows: readonly number[],
  lastLine: number,
): void {
  const hot = hotLines(columns, rows, lastLine).slice(0, shownLines);
  if (hot.length === 0) return;
  const all = columns.hasCpu ? columns.cpuNs : columns.wallNs;
  text.appendMarkdown(`\n\n**${l10n.t('Lines')}**\n\n`);
  for (const { line, ns } of hot) {
    const share = all > 0 ? ` (${formatShare(ns / all)})` : '';
    const place = line === 0 ? l10n.t('code of inlined functions') : l10n.t('line {0}', String(line));
    text.appendMarkdown('- ');
    text.appendText(`${place}: ${formatNs(ns)}${share}`);
    text.appendMarkdown('\n');
  }
  if (columns.linesNearSafepoints)
    text.appendMarkdown(
      `\n${l10n.t('A line may be one near by: compiled code knows its place at some lines only.')}\n`,
    );
}
