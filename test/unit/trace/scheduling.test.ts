/** The scheduler's events in a recording: written and read again, what they say of threads, and damage. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { encodeSwitches, encodeWakes, System } from '../../../src/trace/recording/scheduling.js';
import { RecordingWriter } from '../../../src/trace/recording/writer.js';
import { Header, Threads } from '../../../src/trace/recording/messages.js';
import { Random } from '../../../src/trace/synth/random.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { interruptWaker, priorityOf, SchedState } from '../../../src/trace/system/kernel-sink.js';
import { threadStates } from '../../../src/trace/system/thread-states.js';
import {
  callFigures,
  decodeRecording,
  methodFigures,
  RecordingDecoder,
  sumScope,
  type Trace,
} from '../../../src/trace/index.js';
import {
  coreFigures,
  methodScheduling,
  statesOf,
  stretchScheduling,
  threadScheduling,
  wakerOf,
} from '../../../src/trace/measure/scheduling.js';
import { scheduledRecording } from './scheduled-recording.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { scale } from '../../rigs/scale.js';
import { seed } from '../../rigs/seed.js';

const { Running, Runnable, Sleeping, Uninterruptible, Dead, Io } = SchedState;

/** Thread 7 runs, sleeps, is woken by 8, waits for a core, runs on another one, waits for a disk, and ends. */
function story(): KernelEvents {
  const events = new KernelEvents();
  events.switched(1000, 0, Runnable, 7, 0, 97);
  events.switched(3000, 7, Sleeping, 0, 0);
  events.switched(2000, 0, Runnable, 8, 1);
  events.woken(5000, 7, 8, 1);
  events.switched(6000, 8, Runnable, 7, 1, -1);
  events.switched(7000, 7, Uninterruptible, 8, 1);
  events.waitedForDisk(8900, 7, 0);
  events.woken(9000, 7, interruptWaker, 0);
  events.switched(9500, 0, Runnable, 7, 0);
  events.switched(9900, 7, Dead, 0, 0);
  return events;
}

async function recording(events: KernelEvents, more: Partial<System> = {}): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const writer = new RecordingWriter({
    write: (bytes) => {
      parts.push(bytes);
      return Promise.resolve();
    },
  });
  await writer.add(ChunkKind.Header, Header.encode({ major: 1, target: { name: 'x', pid: 7 } }));
  await writer.add(
    ChunkKind.Threads,
    Threads.encode({ threads: [7, 8].map((tid) => ({ index: tid - 6, tid, name: `thread ${tid}` })) }),
  );
  const { switches, wakes, diskWaits } = events;
  await writer.add(ChunkKind.Switches, encodeSwitches(switches, 0, switches.count, 0));
  await writer.add(ChunkKind.Wakes, encodeWakes(wakes, 0, wakes.count, 0, false));
  await writer.add(ChunkKind.Wakes, encodeWakes(diskWaits, 0, diskWaits.count, 0, true));
  await writer.add(
    ChunkKind.System,
    System.encode({ source: 'ftrace', clock: 'mono', endNs: 10_000, ...more }),
  );
  await writer.finish(0, '', 10_000);
  return Buffer.concat(parts);
}

function decoded(bytes: Uint8Array): Trace {
  const decoder = decodeRecording(bytes);
  assert.equal(decoder.refused, '');
  return decoder.trace();
}

const weighed = [
  { weight: 'coreWait', times: 'waited', state: Runnable },
  { weight: 'schedulerCpu', times: 'ran', state: Running },
] as const;

describe('waiting for a core, and CPU time by the scheduler,', () => {
  it('are the same by method, by call and by thread', async () => {
    const { scheduled } = await scheduledRecording(2000, { samples: 800, threads: 3, depth: 5, methods: 40 });
    const trace = decoded(scheduled);
    const sums = sumScope(trace, wholeTrace);
    const figures = methodFigures(sums, trace.methods.count);
    const byMethod = methodScheduling(trace, wholeTrace);
    for (const { weight, times } of weighed) {
      assert.ok(sums.sum[weight] > 0);
      [...figures.method].forEach((method, row) => {
        assert.ok(Math.abs(figures.self[weight][row]! - byMethod[times].selfNs[method]!) < 1);
        assert.ok(Math.abs(figures.total[weight][row]! - byMethod[times].totalNs[method]!) < 1);
      });
    }
    for (const thread of trace.threads) {
      const { calls, intervals } = thread;
      const own = sumScope(trace, { ...wholeTrace, threads: [thread.index] });
      const states = statesOf(trace.system!, trace).get(thread.tid)!;
      const times = new Float64Array(6);
      states.timesIn(intervals.begin[0]!, intervals.end[intervals.count - 1]!, times);
      const outermost = Array.from({ length: calls.count }, (_, row) => row).filter(
        (row) => calls.depth[row] === 0,
      );
      for (const { weight, state } of weighed) {
        assert.ok(Math.abs(own.sum[weight] - times[state]!) < 1, thread.name);
        let ofCalls = 0;
        for (const row of outermost)
          ofCalls += callFigures(trace, { thread: thread.index, depth: 0, beginNs: calls.begin[row]! })!
            .total[weight];
        assert.ok(ofCalls <= times[state]! + 1);
        assert.ok(ofCalls > 0.5 * times[state]!);
      }
    }
  });

  it('says who ended the last sleep of a stretch', async () => {
    const trace = decoded(await recording(story()));
    const found = stretchScheduling(trace, 1, 1000, 9900)!;
    assert.deepEqual(
      [found.runningNs, found.runnableNs, found.sleepingNs, found.uninterruptibleNs, found.coveredNs],
      [3400, 1500, 2000, 2000, 8900],
    );
    assert.deepEqual([found.lastWaker!.name, found.lastWaker!.thread], ['an interrupt', -1]);
    const first = stretchScheduling(trace, 1, 2500, 5500)!;
    assert.deepEqual([first.lastWaker!.name, first.lastWaker!.thread], ['thread 8', 2]);
  });
});

