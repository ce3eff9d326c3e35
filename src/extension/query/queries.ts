/** BTrace: Query. A text in the language btrace-sql is asked of the recording that was last in front; the answer is a table. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import {
  CompletionItem,
  CompletionItemKind,
  Diagnostic,
  env,
  l10n,
  languages,
  ProgressLocation,
  Range,
  type Uri,
  ViewColumn,
  window,
  workspace,
  type Disposable,
  type TextDocument,
  type WebviewPanel,
} from 'vscode';
import { suggestions } from '../../query/completions.js';
import { QueryClient, QueryEnded } from '../../query/query-client.js';
import { QueryError, type QueryResult } from '../../query/query-engine.js';
import { csvOf } from '../../query/result-text.js';
import type { SourceKey } from '../../protocol/messages.js';
import { baseName } from '../base-name.js';
import { Problem } from '../notice.js';
import { openedMemoryBytes } from '../settings.js';
import { readyQueries } from './ready-queries.js';
import { isResultMessage, mostShownRows, nameColumn, resultHtml, type ResultMessage } from './result-html.js';

const languageId = 'btrace-sql';
const mostRows = 10_000;
const timeoutMs = 60_000;

export interface QueryServices {
  /** The recording that a query is about; undefined: a person chose none. */
  recording(): Promise<Uri | undefined>;
  openSource(key: SourceKey): Promise<unknown>;
  reveal(recording: Uri, key: SourceKey): Promise<unknown>;
  /** Does it, and tells a person what goes wrong. */
  guard(work: () => Promise<void>): Promise<unknown>;
}

/** An answer, as the tests see it. */
export interface Answered {
  readonly recording: Uri;
  readonly result: QueryResult;
}

export class Queries implements Disposable {
  readonly #extensionPath: string;
  readonly #services: QueryServices;
  readonly #wrong = languages.createDiagnosticCollection('btrace-sql');
  /** One database at a time: it holds a copy of the recording's columns. */
  #client: { readonly file: string; readonly of: QueryClient } | undefined;
  #panel: WebviewPanel | undefined;
  #answered: Answered | undefined;

  constructor(extensionPath: string, services: QueryServices) {
    this.#extensionPath = extensionPath;
    this.#services = services;
  }

  register(): Disposable[] {
    return [
      languages.registerCompletionItemProvider(
        { language: languageId },
        {
          provideCompletionItems: (document, position) =>
            suggestions(
              document.getText(),
              document.getText(new Range(0, 0, position.line, position.character)),
            ).map(({ label, about, isTable }) => {
              const kind = isTable ? CompletionItemKind.Struct : CompletionItemKind.Field;
              return Object.assign(new CompletionItem(label, kind), { detail: about });
            }),
        },
        '.',
      ),
      workspace.onDidChangeTextDocument(({ document }) => this.#wrong.delete(document.uri)),
      workspace.onDidCloseTextDocument(({ uri }) => this.#wrong.delete(uri)),
    ];
  }

  /** Opens a query: a new one, one to begin with, or one that was saved. */
  async open(): Promise<void> {
    const saved = await workspace.findFiles('**/*.btrace.sql', '**/node_modules/**', 100);
    const items = [
      { label: l10n.t('New query'), description: '', sql: 'SELECT *\nFROM slice\nLIMIT 100;\n' },
      ...readyQueries().map(({ label, sql }) => ({ label, description: '', sql })),
      ...saved.map((uri) => ({ label: baseName(uri), description: workspace.asRelativePath(uri), uri })),
    ];
    const chosen = await window.showQuickPick(items, { title: l10n.t('Query'), matchOnDescription: true });
    if (chosen === undefined) return;
    const document =
      'uri' in chosen
        ? await workspace.openTextDocument(chosen.uri)
        : await workspace.openTextDocument({ language: languageId, content: chosen.sql });
    await window.showTextDocument(document);
  }

  /** Asks the query of the editor in front, and shows the answer beside it. */
  async run(document = window.activeTextEditor?.document): Promise<Answered | undefined> {
    if (document?.languageId !== languageId) return undefined;
    const recording = await this.#services.recording();
    if (recording === undefined) return undefined;
    if (recording.scheme !== 'file')
      throw new Problem(
        l10n.t('Only recordings on a disk can be queried.'),
        l10n.t('Save a copy of it there.'),
      );
    const result = await window.withProgress(
      {
        location: ProgressLocation.Notification,
        title: l10n.t('Querying {0}', baseName(recording)),
        cancellable: true,
      },
      (_, token) => {
        const ended = new AbortController();
        token.onCancellationRequested(() => ended.abort());
        return this.#ask(recording, document, ended.signal);
      },
    );
    if (result === undefined) return undefined;
    this.#answered = { recording, result };
    this.#show(this.#answered);
    return this.#answered;
  }

  /** The answer that is shown. */
  get answered(): Answered | undefined {
    return this.#answered;
  }

  async #ask(recording: Uri, document: TextDocument, signal: AbortSignal): Promise<QueryResult | undefined> {
    this.#wrong.delete(document.uri);
    const client = this.#clientOf(recording.fsPath);
    try {
      return await client.query(document.getText(), { limit: mostRows, timeoutMs, signal });
    } catch (error) {
      if (error instanceof QueryError) {
        this.#tellWrong(document, error);
        throw new Problem(error.message, '', [], { cause: error });
      }
      this.#forgetClient();
      if (!(error instanceof QueryEnded)) throw error;
      if (error.reason === 'cancelled') return undefined;
      throw new Problem(
        l10n.t('The query took longer than {0} s and was ended.', timeoutMs / 1000),
        l10n.t('Let it read fewer rows.'),
      );
    }
  }

  #tellWrong(document: TextDocument, { message, place }: QueryError): void {
    const word =
      place === undefined
        ? new Range(0, 0, 0, 0)
        : (document.getWordRangeAtPosition(
            document.validatePosition(new Range(place.line, place.column, 0, 0).end),
          ) ?? new Range(place.line, place.column, place.line, place.column + 1));
    this.#wrong.set(document.uri, [new Diagnostic(word, message)]);
  }

