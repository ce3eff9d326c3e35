import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fleetTables, partitions } from '../../query/fleet-tables.js';
import { QueryClient, QueryEnded, QueryFileError } from '../../query/query-client.js';
import { QueryError, type QueryResult } from '../../query/query-engine.js';
import { csvOf, resultJson } from '../../query/result-text.js';
import { queryTables } from '../../query/views.js';
import { usualMemoryBytes } from '../../trace/index.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { onEndSignal } from '../end-signals.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { mappingOption } from '../retrace-mapping.js';
import { fileError, memoryOption } from '../open-trace.js';
import { packageRoot } from '../package.js';
import { plainLines, plainText } from '../plain-text.js';
import { parseCount, parseDuration, parseSize } from '../quantities.js';
import { table, type Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';
import { widthOf } from '../text-width.js';

const perfettoTables = 'slice, thread, process, sched_slice, counter';
const ownTables = 'call, sample, wait, link, message, method, path, line';
const usualRows = 10_000;
const usualTimeoutNs = 60e9;

const options: readonly Option[] = [
  { name: 'query', short: 'q', value: 'FILE', help: 'read the SQL from FILE' },
  {
    name: 'fleet',
    value: 'FLEET',
    help: 'ask the recordings of this fleet (btrace collect) instead of files',
  },
  { name: 'tables', help: 'list the tables and their columns; no FILE is needed' },
  { name: 'rows', short: 'n', value: 'N', help: `at most N rows (default: ${usualRows})` },
  { name: 'timeout', value: 'TIME', help: 'end the query after TIME (default: 60s)' },
  { name: 'csv', help: 'print the result as CSV' },
  jsonOption,
  mappingOption,
  memoryOption,
];

async function sqlOf(input: Input): Promise<{ files: readonly string[]; sql: string }> {
  const words = input.operands;
  const from = input.text('query');
  if (from === undefined) {
    const sql = words.at(-1);
    if (sql !== undefined && words.length === 1 && input.has('fleet')) return { files: [], sql };
    if (input.has('fleet')) throw new UsageError('With --fleet, the SQL is the only word.');
    if (sql === undefined || words.length < 2)
      throw new UsageError(
        words.length === 0 ? 'Which file, and which SQL?' : 'Which SQL? It is the last word.',
      );
    return { files: words.slice(0, -1), sql };
  }
  if (words.length === 0 && !input.has('fleet')) throw new UsageError('Which file?');
  try {
    return { files: words, sql: await readFile(from, 'utf8') };
  } catch (error) {
    throw fileError(from, 'read', error);
  }
}

/** The text with a caret below the place. */
function drawn(sql: string, { message, place }: QueryError): string {
  if (place === undefined) return message;
  const line = (sql.split('\n')[place.line] ?? '').replaceAll('\t', ' ');
  const begin = `  ${l10n.t('line {0}', place.line + 1)}: `;
  return `${message}\n${begin}${line}\n${' '.repeat(widthOf(begin) + widthOf(line.slice(0, place.column)))}^`;
}

export function explained(error: unknown, sql: string, timeout: string): unknown {
  if (error instanceof QueryError) return new CliError(ExitCode.Usage, drawn(sql, error));
  if (error instanceof QueryFileError)
    return error.code === undefined
      ? new CliError(ExitCode.File, `${error.file}: ${error.message}`, error.advice)
      : fileError(error.file, 'read', error);
  if (error instanceof QueryEnded)
    return error.reason === 'timeout'
      ? new CliError(
          ExitCode.TimedOut,
          `The query took longer than ${timeout} and was ended.`,
          'Let it read fewer rows, or give it more time by --timeout.',
        )
      : new CliError(ExitCode.Interrupted, 'The query was ended.');
  return error;
}

interface ListedTable {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly (readonly [name: string, about: string])[];
  readonly isPerfetto?: boolean;
}

const tablesOfFleet = (): ListedTable[] =>
  fleetTables.map(({ name, about, columns }) => ({
    ...{ name, about },
    columns: [
      ...columns.map(([column, , means]) => [column, means] as const),
      ...partitions.map((column) => [column, 'of the recording'] as const),
    ],
  }));

function printTables(tables: readonly ListedTable[], terminal: Terminal): void {
  for (const { name, about, columns, isPerfetto = false } of tables) {
    terminal.print(
      `${terminal.bold(name)}  ${about}${isPerfetto ? terminal.dim(l10n.t(' (as in Perfetto)')) : ''}`,
    );
    for (const line of table(
      columns.map(([column, meaning]) => ['', column, meaning]),
      [false, false, false],
      terminal.width,
    ))
      terminal.print(line);
    terminal.print();
  }
}

export function printResult({ columns, rows }: QueryResult, terminal: Terminal): void {
  const isNumber = columns.map((_, at) =>
    rows.every((row) => row[at] === null || typeof row[at] === 'number')
      ? rows.some((row) => row[at] !== null)
      : false,
  );
  const cells = rows.map((row) => row.map((value) => (value === null ? '' : plainText(String(value)))));
  const [head = '', ...lines] = table([columns.map(plainText), ...cells], isNumber, terminal.width);
  terminal.print(terminal.bold(head));
  for (const line of lines) terminal.print(line);
}

/** The database is loaded by its own thread: other commands start without it. */
function openClient(input: Input, files: readonly string[]): QueryClient {
  const dist = path.join(packageRoot(), 'dist');
  return new QueryClient(path.join(dist, 'query-worker.cjs'), {
    files,
    mapping: input.text('mapping'),
    memoryBytes: input.read('memory', parseSize) ?? usualMemoryBytes,
    wasmFile: path.join(dist, 'duckdb-eh.wasm'),
    onlyWasm: process.env['BTRACE_QUERY_ENGINE'] === 'wasm',
  });
}

/** Over the folder of a fleet. */
export function fleetClient(folder: string): QueryClient {
  const dist = path.join(packageRoot(), 'dist');
  return new QueryClient(path.join(dist, 'query-worker.cjs'), {
    ...{ files: [], fleet: folder, memoryBytes: usualMemoryBytes },
    wasmFile: path.join(dist, 'duckdb-eh.wasm'),
  });
}

export const query: Command = {
  name: 'query',
  summary: 'answer a question in SQL over one or several recordings',
  usage: [
    'query FILE… "SQL" [OPTIONS]',
    'query FILE… --query FILE.btrace.sql [OPTIONS]',
    'query --fleet FLEET "SQL" [OPTIONS]',
    'query --tables',
  ],
  operands: ['FILE', 'SQL'],
  takesSeveral: true,
  description: [
    `The tables have Perfetto's names where it has them (${perfettoTables}), so that its\nqueries run, and others: ${ownTables}. btrace query --tables lists all.`,
    'Times are ns, from the begin of the recording. A query only reads. The dialect is DuckDB’s.',
  ],
  options,
  examples: [
    'btrace query demo.btrace "SELECT name, sum(dur) AS ns FROM slice GROUP BY name ORDER BY ns DESC"',
    'btrace query demo.btrace "SELECT kind, count(*), sum(dur) FROM wait GROUP BY kind" --csv',
    'btrace query base.btrace new.btrace --query regressions.btrace.sql --json',
  ],
  async run(input, terminal) {
    if (input.has('tables')) {
      printTables(input.has('fleet') ? tablesOfFleet() : queryTables, terminal);
      return ExitCode.Done;
    }
    const limit = input.read('rows', parseCount) ?? usualRows;
    const timeoutNs = input.read('timeout', parseDuration) ?? usualTimeoutNs;
    const inFleet = input.text('fleet');
    const { files, sql } = await sqlOf(input);
    const client = inFleet === undefined ? openClient(input, files) : fleetClient(path.resolve(inFleet));
    const ended = new AbortController();
    const forget = onEndSignal(() => ended.abort(), 3000);
    try {
      terminal.progress(l10n.t('Reading {0}', files.join(', ')));
      const result = await client.query(sql, { limit, timeoutMs: timeoutNs / 1e6, signal: ended.signal });
      terminal.endProgress();
      for (const file of (await client.opened).parts)
        terminal.note(
          l10n.t('{0} takes more memory than it may: the answer is about its first part (--memory).', file),
        );
      if (input.has('json')) terminal.print(JSON.stringify(resultJson(result), null, 2));
      else if (input.has('csv')) process.stdout.write(csvOf(result));
      else printResult(result, terminal);
      if (result.isCut) terminal.note(l10n.t('There are more than {0} rows: --rows.', limit));
      return ExitCode.Done;
    } catch (error) {
      terminal.endProgress();
      throw explained(error, plainLines(sql), input.text('timeout') ?? '60s');
    } finally {
      forget();
      await client.close();
    }
  },
};
