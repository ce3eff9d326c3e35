// A foreign trace too large for the memory it may take: of each format the first events are shown, and the trace says so.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'mocha';
import { callBytes, intervalBytes } from '../../../src/trace/build/budget.js';
import { trustFacts } from '../../../src/cli/trust.js';
import { anyImporter, exporters, importers, type TraceImporter } from '../../../src/trace/formats/index.js';
import { sumScope, wholeTrace, type Trace } from '../../../src/trace/index.js';
import { dumpTrace } from '../trace-dump.js';
import { artStreamed, artTrace } from './art-traces.js';
import { fuchsiaTrace } from './fuchsia-traces.js';
import { check } from './mutations.js';
import { importWhole, written } from './round-trip.js';
import { randomTrace } from './sample-traces.js';

const mostBytes = 150_000;
const piece = 2000;

function again(bytes: Buffer, from: number, to: number, times: number): Buffer {
  const repeated = Array.from({ length: times }, () => bytes.subarray(from, to));
  return Buffer.concat([bytes.subarray(0, from), ...repeated, bytes.subarray(to)]);
}

function exported(id: string): Buffer {
  return Buffer.from(
    written(exporters.find((one) => one.id === id)!.write, randomTrace(3, 4000, id === 'systrace')),
  );
}

/** What our own export has first, the files of other tools have last. */
function framesLast(): Buffer {
  const { shared, ...rest } = JSON.parse(exported('speedscope').toString()) as Record<string, unknown>;
  return Buffer.from(JSON.stringify({ ...rest, shared }));
}

function sampledSpeedscope(): Buffer {
  const samples = Array.from({ length: 5000 }, (_, i) => [0, 1 + (i % 3), i % 2]);
  const weights = samples.map((_, i) => 1 + (i % 5));
  return Buffer.from(
    JSON.stringify({
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      profiles: [{ type: 'sampled', name: 'CPU', unit: 'microseconds', startValue: 0, samples, weights }],
      shared: { frames: ['main', 'a', 'b', 'c'].map((name) => ({ name })) },
    }),
  );
}

function stacks(): Buffer {
  const line = (_: unknown, i: number): string =>
    `main;work${i % 50};step${i % 17};leaf${i} ${1 + (i % 9)}\n`;
  return Buffer.from(Array.from({ length: 5000 }, line).join(''));
}

function buildLog(): Buffer {
  const line = (_: unknown, i: number): string =>
    `${i * 10}\t${i * 10 + 25}\t0\tobj/${i % 40}.o\t${i.toString(16)}\n`;
  return Buffer.from(`# ninja log v5\n${Array.from({ length: 5000 }, line).join('')}`);
}

function perfScript(): Buffer {
  const sample = (_: unknown, i: number): string =>
    `java 12/13 [001] ${10 + Math.floor(i / 1000)}.${String(i % 1000).padStart(3, '0')}000: cycles: \n\t7f leaf${i % 30}+0x1 (/a.so)\n\t7f main+0x2 (/a)\n\n`;
  return Buffer.from(Array.from({ length: 5000 }, sample).join(''));
}

const art = artTrace(3, 'dual');
const streamed = artStreamed();
/** The text after the records: 7 bytes, then as many as they say. */
const streamedEnd = streamed.lastIndexOf('*version') - 7;
const fuchsia = fuchsiaTrace();

const files: Record<string, Buffer> = {
  perfetto: exported('perfetto'),
  chrome: exported('chrome'),
  speedscope: exported('speedscope'),
  'speedscope, frames last': framesLast(),
  'speedscope, sampled': sampledSpeedscope(),
  collapsed: stacks(),
  nanoscope: exported('nanoscope'),
  systrace: exported('systrace'),
  art: again(art, art.length - 11 * 14, art.length, 800),
  'art, streamed': again(streamed, streamedEnd - 11 * 14, streamedEnd, 800),
  fuchsia: again(fuchsia, 8, fuchsia.length, 500),
  ninja: buildLog(),
  perf: perfScript(),
};
const callsOf = ({ threads }: Trace): number => threads.reduce((sum, { calls }) => sum + calls.count, 0);
const intervalsOf = ({ threads }: Trace): number =>
  threads.reduce((sum, { intervals }) => sum + intervals.count, 0);
