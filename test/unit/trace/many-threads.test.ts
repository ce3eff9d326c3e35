/** A program that starts a thread for each task: all of its threads are shown, however small the recording is. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { manyThreads } from './many-threads.js';
import { decoded } from './recordings.js';

describe('a recording of 30,000 threads with two samples each', function () {
  it('is taken in whole', () => {
    const count = 30_000;
    const { threads, problems } = decoded(manyThreads(count));
    assert.deepEqual(problems, []);
    assert.equal(threads.length, count);
    const wrong = threads.filter(
      ({ index, name, sampleCount, intervals }) =>
        name !== `storm-${index}` || sampleCount !== 2 || intervals.count !== 2,
    );
    assert.equal(wrong.length, 0);
  });
});
