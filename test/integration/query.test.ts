/** `btrace query` as it is shipped: answers, bounds and errors. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { QueryClient, QueryEnded } from '../../src/query/query-client.js';
import { usualMemoryBytes } from '../../src/trace/index.js';
import { startBtrace } from './btrace-command.js';
import { anyMoment } from '../rigs/until.js';

const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c';

describe('btrace query', function () {
  let folder: string;
  const run = (...args: string[]) => startBtrace(folder, ['query', ...args]);

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'btrace-query-'));
    const { code, err } = await startBtrace(folder, ['synth', '-o', 'a.btrace', '--samples', '2000']).ended;
    assert.equal(code, 0, err);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('answers over several files, as a table, JSON and CSV', async () => {
    const sql =
      'SELECT count(*) AS n, any_value(file) AS file FROM call JOIN thread USING (utid) JOIN trace ON trace.id = upid';
    const [text, json, csv] = await Promise.all([
      run('a.btrace', sql).ended,
      run('a.btrace', 'a.btrace', sql, '--json').ended,
      run('a.btrace', sql, '--csv').ended,
    ]);
    assert.equal(text.code, 0, text.err);
    const [, n = ''] = /^ +n {2}file\n(\d+) {2}a\.btrace\n$/.exec(text.out) ?? assert.fail(text.out);
    assert.ok(Number(n) > 1000);
    assert.equal(csv.out, `n,file\r\n${n},a.btrace\r\n`);
    const { rows } = JSON.parse(json.out) as { rows: unknown };
    assert.deepEqual(rows, [{ n: 2 * Number(n), file: 'a.btrace' }]);
  });

  it('says where the SQL is wrong, and which file cannot be read', async () => {
    const [wrong, missing, tables] = await Promise.all([
      run('a.btrace', 'SELECT durr FROM slice').ended,
      run('b.btrace', 'SELECT 1').ended,
      run('--tables').ended,
    ]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /"dur"[^]*\n {2}line 1: SELECT durr FROM slice\n {17}\^\n/);
    assert.deepEqual(
      [missing.code, missing.err],
      [4, 'btrace: b.btrace cannot be read: there is no such file.\n'],
    );
    assert.match(tables.out, /^slice {2}one row a call[^]*\n +track_id +thread_track\.id/m);
  });

  it('answers queries one after the other that are asked together, and ends only the one that is cancelled', async () => {
    const client = new QueryClient(path.join(root, 'dist/query-worker.cjs'), {
      files: [path.join(folder, 'a.btrace')],
      memoryBytes: usualMemoryBytes,
      wasmFile: path.join(root, 'dist/duckdb-eh.wasm'),
    });
    try {
      const bounds = { limit: 10, timeoutMs: 60_000 };
      const cancelled = new AbortController();
      const count = client.query('SELECT count(*) FROM thread', bounds);
      const never = client.query(endless, { ...bounds, signal: cancelled.signal });
      const one = client.query('SELECT 1', bounds);
      const unwanted = new AbortController();
      const two = client.query('SELECT 2', { ...bounds, signal: unwanted.signal });
      unwanted.abort();
      await assert.rejects(two, QueryEnded);
      await assert.rejects(client.query('SELECT 3', { ...bounds, signal: unwanted.signal }), QueryEnded);
      assert.ok(Number((await count).rows[0]?.[0]) > 0);
      cancelled.abort();
      await assert.rejects(never, QueryEnded);
      assert.deepEqual((await one).rows, [[1]]);
    } finally {
      await client.close();
    }
  });

  it('can be closed at any moment: while it opens files or a database, and while it works', async () => {
    for (const afterMs of [0, 50, 100, 150, 200, 250, 300, 400]) {
      const client = new QueryClient(path.join(root, 'dist/query-worker.cjs'), {
        files: [path.join(folder, 'a.btrace')],
        memoryBytes: usualMemoryBytes,
        wasmFile: path.join(root, 'dist/duckdb-eh.wasm'),
      });
      const work = (async () => {
        for (;;) await client.query('SELECT count(*) FROM call', { limit: 10, timeoutMs: 60_000 });
      })();
      work.catch(() => undefined);
      await anyMoment(afterMs);
      await client.close();
      await assert.rejects(work, QueryEnded);
      assert.equal(client.isAlive, false);
    }
  });

  it('ends when its time is over, and at Ctrl-C', async () => {
    const late = run('a.btrace', endless, '--timeout', '200ms');
    const cancelled = run('a.btrace', endless);
    const { code, err } = await late.ended;
    assert.equal(code, 7);
    assert.match(err, /took longer than 200ms/);
    // By then its thread is at work, and Ctrl-C is waited for.
    while (!readFileSync(`/proc/${String(cancelled.child.pid)}/maps`, 'latin1').includes('libduckdb'))
      await new Promise(setImmediate);
    cancelled.child.kill('SIGINT');
    assert.equal((await cancelled.ended).code, 130);
  });
});
