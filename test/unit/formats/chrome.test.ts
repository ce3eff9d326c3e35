import assert from 'node:assert/strict';
import { writeChrome } from '../../../src/trace/formats/chrome-export.js';
import { ChromeImporter } from '../../../src/trace/formats/chrome-import.js';
import { dumpTrace } from '../trace-dump.js';
import { smallTrace } from './sample-traces.js';
import { importWhole, written } from './round-trip.js';

function read(text: string, piece?: number): string {
  return dumpTrace(importWhole(new ChromeImporter(), Buffer.from(text), piece));
}

describe('Chrome JSON', () => {
  it('gives the same calls when what was written is read again, whatever the pieces', () => {
    const trace = smallTrace();
    const bytes = written(writeChrome, trace);
    for (const piece of [bytes.length, 1, 7, 64]) {
      const again = importWhole(new ChromeImporter(), bytes, piece);
      assert.equal(
        dumpTrace(again),
        dumpTrace(trace)
          .replace('format made', 'format chrome')
          // At the end of its call, which a flow must lie in.
          .replace('woken by 2 @9000000', 'woken by 2 @8999999')
          .replaceAll(/ at Shop.*/g, ''),
      );
    }
    assert.doesNotThrow(() => JSON.parse(Buffer.from(bytes).toString()));
  });

  it('reads what nobody closed as whole, and tells of an event that is cut', () => {
    const events = '{"name":"a","ph":"B","ts":1,"pid":1,"tid":1},\n{"ph":"E","ts":3,"pid":1,"tid":1}';
    for (const begin of ['[', '{"traceEvents":[']) {
      const whole = read(`${begin}${events}]${begin === '[' ? '' : '}'}`);
      assert.match(whole, / a 0\.\.2000\n$/);
      for (const end of ['', '\n', ',', ',\n', ' ,\r\n\n', ']']) {
        assert.equal(read(begin + events + end), whole, JSON.stringify(end));
        assert.equal(read(begin + events + end, 1), whole, JSON.stringify(end));
      }
      for (const end of [',{', ',\n{"ph":"B","ts":9', ',{"name":"b'])
        assert.match(read(begin + events + end), /problem @\d+: The trace ends inside an event/);
    }
  });

  it('reads what had not ended when tracing did, and tells of what it does not read', () => {
    const events = [
      { name: 'outer', ph: 'X', ts: 1, dur: 9 },
      { name: 'unfinished', ph: 'X', ts: 3 },
      { name: 'in it', ph: 'X', ts: 4, dur: 1 },
      { name: 'last', ph: 'X', ts: 20 },
      { name: 'end of all', ph: 'X', ts: 21, dur: 4 },
      { name: 'Profile', ph: 'P', ts: 2, args: { data: {} } },
      { name: 'ProfileChunk', ph: 'P', ts: 3, args: { data: { cpuProfile: { samples: [1, 2] } } } },
      { name: 'a mark', ph: 'I', ts: 5 },
      { name: 'what is this', ph: 'Z', ts: 6 },
    ].map((event) => ({ pid: 1, tid: 1, ...event }));
    for (const extra of [{}, { samples: [] }])
      assert.equal(
        read(JSON.stringify({ traceEvents: events, ...extra })),
        `format chrome pid 1 target "" cpu false
start monotonic 1000 boottime 0 end 24000
thread 1 "" main
  outer 0..9000
    unfinished 2000..9000
      in it 3000..4000
  last 19000..24000
    end of all 20000..24000
problem: 1 event of the kind "Z" is not a call; it was left out
problem: 2 samples stand at a call that the file does not hold
problem: thread 1: 1 call was still open; it ends with the trace
`,
      );
    const stackFrames = { 1: { name: 'main' } };
    const samples = [{ cpu: 0, tid: 1, ts: 1, name: 'cycles', sf: 1, weight: 1 }];
    assert.match(
      read(JSON.stringify({ traceEvents: [], stackFrames, samples })),
      /problem: 1 sample of a stack was not read/,
    );
  });

  it('calls processes and threads by ids that are words, and tells ids below 0 from them', () => {
    const events = [
      { name: 'a', ph: 'X', pid: 'Spans', tid: 'steps', ts: '10.5', dur: '20.25' },
      { name: 'b', ph: 'X', pid: 'python', tid: 3, ts: 12, dur: 1 },
      { name: 'c', ph: 'X', pid: -1, tid: -1, ts: 12, dur: 1 },
      { name: 'no time', ph: 'X', pid: 'python', tid: 3, ts: 'soon', dur: 1 },
      { name: 'unfinished', ph: 'X', pid: 'python', tid: 3, ts: 14, dur: null },
    ];
    assert.equal(
      read(JSON.stringify(events)),
      `format chrome pid 0 target "Spans" cpu false
start monotonic 10500 boottime 0 end 20250
thread 0 "steps (Spans)"
  a 0..20250
thread 3 "python"
  b 1500..2500
  unfinished 3500..20250
thread 0 "-1"
  c 1500..2500
problem: 1 event has no time; it was left out
problem: thread "python": 1 call was still open; it ends with the trace
`,
    );
  });

  it('tells of what stands after its end, once, and keeps what no JSON escapes', () => {
    const array = (name: string): string => `[{"name":"${name}","ph":"X","pid":1,"tid":1,"ts":0,"dur":1}]`;
    const wanted = 'problem @55: The JSON of the trace ends before this; what follows was not read\n';
    for (const piece of [1, 7, 1000]) {
      const text = read(`${array('a')}\n${array('b')}\n${array('c')}`, piece);
      assert.deepEqual(text.split('\n').slice(3), ['  a 0..1000', ...wanted.split('\n')]);
      assert.doesNotMatch(read(`${array('a')}\n \n\0\0`, piece), /problem/);
    }
    assert.ok(read(array('C:\\dir\\x \\"quoted\\" \\/ \\\\ \\n')).includes('  C:\\dir\\x "quoted" / \\ \n'));
  });

  it('has times to the nanosecond, however long the clock has run', () => {
    const at = (name: string, ts: string): string =>
      `{"name":"${name}","ph":"X","pid":1,"tid":1,"ts":${ts},"dur":0.002}`;
    const text = read(
      `[${at('a', '1666382280874284.123')},${at('b', '1666382280874284.127')},${at('c', '1666382280874283.999')}]`,
    );
    assert.deepEqual(text.split('\n').slice(3, -1), ['  c 0..2', '  a 124..126', '  b 128..130']);
  });

  it('lays asynchronous slices out beside each other, and ends those with the trace that nobody ended', () => {
    const event = (ph: string, id: number, ts: number, name = 'get'): object => ({
      name,
      cat: 'net',
      ph,
      pid: 1,
      tid: 1,
      id,
      ts,
    });
    const events = [
      event('b', 1, 10),
      event('b', 2, 20),
      event('e', 1, 30),
      event('b', 3, 35),
      event('e', 3, 40),
      event('b', 4, 45),
      event('e', 9, 50),
      // Earlier than the first of the file.
      event('b', 5, 1, 'before'),
      event('e', 5, 2, 'before'),
      event('b', 6, 3, 'before'),
      event('e', 6, 4, 'before'),
      { name: 'main', ph: 'X', pid: 1, tid: 1, ts: 10, dur: 90 },
    ];
    assert.equal(
      read(JSON.stringify(events)),
      `format chrome pid 1 target "" cpu false
start monotonic 1000 boottime 0 end 99000
thread 1 "" main
  main 9000..99000
thread 0 "before"
  before 0..1000
  before 2000..3000
thread 0 "get"
  get 9000..29000
  get 34000..39000
  get 44000..99000
thread 0 "get 2"
  get 19000..99000
problem: 1 asynchronous end had no begin; it was left out
problem: thread "get": 1 call was still open; it ends with the trace
problem: thread "get 2": 1 call was still open; it ends with the trace
`,
    );
    const many = Array.from({ length: 40 }, (_, i) => event('b', i, i)).concat(
      Array.from({ length: 40 }, (_, i) => event('e', i, 100 + i)),
    );
    assert.equal(importWhole(new ChromeImporter(), Buffer.from(JSON.stringify(many))).threads.length, 32);
  });

  it('tells of the kernel’s events within it', () => {
    const event = { name: 'a', ph: 'X', pid: 1, tid: 1, ts: 1, dur: 2 };
    const text = JSON.stringify({ traceEvents: [event], systemTraceEvents: '# tracer: nop\n' });
    assert.match(read(text), /problem: The kernel’s events in "systemTraceEvents" were not read/);
  });

  it('reads complete events in any order, and nests them', () => {
    const text = `[
      {"name":"inner","ph":"X","ts":2.5,"dur":1,"pid":1,"tid":2,"args":{"a":[1,{"b":"]}"}]}},
      {"name":"outer","ph":"X","ts":1,"dur":5,"pid":"1","tid":"2"},
      {"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"main \\u00e9"}}`;
    const wanted = `format chrome pid 1 target "" cpu false
start monotonic 1000 boottime 0 end 5000
thread 2 "main é"
  outer 0..5000
    inner 1500..2500
`;
    // The array is not closed: its own tools accept that.
    for (let piece = 1; piece < text.length; piece += 13) assert.equal(read(text, piece), wanted);
    assert.equal(read(text + '\n]'), wanted);
    assert.equal(read(`{"a":{"traceEvents":[1]},"traceEvents":${text}],"b":"x\\"]"}`), wanted);
  });
});
