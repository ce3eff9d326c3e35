import { deflateSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

/** Perfetto traces as others write them, made through the schema: each form of event that the reader knows. */

const traceType = protobuf
  .parse(readFileSync('proto/perfetto.proto', 'utf8'), { keepCase: true })
  .root.lookupType('perfetto.Trace');

export type Packet = Record<string, unknown>;

export function encoded(packet: readonly Packet[]): Uint8Array {
  const problem = traceType.verify({ packet });
  if (problem !== null) throw new Error(problem);
  return traceType.encode(traceType.fromObject({ packet })).finish();
}

const print = (timestamp: number, pid: number, buf: string): Packet => ({ timestamp, pid, print: { buf } });
const swap = (timestamp: number, prev: number, state: number, next: number, comm: string): Packet => ({
  timestamp,
  pid: prev,
  sched_switch: {
    prev_pid: prev,
    prev_state: state,
    next_pid: next,
    next_comm: comm,
    prev_comm: `was-${prev}`,
  },
});

const text = (iid: number, str: string): Packet => ({ iid, str: Buffer.from(str) });
const sampleOf = (timestamp: number, tid: number, callstack_iid: number): Packet => ({
  timestamp,
  trusted_packet_sequence_id: 9,
  sequence_flags: 2,
  perf_sample: { cpu: 0, pid: 100, tid, callstack_iid },
});

/** Samples of traced_perf: stacks of interned frames, one of them without a name; a thread that has slices, and one that has none. */
export function sampledPerfetto(): Uint8Array {
  const onTrack = { trusted_packet_sequence_id: 3, sequence_flags: 2 };
  return encoded([
    {
      process_tree: {
        processes: [{ pid: 100, cmdline: ['com.example.app'] }],
        threads: [
          { tid: 100, tgid: 100, name: 'main' },
          { tid: 101, tgid: 100, name: 'worker' },
        ],
      },
    },
    {
      ...onTrack,
      sequence_flags: 1,
      track_descriptor: { uuid: 1, thread: { pid: 100, tid: 100, thread_name: 'main' } },
    },
    { ...onTrack, timestamp: 1_000_000, track_event: { type: 1, track_uuid: 1, name: 'doFrame' } },
    { ...onTrack, timestamp: 31_000_000, track_event: { type: 2, track_uuid: 1 } },
    {
      timestamp: 10_000_000,
      trusted_packet_sequence_id: 9,
      sequence_flags: 1,
      interned_data: {
        function_names: [text(1, 'main'), text(2, 'draw'), text(3, '')],
        mapping_paths: [text(4, '/system/lib64/libhwui.so')],
        mappings: [{ iid: 1, path_string_ids: [4] }],
        frames: [
          { iid: 1, function_name_id: 1, mapping_id: 1, rel_pc: 16 },
          { iid: 2, function_name_id: 2, mapping_id: 1, rel_pc: 32 },
          { iid: 3, function_name_id: 3, mapping_id: 1, rel_pc: 0xabc },
        ],
        callstacks: [
          { iid: 1, frame_ids: [1, 2] },
          { iid: 2, frame_ids: [1, 2, 3] },
        ],
      },
      perf_sample: { cpu: 0, pid: 100, tid: 100, callstack_iid: 1 },
    },
    sampleOf(20_000_000, 100, 2),
    sampleOf(20_000_000, 101, 1),
    sampleOf(30_000_000, 100, 2),
    sampleOf(31_000_000, 101, 7),
  ]);
}

/** The kernel's part: prints, switches of both forms, wake-ups; and TrackEvents of the same thread, on another clock. */
export function systemPerfetto(): Uint8Array {
  return encoded([
    {
      clock_snapshot: {
        clocks: [
          { clock_id: 6, timestamp: 1_000_000 },
          { clock_id: 3, timestamp: 900_000 },
        ],
      },
    },
    {
      process_tree: {
        processes: [{ pid: 100, cmdline: ['com.example.app'] }],
        threads: [{ tid: 101, tgid: 100, name: 'RenderThread' }],
      },
    },
    {
      ftrace_events: {
        cpu: 0,
        event: [
          swap(1_000_000, 0, 0, 100, 'main'),
          print(1_001_000, 100, 'B|100|Choreographer#doFrame 7|x\n'),
          print(1_002_000, 100, 'B|100|measure\n'),
          print(1_002_500, 100, 'C|100|heap|42\n'),
          print(1_003_000, 100, 'S|100|request|5\n'),
          // Preempted in between, then asleep until the other thread wakes it.
          swap(1_004_000, 100, 0, 555, 'other'),
          swap(1_005_000, 555, 0, 100, 'main'),
          swap(1_006_000, 100, 1, 0, 'swapper'),
          swap(1_010_000, 0, 0, 100, 'main'),
          print(1_012_000, 100, 'E|100\n'),
          print(1_013_000, 100, 'F|100|request|5\n'),
          print(1_014_000, 100, 'E|100\n'),
        ],
      },
    },
    {
      ftrace_events: {
        cpu: 1,
        event: [
          swap(1_000_500, 0, 0, 101, 'RenderThread'),
          { timestamp: 1_009_000, pid: 101, sched_waking: { pid: 100, comm: 'main' } },
        ],
      },
    },
    {
      ftrace_events: {
        cpu: 1,
        compact_sched: {
          switch_timestamp: [1_020_000, 1_000, 1_000],
          switch_prev_state: [1, 1, 2],
          switch_next_pid: [0, 101, 0],
          switch_next_comm_index: [0, 1, 0],
          intern_table: ['swapper', 'RenderThread'],
        },
      },
    },
    // The same thread's TrackEvents, by its own track, on MONOTONIC: 100,000 ns behind.
    {
      trusted_packet_sequence_id: 9,
      track_descriptor: { uuid: 77, thread: { pid: 100, tid: 101, thread_name: 'RenderThread' } },
    },
    ...[
      { timestamp: 901_000, track_event: { type: 1, track_uuid: 77, name: 'draw' } },
      { timestamp: 905_000, track_event: { type: 2, track_uuid: 77 } },
    ].map((packet) => ({ ...packet, trusted_packet_sequence_id: 9, timestamp_clock_id: 3 })),
  ]);
}

/** Chrome's and older producers' forms: interned names cleared and lost, compressed packets, µs, legacy phases. */
export function chromePerfetto(): Uint8Array {
  const sequence = (id: number, packets: readonly Packet[]): Packet[] =>
    packets.map((packet) => ({ ...packet, trusted_packet_sequence_id: id }));
  const inner = encoded(
    sequence(1, [
      { timestamp: 50, sequence_flags: 2, track_event: { type: 1, name_iid: 2, source_location_iid: 3 } },
      { timestamp: 10, sequence_flags: 2, track_event: { type: 2 } },
    ]),
  );
  return encoded([
    {
      clock_snapshot: {
        clocks: [
          { clock_id: 6, timestamp: 1_000_000 },
          { clock_id: 3, timestamp: 1_000_000 },
        ],
      },
    },
    ...sequence(1, [
      // Lost: it needs what came before the beginning of the file.
      { timestamp: 1, sequence_flags: 2, track_event: { type: 1, name_iid: 1 } },
      {
        sequence_flags: 1,
        previous_packet_dropped: 1,
        clock_snapshot: {
          clocks: [
            { clock_id: 3, timestamp: 2_000_000 },
            { clock_id: 64, timestamp: 2_000, is_incremental: true, unit_multiplier_ns: 1000 },
          ],
        },
        trace_packet_defaults: { timestamp_clock_id: 64, track_event_defaults: { track_uuid: 11 } },
      },
      {
        timestamp: 5,
        sequence_flags: 2,
        interned_data: {
          event_names: [
            { iid: 1, name: 'ThreadMain' },
            { iid: 2, name: 'Layout' },
          ],
          source_locations: [{ iid: 3, file_name: 'layout.cc', function_name: 'Layout', line_number: 99 }],
        },
        track_descriptor: { uuid: 11, parent_uuid: 10, thread: { pid: 7, tid: 8, thread_name: 'CrMain' } },
      },
      { timestamp: 5, sequence_flags: 2, track_event: { type: 1, name_iid: 1 } },
    ]),
    { compressed_packets: deflateSync(inner) },
    ...sequence(1, [
      { timestamp: 20, sequence_flags: 2, track_event: { type: 1, name_iid: 9 } },
      { timestamp: 5, sequence_flags: 2, track_event: { type: 2 } },
      { timestamp: 5, sequence_flags: 2, track_event: { type: 2 } },
      { track_descriptor: { uuid: 10, process: { pid: 7, process_name: 'Browser' } } },
      { track_descriptor: { uuid: 12, parent_uuid: 10, name: 'downloads' } },
      { timestamp: 1, sequence_flags: 2, track_event: { type: 1, track_uuid: 12, name: 'file.zip' } },
      { timestamp: 3, sequence_flags: 2, track_event: { type: 2, track_uuid: 12 } },
    ]),
    // An older producer: its thread told once, times in µs from there, complete events.
    ...sequence(2, [
      {
        incremental_state_cleared: true,
        thread_descriptor: { pid: 7, tid: 21, thread_name: 'Old', reference_timestamp_us: 2_000 },
      },
      { track_event: { timestamp_delta_us: 10, legacy_event: { phase: 0x42 }, name: 'begun' } },
      {
        track_event: { timestamp_delta_us: 5, legacy_event: { phase: 0x58, duration_us: 3 }, name: 'whole' },
      },
      { track_event: { timestamp_delta_us: 20, legacy_event: { phase: 0x45 } } },
    ]),
    // Counters and flows told in the event itself.
    ...sequence(3, [
      { track_descriptor: { uuid: 30, parent_uuid: 10, name: 'queue', counter: { unit: 2 } } },
      { timestamp: 2_000_500, track_event: { type: 4, track_uuid: 30, counter_value: 3 } },
      { timestamp: 2_001_500, track_event: { type: 4, track_uuid: 30, double_counter_value: 0.5 } },
      { timestamp: 2_012_000, track_event: { type: 3, track_uuid: 11, flow_ids: [5] } },
      { timestamp: 2_013_000, track_event: { type: 3, track_uuid: 12, terminating_flow_ids: [5] } },
    ]),
  ]);
}
