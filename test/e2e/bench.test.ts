import { describe, it } from 'mocha';
import { assertBenchRuns, benchLimitMs } from '../rigs/bench.js';

const names = [
  ...['open', 'open.columns', 'open.draw', 'open.paint', 'open.whole', 'open.at-once', 'open.in-vscode'],
  ...['open.speedscope', 'open.faster', 'memory', 'memory.speedscope', 'memory.share'],
  ...['pan', 'pan.speedscope'],
];

describe('npm run bench:ui -- --quick', function () {
  this.timeout(benchLimitMs + 10_000);

  it('prints a line for each figure', () =>
    assertBenchRuns(
      ['--import', 'tsx', 'test/bench/ui/ui.ts'],
      [
        'ui.pan.bare-paint',
        ...names.map((name) => name.replace(/^(open|memory|pan)/, (which) => `ui.${which}.20k`)),
      ],
    ));
});
