import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { writePerfetto } from '../../../src/trace/formats/perfetto-export.js';
import { PerfettoImporter } from '../../../src/trace/formats/perfetto-import.js';
import { methodFigures, sumScope, wholeTrace } from '../../../src/trace/index.js';
import { dumpTrace } from '../trace-dump.js';
import { encoded, type Packet, systemPerfetto } from './perfetto-traces.js';
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

  it('takes CPU time and sleep from the scheduler', () => {
    const trace = importWhole(new PerfettoImporter(), systemPerfetto());
    const main = trace.threads.find(({ name }) => name === 'main')!;
    const sums = sumScope(trace, { ...wholeTrace, threads: [main.index] });
    const { method, total } = methodFigures(sums, trace.methods.count);
    const row = method.findIndex((one) => trace.methods.name(one) === 'measure');
    const { wall, cpu, wait } = total;
    // 2 to 12 µs; asleep from 6 to 9, and then ready until 11.
    assert.deepEqual([wall[row], cpu[row], wait[row]], [10_000, 5000, 3000]);
  });

  it('knows wake-ups without who woke, and threads that have ended', () => {
    const swap = (timestamp: number, prev: number, state: number, next: number): Packet => ({
      timestamp,
      pid: prev,
      sched_switch: { prev_pid: prev, prev_state: state, next_pid: next, prev_comm: `t${prev}` },
    });
    for (const wakeUp of ['sched_wakeup', 'sched_wakeup_new'])
      for (const dead of [16, 32, 64]) {
        const event = [
          swap(1000, 0, 0, 7),
          swap(2000, 7, 1, 8),
          { timestamp: 4000, pid: 8, [wakeUp]: { pid: 7, comm: 't7' } },
          swap(5000, 8, dead, 7),
          swap(9000, 7, 0, 0),
        ];
        const trace = importWhole(new PerfettoImporter(), encoded([{ ftrace_events: { cpu: 0, event } }]));
        const [sleeper, ended] = trace.threads;
        assert.deepEqual([...sleeper!.waits.begin, ...sleeper!.waits.end], [1000, 3000]);
        assert.equal(trace.links.count, 0);
        assert.deepEqual([ended!.name, ended!.waits.count], ['t8', 0]);
        assert.equal(ended!.intervals.end[ended!.intervals.count - 1], 4000);
      }
  });

  it('reads asynchronous slices of older producers, by ids that are of a process or of all', () => {
    const event = (sequence: number, time: number, name: string, phase: string, ids: object): Packet => ({
      timestamp: time,
      trusted_packet_sequence_id: sequence,
      track_event: { track_uuid: sequence, name, legacy_event: { phase: phase.charCodeAt(0), ...ids } },
    });
    const trace = importWhole(
      new PerfettoImporter(),
      encoded([
        ...[1, 2].map((pid) => ({
          trusted_packet_sequence_id: pid,
          track_descriptor: { uuid: pid, thread: { pid, tid: pid, thread_name: 'main' } },
        })),
        event(1, 1000, 'local', 'b', { local_id: 7 }),
        event(2, 2000, 'local', 'b', { local_id: 7 }),
        event(1, 3000, 'everywhere', 'S', { global_id: 7, id_scope: 'ipc' }),
        event(1, 4000, 'local', 'e', { local_id: 7 }),
        event(2, 5000, 'everywhere', 'F', { global_id: 7, id_scope: 'ipc' }),
        event(2, 6000, 'local', 'e', { local_id: 7 }),
        event(2, 6500, 'a mark', 'n', { local_id: 7 }),
        event(2, 7000, 'odd', 'Q', {}),
      ]),
    );
    const slices = trace.threads.map(({ name, calls }) => [name, calls.begin[0], calls.end[0]]);
    assert.deepEqual(slices, [
      ['local (1)', 0, 3000],
      ['local (2)', 1000, 5000],
      ['everywhere', 2000, 4000],
    ]);
    assert.deepEqual(
      trace.problems.map(({ what }) => what),
      ['1 event was not read: of the older kind "Q"'],
    );
  });

  it('reads counters that are told beside events, whole numbers and fractions, on tracks of their own or by default', () => {
    const counter = (uuid: number, name: string): Packet => ({
      track_descriptor: { uuid, name, counter: {} },
    });
    const beside = (timestamp: number, event: object): Packet => ({
      timestamp,
      sequence_flags: 2,
      track_event: { track_uuid: 1, type: 3, name: 'mark', ...event },
    });
    const packets: Packet[] = [
      { sequence_flags: 1, track_descriptor: { uuid: 1, thread: { pid: 7, tid: 8, thread_name: 'main' } } },
      ...[counter(11, 'whole'), counter(12, 'load'), counter(13, 'heat')],
      {
        trace_packet_defaults: {
          track_event_defaults: {
            extra_counter_track_uuids: [11],
            extra_double_counter_track_uuids: [12, 13],
          },
        },
      },
      beside(10, { extra_counter_values: [5], extra_double_counter_values: [0.25, 36.6] }),
      beside(20, { extra_double_counter_track_uuids: [13], extra_double_counter_values: [37.5] }),
    ];
    const { counters } = importWhole(
      new PerfettoImporter(),
      encoded(packets.map((packet) => ({ ...packet, trusted_packet_sequence_id: 3 }))),
    );
    const told = counters.map(({ name, value, count }) => `${name} ${value.subarray(0, count).join()}`);
    assert.deepEqual(told.sort(), ['heat 36.6,37.5', 'load 0.25', 'whole 5']);
  });

  it('tells names apart whose ids differ beyond 32 bits, and beyond 53', () => {
    const ids = [
      { low: 5, high: 0, unsigned: true },
      { low: 5, high: 1, unsigned: true },
      { low: 5, high: 0x80000000 | 0, unsigned: true },
      { low: 6, high: 0x80000000 | 0, unsigned: true },
    ];
    const packets: Packet[] = [
      {
        sequence_flags: 1,
        track_descriptor: { uuid: 1, thread: { pid: 7, tid: 8, thread_name: 'main' } },
        interned_data: {
          event_names: ids.map((iid, at) => ({ iid, name: `name ${at}` })),
          source_locations: ids.map((iid, at) => ({ iid, file_name: `file${at}.cc`, line_number: at + 1 })),
        },
      },
    ];
    ids.forEach((iid, at) => {
      const begin = { type: 1, track_uuid: 1, name_iid: iid, source_location_iid: iid };
      packets.push({ timestamp: at * 10 + 1, sequence_flags: 2, track_event: begin });
      packets.push({ timestamp: at * 10 + 5, sequence_flags: 2, track_event: { type: 2, track_uuid: 1 } });
    });
    packets.push({
      timestamp: 50,
      sequence_flags: 2,
      track_event: { type: 1, track_uuid: 1, name_iid: { low: 7, high: 0x80000000 | 0, unsigned: true } },
    });
    const { threads, methods } = importWhole(
      new PerfettoImporter(),
      encoded(packets.map((packet) => ({ ...packet, trusted_packet_sequence_id: 3 }))),
    );
    assert.deepEqual(
      Array.from(threads[0]!.calls.method.subarray(0, 5), (method) => [
        methods.qualifiedName(method),
        methods.file(method),
      ]),
      [
        ['name 0', 'file0.cc'],
        ['name 1', 'file1.cc'],
        ['name 2', 'file2.cc'],
        ['name 3', 'file3.cc'],
        ['(name 9223372036854775815 is missing)', ''],
      ],
    );
  });

  it('is read where its bytes are beyond 4 GiB, and what is wrong there has its place', () => {
    const calls = written(writePerfetto, smallTrace());
    const importer = new PerfettoImporter();
    // A packet of 4 MiB in a field that nobody knows.
    const field = [0xc2, 0x3e, 0x80, 0x80, 0x80, 0x02];
    const packet = new Uint8Array(5 + field.length + 2 ** 22);
    packet.set([0x0a, 0x86, 0x80, 0x80, 0x02, ...field]);
    for (let at = 0; at < 1025; at++) importer.append(packet);
    importer.append(calls);
    importer.append(Uint8Array.of(0x0a, 50, 8));
    const trace = importer.finish();
    const offset = 1025 * packet.length + calls.length;
    assert.ok(offset > 2 ** 32);
    assert.deepEqual(trace.problems, [
      { offset, what: 'The trace ends inside a packet; its last 3 bytes were left out' },
    ]);
    const shown = dumpTrace({ ...trace, problems: [], complete: true });
    assert.equal(shown, dumpTrace(smallTrace()).replace('format made', 'format perfetto'));
  });

  it('tells of packets whose content it does not read', () => {
    const packet = (field: number): Buffer => {
      const payload = Buffer.of((((field << 3) | 2) & 0x7f) | 0x80, (field << 3) >> 7, 2, 8, 1);
      return Buffer.concat([Buffer.of(0x0a, payload.length), payload]);
    };
    const bytes = Buffer.concat([
      encoded([{ timestamp: 5, track_event: { type: 1, name: 'a' } }]),
      ...[54, 54, 37, 133, 33].map(packet),
    ]);
    assert.deepEqual(
      importWhole(new PerfettoImporter(), bytes, 3)
        .problems.map(({ what }) => what)
        .slice(0, 3),
      [
        '2 packets were not read: samples of stacks',
        '1 packet was not read: what the heap held',
        '1 packet was not read: packets compressed with zstd: write the trace without that, or with deflate',
      ],
    );
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
