// However a file is cut into pieces: the same trace, and the same problems. And what we write is taken for what it is.
import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { describe, it } from 'mocha';
import { anyImporter, exporters, recognise } from '../../../src/trace/formats/index.js';
import { EventBuilder } from '../../../src/trace/assemble/event-builder.js';
import { endTop } from '../../../src/trace/assemble/event-columns.js';
import { NamedMethods } from '../../../src/trace/formats/named-methods.js';
import { NameTable } from '../../../src/trace/formats/names.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { dumpTrace } from '../trace-dump.js';
import { scaled } from '../test-scale.js';
import { corpus, mutant } from './mutations.js';
import { importWhole, written } from './round-trip.js';
import { randomNumbers } from './sample-traces.js';
import { seed } from '../../rigs/seed.js';

function inPieces(bytes: Uint8Array, next: () => number): Trace {
  const importer = anyImporter();
  for (let at = 0; at < bytes.length;) {
    const size = Math.max(1, next());
    importer.append(bytes.slice(at, at + size));
    at += size;
  }
  return importer.finish();
}

describe('a file that comes in pieces', () => {
  it('gives the same trace and the same problems, wherever it is cut', () => {
    for (const bytes of corpus) {
      const whole = dumpTrace(importWhole(anyImporter(), bytes));
      const name = `${recognise(bytes).name} of ${bytes.length} bytes`;
      const step = Math.max(1, Math.floor(bytes.length / scaled(8)));
      assert.equal(dumpTrace(inPieces(bytes, () => 1)), whole, `${name}, byte by byte`);
      for (let cut = 1; cut < bytes.length; cut += step)
        assert.equal(dumpTrace(inPieces(bytes, () => cut)), whole, `${name}, in pieces of ${cut}`);
    }
  });

  it('does so, too, when it is damaged', () => {
    const first = seed;
    for (let seed = first; seed < first + scaled(80); seed++) {
      const { bytes } = mutant(seed);
      if (bytes.length > 50_000) continue;
      const random = randomNumbers(seed);
      const whole = dumpTrace(importWhole(anyImporter(), bytes));
      const size = (): number => Math.ceil(random() ** 3 * 300);
      assert.equal(dumpTrace(inPieces(bytes, size)), whole, `seed ${seed}, ${recognise(bytes).name}`);
    }
  });
});

/** Methods that are called as other formats' files look. */
function misleading(): Trace {
  const builder = new EventBuilder();
  const names = new NameTable();
  const texts = [
    ...['tracing_mark_write: B|1|x', 'sched_switch: prev_comm=a', 'sched_switch: a:1 [2] S ==> b:3 [4]'],
    ...[
      '# tracer: nop',
      '# ninja log v5',
      'TRACE:',
      '"traceEvents":[',
      '"$schema":"speedscope"',
      'a:POP',
      '<html',
    ],
  ];
  const { events } = builder.thread(7, 7, 'tracing_mark_write: main');
  let time = 0;
  for (const text of texts) {
    events.push((time += 10), names.internText(text));
    events.push((time += 10), endTop);
  }
  return builder.finish(new NamedMethods(names), { format: 'made', pid: 7, targetName: texts[0]! });
}

describe('what is written', () => {
  for (const { id, write } of exporters.filter((one) => one.id !== 'csv')) {
    it(`is recognised as what it is: ${id}`, () => {
      for (const bytes of [
        ...corpus.map((file) => written(write, importWhole(anyImporter(), file))),
        written(write, misleading()),
      ]) {
        const text = Buffer.from(bytes.subarray(0, 300)).toString();
        // Of a trace without calls some formats have nothing to be known by.
        const inner = recognise(bytes).format === 'gzip' ? gunzipSync(bytes) : bytes;
        if (bytes.length > 0 && !/^(?:#[^\n]*\n)*$/.test(text))
          assert.equal(recognise(inner).format, id, text);
      }
    });
  }
});