describe('the scheduler’s events in a recording', () => {
  it('are read as they were written', async () => {
    const random = new Random(1);
    const events = new KernelEvents();
    let running = 0;
    for (let row = 0; row < 5000; row++) {
      const next = random.below(50);
      const previous = random.below(100) === 0 ? random.below(50) : running;
      events.switched(row * 1000 + random.below(900), previous, random.below(5), next, random.below(4));
      events.woken(row * 1000, random.below(50), random.below(50) - 1, random.below(4));
      running = next;
    }
    const { system } = decoded(await recording(events));
    for (const column of ['time', 'previous', 'next', 'state', 'core'] as const)
      assert.deepEqual(
        [...system!.switches[column].subarray(0, 5000)],
        [...events.switches[column].subarray(0, 5000)],
        column,
      );
    for (const column of ['time', 'tid', 'waker', 'core'] as const)
      assert.deepEqual(
        [...system!.wakes[column].subarray(0, 5000)],
        [...events.wakes[column].subarray(0, 5000)],
        column,
      );
  });

  it('are as recording.proto says', () => {
    const schema = protobuf.loadSync(
      fileURLToPath(new URL('../../../proto/recording.proto', import.meta.url)),
    );
    const { switches, wakes } = story();
    const read = (name: string, bytes: Uint8Array): Record<string, number[]> => {
      const type = schema.lookupType(`btrace.${name}`);
      return type.toObject(type.decode(bytes), { longs: Number });
    };
    const columns = read('Switches', encodeSwitches(switches, 0, switches.count, 0));
    assert.deepEqual(columns['time'], [1000, 2000, -1000, 4000, 1000, 2500, 400]);
    assert.deepEqual(columns['next'], [7, -7, 8, -1, 1, -1, -7]);
    // Who ran is whom the row before switched to, but at the one of core 0 behind core 1's.
    assert.deepEqual(columns['previous'], [0, 4, -8, 0, 0]);
    assert.deepEqual(read('Wakes', encodeWakes(wakes, 0, wakes.count, 0, false))['waker'], [8, -9]);
    const system = {
      source: 'ftrace',
      tasks: [{ tid: 1, pid: 2, name: 'n' }],
      frequencyKhz: [5, -2],
      marks: 3,
    };
    assert.deepEqual(read('System', System.encode(system)), system);
  });

  it('say what each thread did, on which core, and who woke it', async () => {
    const trace = decoded(await recording(story()));
    const states = trace.system!.states([7, 8]).get(7)!;
    const stored = [...states.priority.subarray(0, states.count)];
    assert.deepEqual(
      stored.map(priorityOf),
      [...states.state.subarray(0, states.count)].map((state, row) =>
        state === Running ? { 1000: 97, 6000: -1 }[states.begin[row]!] : undefined,
      ),
    );
    assert.deepEqual(
      Array.from({ length: states.count }, (_, row) => [
        ...[states.begin[row], states.end[row], states.state[row]],
        ...[states.core[row], states.waker[row]],
      ]),
      [
        [1000, 3000, Running, 0, 0],
        [3000, 5000, Sleeping, -1, 8],
        [5000, 6000, Runnable, -1, 0],
        [6000, 7000, Running, 1, 0],
        [7000, 9000, Io, -1, interruptWaker],
        [9000, 9500, Runnable, -1, 0],
        [9500, 9900, Running, 0, 0],
      ],
    );
    const row = threadScheduling(trace, wholeTrace).find(({ thread }) => thread.tid === 7)!;
    assert.deepEqual(
      [
        row.runningNs,
        row.runnableNs,
        row.sleepingNs,
        row.diskNs,
        row.longestRunnableNs,
        row.runs,
        row.migrations,
      ],
      [3400, 1500, 2000, 2000, 1000, 3, 2],
    );
    assert.deepEqual(row.wakers, [
      { tid: 8, count: 1, sleptNs: 2000 },
      { tid: interruptWaker, count: 1, sleptNs: 2000 },
    ]);
    const scoped = threadScheduling(trace, { threads: [1], beginNs: 2000, endNs: 5500 })[0]!;
    assert.deepEqual([scoped.runningNs, scoped.sleepingNs, scoped.runnableNs], [1000, 2000, 500]);
    // A wait around a sleep, one that ends within it, and one in which the thread did not sleep.
    const thread = trace.threads.find(({ tid }) => tid === 7)!;
    const wakers = [
      [2900, 6100],
      [6500, 9600],
      [3500, 4500],
      [1200, 2800],
    ].map(([begin, end]) => wakerOf(trace, thread, begin!, end!));
    assert.deepEqual(wakers, [8, interruptWaker, 0, 0]);
    // The last stretch of a core has no end, and counts for nothing.
    assert.deepEqual(
      coreFigures(trace).map(({ core, busyNs, programNs, switches }) => [core, busyNs, programNs, switches]),
      [
        [0, 2400, 2400, 4],
        [1, 5000, 5000, 3],
      ],
    );
  });

  it('make no stretch of what was lost', () => {
    const events = new KernelEvents();
    events.switched(1000, 0, Runnable, 7, 0);
    // Away twice: that it came back in between was lost.
    events.switched(2000, 7, Sleeping, 0, 0);
    events.switched(9000, 7, Sleeping, 0, 1);
    const states = threadStates(events.switches, events.wakes, events.diskWaits, [7], 10_000).get(7)!;
    assert.deepEqual([...states.begin.subarray(0, states.count)], [1000, 9000]);
    assert.deepEqual([...states.state.subarray(0, states.count)], [Running, Sleeping]);
  });

  it('leave out figures that cannot be true, and say so', async () => {
    const beyond = 2 ** 62 * 1.5;
    const trace = decoded(
      await recording(story(), {
        offsetNs: beyond,
        cores: 2 ** 31,
        frequencyTime: [beyond, -beyond, 1, 1],
        frequencyCore: [0, 0, 70_000, -69_999],
        frequencyKhz: [1, 0, 0, -9],
      }),
    );
    const { system } = trace;
    assert.deepEqual([system?.offsetNs, system?.cores, system?.endNs], [0, 0, 10_000]);
    assert.deepEqual(system?.frequencies, { time: [0], core: [0], kHz: [1] });
    assert.match(
      trace.problems.map(({ what }) => what).join(),
      /5 figures of the system’s trace cannot be true/,
    );
  });

  it('are decoded when they are first asked for, where that is wanted, and are the same then', async () => {
    const { scheduled } = await scheduledRecording(2000, { samples: 300, threads: 2, depth: 4, methods: 30 });
    const now = decoded(scheduled).system!;
    const decoder = new RecordingDecoder({ magic: true, systemLater: true });
    decoder.append(scheduled);
    decoder.finish();
    const later = decoder.trace().system!;
    assert.equal(later.hasEvents, true);
    for (const kind of ['switches', 'wakes', 'diskWaits'] as const) {
      assert.equal(later[kind].count, now[kind].count);
      assert.deepEqual(later[kind].time, now[kind].time);
    }
    const events = story();
    const { count } = events.switches;
    events.switched(9950, 7, 9, 0, 0); // there is no state 9
    const broken = new RecordingDecoder({ magic: true, systemLater: true });
    broken.append(await recording(events));
    broken.finish();
    assert.equal(broken.trace().problems.length, 0);
    assert.equal(broken.trace().system!.switches.count, count);
    assert.match(broken.trace().problems[0]!.what, /1 figure of the system’s trace cannot be true/);
  });

  it('are read to their end, whatever is in them', async () => {
    const random = new Random(seed);
    const { switches, wakes } = story();
    const messages = [
      [ChunkKind.Switches, encodeSwitches(switches, 0, switches.count, 0)],
      [ChunkKind.Wakes, encodeWakes(wakes, 0, wakes.count, 0, false)],
      [ChunkKind.System, System.encode({ tasks: [{ tid: 7, name: 'n' }], frequencyTime: [1], lost: 3 })],
    ] as const;
    for (let round = 0; round < 200 * scale; round++) {
      const parts: Uint8Array[] = [];
      const writer = new RecordingWriter({ write: (bytes) => Promise.resolve(void parts.push(bytes)) });
      await writer.add(ChunkKind.Header, Header.encode({ major: 1 }));
      await writer.add(ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, tid: 7 }] }));
      for (const [kind, payload] of messages) {
        const bytes = payload.slice(0, Math.ceil(random.next() * payload.length));
        for (let flips = random.below(4); flips > 0; flips--)
          bytes[random.below(bytes.length)] = random.below(256);
        await writer.add(kind, bytes);
      }
      const trace = decoded(Buffer.concat(parts));
      try {
        for (const row of threadScheduling(trace, wholeTrace)) assert.ok(row.runningNs >= 0);
        coreFigures(trace);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });
});
