import type { EventBuilder, EventThread } from '../assemble/event-builder.js';
import { Flows } from './flows.js';
import type { KernelTrace } from './kernel-trace.js';
import { Counter, CounterType, CounterUnit, Process, Thread, Track } from './perfetto-fields.js';
import type { PerfettoSequence, PerfettoTrack } from './perfetto-sequence.js';
import { ProtobufReader } from './protobuf-reader.js';

/** The tracks of a Perfetto trace: threads, counters and free ones, by their 64-bit ids. */
export class PerfettoTracks {
  readonly #builder: EventBuilder;
  readonly #kernel: KernelTrace;
  /** By the low half of the id; those that share it are few. */
  readonly #byLow = new Map<number, PerfettoTrack[]>();
  #last: PerfettoTrack | undefined;
  /** Threads that have a track already. */
  readonly #taken = new Set<EventThread>();
  readonly #flows: Flows<number>;
  #firstProcess = 0;
  readonly #fields = new ProtobufReader();
  readonly #inner = new ProtobufReader();

  constructor(builder: EventBuilder, kernel: KernelTrace) {
    this.#builder = builder;
    this.#kernel = kernel;
    this.#flows = new Flows(builder);
  }

  of(low: number, high: number): PerfettoTrack {
    const last = this.#last;
    if (last?.low === low && last.high === high) return last;
    let sharing = this.#byLow.get(low);
    let track = sharing?.find((candidate) => candidate.high === high);
    if (track === undefined) {
      track = newTrack(low, high);
      if (sharing === undefined) this.#byLow.set(low, (sharing = []));
      sharing.push(track);
    }
    this.#last = track;
    return track;
  }

  threadOf(track: PerfettoTrack): EventThread {
    if (track.thread !== undefined) return track.thread;
    if (track.tid > 0 && track.isSeparate) {
      track.thread = this.#builder.thread(track.tid, track.pid, track.name);
    } else if (track.tid > 0) {
      const known = this.#kernel.known(track.tid);
      // A thread that only the kernel has told of so far is the same one; one with a track of its own is another.
      const taken = known !== undefined && this.#taken.has(known);
      track.thread =
        known !== undefined && !taken ? known : this.#builder.thread(track.tid, track.pid, track.name);
      if (track.thread.name === '') track.thread.name = track.name;
      this.#taken.add(track.thread);
      this.#kernel.adopt(track.thread);
    } else {
      track.thread = this.#builder.thread(0, track.pid, track.name);
    }
    return track.thread;
  }

  get memoryBytes(): number {
    return this.#flows.memoryBytes;
  }

  count(track: PerfettoTrack, time: number, value: number): void {
    let now = value * track.multiplier;
    track.counter ??= this.#builder.counter(track.name, track.unit);
    const { counter } = track;
    if (track.incremental && counter.count > 0) now += counter.value[counter.count - 1] ?? 0;
    counter.push(time, now);
  }

  flow(id: number, track: PerfettoTrack, time: number, ends: boolean): void {
    this.#flows.step(id, this.threadOf(track), time, ends);
  }

  describe(bytes: Uint8Array, from: number, to: number): void {
    const fields = this.#fields.open(bytes, from, to);
    let track: PerfettoTrack | undefined;
    let name = '';
    let isSeparate = false;
    let [parentLow, parentHigh] = [0, 0];
    let thread: readonly [number, number] | undefined;
    let process: readonly [number, number] | undefined;
    let counter: readonly [number, number] | undefined;
    while (fields.next()) {
      switch (fields.field) {
        case Track.uuid:
          track = this.of(fields.low, fields.high);
          break;
        case Track.parent:
          parentLow = fields.low;
          parentHigh = fields.high;
          break;
        case Track.name:
        case Track.staticName:
          if (fields.wireType === 2) name = fields.text();
          break;
        case Track.thread:
          if (fields.wireType === 2) thread = [fields.from, fields.to];
          break;
        case Track.process:
          if (fields.wireType === 2) process = [fields.from, fields.to];
          break;
        case Track.disallowMerging:
          isSeparate = fields.low !== 0;
          break;
        case Track.counter:
          if (fields.wireType === 2) counter = [fields.from, fields.to];
          break;
        default:
      }
    }
    if (track === undefined) return;
    track.parentLow = parentLow;
    track.parentHigh = parentHigh;
    if (name !== '') track.name = name;
    track.isSeparate = isSeparate;
    if (thread !== undefined) this.#thread(track, bytes, thread);
    else if (process !== undefined) this.#process(track, bytes, process);
    else if (parentLow !== 0 || parentHigh !== 0) {
      track.pid = this.of(parentLow, parentHigh).pid;
    }
    if (counter !== undefined) this.#counter(track, bytes, counter);
    // Its events may have come before it.
    if (track.thread?.name === '') track.thread.name = track.name;
  }

