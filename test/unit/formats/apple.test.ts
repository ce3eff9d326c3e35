// What Apple's tools and systems write, where it is not as in the golden files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { anyImporter, importers, recognise, type TraceImporter } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/index.js';
import { cpuMs } from '../cpu-time.js';
import { dumpTrace } from '../trace-dump.js';
import { importWhole } from './round-trip.js';

const opened = (text: string): Trace => importWhole(anyImporter(), Buffer.from(text));
const problems = (trace: Trace): string[] => trace.problems.map(({ what }) => what);
const ipsImporter = (mostBytes?: number): TraceImporter =>
  importers.find(({ id }) => id === 'ips')!.create(mostBytes === undefined ? {} : { mostBytes });
const fixture = (name: string): string => readFileSync(`test/fixtures/formats/${name}`, 'utf8');

describe('the output of "sample"', () => {
  const head = 'Analysis of sampling shop (pid 7) every 2 milliseconds\nCall graph:\n';

  it('is drawn by the time between two samples, and says how', () => {
    const trace = opened(`${head}    5 Thread_9\n      5 main  (in shop) + 1  [0x1]\n`);
    assert.match(dumpTrace(trace), /thread 9 ""\n {2}main 0\.\.10000000/);
    assert.match(trace.info.modeReason, /one count as 2 ms/);
  });

  it('is not trusted where calls have more samples than their callers', () => {
    const trace = opened(
      `${head}    5 Thread_9\n      5 main  (in shop) + 1  [0x1]\n        8 work  (in shop) + 1  [0x1]\n`,
    );
    assert.deepEqual(problems(trace), ['1 call was seen less often than the calls below it']);
  });

  it('ends with its call graph: what is counted behind it is no stack', () => {
    const trace = opened(fixture('read-shop.sample.txt'));
    assert.deepEqual(
      trace.threads.map(({ sampleCount }) => sampleCount),
      [800, 800, 800],
    );
  });
});

describe('a hang report', () => {
  it('may stand behind a line of JSON', () => {
    const text = `{"bug_type":"228","name":"shop"}\n${fixture('read-hang.spindump.txt')}`;
    assert.equal(recognise(Buffer.from(text)).format, 'spindump');
    assert.equal(dumpTrace(opened(text)), fixture('read-hang.spindump.txt.dump'));
  });

  it('that is sorted by count says what does not fit', () => {
    const trace = opened(
      [
        'Date/Time: today\nSteps:  4 (10ms sampling interval)\nProcess:  shop [7]\n  Thread 0x9    4 samples (1-4)',
        '  4  start + 4 (dyld + 8) [0x1] 1-4',
        '    3  often + 4 (shop + 8) [0x1] 2-4',
        '    1  seldom + 4 (shop + 8) [0x1] 1\n',
      ].join('\n'),
    );
    assert.match(problems(trace).join(), /^1 stack was left out/);
  });
});

describe('a crash report', () => {
  it('says why the program ended, and in which thread', () => {
    const { info } = opened(fixture('read-crash.ips'));
    assert.match(
      info.modeReason,
      /EXC_BAD_ACCESS.*SIGSEGV.*Segmentation fault: 11.*crashed: com\.example\.prices$/,
    );
  });

  it('has the lines of its frames', () => {
    const trace = opened(fixture('read-crash.ips'));
    const { path, node, count } = trace.threads[1]!.intervals;
    assert.equal(count, 1);
    assert.ok(path[0]! > 0);
    assert.equal(
      trace.methods.lineAt(trace.paths.method[path[0]!]!, trace.nodes!.position[node[0]!]! - 1),
      88,
    );
  });

  it('is the same in pieces of any size', () => {
    const bytes = readFileSync('test/fixtures/formats/read-crash.ips');
    for (const piece of [1, 7, 100])
      assert.equal(dumpTrace(importWhole(ipsImporter(), bytes, piece)), fixture('read-crash.ips.dump'));
  });

  it('takes no more memory than it may, with whatever texts', () => {
    const symbol = 'long'.repeat(10_000);
    const threads = Array.from({ length: 200 }, (_, at) => `{"frames":[{"symbol":"${symbol}${at}"}]}`);
    const exceptions = '"exception":{"type":"SIGNAL"},'.repeat(1000);
    const bytes = Buffer.from(`{"bug_type":"309"}\n{${exceptions}"threads":[${threads.join(',\n')}]}`);
    const trace = importWhole(ipsImporter(1_000_000), bytes, 10_000);
    assert.ok(trace.threads.length < 20, `${trace.threads.length} threads`);
    assert.ok(trace.part !== undefined);
    assert.ok(trace.info.modeReason.length < 200, trace.info.modeReason);
  });

  it('of another kind is named by it', () => {
    const trace = opened('{"bug_type":"298"}\n{"processes":[{"pid":1}]}\n');
    assert.deepEqual(problems(trace), ['There is no stack in this report (kind 298)']);
  });
});

describe('samples of Instruments', () => {
  it('say what of them the file does not hold', () => {
    const trace = opened(
      '<trace-query-result><row><sample-time id="1">5</sample-time><thread id="2" fmt="a 0x1 (b, pid: 3)"/>' +
        '<weight id="4">2</weight><backtrace ref="77"/></row></trace-query-result>',
    );
    assert.match(dumpTrace(trace), /thread 0 "a"\n {2}\[no stack\] 0\.\.2/);
    assert.deepEqual(problems(trace), ['1 frame or stack is meant that the file does not hold']);
  });

  it('without weights stand for the time since the one before', () => {
    const row = (ms: number): string =>
      `<row><sample-time>${ms}000000</sample-time><thread ref="2"/><backtrace ref="4"/></row>`;
    const first =
      '<row><sample-time>1000000</sample-time><thread id="2" fmt="a 0x1 (b, pid: 3)"/>' +
      '<backtrace id="4"><frame id="5" name="f"/></backtrace></row>';
    // Where no id was given, the value counts for its own row.
    const trace = opened(`<trace-query-result>${first}${row(3)}${row(5)}${row(50)}</trace-query-result>`);
    assert.match(dumpTrace(trace), / {2}f 0\.\.6000000\n {2}f 49000000\.\.51000000/);
  });

  const row =
    '<row><sample-time>5</sample-time><thread fmt="a 0x1 (b, pid: 3)"/><weight>2</weight>' +
    '<backtrace><frame name="f"/></backtrace></row>';

  it('are read past comments, whatever stands in them', () => {
    const trace = opened(`<trace-query-result><!-- don't <row> --><!-- -> -->${row}</trace-query-result>`);
    assert.match(dumpTrace(trace), / {2}f 0\.\.2/);
    assert.deepEqual(problems(trace), []);
  });

  it('are read past tags without an end, in time that grows with the length of the file', () => {
    const began = cpuMs();
    const bytes = Buffer.from(`<trace-query-result>${'<'.repeat(3 << 20)}${row}${row}</trace-query-result>`);
    const trace = importWhole(anyImporter(), bytes, 1 << 12);
    assert.match(dumpTrace(trace), / {2}f 0\.\.2/);
    assert.match(problems(trace).join(), /A tag that is longer than any was passed over/);
    assert.ok(cpuMs() - began < 1000, `${cpuMs() - began} ms`);
  });

  it('are not in the list of what a trace holds', () => {
    const { format, advice } = recognise(
      Buffer.from('<?xml version="1.0"?>\n<trace-toc><run number="1"/></trace-toc>'),
    );
    assert.equal(format, undefined);
    assert.match(advice, /time-profile/);
  });
});
