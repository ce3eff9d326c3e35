import path from 'node:path';
import type { QueryResult } from '../../query/query-engine.js';
import { resultJson } from '../../query/result-text.js';
import { type Command, type Input, jsonOption } from '../command-line.js';
import { ExitCode, UsageError } from '../exit-codes.js';
import { parseCount } from '../quantities.js';
import { explained, fleetClient, printResult } from './query.js';
import { l10n } from '../l10n.js';

const groupings = ['version', 'device', 'app', 'day', 'runtime'];
const measures: Readonly<Record<string, string>> = {
  length: 'length_ns',
  cpu: 'cpu_ns',
  'main-cpu': 'main_cpu_ns',
  'main-wait': 'main_wait_ns',
  'longest-message': 'longest_message_ns',
};
const timeoutMs = 60_000;
const mostRows = 10_000;

export interface Ready {
  readonly title: string;
  readonly key: string;
  readonly sql: string;
}

const inMs = (column: string): string => `round(${column} / 1e6, 1)`;
const spread = (column: string): string =>
  `count(*) AS recordings, ${inMs(`median(${column})`)} AS median_ms, ${inMs(`quantile_cont(${column}, 0.9)`)} AS p90_ms, ${inMs(`max(${column})`)} AS worst_ms`;

export function readyQueries(
  by: string,
  measure: string,
  method: string | undefined,
  top: number,
): readonly Ready[] {
  const column = measures[measure] ?? '';
  if (method !== undefined) {
    const name = method.replaceAll("'", "''");
    // A recording that never was in the method has no row: it took nothing.
    const from = `(SELECT r.${by} AS grp, coalesce(m.total_wall_ns, 0) AS ns FROM recording r
      LEFT JOIN (SELECT recording_id, sum(total_wall_ns) AS total_wall_ns FROM method_time WHERE name = '${name}' GROUP BY 1) m
      USING (recording_id))`;
    const sql = `SELECT grp AS "${by}", ${spread('ns')} FROM ${from} GROUP BY 1 ORDER BY worst_ms DESC, 1 LIMIT ${top}`;
    return [{ title: l10n.t('Wall time of {0} by {1}', method, by), key: 'method', sql }];
  }
  const known = `FROM recording WHERE ${column} IS NOT NULL`;
  return [
    {
      title: l10n.t('{0} by {1}', measure, by),
      key: 'groups',
      sql: `SELECT "${by}", ${spread(column)} ${known} GROUP BY 1 ORDER BY p90_ms DESC, 1 LIMIT ${top}`,
    },
    {
      title: l10n.t('Trend by day'),
      key: 'trend',
      sql: `SELECT day, ${spread(column)} ${known} GROUP BY 1 ORDER BY 1`,
    },
    {
      title: l10n.t('Worst recordings'),
      key: 'worst',
      sql: `SELECT ${inMs(column)} AS ms, file, app, version, device, day ${known} ORDER BY ${column} DESC, file LIMIT ${top}`,
    },
    {
      title: l10n.t('Methods with the most CPU time'),
      key: 'methods',
      sql: `SELECT name, count(*) AS recordings, ${inMs('avg(self_cpu_ns)')} AS mean_self_cpu_ms, ${inMs('max(self_cpu_ns)')} AS worst_ms
        FROM method_time WHERE self_cpu_ns > 0 GROUP BY 1 ORDER BY sum(self_cpu_ns) DESC, 1 LIMIT ${top}`,
    },
  ];
}

function chosen(input: Input): { by: string; measure: string } {
  const [by, measure] = [input.text('by') ?? 'version', input.text('measure') ?? 'main-wait'];
  if (!groupings.includes(by)) throw new UsageError(`--by takes ${groupings.join(', ')}; not "${by}".`);
  if (!Object.hasOwn(measures, measure))
    throw new UsageError(`--measure takes ${Object.keys(measures).join(', ')}; not "${measure}".`);
  return { by, measure };
}

/** All of them before anything is printed: the database does not survive that a reader of the output goes away. */
async function answers(folder: string, ready: readonly Ready[]): Promise<QueryResult[]> {
  const client = fleetClient(folder);
  try {
    const results: QueryResult[] = [];
    for (const { sql } of ready)
      results.push(
        await client.query(sql, { limit: mostRows, timeoutMs }).catch((error: unknown) => {
          throw explained(error, sql, '60s');
        }),
      );
    return results;
  } finally {
    await client.close();
  }
}

export const fleet: Command = {
  name: 'fleet',
  summary: 'tell of thousands of recordings: groups, the trend, the worst ones, the hottest methods',
  usage: ['fleet FLEET [OPTIONS]'],
  operands: ['fleet'],
  description: [
    'FLEET is a folder that btrace collect has made. For other questions: btrace query --fleet FLEET "SELECT …".',
  ],
  options: [
    { name: 'by', value: 'GROUP', choices: groupings, help: `${groupings.join(', ')} (default: version)` },
    {
      name: 'measure',
      value: 'FIGURE',
      choices: Object.keys(measures),
      help: `${Object.keys(measures).join(', ')}\n(default: main-wait)`,
    },
    {
      name: 'method',
      short: 'm',
      value: 'NAME',
      help: 'instead, the wall time of this method, with all that it called',
    },
    { name: 'top', short: 'n', value: 'N', help: 'how many rows of each table (default: 20)' },
    jsonOption,
  ],
  examples: [
    'btrace fleet fleet --by device --measure longest-message',
    'btrace fleet fleet --method com.example.shop.Cart.open --by device',
  ],
  async run(input, terminal) {
    const folder = path.resolve(input.operand());
    const { by, measure } = chosen(input);
    const top = input.read('top', parseCount) ?? 20;
    const ready = readyQueries(by, measure, input.text('method'), top);
    const results = await answers(folder, ready);
    if (input.has('json')) {
      const told = ready.map(({ key }, at) => [key, results[at] && resultJson(results[at])]);
      terminal.print(JSON.stringify(Object.fromEntries(told), null, 2));
      return ExitCode.Done;
    }
    for (const [at, result] of results.entries()) {
      terminal.print(terminal.bold(ready[at]?.title ?? ''));
      printResult(result, terminal);
      terminal.print();
    }
    return ExitCode.Done;
  },
};
