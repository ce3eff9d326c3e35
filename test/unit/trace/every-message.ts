/** Of each message that a recording holds beside samples and their stacks one, with something in every field. */
import { type Random } from '../../../src/trace/synth/random.js';
import { Mode, Policy, SampleFlag, SampleKind, ThreadKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { encodeLinks } from '../../../src/trace/recording/links.js';
import {
  Calls,
  Classes,
  Counters,
  Footer,
  Header,
  Hooks,
  Images,
  Losses,
  Methods,
  Status,
  Symbols,
  Texts,
  Threads,
  Lag,
} from '../../../src/trace/recording/messages.js';
import { encodeHeldMemory } from '../../../src/trace/recording/held-memory.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeOffCarrierWaits } from '../../../src/trace/recording/off-carrier-waits.js';
import { encodeBinder, encodeFrames, encodePrints } from '../../../src/trace/recording/system-events.js';
import {
  encodeProgramSwitches,
  encodeSwitches,
  encodeWakes,
  System,
} from '../../../src/trace/recording/scheduling.js';
import { ProgramSwitchRows } from '../../../src/trace/system/program-switches.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import type { RandomThread } from './random-recording.js';

export type Part = [kind: number, payload: Uint8Array];

/** What comes before the samples. `vouchNs`: what one capture vouches for, 0 for no intervals at all. */
export function before(
  name: string,
  vouchNs: number,
  methods: number,
  threads: readonly RandomThread[],
): Part[] {
  return [
    [
      ChunkKind.Header,
      Header.encode({
        major: 1,
        minor: 7,
        target: {
          name,
          pid: 7,
          runtime: 'HotSpot 25',
          os: 'Linux',
          arch: 'x86_64',
          device: 'phone',
          uid: 1000,
          pageSize: 4096,
          cpus: 2,
        },
        clock: { monotonicNs: 10n, boottimeNs: 2n ** 60n, realtimeNs: 1_750_000_000_000_000_000n },
        config: {
          syncIntervalNs: vouchNs,
          asyncIntervalNs: vouchNs / 2,
          memoryBytes: 2 ** 25,
          policy: Policy.Ring,
          ringNs: 1e9,
          budgetPpm: 10_000,
          kinds: [SampleKind.Allocation, SampleKind.Park],
          mainOnly: true,
          allocationIntervalBytes: 65_536,
          ringCopies: true,
          survey: true,
        },
        agentVersion: '1.2.3',
        mode: Mode.Synthetic,
        modeReason: 'made up',
        buildId: 'abc',
      }),
    ],
    [
      ChunkKind.Threads,
      Threads.encode({
        threads: threads.map(({ index, tid }) => ({
          index,
          tid,
          javaId: 2 ** 40 + index,
          name: `t${index}`,
          kind: index % 3 === 2 ? ThreadKind.Carrier : ThreadKind.Platform,
          beginNs: index,
          endNs: 2 ** 30,
          creator: 1 + (index % threads.length),
          isMain: index === 1,
        })),
      }),
    ],
    [
      ChunkKind.Classes,
      Classes.encode({
        classes: [{ id: 1, name: 'com.example.A', file: 'A.java', sourceHash: Uint8Array.of(1, 2, 3) }],
      }),
    ],
    [
      ChunkKind.Methods,
      Methods.encode({
        methods: Array.from({ length: methods }, (_, at) => ({
          id: at + 1,
          classId: at % 2,
          name: `m${at}`,
          signature: '(I)V',
          kind: at % 4,
          linePosition: [0, 4, 4],
          lineNumber: [10, 1, -1],
        })),
      }),
    ],
    [
      ChunkKind.Images,
      Images.encode({
        images: [
          {
            id: 1,
            path: '/lib/libx.so',
            buildId: Uint8Array.of(1, 2),
            loadAddress: 2n ** 47n,
            size: 65_536,
            arch: 'x86_64',
          },
        ],
      }),
    ],
    [
      ChunkKind.Symbols,
      Symbols.encode({
        functions: [
          {
            image: 1,
            start: 16,
            name: 'work()',
            offset: [17, 20],
            file: '/src/work.cc',
            line: [3, 4],
            depth: [0, 0],
          },
          { image: 1, start: 0, name: 'add()', offset: [20], file: '/src/add.h', line: [7], depth: [1] },
          { image: 1, start: 64, name: 'in_memory', offset: [72], ofMemory: true },
        ],
      }),
    ],
    [ChunkKind.Texts, Texts.encode({ texts: [{ id: 1, value: 'a marker' }] })],
    [
      ChunkKind.Calls,
      Calls.encode({
        functions: [{ id: 1, name: 'clock_gettime', caller: 1, library: 1, isPoint: true }],
        function: [1, 1],
        tid: [7, 0],
        count: [2 ** 40, 1],
        leftOut: 3,
      }),
    ],
  ];
}

/** What comes after the samples, whose nodes have ids below `nextNode`. */
export function after(
  random: Random,
  vouchNs: number,
  threads: readonly RandomThread[],
  nextNode: number,
): Part[] {
  const waits = threads.flatMap(({ index, samples }) =>
    samples.filter(({ duration }) => duration > 0).map(({ time }) => ({ index, time })),
  );
  const time = waits.map((wait) => wait.time);
  return [
    [ChunkKind.Hooks, Hooks.encode({ hooks: [{ name: 'allocation', state: 3, why: 'no symbol' }] })],
    [
      ChunkKind.Links,
      encodeLinks({
        waiter: waits.map(({ index }) => index),
        waiterTime: time,
        waker: waits.map(() => 1),
        wakerTime: time,
        certainty: waits.map((_, at) => at % 3),
      }),
    ],
    // A function of an image, known by its symbol, and one that no symbol names.
    [
      ChunkKind.Nodes,
      encodeNodes({
        id: [nextNode, nextNode + 2],
        parent: [0, nextNode],
        frame: [17, 400],
        position: [-1, -1],
        image: [1, 1],
      }),
    ],
    [ChunkKind.OffCarrierWaits, virtualWaits(random, threads, nextNode + 3)],
    [ChunkKind.HeldMemory, heldMemory(random, threads, nextNode + 3)],
    ...scheduling(random),
    [
      ChunkKind.Counters,
      Counters.encode({ blocks: [{ name: 'heap', unit: 'bytes', time: [1, 5], value: [9, -2] }] }),
    ],
    [
      ChunkKind.Losses,
      Losses.encode({ losses: [{ thread: 1, beginNs: 5, endNs: 90, count: 3, reason: 2 }] }),
    ],
    [
      ChunkKind.Status,
      Status.encode({
        timeNs: 100,
        samples: 5,
        dropped: 1,
        bytesSent: 4000,
        memoryBytes: 2 ** 20,
        captureNs: 900,
        cpuNs: 5000,
        costs: [{ kind: 3, count: 2, totalNs: 700, buckets: [0, 1, 1] }],
        effectiveIntervalNs: vouchNs,
        drainNs: 80,
        sources: [{ kind: 1, askedNs: 1000, effectiveNs: 4000 }],
        tickNs: 4000,
        stoppedNs: 1500,
        tellsStops: true,
      }),
    ],
    [
      ChunkKind.Lag,
      Lag.encode({
        ...{
          kind: 1,
          thread: 1,
          beginNs: 5,
          detectedNs: 30,
          endNs: 35,
          cpuPercent: 90,
          repeats: 3,
          stacks: 4,
        },
        frames: [{ className: 'a.A', method: 'f', file: 'A.java', line: 7 }],
        ...{ appVersion: '1.0', deviceClass: 'low-end', user: 9n, threadName: 'main', unwritten: 1 },
        ...{ residentBytes: 4000, heapBytes: 2000, threads: 6, realtimeNs: 77n },
      }),
    ],
    // An index that cannot be true, which is no harm.
    [
      ChunkKind.Footer,
      Footer.encode({
        endNs: 40,
        reason: 2,
        detail: 'why',
        chunkOffset: [8, 100],
        chunkKind: [1, 3],
        chunkBeginNs: [0, 5],
        chunkEndNs: [7],
      }),
    ],
  ];
}

function heldMemory(random: Random, threads: readonly RandomThread[], nodes: number): Uint8Array {
  const column = (one: () => number): number[] => Array.from({ length: 5 }, one);
  return encodeHeldMemory({
    thread: column(() => 1 + random.below(threads.length)),
    time: column(() => random.below(40_000)),
    stack: column(() => random.below(nodes)),
    bytes: column(() => random.below(2 ** 31)),
  });
}

function virtualWaits(random: Random, threads: readonly RandomThread[], nodes: number): Uint8Array {
  const column = (one: () => number): number[] => rows.map(one);
  const rows = Array.from({ length: random.below(8) }, () => 0);
  return encodeOffCarrierWaits({
    thread: column(() => 1 + random.below(threads.length)),
    id: column(() => [0, 1, 2, 3, 2 ** 32 - 1][random.below(5)]!),
    begin: column(() => random.below(40_000) - 1000),
    duration: column(() => random.below(20_000)),
    stack: column(() => random.below(nodes + 1)),
    flags: column(() => [0, SampleFlag.OpenWait, SampleFlag.FromBefore][random.below(3)]!),
    leftOut: column(() => (random.next() < 0.3 ? random.below(9) : 0)),
    leftOutNs: column(() => (random.next() < 0.3 ? random.below(90_000) : 0)),
  });
}

/** A few events of the scheduler, of threads of the program and of others. */
function scheduling(random: Random): Part[] {
  const events = new KernelEvents();
  for (let row = 0; row < 20; row++) {
    const time = row * 1000 + random.below(900);
    events.switched(
      time,
      random.below(9),
      1 + random.below(3),
      random.below(9),
      random.below(2),
      random.below(150),
    );
    events.woken(time, 1 + random.below(9), random.below(9) - 1, random.below(2));
    events.waitedForDisk(time, 1 + random.below(9), 1);
    const text = Buffer.from(['B|4|a', 'E|4', 'S|4|b|1', 'F|4|b|1', 'C|4|c|5', 'E'][random.below(6)]!);
    events.print(time, 1 + random.below(9), text, 0, text.length);
    if (random.next() < 0.5)
      events.binderSent(time, 1 + random.below(9), row, 4, random.next() < 0.3, random.below(2));
    else events.binderReceived(time, 1 + random.below(9), random.below(20));
    events.frames.push(time, random.below(3), {
      ...{ cookie: random.below(9), pid: 4 + random.below(2), token: row },
      ...{ displayToken: row + random.below(3), jank: 1 << random.below(11) },
    });
  }
  const alone = new ProgramSwitchRows();
  for (let row = 0; row < 20; row++)
    alone.push(row * 1000 + random.below(900), 1 + random.below(9), random.below(5), random.below(2));
  const { switches, wakes, diskWaits, prints, binder, frames } = events;
  return [
    [ChunkKind.SystemEvents, encodePrints(prints, [...Array(prints.count).keys()], 0)],
    [ChunkKind.SystemEvents, encodeBinder(binder, 0, binder.count, 0)],
    [ChunkKind.SystemEvents, encodeFrames(frames, 0, frames.count, 0)],
    [ChunkKind.Switches, encodeSwitches(switches, 0, switches.count, 0)],
    [ChunkKind.Wakes, encodeWakes(wakes, 0, wakes.count, 0, false)],
    [ChunkKind.Wakes, encodeWakes(diskWaits, 0, diskWaits.count, 0, true)],
    [ChunkKind.ProgramSwitches, encodeProgramSwitches(alone, 0, alone.count, 0)],
    [
      ChunkKind.System,
      System.encode({
        ...{
          source: 'ftrace',
          clock: 'mono',
          offsetNs: -20,
          errorNs: 900,
          marks: 2,
          countersLeftOut: 1,
          lost: 3,
          cores: 2,
        },
        ...{ beginNs: -5, endNs: 20_000, readerNs: 700, events: 60 },
        tasks: [{ tid: 5, pid: 4, name: 'other' }],
        ...{ frequencyTime: [1, 2], frequencyCore: [0, 1], frequencyKhz: [1_800_000, -5] },
      }),
    ],
  ];
}
