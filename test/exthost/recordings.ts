/** Recordings of a few calls, written with the engine's own writer: what the tests open. */
import { open } from 'node:fs/promises';
import {
  CounterBit,
  EndReason,
  formatMajor,
  formatMinor,
  SampleFlag,
  SampleKind,
} from '../../src/trace/model/kinds.js';
import { ChunkKind, messages, RecordingWriter } from '../../src/trace/index.js';
import { encodeNodes } from '../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../src/trace/recording/samples.js';

export interface RecordedMethod {
  readonly className: string;
  readonly name: string;
  readonly signature: string;
  readonly file: string;
  readonly line: number;
  /** Of its other places: the second one is `moreLines[0]`. */
  readonly moreLines?: readonly number[];
}

/** A method's number; in its first place, or in another. */
export type RecordedFrame = number | { readonly method: number; readonly place: number };

/** Methods of the workspace beside these tests. */
export const tillMethods: readonly RecordedMethod[] = [
  { className: 'com.example.shop.Till', name: 'ring', signature: '(I)V', file: 'Till.java', line: 8 },
  { className: 'com.example.shop.Till', name: 'count', signature: '(I)I', file: 'Till.java', line: 12 },
  { className: 'com.example.shop.Till', name: 'idle', signature: '()V', file: 'Till.java', line: 16 },
];

export interface RecordingOptions {
  readonly methods: readonly RecordedMethod[];
  /** Stacks of method numbers from the outermost inward; each is sampled once a ms, in turn. */
  readonly stacks: readonly (readonly RecordedFrame[])[];
  readonly samples: number;
  /** Unix time of its begin; sources written later are not what was recorded. */
  readonly startedMs?: number;
  readonly runtime?: string;
  /** What the lag watch says of it. */
  readonly lag?: Partial<messages.Lag>;
}

export async function writeRecording(file: string, options: RecordingOptions): Promise<void> {
  const handle = await open(file, 'w');
  try {
    const writer = new RecordingWriter({
      write: async (bytes) => {
        await handle.write(bytes);
      },
    });
    const realtimeNs = BigInt(options.startedMs ?? Date.now()) * 1_000_000n;
    await writer.add(
      ChunkKind.Header,
      messages.Header.encode({
        major: formatMajor,
        minor: formatMinor,
        target: { name: 'Till', runtime: options.runtime ?? 'HotSpot 17.0.15', os: 'linux', arch: 'x86-64' },
        clock: { monotonicNs: 1n, boottimeNs: 1n, realtimeNs },
        config: { syncIntervalNs: 1_000_000 },
      }),
    );
    await writer.add(
      ChunkKind.Threads,
      messages.Threads.encode({ threads: [{ index: 1, tid: 7, name: 'main', isMain: true }] }),
    );
    const classes = [...new Map(options.methods.map((one) => [one.className, one])).values()];
    await writer.add(
      ChunkKind.Classes,
      messages.Classes.encode({
        classes: classes.map((one, at) => ({ id: at + 1, name: one.className, file: one.file })),
      }),
    );
    await writer.add(
      ChunkKind.Methods,
      messages.Methods.encode({
        methods: options.methods.map((one, at) => ({
          id: at + 1,
          classId: classes.findIndex(({ className }) => className === one.className) + 1,
          name: one.name,
          signature: one.signature,
          // Each is told as what it is more than the one before.
          linePosition: [0, ...(one.moreLines ?? []).map(() => 1)],
          lineNumber: [one.line, ...(one.moreLines ?? [])].map((line, at, all) => line - (all[at - 1] ?? 0)),
        })),
      }),
    );
    const nodes = {
      id: [] as number[],
      parent: [] as number[],
      frame: [] as number[],
      position: [] as number[],
    };
    const ends = options.stacks.map((stack) => {
      let parent = 0;
      for (const frame of stack) {
        const { method, place } = typeof frame === 'number' ? { method: frame, place: 0 } : frame;
        const id = nodes.id.length + 1;
        nodes.id.push(id);
        nodes.parent.push(parent);
        nodes.frame.push(method + 1);
        nodes.position.push(place);
        parent = id;
      }
      return parent;
    });
    await writer.add(ChunkKind.Nodes, encodeNodes(nodes));
    const rows = Array.from({ length: options.samples }, (_, at) => at);
    await writer.add(
      ChunkKind.Samples,
      encodeSamples([
        {
          thread: 1,
          counters: CounterBit.Cpu | CounterBit.AllocatedBytes,
          time: rows.map((at) => at * 1_000_000),
          cpu: rows.map((at) => at * 500_000),
          stack: rows.map((at) => ends[at % ends.length] ?? 0),
          kind: rows.map(() => SampleKind.CpuTimer),
          flags: rows.map(() => SampleFlag.Safepoint),
          allocatedBytes: rows.map((at) => at * 1000),
        },
      ]),
    );
    if (options.lag) await writer.add(ChunkKind.Lag, messages.Lag.encode(options.lag));
    await writer.finish(EndReason.Stopped, '', options.samples * 1_000_000);
  } finally {
    await handle.close();
  }
}
