/** Collapsed stacks carry one weight: whichever is asked for, and all of it. */
import assert from 'node:assert/strict';
import { writeCollapsed } from '../../../src/trace/formats/collapsed-export.js';
import { sumScope, wholeTrace, weights } from '../../../src/trace/index.js';
import { decoded, synthetic } from '../trace/recordings.js';
import { written } from './round-trip.js';

describe('collapsed stacks', () => {
  it('sum up to what the engine measures, by every weight', async () => {
    const trace = decoded(
      (await synthetic({ seed: 5, samples: 5000, threads: 1, depth: 6, methods: 40, waiting: 0.1 })).bytes,
    );
    const sums = sumScope(trace, wholeTrace);
    for (const weight of [...weights, 'samples'] as const) {
      const lines = Buffer.from(written(writeCollapsed, trace, { weight }))
        .toString()
        .trim()
        .split('\n');
      const unit = weight === 'wall' || weight === 'cpu' || weight === 'blocked' ? 'ns' : weight;
      assert.equal(lines.shift(), `# unit: ${unit}`);
      const said = lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
      const measured =
        weight === 'samples' ? sums.samples : sums.self[weight].reduce((sum, value) => sum + value, 0);
      assert.ok(measured > 0, weight);
      // Each line is rounded.
      assert.ok(Math.abs(said - measured) <= lines.length, `${weight}: ${said}, measured ${measured}`);
    }
  });
});
