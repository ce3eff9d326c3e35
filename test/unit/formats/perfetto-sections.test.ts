/** A recording with sections, messages between processes and counters of a system's trace, in Perfetto's form and back. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import protobuf from 'protobufjs';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { writePerfetto } from '../../../src/trace/formats/perfetto-export.js';
import type { ThreadTrack, Trace } from '../../../src/trace/index.js';
import { Random } from '../../../src/trace/synth/random.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { SchedState } from '../../../src/trace/system/kernel-sink.js';
import { layBeside } from '../../../src/trace/system/lay-beside.js';
import { writeMerged } from '../../../src/trace/system/merge.js';
import { decoded, MemorySink, synthetic } from '../trace/recordings.js';
import { importWhole, written } from './round-trip.js';
import { encoded } from './perfetto-traces.js';

const [pid, system, server] = [4000, 9000, 9001];
const contended = (owner: number): string => `Lock contention on InternTable lock (owner tid: ${owner})`;

/** Sections of the first two threads, which end on another core than they began on, calls to a server, and counters. */
function events({ threads, beginNs }: Trace): KernelEvents {
  const made = new KernelEvents();
  const random = new Random(5);
  const print = (time: number, tid: number, text: string): void => {
    const bytes = Buffer.from(text);
    made.print(time, tid, bytes, 0, bytes.length);
  };
  const [main, other] = [threads[0]!.tid, threads[1]!.tid];
  const ms = 1_000_000;
  let [now, id] = [beginNs + ms, 0];
  made.switched(now, 0, SchedState.Runnable, main, 0);
  made.switched(now, 0, SchedState.Runnable, other, 1);
  made.switched(now, 0, SchedState.Runnable, server, 2);
  for (let round = 0; round < 300; round++) {
    const tid = round % 2 === 0 ? main : other;
    print((now += 1000 + random.below(5000)), tid, `B|${pid}|frame ${round % 7}|of ${tid}`);
    if (round % 10 === 1) {
      print((now += 500), tid, `B|${pid}|${contended(main)}`);
      print((now += 700), tid, `E|${pid}`);
    }
    if (round % 5 === 0) {
      made.binderSent((now += 10), tid, ++id, system, false, 16);
      made.binderReceived((now += 10), server, id);
      print((now += 10), server, `B|${system}|AIDL::java::IShop::add::server`);
      print((now += 2000), server, `E|${system}`);
      made.binderSent((now += 10), server, ++id, pid, true, 0);
      made.binderReceived((now += 10), tid, id);
    }
    // The two threads change their cores between begin and end.
    if (round % 50 === 0) {
      const swapped = round % 100 === 0;
      made.switched((now += 1), swapped ? main : other, SchedState.Runnable, swapped ? other : main, 0);
      made.switched(now, swapped ? other : main, SchedState.Runnable, swapped ? main : other, 1);
    }
    print((now += 100), tid, `E|${pid}`);
    print(now, tid, `C|${pid}|queue|${round}`);
    if (round % 20 === 0) print(now, tid, `S|${pid}|request|${round}`);
    if (round % 20 === 9) print(now, tid, `F|${pid}|request|${round - 9}`);
  }
  made.nameThread(system, 'system_server', system);
  made.nameThread(server, 'Binder:9000_1', system);
  for (const thread of threads) made.nameThread(thread.tid, thread.name, pid);
  return made;
}

async function recording(): Promise<Trace> {
  const { bytes } = await synthetic({ seed: 4, samples: 3000, threads: 3, methods: 50, depth: 8 });
  const own = decoded(bytes);
  const shift = { ns: 0, clock: 'monotonic', isMeasured: true } as const;
  const sink = new MemorySink();
  await writeMerged(() => Readable.from([bytes]), layBeside(events(own), shift, 'perfetto', own), sink);
  const trace = decoded(sink.bytes);
  // Those that are made up belong to no process.
  return { ...trace, info: { ...trace.info, pid } };
}

interface Shown {
  readonly calls: readonly string[];
  readonly waits: readonly string[];
}

