import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { traceInfo } from '../../../src/trace/assemble/trace-info.js';
import { CounterBit } from '../../../src/trace/model/kinds.js';
import type { Header } from '../../../src/trace/recording/messages.js';
import { knownWeights } from '../../../src/webview/weights.js';
import type { Snapshot } from '../../../src/webview/worker/messages.js';

describe('weights', () => {
  it('are those that were recorded: no count of allocations where only their bytes are known', () => {
    const header = { target: { name: 'shop' }, clock: {}, config: {} } as unknown as Header;
    const of = (counters: number) =>
      knownWeights({ info: traceInfo(header, counters, 0), threads: [] } as unknown as Snapshot);
    const { Cpu, Allocations, AllocatedBytes } = CounterBit;
    assert.deepEqual(of(Cpu | AllocatedBytes), ['wall', 'cpu', 'allocatedBytes']);
    assert.deepEqual(of(Allocations | AllocatedBytes), ['wall', 'allocations', 'allocatedBytes']);
  });
});
