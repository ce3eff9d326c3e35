/** The tables hold what the trace holds; both builds of the database say the same. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { Int64Column } from '../../../src/query/batch.js';
import { databaseSettings, QuerySession } from '../../../src/query/query-session.js';
import { openNative } from '../../../src/query/native-engine.js';
import type { QueryEngine } from '../../../src/query/query-engine.js';
import { neededTables, queryTables } from '../../../src/query/views.js';
import { openWasm } from '../../../src/query/wasm-engine.js';
import type { Trace } from '../../../src/trace/index.js';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { decoded, synthetic } from '../trace/recordings.js';
import { rowsOf, sessionOf, traceOf } from './queried.js';

const wasmFile = path.join(root, 'node_modules/@duckdb/duckdb-wasm/dist/duckdb-eh.wasm');

const sum = (values: Iterable<number>): number => [...values].reduce((all, one) => all + one, 0);

describe('the tables of a query', function () {
  let trace: Trace;

  before(async () => {
    const { bytes } = await synthetic({ samples: 5000, threads: 3, methods: 200, missEvery: 400 });
    trace = decoded(bytes);
  });

  it('have the columns that are told of them', async () => {
    const session = await sessionOf(trace);
    for (const { name, columns } of queryTables) {
      const { columns: found } = await session.query(`SELECT * FROM "${name}"`, 1);
      assert.deepEqual(
        found,
        columns.map(([column]) => column),
        name,
      );
    }
    session.close();
  });

  it('are filled anew where filling them failed', async () => {
    let failures = 1;
    const engine = await openNative(databaseSettings);
    const failing: QueryEngine = {
      name: engine.name,
      run: (sql) => engine.run(sql),
      query: (sql, limit) => engine.query(sql, limit),
      interrupt: () => engine.interrupt(),
      close: () => engine.close(),
      async fill(table, sources) {
        await engine.fill(table, sources);
        if (failures-- > 0) throw new Error('interrupted');
      },
    };
    const session = await QuerySession.open(failing, [{ file: 'a.btrace', trace }]);
    const count = 'SELECT count(*) FROM thread';
    await assert.rejects(session.query(count, 1), /interrupted/);
    assert.deepEqual((await session.query(count, 1)).rows, [[trace.threads.length]]);
    session.close();
  });

  it('have a row for each call, with its caller', async () => {
    const session = await sessionOf(trace);
    const ask = async (sql: string) => (await session.query(sql, 10_000)).rows;
    const byThread = await ask('SELECT count(*), sum(dur), sum(cpu) FROM call GROUP BY utid ORDER BY utid');
    const wanted = trace.threads.map(({ calls }) => [
      calls.count,
      sum(
        Array.from(
          { length: calls.count },
          (_, at) => Math.round(calls.end[at]!) - Math.round(calls.begin[at]!),
        ),
      ),
      sum(Array.from({ length: calls.count }, (_, at) => Math.round(calls.cpu[at]!))),
    ]);
    assert.deepEqual(byThread, wanted);
    const [[misfits]] = (await ask(
      `SELECT count(*) FROM call c JOIN call p ON p.id = c.parent_id
       WHERE c.utid <> p.utid OR c.depth <> p.depth + 1 OR c.ts < p.ts OR c.ts + c.dur > p.ts + p.dur`,
    )) as [[number]];
    assert.equal(misfits, 0);
    const [[outer]] = (await ask('SELECT count(*) FROM call WHERE parent_id IS NULL AND depth <> 0')) as [
      [number],
    ];
    assert.equal(outer, 0);
    const { methods } = trace;
    const first = trace.threads[1]!.calls;
    const names = await ask('SELECT name, depth FROM slice WHERE track_id = 2 ORDER BY id');
    assert.deepEqual(
      names,
      Array.from({ length: first.count }, (_, at) => [
        methods.qualifiedName(first.method[at]!),
        first.depth[at]!,
      ]),
    );
    session.close();
  });

  it('add up to the figures of the report', async () => {
    const figures = methodFigures(sumScope(trace, wholeTrace), trace.methods.count);
    const wanted = Array.from(figures.method, (method, row) => [
      trace.methods.qualifiedName(method),
      Math.round(figures.self.wall[row]!),
      Math.round(figures.self.allocatedBytes[row]!),
    ]).filter(([, wall]) => (wall as number) > 0);
    const rows = await rowsOf(
      `SELECT name, sum(dur) AS wall, round(sum(allocated_bytes)) AS bytes FROM sample JOIN method ON method.id = method_id
       WHERE state <> 'gap' GROUP BY name HAVING wall > 0 ORDER BY name`,
      trace,
    );
    const sorted = wanted.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
    // Intervals whose time counts with a later one are another matter; this trace has none.
    assert.ok(trace.threads.every(({ intervals }) => intervals.countsWith.length === 0));
    assert.deepEqual(
      rows.map(([name]) => name),
      sorted.map(([name]) => name),
    );
    rows.forEach(([name, wall, bytes], at) => {
      assert.ok(
        Math.abs((wall as number) - (sorted[at]![1] as number)) <= 5000,
        `${String(name)}: ${String(wall)}`,
      );
      assert.ok(
        Math.abs((bytes as number) - (sorted[at]![2] as number)) <= 1,
        `${String(name)}: ${String(bytes)}`,
      );
    });
  });

  it('have waits, gaps and the numbers of two traces apart', async () => {
    const session = await sessionOf(trace, trace);
    const ask = async (sql: string) => (await session.query(sql, 10)).rows;
    const waits = sum(trace.threads.map(({ waits: own }) => own.count));
    assert.ok(waits > 0);
    assert.deepEqual(
      await ask('SELECT upid, count(*) FROM wait JOIN thread USING (utid) GROUP BY upid ORDER BY 1'),
      [
        [1, waits],
        [2, waits],
      ],
    );
    assert.deepEqual(await ask("SELECT count(*) FROM wait WHERE kind <> 'park'"), [[0]]);
    const calls = sum(trace.threads.map(({ calls: { count } }) => count));
    assert.deepEqual(await ask('SELECT count(DISTINCT id) = count(*), count(*) FROM call'), [
      [true, 2 * calls],
    ]);
    assert.deepEqual(
      await ask(
        `SELECT count(*) FROM call JOIN thread USING (utid) JOIN path ON path.id = path_id
         WHERE path.method_id <> call.method_id OR path.stack_id <> call.stack_id OR path.depth <> call.depth`,
      ),
      [[0]],
    );
    // The same program twice: every chain of methods is there in both.
    assert.deepEqual(
      await ask('SELECT count(*) FROM (SELECT stack_id FROM path GROUP BY stack_id HAVING count(*) % 2 = 1)'),
      [[0]],
    );
    const [[gaps]] = (await ask('SELECT count(*) FROM gap')) as [[number]];
    assert.ok(gaps > 0);
    session.close();
  });

  it('hold 64-bit numbers exactly', () => {
    const column = new Int64Column(4);
    [-1, 2 ** 53 - 1, -(2 ** 40) - 3, 4.5].forEach((value, row) => column.set(row, value));
    assert.deepEqual([...column.values], [-1n, 2n ** 53n - 1n, -(2n ** 40n) - 3n, 5n]);
  });

  it('are filled when a query names them, and the long ones only then', () => {
    assert.deepEqual([...neededTables('SELECT name FROM "method" -- no more')], ['method']);
    assert.deepEqual([...neededTables('select 1')], []);
    assert.deepEqual([...neededTables('FROM Slice')].sort(), ['call', 'method']);
    assert.ok(neededTables("FROM query_table('sl' || 'ice')").has('call'));
  });

  it('are the same in WebAssembly', async () => {
    const sources = [{ file: 'a.btrace', trace: traceOf([{ name: 'a "b"', at: 1, lasts: 2 }]) }];
    const two = [await openNative(databaseSettings), await openWasm(wasmFile)];
    const answers = [];
    for (const engine of two) {
      const session = await QuerySession.open(engine, sources);
      const found = [];
      for (const { name } of queryTables)
        found.push(await session.query(`SELECT * FROM "${name}" ORDER BY ALL`, 50));
      found.push(
        await session.query('SELECT sum(dur), avg(dur), max(name), list(dur), 7 / 2 FROM slice', 50),
      );
      await assert.rejects(session.query('SELECT nam FROM slice', 1), { place: { line: 0, column: 7 } });
      await assert.rejects(session.query("FROM read_csv('/etc/hostname')", 1), /disabled by configuration/);
      session.close();
      answers.push(found);
    }
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[0]!.at(-1)!.rows[0]!.slice(0, 3), [2e6, 2e6, 'a "b"']);
  });
});
