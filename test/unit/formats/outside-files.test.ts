// Files as people have them: packed, in Windows' encoding, with lines of their own between, and of tools that are only named.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { gzipSync, zipSync } from 'fflate';
import { anyImporter, recognise } from '../../../src/trace/formats/index.js';
import { ZipStream } from '../../../src/trace/formats/zip-stream.js';
import { type Trace, TraceReader } from '../../../src/trace/index.js';
import { cpuMs } from '../cpu-time.js';
import { dumpTrace } from '../trace-dump.js';
import { jfrChunk, shopChunk } from './jfr-traces.js';
import { check } from './mutations.js';
import { cpuMessage, encodedProfile } from './pprof-traces.js';
import { importWhole } from './round-trip.js';
import { randomNumbers } from './sample-traces.js';

const read = (bytes: Uint8Array, piece?: number): Trace => importWhole(anyImporter(), bytes, piece);
const words = ({ problems }: Trace): string => problems.map(({ what }) => what).join('; ');
const stacks = 'main;run 5\nmain;stöp 7\n';

describe('a zip archive', () => {
  const text = Buffer.from('Read me first.\n');
  const nothing = new Uint8Array(0);

  it('is opened where a trace is in it, packed or not, whatever the pieces', () => {
    const expected = dumpTrace(read(jfrChunk(shopChunk)));
    for (const level of [0, 6] as const) {
      const bytes = zipSync({ 'trace.jfr': jfrChunk(shopChunk) }, { level });
      for (const piece of [1000, 7, bytes.length]) assert.equal(dumpTrace(read(bytes, piece)), expected);
    }
  });

  it('is opened where its first trace stands behind other files, and says what else there is', () => {
    const bytes = zipSync({
      'README.txt': text,
      'a.folded': Buffer.from(stacks),
      'b.folded': Buffer.from(stacks),
    });
    const trace = read(bytes);
    assert.equal(trace.threads[0]?.calls.count, 3);
    assert.match(words(trace), /"a\.folded" is shown; it has 2 other files/);
  });

  it('is not refused before what is in it is known', () => {
    const bytes = zipSync({ 'trace.jfr': jfrChunk(shopChunk) });
    const reader = new TraceReader();
    for (let at = 0; at < bytes.length; at += 100) {
      reader.append(bytes.slice(at, at + 100));
      assert.equal(reader.refusal, undefined);
    }
    reader.finish();
    assert.equal(reader.refusal, undefined);
    assert.equal(reader.trace().info.format, 'jfr');
    const other = new TraceReader();
    other.append(zipSync({ 'README.txt': text }));
    other.finish();
    assert.match(other.refusal?.what ?? '', /zip archive/);
  });

  it('may hold its trace in gzip, whatever the pieces, but no further archive', () => {
    const packed = gzipSync(jfrChunk(shopChunk));
    const bytes = zipSync({ 'notes.gz': gzipSync(text), 'trace.jfr.gz': packed }, { level: 0 });
    const withoutProblems = (trace: Trace): string => dumpTrace({ ...trace, problems: [] });
    const expected = withoutProblems(read(jfrChunk(shopChunk)));
    for (const piece of [7, 300, bytes.length]) {
      const trace = read(bytes, piece);
      assert.equal(withoutProblems(trace), expected);
      assert.match(words(trace), /"trace\.jfr\.gz" is shown; it has 1 other file/);
    }
    const inner = zipSync({ 'trace.jfr': jfrChunk(shopChunk) });
    assert.match(words(read(gzipSync(inner))), /zip archive within a gzip file\. Unpack it first/);
    assert.match(words(read(zipSync({ inner }))), /No file in it is a trace/);
  });

  it('says what it is where there is none, and survives damage', () => {
    assert.match(words(read(zipSync({ 'README.txt': text }))), /zip archive\. No file in it is a trace/);
    const bytes = zipSync({ 'a.folded': Buffer.from(stacks.repeat(50)) });
    for (let seed = 1; seed < 200; seed++) {
      const random = randomNumbers(seed);
      const damaged = Uint8Array.from(bytes);
      damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
      check(
        read(damaged.subarray(0, Math.ceil(random() * 2 * damaged.length)), 1 + Math.floor(random() * 99)),
      );
    }
  });

  it('holds no bytes of the files behind its trace', () => {
    const importer = anyImporter();
    const large = 128 * 2 ** 20;
    const piece = 2 ** 20;
    const trace = Buffer.from(stacks.repeat(6000));
    // Without its directory.
    importer.append(zipSync({ a: trace }, { level: 0 }).subarray(0, 31 + trace.length));
    const head = Buffer.from(zipSync({ b: nothing }, { level: 0 })).subarray(0, 31);
    head.writeUInt32LE(large, 18);
    importer.append(head);
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 0; at < large; at += piece) importer.append(new Uint8Array(piece));
    const held = process.memoryUsage().arrayBuffers - before;
    assert.match(words(importer.finish()), /it has 1 other file/);
    assert.ok(held < large / 2, `${held} bytes`);
  });

  it('of more files than anybody looks through ends soon, and says so', () => {
    const one = Buffer.from(zipSync({ a: nothing }, { level: 0 })).subarray(0, 31);
    const bytes = Buffer.alloc(100_000 * one.length, one);
    const began = cpuMs();
    assert.match(words(read(bytes, 2 ** 20)), /no trace is among its first 16384 files/);
    assert.ok(cpuMs() - began < 2000, `${cpuMs() - began} ms`);
  });

  it('is cancelled while a packed file is read', () => {
    const cancel = (): never => {
      throw new Error('cancelled');
    };
    const stream = new ZipStream(1000, { piece: cancel, end: () => true });
    assert.throws(() => stream.push(zipSync({ 'a.folded': Buffer.from(stacks) }), true), /cancelled/);
  });
});

