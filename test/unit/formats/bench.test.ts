import { describe, it } from 'mocha';
import { exporters } from '../../../src/trace/formats/index.js';
import { assertBenchRuns, benchLimitMs } from '../../rigs/bench.js';

const written = exporters.map(({ id }) => id);
const read = written.filter((id) => id !== 'csv');
const names = [
  'calls',
  ...written.flatMap((id) => [`${id}.write`, `${id}.size`]),
  ...read.flatMap((id) => [`${id}.import`, `${id}.import.memory`]),
  ...['perfetto.protobufjs', 'perfetto.protobufjs.memory', 'perfetto.faster'],
  ...['chrome', 'speedscope'].flatMap((id) => [
    ...[`${id}.json-parse`, `${id}.json-parse.memory`, `${id}.share`],
  ]),
];

describe('npm run bench -- formats --quick', function () {
  this.timeout(benchLimitMs + 10_000);

  it('prints a line for each figure', () =>
    assertBenchRuns(
      ['scripts/bench.mjs', 'formats'],
      names.map((name) => `formats.${name}.100k`),
    ));
});
