import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { writePerfetto } from '../../../src/trace/formats/perfetto-export.js';
import { PerfettoImporter } from '../../../src/trace/formats/perfetto-import.js';
import { dumpTrace } from '../trace-dump.js';
import { smallTrace } from './sample-traces.js';
import { decoded, synthetic } from '../trace/recordings.js';
import { importWhole, written } from './round-trip.js';

const schema = protobuf.parse(readFileSync('proto/perfetto.proto', 'utf8'), { keepCase: true }).root;
const traceType = schema.lookupType('perfetto.Trace');

describe('Perfetto protobuf', () => {
  it('gives the same calls when what was written is read again, whatever the pieces', () => {
    const trace = smallTrace();
    const bytes = written(writePerfetto, trace);
    for (const piece of [bytes.length, 1, 7, 64]) {
      const again = importWhole(new PerfettoImporter(), bytes, piece);
      assert.equal(dumpTrace(again), dumpTrace(trace).replace('format made', 'format perfetto'));
    }
  });

  it('tells beside the calls of a recording what each thread had allocated', async () => {
    const trace = decoded(
      (await synthetic({ seed: 3, samples: 2000, threads: 2, depth: 6, methods: 40 })).bytes,
    );
    const bytes = written(writePerfetto, trace);
    const again = importWhole(new PerfettoImporter(), bytes, 1000);
    assert.deepEqual(again.problems, []);
    assert.equal(again.counters.length, 4);
    for (const { name, intervals } of trace.threads) {
      for (const [what, column] of [
        ['allocated bytes', intervals.allocatedBytes],
        ['allocations', intervals.allocations],
      ] as const) {
        const counter = again.counters.find((one) => one.name === `${what} by ${name}`)!;
        const before = column.subarray(0, intervals.count).reduce((sum, value) => sum + value, 0);
        assert.equal(counter.value[counter.count - 1], Math.round(before), `${what} by ${name}`);
        assert.equal(counter.unit, what === 'allocations' ? '1' : 'bytes');
      }
    }
    // The clocks beside them are still told apart.
    for (const [at, { calls }] of trace.threads.entries()) {
      const read = again.threads[at]!.calls;
      assert.equal(read.count, calls.count);
      assert.ok(Math.abs(read.cpu[0]! - calls.cpu[0]!) <= 1);
    }
  });

  it('is what Perfetto’s schema says', () => {
    const message = traceType.toObject(traceType.decode(written(writePerfetto, smallTrace())), {
      longs: Number,
    });
    const packets = message['packet'] as Record<string, Record<string, unknown>>[];
    const begun = packets.filter((packet) => packet['track_event']?.['type'] === 1);
    assert.equal(begun.length, 8);
    assert.ok(packets.some((packet) => packet['clock_snapshot'] !== undefined));
  });
});
