/** A device's trace as chunks of a recording, where its numbers cannot be what they stand for. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { serviceDecoder, textDecoder } from '../../../src/targets/android/trace-decoder.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { System } from '../../../src/trace/recording/scheduling.js';
import { SystemChunks } from '../../../src/trace/system/system-chunks.js';

const Trace = protobuf.parse(readFileSync('proto/perfetto.proto', 'utf8')).root.lookupType('perfetto.Trace');
const clock = { monotonicNs: 1_000_000_000_000n, boottimeNs: 1_000_000_000_000n };
const mostUint64 = '18446744073709551615';

/** The tasks that the recording gets, and chunks that hold them. */
function collected() {
  const tasks: unknown[] = [];
  const chunks = new SystemChunks((kind, payload) => {
    if (kind === ChunkKind.System) tasks.push(...System.decode(payload).tasks);
  }, false);
  return { tasks, chunks };
}

describe('the trace of a device', () => {
  it('loses no more events than can be counted, and none on cores that cannot be', () => {
    const decoder = serviceDecoder(collected().chunks, clock);
    const stats = (cpu: number, overrun: string) => ({ ftraceStats: { cpuStats: [{ cpu, overrun }] } });
    const packet = [
      ...[stats(0, '5'), stats(0, mostUint64), stats(0, '12')],
      ...[stats(4_000_000_000, '1'), stats(4_000_000_000, '100')],
      { traceStats: { bufferStats: [{ chunksOverwritten: mostUint64 }, { chunksDiscarded: 3 }] } },
    ];
    decoder.take(Trace.encode(Trace.fromObject({ packet })).finish());
    assert.equal(decoder.finish().system.lost, 12 - 5 + 3);
  });

  it('names no threads by numbers that Linux does not give', () => {
    const { chunks, tasks } = collected();
    const decoder = serviceDecoder(chunks, clock);
    const created = (pid: number) => ({
      timestamp: '1000000000001',
      pid: 7,
      taskNewtask: { pid, comm: 'a', cloneFlags: 0 },
    });
    const packet = [
      { processTree: { threads: [{ tid: 2_000_000_000, tgid: 7 }] } },
      { processTree: { threads: [{ tid: 8, tgid: 2_000_000_000, name: 'worker' }] } },
      { ftraceEvents: { cpu: 0, event: [created(-5), created(9)] } },
    ];
    decoder.take(Trace.encode(Trace.fromObject({ packet })).finish());
    assert.deepEqual(tasks, [
      { tid: 9, pid: 9, name: '' },
      { tid: 8, pid: 0, name: 'worker' },
      { tid: 9, pid: 9, name: 'a' },
    ]);
  });

  it('as text counts what its buffers had no room for, if that can be a count', () => {
    const lostOf = (written: string): number | undefined => {
      const decoder = textDecoder(collected().chunks, clock);
      const text = `# tracer: nop\n# entries-in-buffer/entries-written: 100/${written}   #P:2\n a-7 (7) [000] d..2 1000.000001: sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=b next_pid=8 next_prio=120\n`;
      decoder.take(Buffer.from(text));
      const { system, damage } = decoder.finish();
      assert.equal(damage, '');
      return system.lost;
    };
    assert.equal(lostOf('130'), 30);
    assert.equal(lostOf('100'), 0);
    assert.equal(lostOf('9'.repeat(400)), 0);
  });
});
