// Flight Recorder's files, made by the test; test/integration/jfr reads those of real JVMs.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { javaName } from '../../../src/trace/formats/jfr/jfr-texts.js';
import { JfrTypes } from '../../../src/trace/formats/jfr/jfr-types.js';
import { JfrValues } from '../../../src/trace/formats/jfr/jfr-values.js';
import { lineFigures, type Trace, wholeTrace } from '../../../src/trace/index.js';
import { cpuMs } from '../cpu-time.js';
import { dumpTrace } from '../trace-dump.js';
import { jfrChunk, shopChunk, shopRecording } from './jfr-traces.js';
import { importWhole } from './round-trip.js';

const read = (bytes: Uint8Array): Trace => importWhole(anyImporter(), bytes, 1000);
const problems = (trace: Trace): string => trace.problems.map(({ what }) => what).join('; ');

describe('recordings of Flight Recorder', () => {
  it('are the same, compressed or not, described before the events or behind them', () => {
    const expected = dumpTrace(read(jfrChunk(shopChunk)));
    for (const isCompressed of [true, false])
      for (const isDescribedFirst of [true, false])
        assert.equal(dumpTrace(read(jfrChunk({ ...shopChunk, isCompressed, isDescribedFirst }))), expected);
  });

  it('say the line of each sample', () => {
    const trace = read(jfrChunk(shopChunk));
    const { count, line, selfCpu } = lineFigures(trace, wholeTrace);
    const ms: Record<number, number> = {};
    for (let row = 0; row < count; row++) if (selfCpu[row]! > 0) ms[line[row]!] = selfCpu[row]! / 1e6;
    // 41: to 10 ms, from 30 to the wait that begins at 34, and behind it from 54 to 58. 43: from 10 to 30.
    assert.deepEqual(ms, { 41: 18, 43: 20 });
  });

  it('give allocated bytes to the stack that allocated them, and a wait its class and owner', () => {
    const trace = read(jfrChunk(shopChunk));
    const main = trace.threads.find(({ isMain }) => isMain)!;
    const { intervals, waits } = main;
    const row = intervals.allocatedBytes.indexOf(4096);
    const method = trace.paths.method[intervals.path[row]!]!;
    assert.equal(trace.methods.qualifiedName(method), 'com.example.Shop.main');
    assert.equal(trace.className(waits.type[0]!), 'com.example.Shop');
    assert.equal(waits.object[0], 4096);
    assert.equal(waits.owner[0], trace.threads.find(({ tid }) => tid === 1201)!.index);
  });

  it('are shown as far as they go where the last chunk was not finished', () => {
    const bytes = shopRecording();
    const first = jfrChunk(shopChunk).length;
    const whole = read(bytes);
    // The second chunk describes its events first: its last event is cut.
    const torn = read(bytes.subarray(0, bytes.length - 3));
    assert.match(problems(torn), /last chunk was not finished/);
    assert.equal(torn.endNs, whole.endNs - 10e6);
    // One whose length is not written yet.
    const unfinished = Buffer.from(bytes);
    unfinished.writeBigInt64BE(0n, first + 8);
    assert.equal(read(unfinished).endNs, whole.endNs);
    // Of the first nothing is described.
    assert.match(problems(read(bytes.subarray(0, first - 3000))), /does not describe its events/);
  });

  it('go on behind a chunk whose events make no sense', () => {
    const damaged = jfrChunk(shopChunk);
    damaged.fill(0, 68, 90);
    const trace = read(
      Buffer.concat([
        jfrChunk(shopChunk),
        damaged,
        jfrChunk({ ...shopChunk, startNs: 1_700_000_001_000_000_000n }),
      ]),
    );
    assert.match(problems(trace), /No event stands here/);
    assert.ok(trace.endNs > 1e9);
  });

  it('take no longer for a long name that many events ask for', () => {
    const name = 'x'.repeat(100_000);
    const wait = ['jdk.ThreadPark', { startTime: 5, eventThread: 1, parkedClass: 1 }] as const;
    const sample = [
      'jdk.ExecutionSample',
      { startTime: 5, sampledThread: 1, stackTrace: 1, state: 1 },
    ] as const;
    const events = Array.from({ length: 20_000 }, (_, at) => (at % 2 === 0 ? wait : sample));
    const pools = {
      ...shopChunk.pools,
      'jdk.types.Symbol': [{ string: name }],
      'java.lang.Class': [{ classLoader: 0, name: 1 }],
      'jdk.types.ThreadState': [{ name }],
    };
    const bytes = jfrChunk({ pools, events });
    const began = cpuMs();
    assert.ok(read(bytes).threads.length > 0);
    assert.ok(cpuMs() - began < 1500, `${cpuMs() - began} ms`);
  });

  it('have no fields that take no bytes, and none of a type that nobody describes is passed over', () => {
    const strings = ['root', 'class', 'field', 'id', 'name', '1', '2', '3', '4', 'byte', 'Empty', 'Row', '9'];
    const at = (text: string): number => strings.indexOf(text);
    const type = (id: string, name: string, ...fields: number[][]): number[] => {
      return [at('class'), 2, at('id'), at(id), at('name'), at(name), fields.length, ...fields.flat()];
    };
    // Called as its type is; the attribute "class" says which.
    const field = (of: string): number[] => [at('field'), 2, at('name'), at(of), at('class'), at(of), 0];
    const classes = [
      ...[type('1', 'byte'), type('2', 'Empty'), type('3', 'Row', field('2'), field('1'))],
      type('4', 'name', field('9')),
    ];
    const body = [at('root'), 0, classes.length, ...classes.flat()];
    const texts = strings.flatMap((text) => [5, text.length, ...Buffer.from(text)]);
    const bytes = Uint8Array.from([strings.length, ...texts, ...body]);
    const values = new JfrValues();
    values.open(bytes, 0, bytes.length);
    const types = new JfrTypes();
    assert.ok(types.read(values));
    assert.deepEqual(
      types.get(3)?.fields.map(({ name }) => name),
      ['1'],
    );
    values.open(bytes, 0, bytes.length);
    types.skipValue(values, types.get(4)!);
    assert.ok(values.isBroken());
  });

  it('name classes as Java does', () => {
    assert.equal(javaName('[[Ljava/lang/String;'), 'java.lang.String[][]');
    assert.equal(javaName('[B'), 'byte[]');
    // No class of Java's, but a file may say so.
    assert.equal(javaName('[constructor'), 'constructor[]');
    assert.equal(javaName('Shop$$Lambda/0x00007f'), 'Shop$$Lambda/0x00007f');
  });
});
