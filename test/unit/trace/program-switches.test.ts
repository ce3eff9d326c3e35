/** Switches of one program alone: the stream of `btrace-external --switches`, its rows in a recording, and what is said of them. */
import assert from 'node:assert/strict';
import { printScheduling, schedulingJson, schedulingTrust } from '../../../src/cli/report/scheduling.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { writePerfetto } from '../../../src/trace/formats/perfetto-export.js';
import { decodeRecording, type Trace } from '../../../src/trace/index.js';
import { coreFigures, statesOf, threadScheduling, wakerOf } from '../../../src/trace/measure/scheduling.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { Header, Threads } from '../../../src/trace/recording/messages.js';
import { encodeProgramSwitches, System } from '../../../src/trace/recording/scheduling.js';
import { RecordingWriter } from '../../../src/trace/recording/writer.js';
import { Random } from '../../../src/trace/synth/random.js';
import { SchedState } from '../../../src/trace/system/kernel-sink.js';
import { programSwitchesSource, SwitchKind } from '../../../src/trace/system/program-switches.js';
import { CoreUse, stripsOfCores, unknownKind } from '../../../src/trace/system/strip.js';
import { SwitchStream } from '../../../src/trace/system/switch-stream.js';
import type { Terminal } from '../../../src/cli/terminal.js';
import { scale } from '../../rigs/scale.js';
import { seed } from '../../rigs/seed.js';

const { Running, Runnable, Sleeping } = SchedState;
/** As the stream has them (native-agent/host/program_switches.h). */
const Told = {
  In: 0,
  Preempted: 1,
  Slept: 2,
  Ended: 3,
  Born: 4,
  Lost: 5,
  Allowed: 6,
  Begun: 7,
  Over: 8,
  Cost: 9,
};
type TimeTidKindCore = readonly [ns: number, tid: number, kind: number, core: number];

const zeroNs = 5_000_000_000_123n;

function bytesOf(records: readonly TimeTidKindCore[]): Buffer {
  const bytes = Buffer.alloc(records.length * 16);
  records.forEach(([ns, tid, kind, core], at) => {
    bytes.writeBigUInt64LE(
      kind === Told.Cost || kind === Told.Allowed ? BigInt(ns) : zeroNs + BigInt(ns),
      at * 16,
    );
    bytes.writeUInt32LE(tid, at * 16 + 8);
    bytes.writeUInt16LE(core, at * 16 + 12);
    bytes.writeUInt8(kind, at * 16 + 14);
  });
  return bytes;
}

/** Thread 7 runs, sleeps, runs on another core, is put off it, runs again, and ends; 8 is put off; 9 is made. */
const story: readonly TimeTidKindCore[] = [
  [0, 0, Told.Allowed, 0],
  [500, 0, Told.Begun, 0],
  [1000, 7, Told.In, 0],
  [2000, 8, Told.In, 1],
  [3000, 7, Told.Slept, 0],
  [5500, 8, Told.Preempted, 1],
  [6000, 7, Told.In, 1],
  [7000, 7, Told.Preempted, 1],
  [9000, 9, Told.Born, 0],
  [9500, 7, Told.In, 0],
  [9900, 7, Told.Ended, 0],
  [10_000, 0, Told.Over, 0],
  [777, 0, Told.Cost, 0],
];

function streamed(...pieces: readonly Uint8Array[]): SwitchStream {
  const stream = new SwitchStream(zeroNs);
  for (const piece of pieces) stream.append(piece);
  return stream;
}

const rowsOf = ({ rows }: SwitchStream): number[][] =>
  Array.from({ length: rows.count }, (_, at) => [
    rows.time[at]!,
    rows.tid[at]!,
    rows.kind[at]!,
    rows.core[at]!,
  ]);

