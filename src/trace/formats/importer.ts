import type { IntervalWeight } from '../measure/weights.js';
import type { Trace } from '../model/trace.js';
import type { UnnamedCode } from './code-names.js';
import type { KernelTap } from '../system/kernel-sink.js';

/** What reads one foreign format. Bytes come in order and in pieces of any size; nothing in a file makes it throw. */
export interface TraceImporter {
  /** The importer may keep a view of `bytes`: the caller must not write to them again. */
  append(bytes: Uint8Array): void;
  /** Events were left out for want of room: a part of the file is all that comes of it. */
  readonly isPart: boolean;
  /** Code of the samples whose names stand in other files. After the last piece, before `finish`. */
  unnamedCode?(): readonly UnnamedCode[];
  /** Once, after the last piece. What was wrong in the bytes is in `Trace.problems`. */
  finish(): Trace;
}

export interface ImportOptions {
  /** Asked between pieces of work; when aborted, `append` throws its reason. */
  readonly signal?: AbortSignal;
  /**
   * Time that one count of a format without times stands for (collapsed stacks), in ns.
   * Without it: what the file says, else 1 ms.
   */
  readonly countNs?: number;
  /**
   * Events are taken in until they, with the intervals and calls that come of them, take so much; of the rest of the file
   * names are. `Trace.part` says so.
   */
  readonly mostBytes?: number;
  /** Gets the kernel's events as well, and at the end what their times count from. */
  readonly kernel?: KernelTap | undefined;
}

/** Where an exporter puts its pieces. `bytes` are the sink's from then on. */
export type Sink = (bytes: Uint8Array) => void;

/** What stacks can be summed by: any weight of the measures, or how often they were captured. */
export type StackWeight = IntervalWeight | 'samples';

export interface ExportOptions {
  /** Indexes of the threads to write; all when absent. */
  readonly threads?: readonly number[];
  /** For formats that carry one weight: which. Wall time when absent. */
  readonly weight?: StackWeight;
}
