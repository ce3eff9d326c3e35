import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { anyImporter, exporters } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { dumpTrace } from '../trace-dump.js';
import { importWhole, written } from './round-trip.js';
import { randomTrace, smallTrace } from './sample-traces.js';

/** What a format keeps of a trace, as a dump: what it cannot carry is taken out on both sides. */
const kept: Readonly<Record<string, (trace: Trace) => string>> = {
  perfetto: (trace) => calls(trace),
  chrome: (trace) => calls(trace),
  speedscope: (trace) => withoutCpu(calls(trace)),
  nanoscope: (trace) => withoutCpu(calls(trace)),
  systrace: (trace) => withoutCpu(calls(trace)).replaceAll(/[[\]()]/g, '_'),
};

describe('what is written and read again', () => {
  for (const { id, write } of exporters) {
    const keep = kept[id];
    if (keep === undefined) continue;
    it(`gives the same calls as ${id}, without a file name`, () => {
      for (const trace of [smallTrace(), ...seeds(20).map((seed) => randomTrace(seed, 300))]) {
        const bytes = written(write, trace);
        const importer = anyImporter();
        const again = importWhole(importer, bytes, 1000);
        assert.equal(importer.recognised?.format, id);
        assert.equal(keep(again), keep(trace));
        assert.deepEqual(again.problems, []);
      }
    });

    it(`gives the same calls as ${id} in pieces of one byte, and gzipped`, () => {
      const trace = smallTrace();
      const bytes = written(write, trace);
      assert.equal(keep(importWhole(anyImporter(), bytes, 1)), keep(trace));
      assert.equal(keep(importWhole(anyImporter(), gzipSync(bytes), 10)), keep(trace));
    });
  }

  it('gives the same stacks as collapsed, for one thread and for several', () => {
    for (const trace of [smallTrace(), ...seeds(10).map((seed) => randomTrace(seed, 300))]) {
      for (const threads of [undefined, [1]]) {
        const write = exporters.find(({ id }) => id === 'collapsed')!.write;
        const bytes = written(write, trace, threads === undefined ? {} : { threads });
        const importer = anyImporter();
        const again = importWhole(importer, bytes, 100);
        assert.equal(importer.recognised?.format, 'collapsed');
        assert.deepEqual(again.problems, []);
        assert.deepEqual(sortedLines(written(write, again)), sortedLines(bytes));
      }
    }
  });
});

function seeds(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

function calls(trace: Trace): string {
  return dumpTrace(trace, { callsOnly: true }).replaceAll(' main\n', '\n');
}

function withoutCpu(dump: string): string {
  return dump.replaceAll(/ cpu \d+/g, '').replaceAll('\t', ' ');
}

function sortedLines(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString().split('\n').sort();
}
