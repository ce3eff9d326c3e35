/** A recording of a thread with a message loop: what each message is, said by hand. */
import { CounterBit, SampleKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Classes, Footer, Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';

export interface RecordedMessage {
  /** Number of the method that it spends its time in: 0 draw, 1 load. */
  readonly does: number;
  readonly workMs: number;
  /** Of its end, waiting for a lock. */
  readonly lockMs?: number;
  /** Before the next one comes. */
  readonly idleMs: number;
}

const known = { draw: 'draw', load: 'load', thread: 'main' };
const step = 1e6;

/**
 * The loop is node 1, its wait node 2, draw node 3, load node 4. `names` are instead of the known ones: for
 * names that mean harm.
 */
export function messageRecording(
  messages: readonly RecordedMessage[],
  names: Partial<typeof known> = {},
): Uint8Array {
  const { draw, load, thread } = { ...known, ...names };
  const methods = ['Looper.loop', 'Queue.next', draw, load];
  const rows: {
    time: number;
    duration: number;
    stack: number;
    kind: number;
    message: number;
    cpu: number;
  }[] = [];
  let now = 0;
  let cpu = 0;
  const add = (stack: number, kind: number, message: number, duration = 0): void => {
    rows.push({ time: now, duration, stack, kind, message, cpu });
    now += duration;
  };
  messages.forEach(({ does, workMs, lockMs = 0, idleMs }, at) => {
    const message = at + 1;
    add(1, SampleKind.Message, message);
    for (let ms = 0; ms < workMs; ms++) {
      now += step;
      cpu += step / 2;
      add(3 + does, SampleKind.Allocation, message);
    }
    if (lockMs > 0) add(3 + does, SampleKind.Monitor, message, lockMs * step);
    add(2, SampleKind.Poll, message, idleMs * step);
  });
  const column = (name: 'time' | 'duration' | 'stack' | 'kind' | 'message' | 'cpu'): number[] =>
    rows.map((row) => row[name]);
  const chunks: [number, Uint8Array][] = [
    [
      ChunkKind.Header,
      Header.encode({
        major: 1,
        target: { name: 'jank', runtime: 'ART 14' },
        config: { syncIntervalNs: step },
      }),
    ],
    [
      ChunkKind.Threads,
      Threads.encode({
        threads: [
          { index: 1, tid: 7, name: thread, isMain: true },
          { index: 2, tid: 8, name: 'other' },
        ],
      }),
    ],
    [ChunkKind.Classes, Classes.encode({ classes: [{ id: 1, name: 'shop.Screen', file: 'Screen.java' }] })],
    [
      ChunkKind.Methods,
      Methods.encode({ methods: methods.map((name, at) => ({ id: at + 1, classId: at < 2 ? 0 : 1, name })) }),
    ],
    [
      ChunkKind.Nodes,
      encodeNodes({
        id: [1, 2, 3, 4],
        parent: [0, 1, 1, 1],
        frame: [1, 2, 3, 4],
        position: [-1, -1, -1, -1],
      }),
    ],
    [
      ChunkKind.Samples,
      encodeSamples([
        {
          thread: 1,
          counters: CounterBit.Cpu,
          time: column('time'),
          duration: column('duration'),
          cpu: column('cpu'),
          stack: column('stack'),
          kind: column('kind'),
          message: column('message'),
        },
        { thread: 2, counters: 0, time: [0, step], stack: [3, 3] },
      ]),
    ],
    [ChunkKind.Footer, Footer.encode({ endNs: now })],
  ];
  const parts = chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at));
  return new Uint8Array(Buffer.concat([fileMagic, ...parts]));
}
