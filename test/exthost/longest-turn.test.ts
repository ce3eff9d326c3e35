/** The rig that judges turns of the host: it can fail, on a slow machine, too. */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { assertShortTurns, compute, turnLimitMs } from './longest-turn.js';

describe('a turn of the extension host', () => {
  it('is refused where it computes for four times the limit, and told with how slow the machine is', async () => {
    const plant = async (): Promise<void> => {
      await setImmediate();
      compute(4 * turnLimitMs);
      await setImmediate();
    };
    await assert.rejects(
      assertShortTurns(plant),
      /^AssertionError.*: one turn of the host took [\d.]+ ms of CPU time, .* computing takes [\d.]+ times as long and new memory [\d.]+ times$/,
    );
  });
});