/** Times as they count from the process's start, as the two traces count from different moments. */
function shown({ methods, threads }: Trace, { calls, waits }: ThreadTrack, shiftNs: number): Shown {
  const tidOf = (index: number): number => threads.find((thread) => thread.index === index)?.tid ?? 0;
  return {
    calls: Array.from({ length: calls.count }, (_, row) => {
      const [begin, end] = [calls.begin[row]! + shiftNs, calls.end[row]! + shiftNs];
      return `${calls.depth[row]} ${methods.qualifiedName(calls.method[row]!)} ${Math.round(begin)}..${Math.round(end)}`;
    }),
    waits: Array.from({ length: waits.count }, (_, row) => {
      const [begin, end] = [waits.begin[row]! + shiftNs, waits.end[row]! + shiftNs];
      return `${waits.kind[row]} ${Math.round(begin)}..${Math.round(end)} ${tidOf(waits.owner[row]!)}`;
    }),
  };
}

describe('sections of a recording in a Perfetto trace', () => {
  it('come back as they were, beside the calls of the same threads', async () => {
    const trace = await recording();
    const sections = trace.system!.sections!;
    const bytes = written(writePerfetto, trace);
    const again = importWhole(anyImporter(), bytes, 10_000);
    assert.deepEqual(again.problems, []);
    const shiftNs = Number(again.info.startBoottimeNs - trace.info.startBoottimeNs);
    for (const track of sections.threads) {
      const expected = shown(sections, track, 0);
      assert.ok(expected.calls.length > 0);
      const read = again.threads
        .filter(({ tid }) => tid === track.tid)
        .map((thread) => shown(again, thread, shiftNs));
      assert.ok(
        read.some(({ calls }) => calls.join('\n') === expected.calls.join('\n')),
        `sections of ${track.name}`,
      );
      const waits = read.find(({ calls }) => calls.join('\n') === expected.calls.join('\n'))!.waits;
      for (const wait of expected.waits) assert.ok(waits.includes(wait), `${track.name}: ${wait}`);
    }
    assert.equal(sections.threads.filter(({ waits }) => waits.count >= 30).length, 2);
    for (const track of trace.threads) {
      const expected = shown(trace, track, 0).calls;
      const read = again.threads.filter(({ tid }) => tid === track.tid);
      assert.ok(
        read.some((thread) => shown(again, thread, shiftNs).calls.join('\n') === expected.join('\n')),
        `calls of ${track.name}`,
      );
    }
    const counter = (of: Trace, byNs: number): string[] => {
      const { count, time, value } = of.counters.find(({ name }) => name.startsWith('queue'))!;
      return Array.from({ length: count }, (_, row) => `${Math.round(time[row]! + byNs)}=${value[row]}`);
    };
    assert.deepEqual(counter(again, shiftNs), counter(trace, 0));
  });

  it('are what was traced, in bundles of the core that the thread ran on', async () => {
    const trace = await recording();
    const schema = protobuf.parse(readFileSync('proto/perfetto.proto', 'utf8'), { keepCase: true }).root;
    const type = schema.lookupType('perfetto.Trace');
    const message = type.toObject(type.decode(written(writePerfetto, trace)), { longs: Number }) as {
      packet: {
        ftrace_events?: {
          cpu: number;
          event?: { timestamp: number; pid: number; print?: { buf: string }; binder_transaction?: object }[];
        };
        track_descriptor?: { thread?: { tid: number }; disallow_merging_with_system_tracks?: boolean };
      }[];
    };
    const rows = message.packet.flatMap(({ ftrace_events: bundle }) =>
      (bundle?.event ?? []).map((event) => ({ cpu: bundle!.cpu, ...event })),
    );
    const prints = rows.filter(({ print }) => print !== undefined);
    const { prints: kept, binder } = trace.system!.sectionRows!;
    assert.deepEqual(
      prints.map(({ timestamp, pid, print }) => `${timestamp} ${pid} ${print!.buf}`).sort(),
      Array.from(
        { length: kept.count },
        (_, row) =>
          `${Number(trace.info.startBoottimeNs) + kept.time[row]!} ${kept.tid[row]} ${Buffer.from(kept.bytes(row)).toString()}`,
      ).sort(),
    );
    const sent = Array.from(binder.end.subarray(0, binder.count)).filter((end) => end !== 2).length;
    assert.equal(rows.filter((row) => row.binder_transaction !== undefined).length, sent);
    assert.ok(sent >= 120);
    const [main, other] = trace.threads.map(({ tid }) => tid);
    assert.deepEqual([...new Set(prints.filter(({ pid }) => pid === server).map(({ cpu }) => cpu))], [2]);
    for (const tid of [main, other])
      assert.equal(new Set(prints.filter(({ pid }) => pid === tid).map(({ cpu }) => cpu)).size, 2);
    // Their calls do not nest with the sections: only threads that have none may share a track with them.
    const separate = message.packet.flatMap(({ track_descriptor: track }) =>
      track?.disallow_merging_with_system_tracks === true ? [track.thread!.tid] : [],
    );
    assert.deepEqual(separate.sort(), [main, other].sort());
  });

  it('of another tool’s trace keep to their own track where it says so, else they nest with the thread’s', () => {
    const read = (isSeparate: boolean): number[] => {
      const onTrack = { trusted_packet_sequence_id: 3, sequence_flags: 2 };
      const trace = importWhole(
        anyImporter(),
        encoded([
          {
            ...onTrack,
            sequence_flags: 1,
            track_descriptor: {
              uuid: 1,
              thread: { pid: 100, tid: 100, thread_name: 'main' },
              disallow_merging_with_system_tracks: isSeparate,
            },
          },
          { ...onTrack, timestamp: 1000, track_event: { type: 1, track_uuid: 1, name: 'event' } },
          { ...onTrack, timestamp: 2500, track_event: { type: 2, track_uuid: 1 } },
          {
            ftrace_events: {
              cpu: 0,
              event: [
                { timestamp: 2000, pid: 100, print: { buf: 'B|100|section' } },
                { timestamp: 3000, pid: 100, print: { buf: 'E|100' } },
              ],
            },
          },
        ]),
      );
      return trace.threads.map(({ calls }) => calls.end[0]! - calls.begin[0]!);
    };
    assert.deepEqual(read(true).sort(), [1000, 1500]);
    assert.equal(read(false).length, 1);
  });

  it('are not needed for the scheduler to tell of a thread that has a track of its own', () => {
    const trace = importWhole(
      anyImporter(),
      encoded([
        {
          trusted_packet_sequence_id: 3,
          sequence_flags: 1,
          track_descriptor: {
            uuid: 1,
            thread: { pid: 100, tid: 100, thread_name: 'main' },
            disallow_merging_with_system_tracks: true,
          },
        },
        {
          trusted_packet_sequence_id: 3,
          sequence_flags: 2,
          timestamp: 1000,
          track_event: { type: 1, track_uuid: 1, name: 'event' },
        },
        {
          trusted_packet_sequence_id: 3,
          sequence_flags: 2,
          timestamp: 5000,
          track_event: { type: 2, track_uuid: 1 },
        },
        {
          ftrace_events: {
            cpu: 0,
            event: [
              { timestamp: 900, pid: 0, sched_switch: { prev_pid: 0, next_pid: 100, next_comm: 'main' } },
              { timestamp: 2000, pid: 100, sched_switch: { prev_pid: 100, prev_state: 1, next_pid: 0 } },
              { timestamp: 4000, pid: 0, sched_switch: { prev_pid: 0, next_pid: 100 } },
              { timestamp: 6000, pid: 100, sched_switch: { prev_pid: 100, prev_state: 1, next_pid: 0 } },
            ],
          },
        },
      ]),
    );
    assert.equal(trace.threads.length, 1);
    assert.equal(trace.threads[0]!.calls.cpu[0], 2000);
  });
});
