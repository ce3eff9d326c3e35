/** A recording of one thread whose methods call each other in a row: what was on the stack at which time, said by hand. */
import { CounterBit } from '../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../src/trace/recording/chunk.js';
import { Footer, Header, Methods, Threads } from '../../src/trace/recording/messages.js';
import { encodeNodes } from '../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../src/trace/recording/samples.js';

const stepNs = 1e6;

/** step0 calls step1, that calls step2 and so on; `depths`: how many of them are on the stack at each of `times`. */
export function chainRecording(
  methods: number,
  depths: readonly number[],
  times: readonly number[],
): Uint8Array {
  const all = Array.from({ length: methods }, (_, at) => at);
  const chunks: [number, Uint8Array][] = [
    [
      ChunkKind.Header,
      Header.encode({
        major: 1,
        target: { name: 'edge', runtime: 'ART 14' },
        config: { syncIntervalNs: stepNs },
      }),
    ],
    [ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, tid: 7, name: 'main', isMain: true }] })],
    [
      ChunkKind.Methods,
      Methods.encode({ methods: all.map((at) => ({ id: at + 1, classId: 0, name: `step${at}` })) }),
    ],
    [
      ChunkKind.Nodes,
      encodeNodes({
        id: all.map((at) => at + 1),
        parent: all,
        frame: all.map((at) => at + 1),
        position: all.map(() => -1),
      }),
    ],
    [
      ChunkKind.Samples,
      encodeSamples([
        {
          thread: 1,
          counters: CounterBit.Cpu,
          time: [...times],
          cpu: times.map((time) => time / 2),
          stack: [...depths],
        },
      ]),
    ],
    [ChunkKind.Footer, Footer.encode({ endNs: (times.at(-1) ?? 0) + stepNs })],
  ];
  const parts = chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at));
  return new Uint8Array(Buffer.concat([fileMagic, ...parts]));
}
