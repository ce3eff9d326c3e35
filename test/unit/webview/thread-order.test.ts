import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Model } from '../../../src/webview/model.js';
import type { Snapshot } from '../../../src/webview/worker/messages.js';

const names = { count: 0, classNames: [], classOf: new Uint32Array(0), names: [], written: new Map() };

/** CPU seconds of each thread, the main one first. */
function snapshot(seconds: readonly number[], live = true): Snapshot {
  const threads = seconds.map((cpu, index) => ({
    index,
    isMain: index === 0,
    cpuNs: cpu * 1e9,
    chart: { count: cpu < 0 ? 0 : 1 },
  }));
  return { threads, live, names } as unknown as Snapshot;
}

describe('the order of threads', () => {
  const model = new Model();
  const shown = (seconds: readonly number[], live?: boolean): number[] => {
    model.take(snapshot(seconds, live));
    return model.threads.map(({ index }) => index);
  };

  it('stays stable for threads of similar CPU time while a recording grows', () => {
    assert.deepEqual(shown([0, 1.1, 1]), [0, 1, 2]);
    assert.deepEqual(shown([0, 1.9, 2.1]), [0, 1, 2]);
    assert.deepEqual(shown([0, 2, 2.3, 2.2, -1]), [0, 1, 2, 3, 4]);
    // One that does more than twice as much as those above goes by all of them, and what has its first figures by those without.
    assert.deepEqual(shown([0, 2, 2.3, 7, 0.1, -1]), [0, 3, 1, 2, 4, 5]);
    assert.deepEqual(shown([0, 2, 2.3, 7, 0.1, 0.2]), [0, 3, 1, 2, 4, 5]);
  });

  it('is by CPU time when the recording has ended', () => {
    assert.deepEqual(shown([0, 2, 2.3, 7, 0.1, 0.15], false), [0, 3, 2, 1, 5, 4]);
  });
});
