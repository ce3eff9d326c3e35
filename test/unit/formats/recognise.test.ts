import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { anyImporter, exporters, importers, recognise } from '../../../src/trace/formats/index.js';
import { artStreamed, artTrace, artPackets } from './art-traces.js';
import { fuchsiaTrace } from './fuchsia-traces.js';
import { systemPerfetto } from './perfetto-traces.js';
import { importWhole, written } from './round-trip.js';
import { smallTrace } from './sample-traces.js';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('recognising files by their content', () => {
  it('knows every format it writes and reads', () => {
    for (const { id, write } of exporters) {
      if (id === 'csv') continue;
      const bytes = written(write, smallTrace());
      assert.equal(recognise(recognise(bytes).format === 'gzip' ? gunzipSync(bytes) : bytes).format, id);
    }
    for (const bytes of [
      artTrace(1, 'wall'),
      artTrace(3, 'dual'),
      artStreamed(),
      artPackets(4),
      artPackets(5),
    ]) {
      assert.equal(recognise(bytes).format, 'art');
    }
    assert.equal(recognise(systemPerfetto()).format, 'perfetto');
    assert.equal(recognise(fuchsiaTrace()).format, 'fuchsia');
    assert.equal(recognise(readFileSync('test/fixtures/formats/read-build.ninja_log')).format, 'ninja');
    assert.equal(recognise(readFileSync('test/fixtures/formats/read-systrace.html')).format, 'systrace');
    assert.equal(recognise(latin('java 1234 5678.123456: cycles:\n\t7f main (x)\n')).format, 'perf');
    assert.equal(recognise(latin('PERFILE2h')).format, 'perf-data');
    assert.equal(recognise(latin('BTRACE\r\n')).format, 'btrace');
    assert.equal(recognise(gzipSync('x')).format, 'gzip');
    assert.equal(recognise(zipSync({ x: latin('x') })).format, 'zip');
    assert.equal(new Set(importers.map(({ id }) => id)).size, importers.length);
  });

  it('is offered in VS Code for the names that such files usually have', () => {
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: { customEditors: { viewType: string; selector: { filenamePattern: string }[] }[] };
    };
    const foreign = contributes.customEditors.find(({ viewType }) => viewType === 'btrace.foreign')!;
    const patterns = foreign.selector.map(({ filenamePattern }) => filenamePattern);
    // Any text, and any protobuf message.
    const toAnything = ['.txt', '.pb'];
    const usual = importers
      .flatMap(({ extensions }) => extensions)
      .filter((end) => !toAnything.includes(end));
    for (const end of usual)
      assert.ok(
        patterns.some((pattern) => `*${end}`.endsWith(pattern.slice(1))),
        end,
      );
  });

  it('is not misled by what only looks like a trace', () => {
    const cases: readonly (readonly [Buffer, string | undefined])[] = [
      [latin('[{"name":"a","ph":"X","ts":1}]'), 'chrome'],
      [latin('\xef\xbb\xbf{"traceEvents":[]}'), 'chrome'],
      [latin(' \n [ '), 'chrome'],
      [latin('{"profiles":[],"shared":{"frames":[]}}'), 'speedscope'],
      [latin('\n\n{"a":1}'), undefined],
      [latin('{"name":"traceEvents"}'), 'chrome'],
      [latin('{"name":"btrace","version":"1.0.0","dependencies":{}}'), undefined],
      [latin('hello world 12\nand more 13\n'), undefined],
      [latin('12:30 lunch\n13:00 back\n'), undefined],
      [latin('a;b 1\n'), 'collapsed'],
      [latin('main;'), undefined],
      [latin('var a=1;function b(){};'.repeat(4000)), undefined],
      [latin('a sentence without an end; '.repeat(30) + 'x'.repeat(70_000)), undefined],
      [latin('\n\x10not a packet at all, but it begins like one'), undefined],
      [Buffer.alloc(0), undefined],
      [Buffer.alloc(70_000), undefined],
    ];
    for (const [bytes, format] of cases)
      assert.equal(recognise(bytes).format, format, JSON.stringify(bytes.toString('latin1', 0, 40)));
  });

  it('knows collapsed stacks by one that is longer than what is looked at, and reads it', () => {
    const frames = Array.from(
      { length: 4000 },
      (_, depth) => `com.example.shop.Catalogue$Page.visit${depth}`,
    );
    const bytes = latin(`${frames.join(';')} 7\n`);
    assert.ok(bytes.length > 2 * 65_536);
    const { threads, problems } = importWhole(anyImporter(), bytes, 10_000);
    assert.deepEqual(problems, []);
    assert.equal(threads[0]!.calls.count, frames.length);
  });

  it('finds what stands at the end of a large file', () => {
    const padding = `{"metadata":{"x":"${'y'.repeat(70_000)}"},`;
    const first = Buffer.from(padding);
    assert.equal(recognise(first, latin('"traceEvents":[{}]}')).format, 'chrome');
    assert.equal(recognise(first, latin('"shared":{"frames":[]},"profiles":[]}')).format, 'speedscope');
  });

  it('names what is no trace for what it is, and says what opens it', () => {
    const cases: readonly (readonly [Buffer, RegExp, RegExp])[] = [
      [latin('\x7fELF\x02\x01\x01'), /ELF/, /record/],
      [latin('\x89PNG\r\n\x1a\n'), /PNG/, /picture/],
      [latin('JAVA PROFILE 1.0.2\x00'), /heap dump/, /MAT/],
      [latin('2ELIFREP'), /perf recording of a big-endian/, /perf script/],
      [latin('\x17\x08\x44tracing6\x00'), /trace-cmd/, /trace-cmd report/],
      [latin('\x28\xb5\x2f\xfd'), /zstd/, /zstd -d/],
      [
        latin('{"head":{"functionName":"(root)","callUID":1,"children":[]},"startTime":1}'),
        /CPU profile of Node.js 10/,
        /DevTools/,
      ],
      [latin('{"head":{"callFrame":{},"selfSize":0,"children":[]}}'), /heapprofile/, /DevTools/],
      [latin('{"snapshot":{"meta":{"node_fields":[]}}}'), /heap snapshot/, /DevTools/],
      [latin('{"version":3,"sources":[],"mappings":""}'), /source map/, /no trace/],
      [latin('{"a":1}'), /JSON that is no trace/, /traceEvents/],
      [latin('<!DOCTYPE html><html></html>'), /web page/, /browser/],
      [latin('Dear all,\n'), /text that is no trace/, /Collapsed/],
      [latin('\x00\x01\x02\x03'), /unknown kind/, /Perfetto/],
    ];
    for (const [bytes, name, advice] of cases) {
      const recognised = recognise(bytes);
      assert.equal(recognised.format, undefined);
      assert.match(recognised.name, name);
      assert.match(recognised.advice, advice);
      const trace = importWhole(anyImporter(), bytes);
      assert.equal(trace.threads.length, 0);
      assert.match(trace.problems[0]?.what ?? '', name);
    }
  });

  it('looks into gzip, once, and stops at a bound', () => {
    const importer = anyImporter();
    assert.match(
      importWhole(importer, gzipSync(gzipSync('a;b 1\n'))).problems[0]?.what ?? '',
      /within a gzip/,
    );
    const torn = gzipSync(Buffer.from('a;b 1\n'.repeat(30_000))).subarray(0, 200);
    assert.ok(importWhole(anyImporter(), torn).problems.length > 0);
    const plain = importWhole(anyImporter(), gzipSync('Dear all,\n'));
    assert.match(plain.problems[0]?.what ?? '', /text that is no trace/);
  });
});
