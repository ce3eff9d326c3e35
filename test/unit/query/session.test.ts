/** A query that is ended leaves nothing behind, whenever that comes. */
import assert from 'node:assert/strict';
import { openNative } from '../../../src/query/native-engine.js';
import type { QueryEngine } from '../../../src/query/query-engine.js';
import { databaseSettings, QuerySession } from '../../../src/query/query-session.js';
import { workedTrace } from '../trace/worked-recording.js';

const trace = workedTrace(
  [{ name: 'main', isMain: true, pieces: [{ in: 'Shop.run > Shop.price', ms: 20 }] }],
  20,
);
const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c';

describe('a session of queries', () => {
  let engine: QueryEngine;
  let session: QuerySession;
  /** Whatever begins is asked to end at once. */
  let isEnding: boolean;
  let interrupted: string[];
  let fails = '';

  beforeEach(async () => {
    engine = await openNative(databaseSettings);
    [isEnding, interrupted, fails] = [false, [], ''];
    let running = '';
    const during = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      running = what;
      const done = work();
      if (isEnding) session.interrupt();
      return await done;
    };
    session = await QuerySession.open(
      {
        name: engine.name,
        run: (sql) => during(sql, () => engine.run(sql)),
        query: (sql, limit) => during('query', () => engine.query(sql, limit)),
        async fill(table, sources) {
          await during('fill', () => engine.fill(table, sources));
          if (table.name === fails) throw new Error('it was ended');
        },
        interrupt() {
          interrupted.push(running);
          return engine.interrupt();
        },
        close: () => engine.close(),
      },
      [{ file: 'a.btrace', trace }],
    );
  });
  afterEach(() => session.close());

  const count = async (): Promise<unknown> =>
    (await session.query('SELECT count(*) FROM thread', 10)).rows[0]?.[0];

  it('ends the query alone, not what puts the database in order after it', async () => {
    isEnding = true;
    const ended = session.query(endless, 10);
    const again = setInterval(() => session.interrupt(), 1);
    await assert.rejects(ended, /INTERRUPT/i);
    clearInterval(again);
    isEnding = false;
    assert.deepEqual([...new Set(interrupted)], ['query']);
    assert.equal(Number(await count()), 1);
  });

  it('fills a table anew that was not filled to its end', async () => {
    isEnding = true;
    fails = 'thread';
    await assert.rejects(count(), /it was ended/);
    assert.ok(
      interrupted.every((what) => what === 'fill'),
      interrupted.join(),
    );
    [isEnding, fails] = [false, ''];
    assert.equal(Number(await count()), 1);
  });
});
