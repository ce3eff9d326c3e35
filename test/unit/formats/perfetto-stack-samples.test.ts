/** Samples in Perfetto's own form: those of a recording, written and read again, and those of other profilers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { writePerfetto } from '../../../src/trace/formats/perfetto-export.js';
import { methodOf, stackOf, weightsOfStacks, callerOf } from '../../../src/trace/formats/written-stacks.js';
import type { Trace } from '../../../src/trace/index.js';
import { IntervalState } from '../../../src/trace/model/trace.js';
import { decoded, synthetic } from '../trace/recordings.js';
import { encoded, type Packet } from './perfetto-traces.js';
import { importWhole, written } from './round-trip.js';
import { smallTrace } from './sample-traces.js';

const type = protobuf
  .parse(readFileSync('proto/perfetto.proto', 'utf8'), { keepCase: true })
  .root.lookupType('perfetto.Trace');

interface Read {
  readonly packet: readonly (Packet & {
    readonly timestamp?: number;
    readonly trace_packet_defaults?: {
      stack_sample_defaults?: { source: string; follower_descriptors?: { name: string }[] };
    };
    readonly interned_data?: {
      function_names?: { iid: number; str: string }[];
      frames?: { iid: number; function_name_id: number; line_number?: number }[];
      callstacks?: { iid: number; frame_ids: number[] }[];
    };
    readonly stack_sample?: {
      task_context: { pid: number; tid: number };
      callstack_iid: number;
      primary_weight: number;
      follower_weights?: number[];
    };
  })[];
}

const read = (bytes: Uint8Array): Read =>
  type.toObject(type.decode(bytes), { longs: Number, bytes: String }) as Read;

async function recording(): Promise<Trace> {
  return decoded((await synthetic({ seed: 9, samples: 4000, threads: 3, methods: 80, depth: 12 })).bytes);
}

/** By thread and stack, outermost first: wall and CPU time. */
function sums(trace: Trace): Map<string, number[]> {
  const all = new Map<string, number[]>();
  for (const thread of trace.threads)
    for (const [stack, values] of weightsOfStacks(thread, ['wall', 'cpu'])) {
      const names: string[] = [];
      for (let at = stack; at !== 0; at = callerOf(trace, at))
        names.unshift(trace.methods.qualifiedName(methodOf(trace, at)));
      const key = `${thread.tid} ${names.join(';')}`;
      const before = all.get(key) ?? [0, 0];
      all.set(key, [before[0]! + values[0]!, before[1]! + values[1]!]);
    }
  return all;
}

/** Each capture is rounded to whole ns. */
function assertNear(found: ReadonlyMap<string, number[]>, expected: ReadonlyMap<string, number[]>): void {
  const told = [...expected].filter(([, values]) => values.some((value) => value >= 1));
  assert.ok(told.length > 100);
  for (const [key, values] of told)
    values.forEach((value, at) =>
      assert.ok(
        Math.abs((found.get(key)?.[at] ?? 0) - value) <= 200,
        `${key}: ${String(found.get(key)?.[at])} and not ${value}`,
      ),
    );
}