async function recording(stream: SwitchStream): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const writer = new RecordingWriter({ write: (bytes) => Promise.resolve(void parts.push(bytes)) });
  await writer.add(ChunkKind.Header, Header.encode({ major: 1, target: { name: 'x', pid: 7 } }));
  await writer.add(
    ChunkKind.Threads,
    Threads.encode({ threads: [7, 8, 9].map((tid) => ({ index: tid - 6, tid, name: `thread ${tid}` })) }),
  );
  await writer.add(
    ChunkKind.System,
    System.encode({ source: programSwitchesSource, clock: 'mono', cores: 2 }),
  );
  const { rows, lost, beginNs, endNs } = stream;
  await writer.add(ChunkKind.ProgramSwitches, encodeProgramSwitches(rows, 0, rows.count, 0));
  await writer.add(ChunkKind.System, System.encode({ lost, beginNs, endNs }));
  await writer.finish(0, '', 10_000);
  return Buffer.concat(parts);
}

async function decoded(stream: SwitchStream): Promise<Trace> {
  const decoder = decodeRecording(await recording(stream));
  assert.equal(decoder.refused, '');
  return decoder.trace();
}

function statesOfThread(trace: Trace, tid: number): number[][] {
  const states = statesOf(trace.system!, trace).get(tid)!;
  return Array.from({ length: states.count }, (_, row) => [
    states.begin[row]!,
    states.end[row]!,
    states.state[row]!,
    states.core[row]!,
  ]);
}

