/** Recordings that end while threads wait for each other's locks: made by hand, so that every circle is known. */
import { CounterBit, SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { encodeLinks } from '../../../src/trace/recording/links.js';
import { Classes, Footer, Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';

export const second = 1e9;
export const endNs = 10 * second;

export interface Waiting {
  readonly owner: number;
  readonly beginNs?: number;
  readonly kind?: number;
  readonly flags?: number;
}

/** Thread 1 and on, each at work for a second and then in its wait until the end; one that parks does so in a method of `inside`. */
export function lockedRecording(
  waiting: readonly Waiting[],
  inside = 'jdk.internal.misc.Unsafe',
): Uint8Array {
  const payloads: [number, Uint8Array][] = [
    [ChunkKind.Header, Header.encode({ major: 1, config: { asyncIntervalNs: second } })],
    [
      ChunkKind.Threads,
      Threads.encode({
        threads: waiting.map((_, at) => ({ index: at + 1, tid: 100 + at, name: `t${at + 1}` })),
      }),
    ],
    [
      ChunkKind.Classes,
      Classes.encode({
        classes: [
          { id: 1, name: 'Bank', file: 'Bank.java' },
          { id: 2, name: inside },
          { id: 3, name: 'java.lang.Object' },
        ],
      }),
    ],
    [
      ChunkKind.Methods,
      Methods.encode({
        methods: [
          { id: 1, classId: 1, name: 'run', linePosition: [0], lineNumber: [4] },
          { id: 2, classId: 1, name: 'transfer', linePosition: [0, 9], lineNumber: [11, 1] },
          { id: 3, classId: 2, name: 'park' },
        ],
      }),
    ],
    // Node 2 is Bank.transfer in line 12; node 3 is a park that it calls.
    [
      ChunkKind.Nodes,
      encodeNodes({ id: [1, 2, 3], parent: [0, 1, 2], frame: [1, 2, 3], position: [1, 10, 0] }),
    ],
    [
      ChunkKind.Samples,
      encodeSamples(
        waiting.map(
          ({ owner, beginNs = second, kind = SampleKind.Monitor, flags = SampleFlag.OpenWait }, at) => ({
            thread: at + 1,
            counters: CounterBit.Cpu,
            cpu: [0, 5, 5],
            time: [0, beginNs + 1, beginNs],
            duration: [0, 0, endNs - beginNs],
            stack: [1, kind === SampleKind.Park ? 3 : 2, kind === SampleKind.Park ? 3 : 2],
            kind: [SampleKind.CpuTimer, SampleKind.ExternalSampler, kind],
            type: [0, 0, 3],
            // Each thread has one lock.
            object: [0, 0, 77 + owner],
            peer: [0, 0, owner],
            flags: [0, 0, flags],
          }),
        ),
      ),
    ],
    // Nobody ends a wait that has not ended, whatever a file says.
    [
      ChunkKind.Links,
      encodeLinks({ waiter: [1], waiterTime: [second], waker: [2], wakerTime: [endNs], certainty: [0] }),
    ],
    [ChunkKind.Footer, Footer.encode({ endNs })],
  ];
  const chunks = payloads.map(([kind, payload], sequence) => encodeChunk(kind, payload, sequence));
  return Buffer.concat([fileMagic, ...chunks]);
}
