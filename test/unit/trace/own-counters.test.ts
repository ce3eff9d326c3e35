/** Counters that a program tells itself: over time, and by the stacks that told them. */
import assert from 'node:assert/strict';
import { markerColumns, StringTable } from '../../../src/webview/worker/thread-columns.js';
import { type Scope, wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { rowsOf } from '../query/queried.js';
import { workedTrace } from './worked-recording.js';

const says = (text: string, value?: number): { text: string; value?: number } => ({
  text,
  ...(value !== undefined && { value }),
});

describe('counters of the program itself', () => {
  const trace = workedTrace(
    [
      {
        name: 'main',
        isMain: true,
        pieces: [
          { in: 'Shop.run > Shop.open', ms: 10, says: says('orders', 0) },
          { in: 'Shop.run > Shop.sell', ms: 10, says: says('orders', 3) },
          { in: 'Shop.run > Shop.sell', ms: 10, says: says('half way') },
          { in: 'Shop.run > Shop.sell', ms: 10, says: says('orders', 4) },
        ],
      },
      {
        name: 'importer',
        pieces: [
          { in: 'Import.run', ms: 15 },
          { in: 'Import.run', ms: 25, says: says('orders', 13) },
          { in: 'Import.run', ms: 5, says: says('files', 2 ** 53 - 2) },
        ],
      },
    ],
    50,
  );

  it('have the values of all threads, in order of time', () => {
    assert.deepEqual(
      trace.counters.map(({ name, count, time, value }) => [
        name,
        [...time.subarray(0, count)].map((ns) => (ns - trace.beginNs) / 1e6),
        [...value.subarray(0, count)],
      ]),
      [
        ['orders', [0, 10, 15, 30], [0, 3, 13, 4]],
        ['files', [40], [2 ** 53 - 2]],
      ],
    );
  });

  it('weigh the methods that raised them, in any threads and time', () => {
    const rises = (scope: Partial<Scope>): [string, number][] => {
      const { self, sum, paths } = sumScope(trace, { ...wholeTrace, counter: 'orders', ...scope });
      const found = [...self.counted.keys()].filter((path) => self.counted[path]! > 0);
      assert.equal(
        sum.counted,
        found.reduce((all, path) => all + self.counted[path]!, 0),
      );
      return found.map((path) => [trace.methods.qualifiedName(paths.method[path]!), self.counted[path]!]);
    };
    assert.deepEqual(rises({}), [
      ['Shop.sell', 3],
      ['Import.run', 10],
    ]);
    assert.deepEqual(rises({ threads: [1] }), [['Shop.sell', 3]]);
    assert.deepEqual(rises({ beginNs: trace.beginNs + 12e6 }), [['Import.run', 10]]);
    assert.deepEqual(rises({ counter: 'files' }), []);
  });

  it('are no markers', () => {
    const [main] = trace.threads;
    const { count, text } = markerColumns(main!.events, trace, new StringTable());
    assert.deepEqual([count, text.length], [1, 1]);
  });

  it('can be asked for by the method that changed them', async () => {
    const rows = await rowsOf(
      `SELECT m.name, sum(change) FROM (
         SELECT method_id, value - lag(value, 1, value) OVER (PARTITION BY text ORDER BY ts) AS change
         FROM event WHERE value IS NOT NULL AND text = 'orders'
       ) JOIN method m ON m.id = method_id GROUP BY 1 ORDER BY 1`,
      trace,
    );
    assert.deepEqual(rows, [
      ['Import.run', 10],
      ['Shop.open', 0],
      ['Shop.sell', -6],
    ]);
  });
});
