// What a reader leaves out is told first, and beside the figures, where it is more than a few lines.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { trustFacts } from '../../../src/cli/trust.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { sumScope, wholeTrace } from '../../../src/trace/index.js';
import { dumpTrace } from '../trace-dump.js';
import { importWhole } from './round-trip.js';

const samples = readFileSync(path.join('test', 'fixtures', 'formats', 'read-samples.perf.txt'), 'utf8');
const read = (text: string) => importWhole(anyImporter(), Buffer.from(text));

describe('losses of a foreign file', () => {
  it('are none where simpleperf puts a tab behind the address', () => {
    const tabbed = samples.replace(/^(\s+[0-9a-f]+) /gm, '$1\t');
    assert.notEqual(tabbed, samples);
    assert.equal(dumpTrace(read(tabbed)), dumpTrace(read(samples)));
  });

  it('are told first and loudly where they are large, and quietly where they are few', () => {
    const damaged = read(samples.replace(/^\s+[0-9a-f]+ .*$/gm, 'stacks in a form that is not known'));
    assert.match(damaged.problems[0]?.what ?? '', /lines were left out: no sample and no frame of one$/);
    const [first] = trustFacts(damaged, sumScope(damaged, wholeTrace));
    assert.deepEqual(first, { text: damaged.problems[0]?.what, isWarning: true });
    const stacks = 'main;a 1\n'.repeat(500);
    const few = read(`${stacks}no count\n`);
    assert.equal(few.problems[0]?.what, '1 line was left out: no stack with a count');
    const facts = trustFacts(few, sumScope(few, wholeTrace)).map(({ text }) => text);
    assert.ok(!facts.some((text) => text.includes('left out')), facts.join());
  });
});
