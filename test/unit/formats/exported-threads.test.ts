// Threads of several processes, and tracks that are no threads, stay apart in what is exported.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import protobuf from 'protobufjs';
import { anyImporter, exporters, recognise } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { importWhole, written } from './round-trip.js';
import { smallTrace } from './sample-traces.js';

const exporter = (id: string) => exporters.find((one) => one.id === id)!.write;

/** Two processes with a thread of one number, and requests that overlap. */
function twoProcesses(): Trace {
  const event = (ph: string, ts: number, more: object): object => ({ ph, ts, name: 'work', ...more });
  const events = [
    event('X', 10, { pid: 1, tid: 7, dur: 100 }),
    event('X', 20, { pid: 2, tid: 7, dur: 200 }),
    ...[1, 2, 3].flatMap((id) => [
      event('b', 10 * id, { pid: 1, tid: 7, cat: 'net', id, name: 'request' }),
      event('e', 100 + 50 * id, { pid: 1, tid: 7, cat: 'net', id, name: 'request' }),
    ]),
  ];
  return importWhole(anyImporter(), Buffer.from(JSON.stringify(events)));
}

/** Of all calls of a name, the ms together. */
function sumMs(trace: Trace, name: string): number {
  let ns = 0;
  for (const { calls } of trace.threads)
    for (let row = 0; row < calls.count; row++)
      if (trace.methods.name(calls.method[row]!) === name) ns += calls.end[row]! - calls.begin[row]!;
  return ns / 1e3;
}

interface ChromeEvent {
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
}

describe('threads of an exported trace', () => {
  for (const id of ['chrome', 'perfetto']) {
    it(`keep their processes and their calls as ${id}`, () => {
      const trace = twoProcesses();
      const again = importWhole(anyImporter(), written(exporter(id), trace));
      assert.deepEqual(again.problems, []);
      assert.equal(again.threads.length, trace.threads.length);
      for (const name of ['work', 'request']) assert.equal(sumMs(again, name), sumMs(trace, name));
      assert.equal(sumMs(again, 'request'), 140 + 180 + 220);
      const pids = again.threads.filter(({ tid }) => tid === 7).map(({ pid }) => pid);
      assert.deepEqual(pids.sort(), [1, 2]);
    });
  }

  it('have numbers of their own in Chrome JSON, and no empty names', () => {
    const { traceEvents } = JSON.parse(
      Buffer.from(written(exporter('chrome'), twoProcesses())).toString(),
    ) as {
      readonly traceEvents: readonly ChromeEvent[];
    };
    const tracks = new Set(traceEvents.filter(({ ph }) => ph === 'B').map(({ pid, tid }) => `${pid} ${tid}`));
    assert.equal(tracks.size, 5);
    const unnamed = importWhole(anyImporter(), Buffer.from('main;run 5\nmain;stop 7\n'));
    const text = Buffer.from(written(exporter('chrome'), unnamed)).toString();
    assert.doesNotThrow(() => JSON.parse(text) as unknown);
    assert.doesNotMatch(text, /"name":""/);
    assert.equal(recognise(Buffer.from(text)).format, 'chrome');
  });

  it('are written on BOOTTIME in Perfetto, tied to no clock that is not known', () => {
    const schema = protobuf.parse(readFileSync('proto/perfetto.proto', 'utf8'), { keepCase: true }).root;
    const type = schema.lookupType('perfetto.Trace');
    const clocksOf = (trace: Trace): number[] => {
      const { packet } = type.toObject(type.decode(written(exporter('perfetto'), trace))) as {
        packet: { clock_snapshot?: { clocks: { clock_id: number; timestamp: unknown }[] } }[];
      };
      const ids = packet.flatMap(({ clock_snapshot }) => clock_snapshot?.clocks ?? []);
      return [...new Set(ids.map(({ clock_id }) => clock_id))].sort((a, b) => a - b);
    };
    const foreign = importWhole(anyImporter(), Buffer.from('main;run 5\n'));
    assert.deepEqual(clocksOf(foreign), [6, 64]);
    assert.deepEqual(clocksOf(smallTrace()), [1, 3, 6, 64]);
  });

  it('have flows only from call to call in Chrome JSON', () => {
    const { traceEvents } = JSON.parse(Buffer.from(written(exporter('chrome'), smallTrace())).toString()) as {
      readonly traceEvents: readonly { ph: string; ts: number; tid: number }[];
    };
    // The waker's call ends at the moment of the link: the flow begins before that end.
    const flow = traceEvents.find(({ ph }) => ph === 's')!;
    const ends = traceEvents.filter(({ ph, tid }) => ph === 'E' && tid === flow.tid);
    assert.ok(
      ends.some(({ ts }) => flow.ts < ts && ts - flow.ts < 0.01),
      `${flow.ts} before the end of a call`,
    );
  });

  it('come of a Perfetto trace whose first packets are empty, too', () => {
    const bytes = Buffer.concat([
      Buffer.from([0x0a, 0, 0x0a, 0]),
      written(exporter('perfetto'), smallTrace()),
    ]);
    assert.equal(recognise(bytes).format, 'perfetto');
    assert.equal(importWhole(anyImporter(), bytes).threads.length, 2);
  });
});
