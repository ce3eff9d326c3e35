/**
 * Writes what another tool recorded as a recording of ours: its intervals become samples of the external sampler, two an interval, so that
 * reading them gives the same times again. What only recordings have (who woke whom, positions within methods) is not made up.
 */
import type { EndReason } from '../model/kinds.js';
import { CounterBit, formatMajor, formatMinor, SampleKind } from '../model/kinds.js';
import type { ThreadTrack, Trace } from '../model/trace.js';
import { ChunkKind } from '../recording/chunk.js';
import { Classes, Header, Methods, Threads } from '../recording/messages.js';
import { encodeNodes } from '../recording/nodes.js';
import { encodeSamples } from '../recording/samples.js';
import { type ByteSink, RecordingWriter } from '../recording/writer.js';

export interface RecordingFacts {
  readonly mode: number;
  readonly modeReason: string;
  readonly target: {
    readonly name: string;
    readonly pid: number;
    readonly runtime: string;
    readonly os: string;
    readonly device: string;
  };
  readonly realtimeNs: bigint;
  readonly endReason: (typeof EndReason)[keyof typeof EndReason];
  readonly detail: string;
}

/** Of the file's messages; far below what a chunk may hold. */
const namesPerChunk = 2000;
const nodesPerChunk = 20_000;
const intervalsPerSampleBlock = 4096;

export async function writeRecording(sink: ByteSink, facts: RecordingFacts, trace?: Trace): Promise<void> {
  const writer = new RecordingWriter(sink);
  const { mode, modeReason, target, realtimeNs } = facts;
  const monotonicNs = trace?.info.startMonotonicNs ?? 0n;
  await writer.add(
    ChunkKind.Header,
    Header.encode({
      major: formatMajor,
      minor: formatMinor,
      target,
      clock: { monotonicNs, boottimeNs: monotonicNs, realtimeNs },
      mode,
      modeReason,
    }),
  );
  if (trace) {
    await writer.add(ChunkKind.Threads, Threads.encode({ threads: threadsOf(trace) }));
    await addNames(writer, trace);
    await addNodes(writer, trace);
    for (const thread of trace.threads) await addSamples(writer, thread);
  }
  await writer.finish(facts.endReason, facts.detail, trace?.endNs ?? 0);
}

const threadsOf = (trace: Trace) =>
  trace.threads.map(({ index, tid, name, isMain }) => ({ index, tid, name, isMain }));

/** Method m of the trace is method m + 1 of the recording, where 0 is none. */
async function addNames(writer: RecordingWriter, { methods }: Trace): Promise<void> {
  const classes = new Map<string, number>();
  for (let from = 0; from < methods.count; from += namesPerChunk) {
    const newClasses: { id: number; name: string; file: string }[] = [];
    const rows = [];
    for (let method = from; method < Math.min(from + namesPerChunk, methods.count); method++) {
      const [name, file] = [methods.className(method), methods.file(method)];
      const key = `${name}\0${file}`;
      let classId = name === '' ? 0 : classes.get(key);
      if (classId === undefined) {
        classes.set(key, (classId = classes.size + 1));
        newClasses.push({ id: classId, name, file });
      }
      const line = methods.firstLine(method);
      rows.push({
        id: method + 1,
        classId,
        name: methods.name(method),
        signature: methods.signature(method),
        kind: methods.kind(method),
        ...(line > 0 && { linePosition: [0], lineNumber: [line] }),
      });
    }
    if (newClasses.length > 0) await writer.add(ChunkKind.Classes, Classes.encode({ classes: newClasses }));
    await writer.add(ChunkKind.Methods, Methods.encode({ methods: rows }));
  }
}

/** A path is a node of the same number. */
async function addNodes(writer: RecordingWriter, { paths }: Trace): Promise<void> {
  for (let from = 1; from < paths.count; from += nodesPerChunk) {
    const to = Math.min(from + nodesPerChunk, paths.count);
    const id = Array.from({ length: to - from }, (_, at) => from + at);
    await writer.add(
      ChunkKind.Nodes,
      encodeNodes({
        id,
        parent: paths.parent.subarray(from, to),
        frame: id.map((path) => (paths.method[path] ?? 0) + 1),
        position: id.map(() => -1),
      }),
    );
  }
}

/**
 * The first sample of an interval shows where it begins; the second one gives its time to its stack. No two samples have
 * one time: an interval begins 1 ns after the end of the one before.
 */
async function addSamples(writer: RecordingWriter, { index, intervals }: ThreadTrack): Promise<void> {
  const hasCpu = intervals.cpu.some((ns) => ns > 0);
  let used = 0;
  let last = -Infinity;
  for (let from = 0; from < intervals.count; from += intervalsPerSampleBlock) {
    const [time, stack, cpu, kind]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let row = from; row < Math.min(from + intervalsPerSampleBlock, intervals.count); row++) {
      const end = intervals.end[row] ?? 0;
      const push = (at: number): void => {
        time.push(at);
        stack.push(intervals.path[row] ?? 0);
        cpu.push(used);
        kind.push(SampleKind.ExternalSampler);
        last = at;
      };
      const begin = Math.max(intervals.begin[row] ?? 0, last + 1);
      if (begin < end) push(begin);
      used += intervals.cpu[row] ?? 0;
      if (end > last) push(end);
    }
    if (time.length === 0) continue;
    const block = { thread: index, time, stack, kind };
    await writer.add(
      ChunkKind.Samples,
      encodeSamples([hasCpu ? { ...block, counters: CounterBit.Cpu, cpu } : { ...block, counters: 0 }]),
    );
  }
}
