import { describe, it } from 'mocha';
import { assertBenchRuns, benchLimitMs } from '../../rigs/bench.js';

const names = [
  ...['size.raw', 'size.deflated', 'perfetto.size'],
  ...['open', 'open.rate', 'open.deflated', 'open.memory', 'open.of-varints', 'open.faster'],
  ...['open.memory.share', 'open.cpu', 'open.cpu.system', 'open.cpu.of-varints', 'open.pages'],
  ...['open.warm', 'open.warm.cpu', 'open.warm.cpu.system', 'open.warm.cpu.of-varints'],
  ...['varints', 'varints.cpu', 'limit', 'limit.cpu', 'limit.cpu.of-varints'],
  ...['append', 'append.of-open', 'protobufjs', 'protobufjs.memory'],
];

describe('npm run bench -- engine --quick', function () {
  this.timeout(benchLimitMs + 10_000);

  it('prints a line for each figure', () =>
    assertBenchRuns(
      ['scripts/bench.mjs', 'engine'],
      names.map((name) => `engine.${name}.100k`),
    ));
});
