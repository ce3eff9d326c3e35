/**
 * Samples as Perfetto's own stack samples, beside the calls that come of them: each interval with a stack is one, at its
 * end, with its wall time as weight. CPU time and what was allocated are counters beside it. All on one sequence, so that
 * names and stacks are written once: some 50 bytes a sample, and each distinct stack with all its frames.
 */
import type { ThreadTrack, Trace } from '../model/trace.js';
import type { ExportedIds } from './call-events.js';
import type { Sink } from './importer.js';
import {
  Callstack,
  Clock,
  Frame,
  InternedName,
  InternedStacks,
  Packet,
  PacketDefaults,
  SampleCounter,
  SampleDefaults,
  SampleTask,
  SampleUnit,
  StackSample,
} from './perfetto-fields.js';
import { ProtobufWriter } from './protobuf-writer.js';
import { WrittenPlaces } from './written-places.js';
import { callerOf, stackOf } from './written-stacks.js';

/** Who took them: where BTrace finds its own, it shows the calls that came of them. */
export const ownSource = 'btrace';

const cpuTime = 'CPU time';
const pieceBytes = 1 << 18;
const stateCleared = 1;
const needsState = 2;

interface Follower {
  readonly name: string;
  readonly unit: number;
  readonly of: (intervals: ThreadTrack['intervals']) => Float64Array;
}

export interface SamplesTarget {
  readonly sink: Sink;
  readonly sequence: number;
  /** What the trace's times count from, on BOOTTIME. */
  readonly startNs: bigint;
  readonly idsOf: (thread: ThreadTrack) => ExportedIds;
}

/** Of threads that were sampled: the calls of others are events. A track that is no thread has no number to tell it by. */
export function writeStackSamples(
  trace: Trace,
  threads: readonly ThreadTrack[],
  target: SamplesTarget,
): void {
  const sampled = threads.filter(
    ({ tid, intervals }) => tid > 0 && intervals.samples.some((count) => count > 0),
  );
  if (sampled.length === 0) return;
  const writer = new SamplesWriter(trace, target);
  writer.defaults();
  for (const thread of sampled) writer.thread(thread);
  writer.end();
}

class SamplesWriter {
  readonly #trace: Trace;
  readonly #target: SamplesTarget;
  readonly #out = new ProtobufWriter(2 * pieceBytes);
  readonly #followers: readonly Follower[];
  readonly #places: WrittenPlaces;
  /** Of stacks that were written. */
  readonly #stacks = new Map<number, number>();
  readonly #frames = new Set<number>();
  readonly #functions = new Set<number>();
  readonly #files = new Map<string, number>();

  constructor(trace: Trace, target: SamplesTarget) {
    this.#trace = trace;
    this.#target = target;
    this.#places = new WrittenPlaces(trace);
    const { hasCpu, hasAllocations, hasAllocationCounts } = trace.info;
    const followers: (Follower & { readonly isKnown: boolean })[] = [
      { isKnown: hasCpu, name: cpuTime, unit: SampleUnit.nanoseconds, of: ({ cpu }) => cpu },
      {
        isKnown: hasAllocations,
        name: 'allocated bytes',
        unit: SampleUnit.bytes,
        of: ({ allocatedBytes }) => allocatedBytes,
      },
      {
        isKnown: hasAllocationCounts,
        name: 'allocations',
        unit: SampleUnit.count,
        of: ({ allocations }) => allocations,
      },
    ];
    this.#followers = followers.filter(({ isKnown }) => isKnown);
  }

