import assert from 'node:assert/strict';
import { WrittenPlaces } from '../../../src/trace/formats/written-places.js';
import type { Trace } from '../../../src/trace/index.js';

/** Four methods, each in some lines: a node for each line. */
function traceOf(first: number, lines: number): Trace {
  const rows = Array.from({ length: 4 * lines }, (_, at) => at);
  return {
    nodes: { path: rows, position: rows.map((at) => 1 + (at % lines)) },
    paths: { method: rows.map((at) => first + Math.floor(at / lines)) },
    methods: { lineAt: (_: number, position: number) => position + 1, firstLine: () => 7 },
  } as unknown as Trace;
}

describe('places that an export numbers', () => {
  for (const first of [0, 2 ** 22 + 1, 2 ** 30]) {
    it(`are each a method in one line of it, from method ${first} on`, () => {
      const lines = 5;
      const places = new WrittenPlaces(traceOf(first, lines));
      const given = Array.from({ length: 4 * lines }, (_, at) => places.of(2 * at));
      assert.deepEqual(
        given.map(({ id }) => id),
        given.map((_, at) => at + 1),
      );
      assert.deepEqual([...places], given);
      assert.deepEqual(
        [...places.methods],
        [0, 1, 2, 3].map((at) => first + at),
      );
      assert.equal(places.of(2).id, 2);
    });
  }
});
