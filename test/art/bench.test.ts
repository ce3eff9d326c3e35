import { describe, it } from 'mocha';
import { assertBenchRuns, benchLimitMs } from '../rigs/bench.js';
import { engines } from '../rigs/art/runtime.js';

const names = [
  ...['walk-depth', 'walk', 'record', 'record-counters'],
  ...['allocation', 'allocation-empty-listener', 'allocation-gate-closed'],
  ...['slowdown-recording', 'slowdown-recording-each-ms', 'slowdown-sampling', 'slowdown-tracing'],
  ...['spent-recording', 'spent-recording-each-ms', 'spent-sampling', 'spent-share-of-sampling'],
  ...['share-of-sampling', 'share-of-tracing', 'bytes-a-sample'],
  ...['crowd-cost', 'crowd-unseen', 'crowd-interval', 'crowd-longest-interval'],
];

describe('npm run bench:art -- --quick', function () {
  this.timeout(benchLimitMs + 10_000);

  it('prints a line for each figure', () =>
    assertBenchRuns(
      ['--import', 'tsx', 'test/bench/art.ts'],
      names.flatMap((name) => Object.keys(engines).map((engine) => `art.${name}-${engine}`)),
    ));
});
