/** Of each message that a recording holds beside samples and their stacks one, with something in every field. */
import { type Random } from '../../../src/trace/build/random.js';
import { Mode, Policy, SampleFlag, SampleKind, ThreadKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { encodeLinks } from '../../../src/trace/recording/links.js';
import {
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
} from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeVirtualWaits } from '../../../src/trace/recording/virtual-waits.js';
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
        minor: 3,
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
      Symbols.encode({ functions: [{ image: 1, start: 16, name: 'work()', offset: [17, 20] }] }),
    ],
    [ChunkKind.Texts, Texts.encode({ texts: [{ id: 1, value: 'a marker' }] })],
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
    [ChunkKind.VirtualWaits, virtualWaits(random, threads, nextNode + 3)],
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

function virtualWaits(random: Random, threads: readonly RandomThread[], nodes: number): Uint8Array {
  const column = (one: () => number): number[] => rows.map(one);
  const rows = Array.from({ length: random.below(8) }, () => 0);
  return encodeVirtualWaits({
    thread: column(() => 1 + random.below(threads.length)),
    id: column(() => [0, 1, 2, 3, 2 ** 32 - 1][random.below(5)]!),
    begin: column(() => random.below(40_000) - 1000),
    duration: column(() => random.below(20_000)),
    stack: column(() => random.below(nodes + 1)),
    flags: column(() => [0, SampleFlag.StillWaits, SampleFlag.FromBefore][random.below(3)]!),
    leftOut: column(() => (random.next() < 0.3 ? random.below(9) : 0)),
    leftOutNs: column(() => (random.next() < 0.3 ? random.below(90_000) : 0)),
  });
}
