import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { anyImporter, exporters } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { decodeRecording, lineFigures, sumScope, wholeTrace } from '../../../src/trace/index.js';
import { synthetic } from '../trace/recordings.js';
import { dumpTrace } from '../trace-dump.js';
import { jfrChunk, shopChunk } from './jfr-traces.js';
import { decodedProfile } from './pprof-traces.js';
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

  for (const id of ['pprof', 'firefox']) {
    it(`gives the same stacks, weights and threads as ${id}`, async () => {
      const { write } = exporters.find((one) => one.id === id)!;
      const recorded = decodeRecording(
        (await synthetic({ samples: 1000, threads: 3, methods: 60 })).bytes,
      ).trace();
      const flight = importWhole(anyImporter(), jfrChunk(shopChunk));
      for (const trace of [smallTrace(), randomTrace(7, 200), recorded, flight]) {
        const bytes = written(write, trace, { weight: 'wall' });
        const importer = anyImporter();
        const again = importWhole(importer, bytes, 1000);
        assert.equal(importer.recognised?.format, id);
        assert.deepEqual(again.problems, []);
        assert.deepEqual(stacksOf(again, 'wall'), stacksOf(trace, 'wall'));
        // pprof's reader shows the value that the file calls its default.
        if (!trace.info.hasCpu) continue;
        const onCpu =
          id === 'pprof' ? importWhole(anyImporter(), written(write, trace, { weight: 'cpu' })) : again;
        assert.deepEqual(stacksOf(onCpu, id === 'pprof' ? 'wall' : 'cpu'), stacksOf(trace, 'cpu'));
      }
    });
  }

  it('keeps lines in Firefox profiles', () => {
    const flight = importWhole(anyImporter(), jfrChunk(shopChunk));
    const again = importWhole(
      anyImporter(),
      written(exporters.find(({ id }) => id === 'firefox')!.write, flight),
    );
    assert.ok(linesOf(flight).length > 3);
    assert.deepEqual(linesOf(again), linesOf(flight));
  });

  it('keeps in pprof the lines that samples stood in', () => {
    const flight = importWhole(anyImporter(), jfrChunk(shopChunk));
    const bytes = written(exporters.find(({ id }) => id === 'pprof')!.write, flight);
    const profile = decodedProfile(gunzipSync(bytes)) as unknown as WrittenProfile;
    const names = new Map(profile.function.map(({ id, name }) => [id, profile.string_table[name]!]));
    const places = new Map(
      profile.location.map(({ id, line: [at] }) => [id, `${names.get(at!.function_id)}:${at!.line}`]),
    );
    const wall = profile.sample_type.findIndex(({ type }) => profile.string_table[type] === 'wall');
    const sums = new Map<string, number>();
    for (const {
      location_id: [leaf],
      value,
    } of profile.sample) {
      const place = places.get(leaf!)!;
      sums.set(place, (sums.get(place) ?? 0) + value[wall]!);
    }
    // Native functions and the collector have none.
    const lined = [...sums].filter(([place, ns]) => ns > 0 && !place.endsWith(':undefined'));
    const shown = lined.map(([place, ns]) => `${place} ${ns}`);
    const wanted = linesOf(flight).filter((line) => !line.endsWith(' 0'));
    // Several lines of one method: not all at its first.
    assert.ok(wanted.filter((line) => line.startsWith('com.example.Shop.price:')).length > 1);
    assert.deepEqual(shown.sort(), wanted);
  });

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

/** What each stack of each thread used of a weight, to the nanosecond. */
function stacksOf(trace: Trace, weight: 'wall' | 'cpu'): string[] {
  const lines: string[] = [];
  for (const thread of trace.threads) {
    const self = sumScope(trace, { ...wholeTrace, threads: [thread.index] }).self[weight];
    for (let path = 1; path < trace.paths.count; path++) {
      const ns = Math.round(self[path]!);
      if (ns <= 0) continue;
      const names: string[] = [];
      for (let at = path; at !== 0; at = trace.paths.parent[at]!)
        names.unshift(trace.methods.qualifiedName(trace.paths.method[at]!).replaceAll('\t', ' '));
      lines.push(`${thread.tid} ${thread.name}: ${names.join(';')} ${ns}`);
    }
  }
  return lines.sort();
}

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

/** What each line of each method has of its own. */
function linesOf(trace: Trace): string[] {
  const { count, method, line, selfWall } = lineFigures(trace, wholeTrace);
  return Array.from(
    { length: count },
    (_, row) => `${trace.methods.qualifiedName(method[row]!)}:${line[row]!} ${Math.round(selfWall[row]!)}`,
  ).sort();
}

interface WrittenProfile {
  readonly string_table: readonly string[];
  readonly sample_type: readonly { readonly type: number }[];
  readonly function: readonly { readonly id: number; readonly name: number }[];
  readonly location: readonly {
    readonly id: number;
    readonly line: readonly { readonly function_id: number; readonly line: number }[];
  }[];
  readonly sample: readonly { readonly location_id: readonly number[]; readonly value: readonly number[] }[];
}
