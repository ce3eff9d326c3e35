/** The page of a query's result: a plain table. A name in it leads to its line, and its row to the chart. */
import type { QueryResult, QueryValue } from '../../query/query-engine.js';

/** More rows than anybody reads; the CSV file has all of the answer. */
export const mostShownRows = 2000;

export interface ResultTexts {
  /** Above the table: what was asked, and how much there is. */
  readonly summary: string;
  readonly saveCsv: string;
  readonly openLine: string;
  readonly showInChart: string;
  readonly language: string;
}

/** The page → the extension. `row` is one of the result's. */
export type ResultMessage =
  | { readonly type: 'csv' }
  | { readonly type: 'line' | 'chart'; readonly row: number };

const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

/** Columns that name a method. */
export function nameColumn(columns: readonly string[]): number {
  return columns.findIndex((name) => name === 'method_id' || name === 'name' || name === 'method');
}

function cell(value: QueryValue, isName: boolean, row: number, texts: ResultTexts): string {
  const text = value === null ? '' : escaped(String(value));
  if (!isName || text === '') return `<td class="${typeof value === 'number' ? 'number' : ''}">${text}</td>`;
  return (
    `<td><button class="name" data-to="line" data-row="${row}" title="${escaped(texts.openLine)}">${text}</button> ` +
    `<button class="chart" data-to="chart" data-row="${row}" aria-label="${escaped(`${texts.showInChart}: ${String(value)}`)}"` +
    ` title="${escaped(texts.showInChart)}">⌖</button></td>`
  );
}

const style = `
body { padding: 0.5em 1em; color: var(--vscode-foreground); font-family: var(--vscode-font-family); }
table { border-collapse: collapse; font-size: var(--vscode-editor-font-size); }
th { position: sticky; top: 0; background: var(--vscode-editor-background); text-align: left; }
th, td { padding: 0.15em 0.8em; border-bottom: 1px solid var(--vscode-editorWidget-border); white-space: pre; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
button { border: 0; background: none; font: inherit; cursor: pointer; color: var(--vscode-textLink-foreground); }
button.save { padding: 0.3em 0.9em; color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); }`;

const script = `
const api = acquireVsCodeApi();
document.addEventListener('click', ({ target }) => {
  const { to, row } = target.dataset;
  if (to !== undefined) api.postMessage(to === 'csv' ? { type: 'csv' } : { type: to, row: Number(row) });
});`;

export function resultHtml({ columns, rows }: QueryResult, texts: ResultTexts, nonce: string): string {
  const named = nameColumn(columns);
  const head = columns.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const body = rows
    .slice(0, mostShownRows)
    .map(
      (row, at) =>
        `<tr>${row.map((value, column) => cell(value, column === named, at, texts)).join('')}</tr>`,
    );
  return `<!DOCTYPE html>
<html lang="${escaped(texts.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${style}</style>
<title>${escaped(texts.summary)}</title>
</head>
<body>
<p role="status">${escaped(texts.summary)} <button class="save" data-to="csv">${escaped(texts.saveCsv)}</button></p>
<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}

/** What a webview says may be anything. */
export function isResultMessage(sent: unknown): sent is ResultMessage {
  if (typeof sent !== 'object' || sent === null || !('type' in sent)) return false;
  if (sent.type === 'csv') return true;
  return (sent.type === 'line' || sent.type === 'chart') && 'row' in sent && Number.isSafeInteger(sent.row);
}
