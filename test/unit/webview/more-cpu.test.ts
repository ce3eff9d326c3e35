/** CPU time beyond wall time is explained where it is, and nowhere else. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hasMoreCpu } from '../../../src/webview/weights.js';
import type { Snapshot, Weight } from '../../../src/webview/worker/messages.js';

const weighed = (wall: number, cpu: number): Record<Weight, number> => ({
  wall,
  cpu,
  blocked: 0,
  allocations: 0,
  allocatedBytes: 0,
  faults: 0,
  switches: 0,
});
const recording = (exact: boolean): Snapshot => ({ info: { exact } }) as Snapshot;

describe('more CPU than wall time', () => {
  const usual = weighed(10e6, 9e6);
  const odd = weighed(10e6, 14e6);

  it('is told of sampled figures, own or with what was called', () => {
    assert.equal(hasMoreCpu(recording(false), { self: odd, total: usual }), true);
    assert.equal(hasMoreCpu(recording(false), { self: usual, total: odd }), true);
    assert.equal(hasMoreCpu(recording(false), { self: usual, total: usual }), false);
  });

  it('is not told of what clocks may differ by, nor of exact events, nor of nothing', () => {
    assert.equal(hasMoreCpu(recording(false), { self: weighed(10e6, 10.1e6), total: usual }), false);
    assert.equal(hasMoreCpu(recording(false), { self: weighed(0, 2e4), total: usual }), false);
    assert.equal(hasMoreCpu(recording(true), { self: odd, total: odd }), false);
    assert.equal(hasMoreCpu(undefined, { self: odd, total: odd }), false);
  });
});
