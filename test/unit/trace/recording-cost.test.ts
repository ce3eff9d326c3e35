import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { recordingCost } from '../../../src/trace/index.js';

describe('the cost of recording', () => {
  const status = { captureNs: 2e6, drainNs: 1e6, processCpuNs: 100e6 };

  it('is loud above 2 % of the time that threads worked or waited', () => {
    assert.deepEqual(recordingCost(status, 0), { ofCpu: 0.03, ofWorkAndWaits: 0.03, isLoud: true });
    assert.deepEqual(recordingCost(status, 50e6), { ofCpu: 0.03, ofWorkAndWaits: 0.02, isLoud: false });
    assert.equal(recordingCost(status, 49e6)?.isLoud, true);
  });

  it('is not told where the agent did not tell', () => {
    assert.equal(recordingCost({ ...status, processCpuNs: 0 }, 1e9), undefined);
  });
});