  defaults(): void {
    const out = this.#out;
    const counter = (field: number, name: string, unit: number): void => {
      out.begin(field);
      out.text(SampleCounter.name, name);
      out.integer(SampleCounter.unit, unit);
      out.end();
    };
    out.begin(1);
    out.integer(Packet.sequenceId, this.#target.sequence);
    out.integer(Packet.sequenceFlags, stateCleared);
    out.begin(Packet.defaults);
    out.integer(PacketDefaults.clockId, Clock.boottime);
    out.begin(PacketDefaults.stackSample);
    out.text(SampleDefaults.source, ownSource);
    counter(SampleDefaults.primary, 'wall time', SampleUnit.nanoseconds);
    for (const { name, unit } of this.#followers) counter(SampleDefaults.followers, name, unit);
    out.end();
    out.end();
    out.end();
  }

  thread(thread: ThreadTrack): void {
    const { intervals } = thread;
    const { begin, end, cpu, countsWith } = intervals;
    const { pid, tid } = this.#target.idsOf(thread);
    const columns = this.#followers.map(({ of }) => of(intervals));
    const cpuAt = this.#followers.findIndex(({ name }) => name === cpuTime);
    for (let row = 0; row < intervals.count; row++) {
      const counted = columns.map((column) => Math.max(0, Math.round(column[row] ?? 0)));
      let from = begin[row] ?? 0;
      // What was done before a wait is told with the wait, and is another stack's (docs/MEASURES.md).
      const other = countsWith[row] ?? 0;
      if (other > 0) {
        const spent = Math.min(cpu[row] ?? 0, (end[row] ?? 0) - from);
        const work = counted.map((value, at) => (at === cpuAt ? value : 0));
        this.#sample(pid, tid, stackOf(intervals, other), from, from + spent, work);
        from += spent;
        if (cpuAt >= 0) counted[cpuAt] = 0;
      }
      this.#sample(pid, tid, stackOf(intervals, row), from, end[row] ?? 0, counted);
    }
  }

  #sample(
    pid: number,
    tid: number,
    stack: number,
    begin: number,
    end: number,
    counted: readonly number[],
  ): void {
    const [from, to] = [Math.round(begin), Math.round(end)];
    if (stack === 0 || (to <= from && counted.every((value) => value === 0))) return;
    const out = this.#out;
    if (out.length > pieceBytes) this.#target.sink(out.take());
    out.begin(1);
    out.big(Packet.timestamp, this.#target.startNs + BigInt(to));
    out.integer(Packet.sequenceId, this.#target.sequence);
    out.integer(Packet.sequenceFlags, needsState);
    const callstack = this.#callstack(stack);
    out.begin(Packet.stackSample);
    out.begin(StackSample.task);
    out.integer(SampleTask.pid, pid);
    out.integer(SampleTask.tid, tid);
    out.end();
    out.integer(StackSample.callstack, callstack);
    out.integer(StackSample.weight, to - from);
    if (counted.length > 0) out.packed(StackSample.followerWeights, counted);
    out.end();
    out.end();
  }

  /** Its number; in the packet of its first sample stands what it is made of. */
  #callstack(stack: number): number {
    const known = this.#stacks.get(stack);
    if (known !== undefined) return known;
    const id = this.#stacks.size + 1;
    this.#stacks.set(stack, id);
    const out = this.#out;
    out.begin(Packet.internedData);
    const frames: number[] = [];
    for (let at = stack; at !== 0; at = callerOf(this.#trace, at)) frames.push(this.#frame(at));
    out.begin(InternedStacks.callstacks);
    out.integer(Callstack.iid, id);
    // The outermost first.
    for (const frame of frames.reverse()) out.integer(Callstack.frames, frame);
    out.end();
    out.end();
    return id;
  }

  #frame(stack: number): number {
    const { id, method, line } = this.#places.of(stack);
    if (this.#frames.has(id)) return id;
    this.#frames.add(id);
    const { methods } = this.#trace;
    if (!this.#functions.has(method)) {
      this.#functions.add(method);
      this.#text(InternedStacks.functionNames, method + 1, methods.qualifiedName(method));
    }
    const file = methods.file(method);
    let fileId = file === '' ? 0 : (this.#files.get(file) ?? 0);
    if (file !== '' && fileId === 0) {
      fileId = this.#files.size + 1;
      this.#files.set(file, fileId);
      this.#text(InternedStacks.sourcePaths, fileId, file);
    }
    const out = this.#out;
    out.begin(InternedStacks.frames);
    out.integer(Frame.iid, id);
    out.integer(Frame.functionName, method + 1);
    if (fileId > 0) out.integer(Frame.sourcePath, fileId);
    if (line > 0) out.integer(Frame.line, line);
    out.end();
    return id;
  }

  #text(field: number, iid: number, text: string): void {
    this.#out.begin(field);
    this.#out.integer(InternedName.iid, iid);
    this.#out.text(InternedName.name, text);
    this.#out.end();
  }

  end(): void {
    if (this.#out.length > 0) this.#target.sink(this.#out.take());
  }
}