describe('the switches of one program', () => {
  it('are read, cut anywhere', () => {
    const bytes = bytesOf(story);
    const whole = streamed(bytes);
    assert.deepEqual(rowsOf(whole), [
      [1000, 7, SwitchKind.In, 0],
      [2000, 8, SwitchKind.In, 1],
      [3000, 7, SwitchKind.Slept, 0],
      [5500, 8, SwitchKind.Preempted, 1],
      [6000, 7, SwitchKind.In, 1],
      [7000, 7, SwitchKind.Preempted, 1],
      [9000, 9, SwitchKind.Born, 0],
      [9500, 7, SwitchKind.In, 0],
      [9900, 7, SwitchKind.Unknown, 0],
    ]);
    const { isAllowed, beginNs, endNs, costNs, events, lost } = whole;
    assert.deepEqual([isAllowed, beginNs, endNs, costNs, events, lost], [true, 500, 10_000, 777, 9, 0]);
    for (let size = 1; size <= 33; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      assert.deepEqual(rowsOf(streamed(...pieces)), rowsOf(whole), `pieces of ${size} bytes`);
    }
  });

  it('count once where a thread tells each twice', () => {
    const twice = story.flatMap((record): TimeTidKindCore[] => {
      const [ns, tid, kind, core] = record;
      return kind <= Told.Born ? [record, [ns + 300, tid, kind, core]] : [record];
    });
    assert.deepEqual(rowsOf(streamed(bytesOf(twice))), rowsOf(streamed(bytesOf(story))));
    // The same switch later is another one: what lay between them was lost.
    const later = streamed(
      bytesOf([
        [0, 7, Told.Slept, 0],
        [20_000, 7, Told.Slept, 0],
      ]),
    );
    assert.equal(later.events, 2);
  });

  it('say what each thread did: it ran, was put off its core, or slept until it ran again', async () => {
    const trace = await decoded(streamed(bytesOf(story)));
    assert.deepEqual(trace.problems, []);
    assert.deepEqual(statesOfThread(trace, 7), [
      [1000, 3000, Running, 0],
      [3000, 6000, Sleeping, -1],
      [6000, 7000, Running, 1],
      [7000, 9500, Runnable, -1],
      [9500, 9900, Running, 0],
    ]);
    assert.deepEqual(statesOfThread(trace, 8), [
      [2000, 5500, Running, 1],
      [5500, 10_000, Runnable, -1],
    ]);
    assert.deepEqual(statesOfThread(trace, 9), [[9000, 10_000, Runnable, -1]]);
    const first = threadScheduling(trace, wholeTrace).find(({ thread }) => thread.tid === 7);
    const { runningNs, runnableNs, sleepingNs, runs, migrations, wakers } = first!;
    assert.deepEqual([runningNs, runnableNs, sleepingNs, runs, migrations], [3400, 2500, 3000, 3, 2]);
    assert.deepEqual(wakers, []);
    assert.equal(wakerOf(trace, trace.threads[0]!, 2900, 6100), 0);
  });

  it('begin with a thread that was on its core already, unless records were lost', async () => {
    const records: TimeTidKindCore[] = [
      [500, 0, Told.Begun, 0],
      [3000, 7, Told.Slept, 0],
      [4000, 8, Told.In, 1],
      [10_000, 0, Told.Over, 0],
    ];
    const states = async (more: readonly TimeTidKindCore[]): Promise<number[][]> =>
      statesOfThread(await decoded(streamed(bytesOf([...more, ...records]))), 7);
    assert.deepEqual(await states([]), [
      [500, 3000, Running, 0],
      [3000, 10_000, Sleeping, -1],
    ]);
    assert.deepEqual(await states([[0, 1, Told.Lost, 0xffff]]), [[3000, 10_000, Sleeping, -1]]);
    const later = streamed(bytesOf([...records.slice(0, 1), [1000, 8, Told.Preempted, 1]]));
    later.beginLater();
    later.append(bytesOf(records.slice(1)));
    assert.deepEqual(statesOfThread(await decoded(later), 7)[0], [1000, 3000, Running, 0]);
    assert.deepEqual(statesOfThread(await decoded(later), 8), [[4000, 10_000, Running, 1]]);
  });

  it('say nothing of what others did', async () => {
    const trace = await decoded(streamed(bytesOf(story)));
    const { system } = trace;
    assert.equal(system!.isOfProgram, true);
    assert.deepEqual(
      coreFigures(trace).map(({ core, busyNs, programNs }) => [core, busyNs, programNs]),
      [
        [0, undefined, 2400],
        [1, undefined, 4500],
      ],
    );
    const strips = stripsOfCores(system!.switches, undefined);
    assert.deepEqual(
      strips.map(({ strip }) => [...strip.kind]),
      [
        [CoreUse.Program, unknownKind, CoreUse.Program],
        [CoreUse.Program, unknownKind, CoreUse.Program],
      ],
    );
    const lines: string[] = [];
    const terminal = { width: 100, bold: (said: string) => said, print: (line: string) => lines.push(line) };
    printScheduling(trace, wholeTrace, terminal as unknown as Terminal);
    const said = lines.join('\n');
    assert.match(said, /by their own switches/);
    assert.match(said, /^ *3\.40 µs .* – +3 +thread 7 +–$/m);
    assert.match(said, /^ *0 +– +\d/m);
    assert.match(
      schedulingTrust(trace).join(),
      /^switches of this program only, .* not who else ran or woke/,
    );
    assert.equal((schedulingJson(trace, wholeTrace) as { isOfProgram: boolean }).isOfProgram, true);
    // Perfetto would show the cores idle between.
    const parts: Uint8Array[] = [];
    writePerfetto(trace, (bytes) => void parts.push(Uint8Array.from(bytes)));
    const importer = anyImporter();
    importer.append(Buffer.concat(parts));
    assert.equal(importer.finish().system, undefined);
  });

  it('leave it open what threads did while records were lost', async () => {
    const stream = streamed(
      bytesOf([
        [500, 0, Told.Begun, 0],
        [1000, 7, Told.In, 0],
        [1500, 9, Told.In, 2],
        [1800, 7, Told.Preempted, 0],
        [2000, 8, Told.In, 1],
        [2200, 7, Told.In, 0],
        [2500, 9, Told.Slept, 2],
        // Of core 0, between 2200 and 8000.
        [8000, 5, Told.Lost, 0],
        [9000, 7, Told.In, 3],
        // When these were lost is not known.
        [9500, 2, Told.Lost, 0xffff],
        [10_000, 0, Told.Over, 0],
      ]),
    );
    assert.equal(stream.lost, 7);
    const trace = await decoded(stream);
    assert.deepEqual(statesOfThread(trace, 7), [
      [1000, 1800, Running, 0],
      [1800, 2200, Runnable, -1],
      [9000, 10_000, Running, 3],
    ]);
    // It ran on another core, and cannot have been on that one.
    assert.deepEqual(statesOfThread(trace, 8), [[2000, 10_000, Running, 1]]);
    // It may have been on it.
    assert.deepEqual(statesOfThread(trace, 9), [[1500, 2500, Running, 2]]);
    assert.equal(trace.system!.lost, 7);
    assert.match(schedulingTrust(trace)[1] ?? '', /^7 events of the scheduler lost/);
  });

  it('leave it open from where a core has no room, also where its threads go on elsewhere', async () => {
    const stream = streamed(
      bytesOf([
        [500, 0, Told.Begun, 0],
        [1000, 7, Told.In, 0],
        [1200, 8, Told.In, 1],
        [1500, 7, Told.Slept, 0],
        [2000, 7, Told.In, 0],
        [2000, 0, Told.Lost, 0],
        // Back on a core that has room; what it did since then may be on the one that has none.
        [7000, 7, Told.In, 1],
        [7500, 7, Told.Slept, 1],
        [7800, 7, Told.In, 1],
        // The core tells how many it lost, with its next record.
        [8000, 90, Told.Lost, 0],
        [8000, 9, Told.In, 0],
        [8200, 7, Told.Slept, 1],
        [8500, 7, Told.In, 1],
        [10_000, 0, Told.Over, 0],
      ]),
    );
    assert.equal(stream.lost, 90);
    const trace = await decoded(stream);
    assert.deepEqual(statesOfThread(trace, 7), [
      [1000, 1500, Running, 0],
      [1500, 2000, Sleeping, -1],
      [7000, 7500, Running, 1],
      [7800, 8200, Running, 1],
      [8200, 8500, Sleeping, -1],
      [8500, 10_000, Running, 1],
    ]);
    assert.deepEqual(statesOfThread(trace, 8), [[1200, 10_000, Running, 1]]);
  });

  it('are read to their end, whatever is in them', async () => {
    const random = new Random(seed);
    try {
      for (let round = 0; round < 100 * scale; round++) {
        const bytes = bytesOf(Array.from({ length: 4 }, () => story).flat());
        for (let flips = random.below(40); flips > 0; flips--)
          bytes[random.below(bytes.length)] = random.below(256);
        const stream = streamed(bytes.subarray(0, random.below(bytes.length)));
        const { rows } = stream;
        for (let row = 0; row < rows.count; row++) {
          assert.ok(rows.tid[row]! > 0 && rows.kind[row]! <= SwitchKind.Born);
          assert.ok(Number.isFinite(rows.time[row]));
        }
        stream.beginNs = 0;
        stream.endNs = 10_000;
        const trace = await decoded(stream);
        for (const { runningNs, sleepingNs } of threadScheduling(trace, wholeTrace))
          assert.ok(runningNs >= 0 && sleepingNs >= 0);
        for (const { programNs } of coreFigures(trace)) assert.ok(programNs >= 0);
        const payload = Buffer.from(encodeProgramSwitches(rows, 0, rows.count, 0));
        for (let flips = random.below(9); flips > 0 && payload.length > 0; flips--)
          payload[random.below(payload.length)] = random.below(256);
        const parts: Uint8Array[] = [];
        const writer = new RecordingWriter({ write: (one) => Promise.resolve(void parts.push(one)) });
        await writer.add(ChunkKind.Header, Header.encode({ major: 1 }));
        await writer.add(ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, tid: 7 }] }));
        await writer.add(ChunkKind.ProgramSwitches, payload);
        const damaged = decodeRecording(Buffer.concat(parts)).trace();
        for (const { runningNs } of threadScheduling(damaged, wholeTrace)) assert.ok(runningNs >= 0);
      }
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  });
});
