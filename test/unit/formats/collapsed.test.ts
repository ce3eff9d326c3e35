/** Collapsed stacks carry one weight: whichever is asked for, and all of it. */
import assert from 'node:assert/strict';
import { writeCollapsed } from '../../../src/trace/formats/collapsed-export.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { methodFigures, sumScope, wholeTrace, weights } from '../../../src/trace/index.js';
import { decoded, synthetic } from '../trace/recordings.js';
import { importWhole, written } from './round-trip.js';

describe('collapsed stacks', () => {
  it('of two profiles, as difffolded.pl writes them, are those of the second', () => {
    const lines = [
      'java;run;add 10 30',
      'java;run;only before 5 0',
      'java;run;only after 0 7',
      '12;page 42 3 4',
    ];
    const read = importWhole(anyImporter(), Buffer.from(`${lines.join('\n')}\n`), 3);
    assert.deepEqual(read.problems, []);
    assert.match(read.info.modeReason, /1 ms\. Of two profiles the second is shown$/);
    const sums = methodFigures(sumScope(read, wholeTrace), read.methods.count);
    const selves = [...sums.method].map(
      (method, row) => `${read.methods.name(method)} ${sums.self.wall[row]! / 1e6}`,
    );
    assert.deepEqual(selves.filter((self) => !self.endsWith(' 0')).sort(), [
      'add 30',
      'only after 7',
      'page 42 4',
    ]);
  });

  it('have counts with a fraction, tabs before them and spaces after, and blank lines between', () => {
    const lines = [
      'java;a 1.5',
      'java;b\t2 ',
      '',
      '   ',
      'java;operator new 0',
      'java;less -3',
      'java;c 4\r',
      'java;v1.2 .5',
      'java;d 6',
      'java;e 7',
    ];
    for (const some of [lines, [...lines, ...Array.from({ length: 12 }, () => 'java;a 0.25')]]) {
      const read = importWhole(anyImporter(), Buffer.from(some.join('\n')), 5);
      const { method, self } = methodFigures(sumScope(read, wholeTrace), read.methods.count);
      const selves = [...method].map((one, row) => `${read.methods.name(one)} ${self.wall[row]! / 1e6}`);
      const a = some === lines ? 1.5 : 4.5;
      assert.deepEqual(selves.filter((one) => !one.endsWith(' 0')).sort(), [
        `a ${a}`,
        'b 2',
        'c 4',
        'd 6',
        'e 7',
      ]);
      assert.deepEqual(
        read.problems.map(({ what }) => what),
        ['2 lines were left out: no stack with a count'],
      );
    }
  });

  it('of one profile keep names that end with a number', () => {
    const lines = [
      'java;page 42 3',
      'java;pool 1 4',
      ...Array.from({ length: 20 }, (_, n) => `java;m${n} 1`),
    ];
    for (const some of [lines, [...lines].reverse()]) {
      const read = importWhole(anyImporter(), Buffer.from(some.join('\n')));
      const names = Array.from({ length: read.methods.count }, (_, method) => read.methods.name(method));
      assert.ok(names.includes('page 42') && names.includes('pool 1'), names.join());
      assert.doesNotMatch(read.info.modeReason, /two profiles/);
    }
  });

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
      const unit = weight === 'wall' || weight === 'cpu' || weight === 'wait' ? 'ns' : weight;
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
