import type { EventThread } from '../assemble/event-builder.js';
import type { EventCounter } from '../assemble/event-counter.js';
import { grown } from '../assemble/grow.js';
import type { SequenceClock } from './perfetto-clocks.js';

/** A track as its descriptor and its events make it known. Ids are 64 bits, kept as two halves. */
export interface PerfettoTrack {
  readonly low: number;
  readonly high: number;
  parentLow: number;
  parentHigh: number;
  name: string;
  /** Where its slices go; made when the first comes. */
  thread: EventThread | undefined;
  pid: number;
  tid: number;
  /** Its slices are not those that the kernel's trace has of its thread. */
  isSeparate: boolean;
  isCounter: boolean;
  /** The thread's CPU clock, told beside its slices. */
  isThreadTime: boolean;
  incremental: boolean;
  multiplier: number;
  unit: string;
  counter: EventCounter | undefined;
}

/** 64 bits. */
export type InternId = number | bigint;

export interface InternedFrame {
  readonly name: InternId;
  readonly mapping: InternId;
  readonly pc: number;
}

/** What packets of a sequence say of stacks, by the numbers that later ones refer to. */
export class StackTables {
  readonly functions = new Map<InternId, string>();
  readonly mappingPaths = new Map<InternId, string>();
  readonly mappings = new Map<InternId, InternId>();
  readonly frames = new Map<InternId, InternedFrame>();
  readonly stacks = new Map<InternId, readonly InternId[]>();
  /** Paths of the stacks that a sample had. */
  readonly paths = new Map<InternId, number>();
}

/** What holds for the stack samples of a sequence that do not say otherwise. */
export interface SampleDefaultsRead {
  /** BTrace's own samples: its calls come of them. */
  readonly isOwn: boolean;
  readonly counter: SampleCounterRead | undefined;
}

/** What samples are weighed by. */
export interface SampleCounterRead {
  /** ns of one count; 0: it does not count time. */
  readonly unitNs: number;
  readonly isCpuTime: boolean;
}

/** Interning ids up to this are an array, above it a map: ids come from a file. */
const maxDenseId = 1 << 22;

/** What holds for the packets of one writer until it says that it starts afresh. */
export class PerfettoSequence {
  /** False after a loss, until the writer starts afresh: packets that need earlier ones cannot be understood. */
  intact = false;
  defaultClock = 0;
  defaultTrack: PerfettoTrack | undefined;
  /** Place in the extra counters of the thread's CPU clock, −1 for none, −2 when it has to be found again. */
  threadTimeAt = -2;
  extraCounters: PerfettoTrack[] = [];
  extraDoubleCounters: PerfettoTrack[] = [];
  readonly clocks = new Map<number, SequenceClock>();
  /** What stacks of samples are made of. */
  stacks: StackTables | undefined;
  samples: SampleDefaultsRead | undefined;
  /** Running values of the extra counters that are told as differences. */
  extraValues: number[] = [];
  /** Older producers: the thread of all events, and the µs they are counted from. */
  legacyTrack: PerfettoTrack | undefined;
  legacyUs = 0;
  legacyThreadUs = 0;
  /** Method id + 1 by interning id; 0 is missing. */
  #names = new Int32Array(256);
  readonly #farNames = new Map<InternId, number>();
  readonly #sources = new Map<InternId, { file: string; line: number }>();

  /** The writer starts afresh: nothing of before is referred to again. */
  clear(): void {
    this.intact = true;
    this.#names.fill(0);
    this.#farNames.clear();
    this.#sources.clear();
    this.stacks = undefined;
    this.samples = undefined;
    this.extraValues = [];
    this.defaultClock = 0;
    this.defaultTrack = undefined;
    this.extraCounters = [];
    this.extraDoubleCounters = [];
    this.threadTimeAt = -2;
  }

  setName(iid: InternId, method: number): void {
    if (typeof iid === 'bigint' || iid >= maxDenseId) {
      this.#farNames.set(iid, method + 1);
      return;
    }
    if (iid >= this.#names.length)
      this.#names = grown(this.#names, Math.max(iid + 1, this.#names.length * 2));
    this.#names[iid] = method + 1;
  }

  /** Method of an interning id, −1 when it is not known here. */
  nameOf(iid: InternId): number {
    const isNear = typeof iid === 'number' && iid < this.#names.length;
    const method = (isNear ? this.#names[iid] : this.#farNames.get(iid)) ?? 0;
    return method - 1;
  }

  setSource(iid: InternId, file: string, line: number): void {
    this.#sources.set(iid, { file, line });
  }

  sourceOf(iid: InternId): { file: string; line: number } | undefined {
    return this.#sources.get(iid);
  }
}