describe('text', () => {
  it('is read as UTF-16 of both orders, whatever the pieces', () => {
    const expected = dumpTrace(read(Buffer.from(stacks)));
    const little = Buffer.from(`\ufeff${stacks}`, 'utf16le');
    for (const bytes of [little, Buffer.from(little).swap16()])
      for (const piece of [1, 3, bytes.length]) assert.equal(dumpTrace(read(bytes, piece)), expected);
  });

  it('of stacks may have comments and bad lines: they are counted', () => {
    const trace = read(Buffer.from('// by hand\na;b 3\noops\n# more\na;c 4\n'));
    assert.equal(trace.threads[0]?.calls.count, 3);
    assert.match(words(trace), /2 lines were left out/);
  });

  it('of simpleperf may have tabs between address and name', () => {
    const head = 'main\t12345 [000] 123.456000:\t\t1000 cpu-cycles:\n';
    const trace = read(
      Buffer.from(`${head}\t        7f001234\tfoo(int) (/lib/foo.so)\n\t7f001238\tmain (/bin/app)\n`),
    );
    assert.deepEqual(trace.problems, []);
    assert.equal(trace.threads[0]?.calls.count, 2);
  });

  it('of the kernel may lack a gap before the time, or a name, and tells what is not shown', () => {
    const lines = [
      '# tracer: nop',
      '  sh-12 [000]100.000100: tracing_mark_write: B|12|a',
      '  sh-12 [000]100.000200: tracing_mark_write: E|12',
      '<unknown>-200 (-----) [000] ...1 100.000300: tracing_mark_write: G|200|net|get|x|5',
      '<unknown>-200 (-----) [000] ...1 100.000500: tracing_mark_write: H|200|net|5',
      '<unknown>-200 [000] ...1 100.000600: tracing_mark_write: C|200|speed|2.5',
      '<unknown>-200 [000] ...1 100.000600: tracing_mark_write: C|200|screen|on',
      '<unknown>-200 [000] ...1 100.000700: irq_handler_entry: irq=1 name=eth0',
      '<unknown>-200 [000] ...1 100.000700: irq_handler_entry: irq=2 name=eth1',
    ];
    const trace = read(Buffer.from(lines.join('\n')));
    const calls = trace.threads.map(({ calls: { begin, end, method } }) => [
      trace.methods.name(method[0]!),
      end[0]! - begin[0]!,
    ]);
    assert.deepEqual(calls, [
      ['a', 100_000],
      ['get|x', 200_000],
    ]);
    assert.deepEqual(
      trace.counters.map(({ name, value }) => [name, value[0]]),
      [['speed', 2.5]],
    );
    assert.match(words(trace), /1 print was not read: counters whose value is no number/);
    assert.match(words(trace), /2 events were not read: irq_handler_entry/);
  });
});

describe('other files', () => {
  it('are named for what they are', () => {
    const cases: readonly (readonly [text: string, name: RegExp])[] = [
      ['{"head":{"callFrame":{"functionName":"nodes"},"selfSize":0,"children":[]},"nodes":1}', /heapprofile/],
      ['{"typeId":"CPU","head":{"functionName":"(root)","url":""},"samples":[]}', /Node\.js 10/],
      ['{"version":1,"recording":{"displayName":"Timeline Recording 1"}}', /Safari/],
      ['{"mode":"wall","interval":1000,"frames":{},"raw":[]}', /stackprof/],
      ['{"resourceProfiles":[]}', /OTLP/],
    ];
    for (const [text, name] of cases) assert.match(recognise(Buffer.from(text)).name, name);
  });

  it('are pprof profiles, too, where nothing packed them and their fields are in another order', () => {
    const bytes = Buffer.from(encodedProfile(cpuMessage));
    assert.equal(recognise(bytes).format, 'pprof');
    // As Rust's writers have it: a number before the tables.
    assert.equal(recognise(Buffer.concat([Buffer.from([0x48, 0x05]), bytes])).format, 'pprof');
  });
});
