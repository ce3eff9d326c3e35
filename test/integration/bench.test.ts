import { describe, it } from 'mocha';
import { assertBenchRuns, benchLimitMs } from '../rigs/bench.js';

const names = [
  ...['gate-closed', 'stack-table-insert', 'stack-table-depth', 'stack-table-nodes'],
  ...['bytes-a-sample', 'drain-throughput', 'slowdown'],
  ...[20, 40, 80].flatMap((depth) =>
    ['walk', 'record', 'record-counters'].map((what) => `${what}-depth-${depth}`),
  ),
];

describe('npm run bench:agent -- --quick', function () {
  this.timeout(benchLimitMs + 10_000);

  it('prints a line for each figure', () =>
    assertBenchRuns(
      ['--import', 'tsx', 'test/bench/agent.ts'],
      names.map((name) => `agent.${name}`),
    ));
});