  #clientOf(file: string): QueryClient {
    if (this.#client?.file === file && this.#client.of.isAlive) return this.#client.of;
    this.#forgetClient();
    const dist = path.join(this.#extensionPath, 'dist');
    const of = new QueryClient(path.join(dist, 'query-worker.cjs'), {
      files: [file],
      memoryBytes: openedMemoryBytes(),
      wasmFile: path.join(dist, 'duckdb-eh.wasm'),
    });
    this.#client = { file, of };
    return of;
  }

  #forgetClient(): void {
    void this.#client?.of.close();
    this.#client = undefined;
  }

  #show(answered: Answered): void {
    const { recording, result } = answered;
    if (this.#panel === undefined) {
      this.#panel = window.createWebviewPanel(
        'btrace.result',
        '',
        { viewColumn: ViewColumn.Beside, preserveFocus: true },
        { enableScripts: true, localResourceRoots: [], enableFindWidget: true },
      );
      this.#panel.onDidDispose(() => (this.#panel = undefined));
      this.#panel.webview.onDidReceiveMessage((sent: unknown) => {
        const answered = this.#answered;
        if (isResultMessage(sent) && answered !== undefined)
          void this.#services.guard(() => this.#follow(answered, sent));
      });
    }
    const count = Math.min(result.rows.length, mostShownRows);
    const of =
      result.isCut || count < result.rows.length
        ? l10n.t('the first {0} rows', count)
        : l10n.t('{0} rows', count);
    this.#panel.title = l10n.t('Result: {0}', baseName(recording));
    this.#panel.webview.html = resultHtml(
      result,
      {
        summary: `${baseName(recording)}: ${of}`,
        saveCsv: l10n.t('Save as CSV'),
        openLine: l10n.t('Open the source line'),
        showInChart: l10n.t('Show in the chart'),
        language: env.language,
      },
      randomBytes(24).toString('base64'),
    );
  }

  /** From a row to its line or to the chart, and the whole to a file. */
  async #follow({ recording, result }: Answered, message: ResultMessage): Promise<void> {
    if (message.type === 'csv') {
      const target = await window.showSaveDialog({ filters: { CSV: ['csv'] } });
      if (target !== undefined) await workspace.fs.writeFile(target, Buffer.from(csvOf(result)));
      return;
    }
    const key = await this.keyOf(recording, result, message.row);
    if (key === undefined) return;
    await (message.type === 'line' ? this.#services.openSource(key) : this.#services.reveal(recording, key));
  }

  /** The method that a row names. */
  async keyOf(recording: Uri, { columns, rows }: QueryResult, row: number): Promise<SourceKey | undefined> {
    const value = rows[row]?.[nameColumn(columns)];
    if (value === undefined || value === null) return undefined;
    const where =
      typeof value === 'number' ? `id = ${value}` : `name = '${String(value).replaceAll("'", "''")}'`;
    const { rows: found } = await this.#clientOf(recording.fsPath).query(
      `SELECT class, method, signature, file, line FROM method WHERE ${where} LIMIT 1`,
      { limit: 1, timeoutMs },
    );
    const [className, method, signature, file, line] = found[0] ?? [];
    if (method === undefined) return undefined;
    const ownLine = Number(rows[row]?.[columns.indexOf('line')] ?? line ?? 0);
    return {
      className: String(className ?? ''),
      method: String(method),
      signature: String(signature ?? ''),
      file: String(file ?? ''),
      line: ownLine,
    };
  }

  dispose(): void {
    this.#forgetClient();
    this.#panel?.dispose();
    this.#wrong.dispose();
  }
}
