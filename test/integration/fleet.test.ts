/** `btrace collect`, `fleet` and `query --fleet` as they ship: Parquet files of recordings whose figures are known. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { fleetTables, partitions } from '../../src/query/fleet-tables.js';
import { FleetWriter } from '../../src/query/fleet-writer.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import { workedBytes } from '../unit/trace/worked-recording.js';
import { startBtrace } from './btrace-command.js';

type Row = Readonly<Record<string, number | string | null>>;
interface Told {
  readonly rows: readonly Row[];
}

/** A start of the shop on a day of November 2026, that waits for I/O and works 50 ms. */
const start = (device: string, day: number, waitMs: number): Uint8Array =>
  workedBytes(
    [
      {
        ...{ name: 'main', isMain: true },
        pieces: [
          { in: 'Shop.start > Shop.load', ms: waitMs, wait: SampleKind.Io },
          { in: 'Shop.start > Shop.price', ms: 50 },
        ],
      },
    ],
    waitMs + 50,
    [],
    {
      target: { name: "shop's/../app", device },
      clock: { monotonicNs: 1n, boottimeNs: 1n, realtimeNs: BigInt(Date.UTC(2026, 10, day)) * 1_000_000n },
    },
  );

describe('a fleet', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-fleet-'));
  after(() => rmSync(folder, { recursive: true }));

  async function btrace(...args: string[]): Promise<string> {
    const { code, out, err } = await startBtrace(folder, args).ended;
    assert.equal(code, 0, err);
    return out;
  }
  const asked = async (...args: string[]): Promise<Record<string, Told>> =>
    JSON.parse(await btrace('fleet', 'fleet', ...args, '--json')) as Record<string, Told>;

  before(async () => {
    const waits: Readonly<Record<string, readonly number[]>> = {
      '1.0': [10, 20, 30],
      '1.1': [100, 200, 300],
    };
    for (const [version, all] of Object.entries(waits)) {
      mkdirSync(path.join(folder, version, 'deeper'), { recursive: true });
      for (const [at, ms] of all.entries())
        writeFileSync(
          path.join(folder, version, at === 0 ? 'deeper' : '', `${at}.btrace`),
          start(at === 2 ? 'old phone' : 'new phone', version === '1.0' ? 3 : 4, ms),
        );
      writeFileSync(path.join(folder, version, 'text.btrace'), 'no recording');
      const told = await btrace('collect', version, '-o', 'fleet', '--app-version', version);
      assert.match(told, /^3 recordings were added, 0 were there already/);
    }
  });

  it('takes each recording once', async () => {
    assert.match(
      await btrace('collect', '1.0', '-o', 'fleet'),
      /^0 recordings were added, 3 were there already/,
    );
  });

  it('tells groups, the trend by day and the worst recordings', async () => {
    const { groups, trend, worst, methods } = await asked();
    const spread = (median: number, p90: number, most: number) => ({
      ...{ recordings: 3, median_ms: median, p90_ms: p90, worst_ms: most },
    });
    const [old, now] = [spread(20, 28, 30), spread(200, 280, 300)];
    assert.deepEqual(groups!.rows, [
      { version: '1.1', ...now },
      { version: '1.0', ...old },
    ]);
    assert.deepEqual(trend!.rows, [
      { day: '2026-11-03', ...old },
      { day: '2026-11-04', ...now },
    ]);
    assert.deepEqual(worst!.rows[0], {
      ...{ ms: 300, file: path.join('1.1', '2.btrace'), app: "shop's/../app" },
      ...{ version: '1.1', device: 'old phone', day: '2026-11-04' },
    });
    assert.deepEqual(methods!.rows[0], {
      ...{ name: 'Shop.price', recordings: 6, mean_self_cpu_ms: 50, worst_ms: 50 },
    });
  });

  it('tells the time of a method by device', async () => {
    const { method } = await asked('--method', 'Shop.load', '--by', 'device');
    assert.deepEqual(
      method!.rows.map(({ device, recordings, median_ms, worst_ms }) => [
        ...[device, recordings, median_ms, worst_ms],
      ]),
      [
        ['old phone', 2, 165, 300],
        ['new phone', 4, 60, 200],
      ],
    );
  });

  it('answers in SQL, and from no other file', async () => {
    const sql =
      'SELECT version, count(*) AS n FROM recording WHERE main_wait_ns > 25e6 GROUP BY 1 ORDER BY 1';
    assert.equal(await btrace('query', '--fleet', 'fleet', sql, '--csv'), 'version,n\r\n1.0,1\r\n1.1,3\r\n');
    for (const other of ["read_text('1.0/text.btrace')", `read_text('fleet/../1.0/text.btrace')`]) {
      const { code, err } = await startBtrace(folder, ['query', '--fleet', 'fleet', `FROM ${other}`]).ended;
      assert.equal(code, 2);
      assert.match(err, /Cannot access file/);
    }
  });

  it('lists its tables', async () => {
    const listed = await btrace('query', '--tables', '--fleet', 'fleet');
    assert.match(listed, /^recording .*\n +recording_id [^]+\n +day +of the recording\n\nmethod_time /);
  });

  it('is read by another reader than the one that wrote it, each column of each row', async () => {
    for (const { name, columns } of fleetTables) {
      const inTable = path.join(folder, 'fleet', name);
      const files = readdirSync(inTable, { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.parquet'),
      );
      const read: Record<string, unknown>[] = [];
      for (const file of files) {
        const buffer = await asyncBufferFromFile(path.join(inTable, file));
        const { schema } = await parquetMetadataAsync(buffer);
        assert.deepEqual(
          schema.slice(1).map((column) => [column.name, column.type, column.repetition_type]),
          columns.map(([column, type]) => [column, type === 'BIGINT' ? 'INT64' : 'BYTE_ARRAY', 'OPTIONAL']),
        );
        // Hive's way: name=value, with what no folder's name may have as %XX.
        const placed = Object.fromEntries(
          path
            .dirname(file)
            .split(path.sep)
            .map((part) => part.split('=').map(decodeURIComponent)),
        ) as Record<string, string>;
        assert.deepEqual(Object.keys(placed), partitions);
        for (const row of await parquetReadObjects({ file: buffer, compressors }))
          read.push({ ...row, ...placed });
      }
      const sql = `SELECT * FROM ${name}`;
      const told = JSON.parse(await btrace('query', '--fleet', 'fleet', sql, '--json')) as Told;
      const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
      const sorted = (rows: readonly object[]): string[] =>
        rows
          .map((row) => Object.entries(row).map(([key, value]) => `${key} ${JSON.stringify(plain(value))}`))
          .map((row) => row.sort().join())
          .sort();
      assert.ok(read.length >= 6);
      assert.ok(
        name !== 'recording' || read.some(({ dropped, length_ns }) => dropped === null && length_ns !== null),
      );
      assert.deepEqual(sorted(read), sorted(told.rows));
    }
  });

  it('is whole after a kill: half a file is removed, and the rest of whole ones are moved', async () => {
    const inFleet = (...names: string[]): string => path.join(folder, 'fleet', ...names);
    mkdirSync(inFleet('.unfinished/recording'), { recursive: true });
    writeFileSync(inFleet('.unfinished/recording/half.parquet'), 'PAR1');
    mkdirSync(inFleet('.finished'));
    renameSync(inFleet('recording'), inFleet('.finished/recording'));
    assert.match(await btrace('collect', '1.0', '-o', 'fleet'), /^0 recordings were added, 3 were there/);
    const sql = 'SELECT count(*) AS n, count(DISTINCT recording_id) AS ids FROM recording';
    assert.equal(await btrace('query', '--fleet', 'fleet', sql, '--csv'), 'n,ids\r\n6,6\r\n');
    assert.deepEqual(readdirSync(inFleet()).sort(), ['.lock', 'method_time', 'recording']);
  });

  it('is written by one process at a time', async () => {
    const writer = await FleetWriter.open(path.join(folder, 'fleet'));
    try {
      const { code, err } = await startBtrace(folder, ['collect', '1.0', '-o', 'fleet']).ended;
      assert.equal(code, 4);
      assert.match(err, /fleet: it cannot be locked; another btrace may write into it/);
    } finally {
      writer.close();
    }
  });

  it('says which folder cannot be written', async () => {
    writeFileSync(path.join(folder, 'taken'), '');
    const { code, err } = await startBtrace(folder, ['collect', '1.0', '-o', 'taken/fleet']).ended;
    assert.equal(code, 4);
    assert.match(err, /taken\/fleet cannot be written: /);
  });

  it('takes names that are longer than those of folders', async () => {
    for (const [at, last] of ['a', 'b'].entries())
      writeFileSync(path.join(folder, `long${at}.btrace`), start(`${'ü'.repeat(300)}${last}`, 5, 10));
    await btrace('collect', 'long0.btrace', 'long1.btrace', '-o', 'long');
    const sql = `SELECT count(*) AS n FROM (SELECT device FROM method_time GROUP BY device HAVING device LIKE 'üü%')`;
    assert.equal(await btrace('query', '--fleet', 'long', sql, '--csv'), 'n\r\n2\r\n');
  });

  it('is found in a folder whose name has signs of a pattern, and keeps what is named NULL', async () => {
    const name = 'all [a]* of? them';
    mkdirSync(path.join(folder, 'null'));
    writeFileSync(path.join(folder, 'null', '0.btrace'), start('NULL', 5, 10));
    for (const more of [1, 0]) {
      const told = await btrace('collect', 'null', '-o', name);
      assert.match(told, new RegExp(`^${more} recordings were added`));
    }
    const sql = 'SELECT device, count(*) AS n FROM recording GROUP BY 1';
    assert.equal(await btrace('query', '--fleet', name, sql, '--csv'), 'device,n\r\nNULL~,1\r\n');
  });

  it('keeps names of programs within its folder', () => {
    const apps = readdirSync(path.join(folder, 'fleet/recording'));
    assert.equal(apps.length, 1);
    assert.match(apps[0]!, /^app=shop[^/]+app$/);
  });
});