const namesOf = ({ threads }: Trace): string[] => threads.map(({ name }) => name);

/** However many there are of each. */
const problemsOf = ({ problems }: Trace): string[] => problems.map(({ what }) => what.replace(/\d+/g, 'N'));

function reader(name: string, most?: number): TraceImporter {
  const [id] = name.split(',');
  return importers.find((one) => one.id === id)!.create(most === undefined ? {} : { mostBytes: most });
}

function namesUsed(trace: Trace): Set<string> {
  const names = new Set<string>();
  for (const { calls } of trace.threads)
    for (let row = 0; row < calls.count; row++) names.add(trace.methods.qualifiedName(calls.method[row]!));
  return names;
}

describe('a foreign trace that memory has no room for', () => {
  for (const [name, bytes] of Object.entries(files)) {
    it(`is shown as far as there is room, and says how far: ${name}`, () => {
      const whole = importWhole(reader(name), bytes, piece);
      const part = importWhole(reader(name, mostBytes), bytes, piece);
      check(part);
      assert.equal(whole.part, undefined);
      assert.ok(part.part !== undefined && 'fileShare' in part.part);
      const { fileShare } = part.part;
      assert.ok(fileShare > 0.01 && fileShare < 0.9, `${fileShare} of the file`);
      const shown = callsOf(part) / callsOf(whole);
      assert.ok(shown > 0.01 && shown < 0.9, `${shown} of the calls`);
      const takes = intervalBytes * intervalsOf(part) + callBytes * callsOf(part);
      // The last piece is taken in whole.
      assert.ok(takes < 1.3 * mostBytes, `${takes} bytes`);
      // Nothing was wrong in the file that is not wrong when it is read whole.
      assert.deepEqual(
        problemsOf(part).filter((what) => !problemsOf(whole).includes(what)),
        [],
      );
      for (const thread of namesOf(part)) assert.ok(namesOf(whole).includes(thread), `thread ${thread}`);
      const known = namesUsed(whole);
      for (const method of namesUsed(part)) assert.ok(known.has(method), `method ${method}`);
    });
  }

  it('keeps the lengths of what is shown', () => {
    for (const name of ['speedscope, sampled', 'chrome', 'nanoscope']) {
      const bytes = files[name]!;
      const whole = importWhole(reader(name), bytes, piece).threads[0]!.intervals;
      const { begin, end, count } = importWhole(reader(name, mostBytes), bytes, piece).threads[0]!.intervals;
      // The last may have been cut.
      for (let row = 0; row < count - 1; row++)
        assert.equal(
          end[row]! - begin[row]!,
          whole.end[row]! - whole.begin[row]!,
          `${name}, interval ${row}`,
        );
    }
  });

  it('is whole where there is room', () => {
    for (const [name, bytes] of Object.entries(files)) {
      const whole = importWhole(reader(name), bytes, piece);
      const roomy = importWhole(reader(name, 2 ** 30), bytes, piece);
      assert.equal(roomy.part, undefined);
      assert.equal(dumpTrace(roomy), dumpTrace(whole));
    }
  });

  it('is cut in one piece, and within gzip, too', () => {
    const bytes = exported('chrome');
    // More than the pieces in which an importer looks.
    const large = Buffer.concat([
      bytes.subarray(0, -3),
      ...Array.from({ length: 8 }, () => Buffer.from(' '.repeat(2 ** 19))),
      bytes.subarray(-3),
    ]);
    for (const one of [large, gzipSync(large)]) {
      const { part } = importWhole(anyImporter({ mostBytes }), one);
      assert.ok(part !== undefined && 'fileShare' in part && part.fileShare < 0.5);
    }
  });

  it('is told of in a report, with what to do', () => {
    const part = importWhole(reader('chrome', mostBytes), exported('chrome'), piece);
    const facts = trustFacts(part, sumScope(part, wholeTrace));
    assert.match(facts[0]!.text, /^only the first \d+\.\d % of the file fit into memory: see --memory$/);
    assert.ok(facts[0]!.isWarning);
  });

  it('is tested in each format', () => {
    const tested = Object.keys(files).map((name) => name.split(',')[0]);
    assert.deepEqual(
      importers.map(({ id }) => id).filter((id) => !tested.includes(id)),
      [],
    );
  });
});