  /** Older producers say once for a sequence which thread it is. */
  describeLegacyThread(bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence): void {
    const track = newTrack(0, 0);
    this.#thread(track, bytes, [from, to]);
    const fields = this.#fields.open(bytes, from, to);
    while (fields.next()) {
      if (fields.field === Thread.referenceUs) sequence.legacyUs = fields.signed;
      else if (fields.field === Thread.referenceThreadTimeUs) sequence.legacyThreadUs = fields.signed;
    }
    track.thread = this.#kernel.thread(track.tid, track.pid);
    if (track.thread.name === '') track.thread.name = track.name;
    sequence.legacyTrack = track;
  }

  describeProcess(bytes: Uint8Array, from: number, to: number): void {
    this.#process(newTrack(0, 0), bytes, [from, to]);
  }

  finish(): void {
    for (const sharing of this.#byLow.values()) {
      for (const track of sharing) {
        const { thread } = track;
        if (thread === undefined) continue;
        if (thread.pid === 0) thread.pid = this.of(track.parentLow, track.parentHigh).pid;
        if (thread.name === '') thread.name = track.name;
        thread.isMain = thread.tid > 0 && thread.tid === thread.pid;
        // The kernel's trace has no slices of it: then what it says of the thread itself belongs here.
        if (track.isSeparate && this.#kernel.known(thread.tid)?.events.isEmpty !== false)
          this.#kernel.adopt(thread);
      }
    }
  }

  /** The process a person means: the first that was described. */
  mainProcess(): { pid: number; name: string } {
    const pid = this.#firstProcess;
    return { pid, name: this.#kernel.processNames.get(pid) ?? '' };
  }

  #thread(track: PerfettoTrack, bytes: Uint8Array, [from, to]: readonly [number, number]): void {
    const fields = this.#inner.open(bytes, from, to);
    while (fields.next()) {
      if (fields.field === Thread.pid) track.pid = fields.low;
      else if (fields.field === Thread.tid) track.tid = fields.low;
      else if (fields.field === Thread.name && fields.wireType === 2) track.name = fields.text();
    }
    if (this.#firstProcess === 0) this.#firstProcess = track.pid;
    if (track.thread !== undefined && track.thread.tid === 0) {
      track.thread.tid = track.tid;
      track.thread.pid = track.pid;
    }
  }

  #process(track: PerfettoTrack, bytes: Uint8Array, [from, to]: readonly [number, number]): void {
    const fields = this.#inner.open(bytes, from, to);
    let name = '';
    let command = '';
    while (fields.next()) {
      if (fields.field === Process.pid) track.pid = fields.low;
      else if (fields.wireType !== 2) continue;
      else if (fields.field === Process.name) name = fields.text();
      else if (fields.field === Process.cmdline && command === '') command = fields.text();
    }
    if (name === '') name = command;
    if (track.name === '') track.name = name;
    if (this.#firstProcess === 0) this.#firstProcess = track.pid;
    this.#kernel.nameProcess(track.pid, name);
  }

  #counter(track: PerfettoTrack, bytes: Uint8Array, [from, to]: readonly [number, number]): void {
    const fields = this.#inner.open(bytes, from, to);
    track.isCounter = true;
    while (fields.next()) {
      switch (fields.field) {
        case Counter.type:
          track.isThreadTime = fields.low === CounterType.threadTime;
          break;
        case Counter.unit:
          track.unit =
            fields.low === CounterUnit.timeNs ? 'ns' : fields.low === CounterUnit.bytes ? 'bytes' : '1';
          break;
        case Counter.unitName:
          if (fields.wireType === 2) track.unit = fields.text();
          break;
        case Counter.unitMultiplier:
          track.multiplier = fields.signed || 1;
          break;
        case Counter.incremental:
          track.incremental = fields.low !== 0;
          break;
        default:
      }
    }
  }
}

function newTrack(low: number, high: number): PerfettoTrack {
  return {
    low,
    high,
    parentLow: 0,
    parentHigh: 0,
    name: '',
    thread: undefined,
    pid: 0,
    tid: 0,
    isSeparate: false,
    isCounter: false,
    isThreadTime: false,
    incremental: false,
    multiplier: 1,
    unit: '',
    counter: undefined,
  };
}
