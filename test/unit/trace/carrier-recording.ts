/** A recording of a carrier that runs virtual threads, a millisecond each sample, all in one stack. */
import { CounterBit, SampleKind, ThreadKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Classes, Footer, Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import {
  encodeOffCarrierWaits,
  type OffCarrierWaitRows,
} from '../../../src/trace/recording/off-carrier-waits.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';

export interface Stretch {
  /** Of the virtual thread; 0: the carrier runs for itself. */
  readonly id: number;
  readonly samples: number;
  /** Seen only where it begins to wait. */
  readonly isUnseen?: boolean;
}

/** The largest that a recording can tell. */
export const lastId = 0xffffffff;

const step = 1e6;

/** `enter` calls `work`; the second thread is none that carries. `away`: waits off the carrier; node 2 is `work`. */
export function carrierRecording(stretches: readonly Stretch[], away?: OffCarrierWaitRows): Uint8Array {
  const rows = stretches.flatMap(({ id, samples, isUnseen = false }) =>
    Array.from({ length: samples }, () => ({
      message: id,
      kind: isUnseen ? SampleKind.Park : SampleKind.CpuTimer,
    })),
  );
  const waits = step / 100;
  const chunks: [number, Uint8Array][] = [
    [
      ChunkKind.Header,
      Header.encode({ major: 1, minor: 2, config: { syncIntervalNs: step, asyncIntervalNs: step } }),
    ],
    [
      ChunkKind.Threads,
      // It was not known to be a carrier at first.
      Threads.encode({
        threads: [
          { index: 1, tid: 7, name: 'ForkJoinPool-1-worker-1' },
          { index: 2, tid: 8, name: 'other' },
          { index: 1, kind: ThreadKind.Carrier },
        ],
      }),
    ],
    [ChunkKind.Classes, Classes.encode({ classes: [{ id: 1, name: 'shop.Till', file: 'Till.java' }] })],
    [
      ChunkKind.Methods,
      Methods.encode({ methods: ['enter', 'work'].map((name, at) => ({ id: at + 1, classId: 1, name })) }),
    ],
    [ChunkKind.Nodes, encodeNodes({ id: [1, 2], parent: [0, 1], frame: [1, 2], position: [-1, -1] })],
    [
      ChunkKind.Samples,
      encodeSamples([
        {
          thread: 1,
          counters: CounterBit.Cpu | CounterBit.CpuTimed,
          time: rows.map((_, at) => at * step),
          duration: rows.map(({ kind }) => (kind === SampleKind.Park ? waits : 0)),
          cpu: rows.map((_, at) => at * step),
          stack: rows.map(() => 2),
          kind: rows.map(({ kind }) => kind),
          message: rows.map(({ message }) => message),
        },
        { thread: 2, counters: 0, time: [0, step], stack: [2, 2] },
      ]),
    ],
    ...(away ? [[ChunkKind.OffCarrierWaits, encodeOffCarrierWaits(away)] as [number, Uint8Array]] : []),
    [ChunkKind.Footer, Footer.encode({ endNs: rows.length * step })],
  ];
  const parts = chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at));
  return new Uint8Array(Buffer.concat([fileMagic, ...parts]));
}