describe('stack samples in a Perfetto trace', () => {
  it('are those of the recording: stacks, threads, wall and CPU time', async () => {
    const trace = await recording();
    const { packet } = read(written(writePerfetto, trace));
    const names = new Map<number, string>();
    const frames = new Map<number, number>();
    const stacks = new Map<number, string>();
    const found = new Map<string, number[]>();
    let [samples, lines] = [0, 0];
    for (const { interned_data: interned, stack_sample: sample } of packet) {
      for (const { iid, str } of interned?.function_names ?? [])
        names.set(iid, Buffer.from(str, 'base64').toString());
      for (const frame of interned?.frames ?? []) {
        frames.set(frame.iid, frame.function_name_id);
        if ((frame.line_number ?? 0) > 0) lines++;
      }
      for (const { iid, frame_ids } of interned?.callstacks ?? [])
        stacks.set(iid, frame_ids.map((id) => names.get(frames.get(id)!)!).join(';'));
      if (sample === undefined) continue;
      samples++;
      const key = `${sample.task_context.tid} ${stacks.get(sample.callstack_iid)!}`;
      const before = found.get(key) ?? [0, 0];
      found.set(key, [before[0]! + sample.primary_weight, before[1]! + sample.follower_weights![0]!]);
    }
    assertNear(found, sums(trace));
    const shown = trace.threads.reduce((count, { intervals }) => {
      const rows = Array.from({ length: intervals.count }, (_, row) => row);
      const isTold = (row: number): boolean =>
        stackOf(intervals, row) !== 0 && intervals.end[row]! > intervals.begin[row]!;
      return count + rows.filter(isTold).length;
    }, 0);
    assert.ok(samples >= shown && shown > 1000, `${samples} of ${shown}`);
    assert.ok(lines > 0);
    const [defaults] = packet.flatMap((one) => one.trace_packet_defaults?.stack_sample_defaults ?? []);
    assert.equal(defaults!.source, 'btrace');
    assert.equal(defaults!.follower_descriptors![0]!.name, 'CPU time');
  });

  it('of BTrace are not shown again beside the calls that came of them', async () => {
    const trace = await recording();
    const again = importWhole(anyImporter(), written(writePerfetto, trace), 5000);
    assert.deepEqual(again.problems, []);
    assert.deepEqual(
      again.threads.map(({ tid, calls }) => [tid, calls.count]),
      trace.threads.map(({ tid, calls }) => [tid, calls.count]),
    );
  });

  it('come back as they were where they stand alone', async () => {
    const trace = await recording();
    const { packet } = type.decode(written(writePerfetto, trace)) as unknown as {
      packet: readonly { track_event: unknown; track_descriptor: unknown }[];
    };
    const alone = packet.filter((one) => one.track_event === null && one.track_descriptor === null);
    const again = importWhole(anyImporter(), type.encode({ packet: alone }).finish(), 5000);
    assert.deepEqual(again.problems, []);
    const wall = (of: Trace): Map<string, number[]> =>
      new Map([...sums(of)].map(([key, [ns]]) => [key, [ns!]]));
    assertNear(wall(again), wall(trace));
  });

  it('are not made up of a trace that has events alone', () => {
    const { packet } = read(written(writePerfetto, smallTrace()));
    assert.equal(packet.filter(({ stack_sample }) => stack_sample !== undefined).length, 0);
  });

  it('of another profiler stand for the time that they say, or else for the time between them', () => {
    const text = (iid: number, str: string): Packet => ({ iid, str: Buffer.from(str) });
    const sample = (timestamp: number, tid: number, more: Packet): Packet => ({
      timestamp,
      trusted_packet_sequence_id: 7,
      sequence_flags: 2,
      stack_sample: { task_context: { pid: 100, tid }, callstack_iid: 1, ...more },
    });
    const ms = 1_000_000;
    const trace = importWhole(
      anyImporter(),
      encoded([
        {
          trusted_packet_sequence_id: 7,
          sequence_flags: 1,
          trace_packet_defaults: {
            stack_sample_defaults: {
              source: 'python.wall',
              primary_descriptor: { name: 'wall-time', unit: 1, unit_multiplier: 1000 },
            },
          },
          interned_data: {
            function_names: [text(1, 'main'), text(2, 'spin')],
            frames: [
              { iid: 1, function_name_id: 1 },
              { iid: 2, function_name_id: 2 },
            ],
            callstacks: [{ iid: 1, frame_ids: [1, 2] }],
          },
        },
        sample(100 * ms, 101, { primary_weight: 30_000 }),
        sample(110 * ms, 101, { primary_weight: 5000 }),
        sample(150 * ms, 101, { primary_weight: 0 }),
        sample(100 * ms, 102, { primary_descriptor: { name: 'cpu-clock', unit: 1 }, primary_weight: 4 * ms }),
        sample(100 * ms, 103, { primary_descriptor: { name: 'faults', unit: 9 }, primary_weight: 4 }),
        sample(120 * ms, 103, { primary_descriptor: { name: 'faults', unit: 9 }, primary_weight: 4 }),
        sample(120 * ms, 104, { callstack_iid: 9 }),
      ]),
    );
    const told = trace.threads.map(({ tid, intervals }) => {
      let [wall, cpu] = [0, 0];
      for (let row = 0; row < intervals.count; row++) {
        if (intervals.state[row] === IntervalState.Gap) continue;
        wall += (intervals.end[row]! - intervals.begin[row]!) / ms;
        cpu += intervals.cpu[row]! / ms;
      }
      return [tid, wall, cpu];
    });
    assert.deepEqual(told, [
      [101, 35, 0],
      [102, 4, 4],
      [103, 40, 40],
    ]);
    assert.deepEqual(
      trace.problems.map(({ what }) => what),
      ['1 sample has a stack that the trace does not hold'],
    );
    assert.equal(trace.methods.qualifiedName(trace.threads[0]!.calls.method[1]!), 'spin');
  });
});
