import assert from 'node:assert/strict';
import { CallTable, type Intervals } from '../../../src/trace/index.js';
import { PathTable } from '../../../src/trace/assemble/paths.js';

describe('the calls of a thread', () => {
  it('are all there where later intervals begin more of them than the first ones', () => {
    const [calm, busy, frames] = [5000, 5000, 20];
    const paths = new PathTable();
    let deepest = 0;
    for (let method = 0; method < frames; method++) deepest = paths.child(deepest, method);
    const count = calm + busy;
    // One call throughout; then the whole stack anew in each.
    const intervals = {
      count,
      begin: Float64Array.from({ length: count }, (_, row) => row),
      end: Float64Array.from({ length: count }, (_, row) => row + 1),
      path: Int32Array.from({ length: count }, (_, row) => (row < calm ? 1 : deepest)),
      keep: Uint16Array.from({ length: count }, (_, row) => (row > 0 && row < calm ? 1 : 0)),
    } as Partial<Intervals> as Intervals;
    const calls = new CallTable();
    calls.extend(intervals, paths);
    calls.settle();
    assert.equal(calls.count, 1 + busy * frames);
    for (let row = 0; row < calls.count; row++) {
      const at = calm + Math.floor((row - 1) / frames);
      const found = [calls.firstInterval[row], calls.lastInterval[row], calls.depth[row]];
      const expected = row === 0 ? [0, calm - 1, 0] : [at, at, (row - 1) % frames];
      if (found.join() !== expected.join()) assert.deepEqual(found, expected, `call ${row}`);
    }
  });
});
