// A foreign trace too large for the memory it may take: of each format the first events are shown, and the trace says so.
import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, it } from 'mocha';
import { callBytes, intervalBytes } from '../../../src/trace/assemble/budget.js';
import { trustFacts } from '../../../src/cli/trust.js';
import { anyImporter, exporters, importers, type TraceImporter } from '../../../src/trace/formats/index.js';
import { sumScope, wholeTrace, type Trace } from '../../../src/trace/index.js';
import { dumpTrace } from '../trace-dump.js';
import { artStreamed, artTrace } from './art-traces.js';
import { fuchsiaTrace } from './fuchsia-traces.js';
import { jfrChunk, shopChunk } from './jfr-traces.js';
import { check } from './mutations.js';
import { map2, perfData, sample } from './perf-data-files.js';
import { cpuMessage, encodedProfile } from './pprof-traces.js';
import { importWhole, written } from './round-trip.js';
import { randomTrace } from './sample-traces.js';
import { simpleperfFile, simpleperfNames, simpleperfSample } from './simpleperf-traces.js';

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

function manySamples(): Uint8Array {
  const sample = Array.from({ length: 5000 }, (_, i) => ({
    location_id: Array.from({ length: 6 }, (_, depth) => 1 + ((i >> (2 * depth)) & 3)),
    value: [1, 1000 * (1 + (i % 7))],
  }));
  return encodedProfile({ ...cpuMessage, sample });
}

function cpuProfile(): Buffer {
  const node = (_: unknown, i: number): object => ({
    id: i + 1,
    callFrame: { functionName: `f${i}`, url: 'a.js', lineNumber: i },
    children: i === 0 ? Array.from({ length: 40 }, (_, child) => child + 2) : [],
  });
  return Buffer.from(
    JSON.stringify({
      nodes: Array.from({ length: 41 }, node),
      startTime: 0,
      endTime: 5_000_000,
      samples: Array.from({ length: 5000 }, (_, i) => 2 + (i % 40)),
      timeDeltas: Array.from({ length: 5000 }, () => 1000),
    }),
  );
}

function manyReports(): Buffer {
  const sample = (_: unknown, i: number) => simpleperfSample(i, 1200 + (i % 2), [i % 3, 0]);
  return simpleperfFile([...Array.from({ length: 5000 }, sample), ...simpleperfNames]);
}

function manyPerfSamples(): Buffer {
  const one = (_: unknown, i: number): Buffer =>
    sample({ ms: i, tid: 100 + (i % 2), user: [0x40_0000 + (i % 30), 0x40_0100] });
  return perfData([map2(100, 0x40_0000, 0x1000, 0, '/shop'), ...Array.from({ length: 5000 }, one)]);
}

function manyChunks(): Buffer {
  const chunk = (_: unknown, i: number): Buffer =>
    jfrChunk({ ...shopChunk, startNs: 1_700_000_000_000_000_000n + BigInt(i) * 100_000_000n });
  return Buffer.concat(Array.from({ length: 120 }, chunk));
}

function callGraph(): Buffer {
  const frame = (_: unknown, i: number): string =>
    `    +   3 step${i % 40}  (in shop) + ${i}  [0x1]\n    +     ${i % 3} leaf${i}  (in shop) + 4  [0x2]\n`;
  const head =
    'Analysis of sampling shop (pid 7) every 1 millisecond\nCall graph:\n    15000 Thread_1: main\n';
  return Buffer.from(`${head}    + 15000 start  (in dyld) + 1  [0x3]\n${many(5000, frame)}`);
}

function hangReport(): Buffer {
  const step = (_: unknown, i: number): string =>
    `    1  step${i % 40} + 4 (shop + 8) [0x1] ${i + 1}\n      1  leaf${i % 90} + 4 (shop + 8) [0x2] ${i + 1}\n`;
  const head = 'Date/Time:  today\nSteps:  5000 (10ms sampling interval)\nProcess:  shop [7]\n';
  const thread = '  Thread 0x1    5000 samples (1-5000)\n  5000  start + 4 (dyld + 8) [0x3] 1-5000\n';
  return Buffer.from(head + thread + many(5000, step));
}

function crashReport(): Buffer {
  const thread = (_: unknown, i: number): string =>
    `{"id":${i},"frames":[{"symbol":"leaf${i}","imageIndex":0},{"symbol":"start","imageIndex":0}]}`;
  const threads = Array.from({ length: 1500 }, thread).join(',\n');
  return Buffer.from(`{"bug_type":"309"}\n{"threads":[${threads}],"usedImages":[{"name":"shop"}]}\n`);
}

function timeProfile(): Buffer {
  const row = (_: unknown, i: number): string =>
    `<row><sample-time id="${3 * i + 9}">${i * 1e6}</sample-time><thread ref="1"/><thread-state ref="2"/><weight ref="3"/>` +
    `<backtrace id="${3 * i + 10}"><frame id="${3 * i + 11}" name="f${i % 90}"/><frame ref="4"/></backtrace></row>\n`;
  const first =
    '<row><sample-time id="5">0</sample-time><thread id="1" fmt="main 0x1 (shop, pid: 7)"/><thread-state id="2">Running' +
    '</thread-state><weight id="3">1000000</weight><backtrace id="6"><frame id="4" name="start"/></backtrace></row>';
  return Buffer.from(`<trace-query-result><node>${first}${many(5000, row)}</node></trace-query-result>`);
}

const many = (length: number, of: (_: unknown, i: number) => string): string =>
  Array.from({ length }, of).join('');

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
  pprof: Buffer.from(manySamples()),
  cpuprofile: cpuProfile(),
  jfr: manyChunks(),
  simpleperf: manyReports(),
  sample: callGraph(),
  spindump: hangReport(),
  ips: crashReport(),
  xctrace: timeProfile(),
  'perf-data': manyPerfSamples(),
  firefox: gunzipSync(exported('firefox')),
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
