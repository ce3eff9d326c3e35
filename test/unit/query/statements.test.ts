/** What a query may do, and where it is told to be wrong. */
import assert from 'node:assert/strict';
import { QueryError } from '../../../src/query/query-engine.js';
import type { QuerySession } from '../../../src/query/query-session.js';
import { csvOf } from '../../../src/query/result-text.js';
import { readingStatements, statementsOf } from '../../../src/query/statements.js';
import { sessionOf, traceOf } from './queried.js';

describe('a query', () => {
  let session: QuerySession;

  before(async () => (session = await sessionOf(traceOf([{ name: 'a', at: 0, lasts: 1 }]))));
  after(() => session.close());

  const wrong = async (sql: string): Promise<QueryError> => {
    try {
      await session.query(sql, 10);
    } catch (error) {
      assert.ok(error instanceof QueryError, String(error));
      return error;
    }
    return assert.fail(`it was answered: ${sql}`);
  };

  it('only reads', async () => {
    for (const sql of [
      "COPY (SELECT 1) TO '/tmp/out.csv'",
      "ATTACH '/tmp/out.db'",
      'INSTALL httpfs',
      'CREATE TABLE x (y INT)',
      'DROP VIEW slice',
      'SET memory_limit = 1',
      'PRAGMA database_list',
      'COMMIT',
      '/* SELECT */ DELETE FROM raw.call',
      'SELECT 1; UPDATE raw.call SET ts = 0',
      // Here the database ends statements in what looks like a text or a comment.
      'SELECT 1 AS a$b$; ROLLBACK; CREATE TABLE x (y INT); SELECT 1 AS a$b$',
      "SELECT E'a''\\''; ROLLBACK; CREATE TABLE x (y INT); SELECT '",
      "SELECT E'\\''; ROLLBACK; CREATE TABLE x (y INT); SELECT '",
      "SELECT /* /* */ ' */ 1; ROLLBACK; CREATE TABLE x (y INT) -- '",
      'SELECT 1 --\r; ROLLBACK; CREATE TABLE x (y INT)',
    ])
      assert.match((await wrong(sql)).message, /A query only reads/, sql);
    assert.match((await wrong('WITH x AS (SELECT 1) DELETE FROM raw.call')).message, /read-only/);
    for (const sql of [
      "SELECT * FROM read_csv('/etc/hostname')",
      "SELECT * FROM '/etc/hostname.csv'",
      "SELECT * FROM glob('/etc/*')",
      "SELECT content FROM read_text('/etc/hostname')",
    ])
      await wrong(sql);
    const [first] = (await session.query('SELECT count(*) FROM call', 1)).rows;
    assert.deepEqual(first, [1]);
  });

  it('tells where it is wrong', async () => {
    assert.deepEqual((await wrong('SELECT 1;\n\nSELECT *\n  FORM slice')).place, { line: 3, column: 7 });
    assert.deepEqual((await wrong('-- all\nSELECT durr FROM slice')).place, { line: 1, column: 7 });
    assert.deepEqual((await wrong('SELECT 1;\n COPY x')).place, { line: 1, column: 1 });
    const long = `SELECT ${'ts + '.repeat(100)}durr FROM slice`;
    assert.deepEqual((await wrong(long)).place, { line: 0, column: 7 + 500 });
    assert.match((await wrong('SELECT durr FROM slice')).message, /"dur"/);
    assert.equal((await wrong(' -- nothing')).message, 'There is no query in this text.');
  });

  it('ends its statements where the database does', () => {
    const texts = (sql: string) => statementsOf(sql).map(({ text }) => text);
    assert.deepEqual(texts(`SELECT ';', "a;b" -- c;\n, 1; ; SELECT $$;$$, $x$;$x$ /* ; */`), [
      `SELECT ';', "a;b" -- c;\n, 1`,
      'SELECT $$;$$, $x$;$x$ /* ; */',
    ]);
    assert.deepEqual(texts("SELECT 'it''s;'"), ["SELECT 'it''s;'"]);
    assert.deepEqual(texts("SELECT 'never ends; SELECT 2"), ["SELECT 'never ends; SELECT 2"]);
    assert.deepEqual(
      readingStatements('INCLUDE PERFETTO MODULE slices.with_context;\nSELECT 1').map(({ offset }) => offset),
      [45],
    );
  });

  it('answers with so many rows and says that there are more', async () => {
    const cut = await session.query('SELECT * FROM range(5000)', 3000);
    assert.deepEqual([cut.rows.length, cut.isCut], [3000, true]);
    const whole = await session.query('SELECT * FROM range(3000)', 3000);
    assert.deepEqual([whole.rows.length, whole.isCut], [3000, false]);
    const none = await session.query('SELECT ts FROM slice WHERE dur < 0', 5);
    assert.deepEqual(none, { columns: ['ts'], rows: [], isCut: false });
  });

  it('gives numbers as numbers where they are exact, and all else as text', async () => {
    const { rows } = await session.query(
      "SELECT 9007199254740993, 1.5, NULL, true, [1, 2], sum(dur), TIMESTAMP '2026-01-02 03:04:05', 'é' FROM slice",
      5,
    );
    const [big, ...others] = rows[0]!;
    assert.equal(big, '9007199254740993');
    assert.deepEqual(others.slice(0, 5), [1.5, null, true, '[1,2]', 1e6]);
  });

  it('is written as CSV', () => {
    const text = csvOf({
      columns: ['a', 'b "c"'],
      rows: [
        [1, null],
        ['x,y', 'two\nlines'],
      ],
      isCut: false,
    });
    assert.equal(text, 'a,"b ""c"""\r\n1,\r\n"x,y","two\nlines"\r\n');
  });
});
