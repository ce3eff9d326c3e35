/**
 * What the engine knows of a recording: columns, one entry a row, no object per event.
 *
 * Times are ns after `TraceInfo.startMonotonicNs` as float64 (exact to 2^53 ns = 104 days).
 * Everything derives from one thing: each thread's *intervals*, the stretches between two pieces of evidence, each with
 * its path in the call tree. Samples become intervals by the four-case diff; exact begin/end events of foreign formats
 * become intervals too, so that every measure has one definition.
 */
import type { FrameRows } from '../system/frame-rows.js';
import type { SwitchRows, WakeRows } from '../system/kernel-events.js';
import type { BinderRows, PrintRows } from '../system/print-rows.js';
import type { ThreadStates } from '../system/thread-states.js';
import type { WrittenName } from './written-name.js';

/** A growing column set exposes arrays that may be longer than `count`; rows beyond it mean nothing. */
export interface Rows {
  readonly count: number;
}

/** The call tree of all threads, methods only: each distinct path from the root once. Path 0 is the root: no call. */
export interface Paths extends Rows {
  /** Always smaller than the path itself. */
  readonly parent: Int32Array;
  /** Methods are numbered from 0; of the root, which is no call, it means nothing. */
  readonly method: Uint32Array;
  /** 0 for the root. */
  readonly depth: Uint16Array;
  /** 1 where an ancestor has the same method: totals count such a path's time at the outermost one only. */
  readonly recursive: Uint8Array;
}

export const IntervalState = {
  /** Evidence on both sides, or an exact event. */
  Evidence: 0,
  /** Equal paths with no CPU used between: the thread was waiting in its innermost call. */
  InferredWait: 1,
  /** Inside a blocking sample: what it waited for is in `Blocks`. */
  Wait: 2,
  /** No evidence. Nobody's work: in no method's self or total. Its path is what both sides have in common. */
  Gap: 3,
} as const;
export type IntervalState = (typeof IntervalState)[keyof typeof IntervalState];

/** The stack tree as it was captured, by node id: what `Intervals.node` names. Only rows with a path were received. */
export interface StackNodes extends Rows {
  /** Always smaller than the node itself; 0 is the root. */
  readonly parent: Int32Array;
  readonly path: Int32Array;
  /** What `path` is of; absent: the trace's own. With library frames hidden they are whole. */
  readonly paths?: Paths;
  /** Bytecode index, dex pc or address within its method, plus 1; 0: not known. */
  readonly position: Int32Array;
}

/** In time order, without overlap; where one ends before the next begins, the thread was not there. */
export interface Intervals extends Rows {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly path: Int32Array;
  /** How many frames, counted from the root, are the same *calls* as in the interval before. The others end and begin anew. */
  readonly keep: Uint16Array;
  readonly state: Uint8Array;
  readonly cpu: Float64Array;
  readonly allocations: Float64Array;
  readonly allocatedBytes: Float64Array;
  /** What `allocatedBytes` adds up to, where that is known without making the column. */
  readonly sumOfAllocatedBytes?: number;
  readonly faults: Float64Array;
  readonly switches: Float64Array;
  /** Captures that this interval stands for (0 for exact events). */
  readonly samples: Uint32Array;
  /** Stack node whose positions give lines for this interval, 0 if none. */
  readonly node: Int32Array;
  /**
   * The later interval that this one's CPU time counts with, and as much of its wall time: no interrupt
   * saw what the thread used there for, and that one's stands for it. 0 or less: its own. Empty where all are their own.
   */
  readonly countsWith: Int32Array;
}

/** One row a call, ordered by begin, a parent before its children. */
export interface Calls extends Rows {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** CPU ns in the call and what it called. */
  readonly cpu: Float64Array;
  /** Row of the calling call, −1 for outermost ones. */
  readonly parent: Int32Array;
  /** 0 for outermost calls. */
  readonly depth: Uint16Array;
  readonly method: Uint32Array;
  /** First of the intervals it spans; with `lastInterval` gives everything else. */
  readonly firstInterval: Int32Array;
  readonly lastInterval: Int32Array;
}

/** Blocking samples, one row a wait. */
export interface Waits extends Rows {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** SampleKind of recording.proto. */
  readonly kind: Uint8Array;
  readonly path: Int32Array;
  /** Class id of what it waited for, 0 unknown. */
  readonly type: Uint32Array;
  readonly object: Float64Array;
  /** Thread index of the owner at blocking, 0 unknown; of one that still waits the owner at the end. */
  readonly owner: Uint32Array;
  /** SampleFlag: `OpenWait` where it had not ended when the recording did, `FromBefore` where it began before that. */
  readonly flags: Uint16Array;
  /** Row in `Trace.links`, −1 when nobody is known to have ended it. */
  readonly link: Int32Array;
  /** Absent where the trace does not say more of its waits than their paths do. */
  readonly told?: ToldWaits;
}

/** Of each wait, what the trace itself says of its place and of the owner's. */
export interface ToldWaits {
  /** In the innermost method of the wait's path; 0 unknown. */
  readonly line: Int32Array;
  /** Where the owner took what is waited for; −1 and 0 unknown. */
  readonly ownerMethod: Int32Array;
  readonly ownerLine: Int32Array;
}

/** Captures with something to say beyond their stack: markers, allocations with a class, thread starts, releases. */
export interface Events extends Rows {
  readonly time: Float64Array;
  readonly kind: Uint8Array;
  readonly path: Int32Array;
  readonly type: Uint32Array;
  readonly object: Float64Array;
  readonly peer: Uint32Array;
  readonly text: Uint32Array;
}

export interface Links extends Rows {
  readonly waiter: Uint32Array;
  readonly waiterTime: Float64Array;
  readonly waker: Uint32Array;
  readonly wakerTime: Float64Array;
  readonly certainty: Uint8Array;
}

/**
 * Waits of virtual threads that had left their carriers, in no order: they overlap each other and what the carriers did
 * meanwhile, and are no thread's intervals.
 */
export interface OffCarrierWaits extends Rows {
  /** Java's, its low 32 bits. */
  readonly id: Uint32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly path: Int32Array;
  /** What `path` is of; absent: the trace's own. With library frames hidden they are whole: hidden frames tell how a wait was made. */
  readonly paths?: Paths;
  /** Index of the carrier it came back to; where it still waits, of the one it left; 0 unknown. */
  readonly thread: Uint32Array;
  /** SampleFlag. */
  readonly flags: Uint16Array;
  /** Waits beside these that were as long and not captured, to stay within the budget, and how long they were together. */
  readonly leftOut: number;
  readonly leftOutNs: number;
}

/** Frames that apps drew, in no order. */
export interface Frames extends Rows {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** When it was to be ready; NaN unknown. */
  readonly deadline: Float64Array;
  /** Of the app. */
  readonly pid: Int32Array;
  readonly token: Float64Array;
  /** The bits of `Jank`. */
  readonly jank: Uint16Array;
}

/** Allocations that were sampled and not freed before the recording's end, in no order. */
export interface HeldMemory extends Rows {
  /** Index of the thread that allocated. */
  readonly thread: Uint32Array;
  readonly time: Float64Array;
  readonly path: Int32Array;
  /** An estimate: what the allocation stands for. */
  readonly bytes: Float64Array;
}

export interface ThreadTrack {
  /** The recording's own, from 1. */
  readonly index: number;
  readonly tid: number;
  /** Its process, where the trace may have several; absent or 0: that of `TraceInfo`. */
  readonly pid?: number;
  readonly javaId: number;
  readonly kind: number;
  readonly name: string;
  readonly isMain: boolean;
  readonly beginNs: number;
  /** 0: still there at the end. */
  readonly endNs: number;
  readonly creator: number;
  readonly intervals: Intervals;
  readonly calls: Calls;
  readonly waits: Waits;
  readonly events: Events;
  /** Message id of each interval (0: none). */
  readonly message: Uint32Array;
  /** Captures that its intervals stand for. */
  readonly sampleCount: number;
}

/** Strings are made when asked for, never one per event. Class and name are as recorded, which is how a source is looked for. */
export interface Methods {
  readonly count: number;
  /** "com.example.Shop$Cart", empty for native functions. */
  className(method: number): string;
  name(method: number): string;
  /** "com.example.Shop$Cart.add", or the function's name: for showing, as it was written. */
  qualifiedName(method: number): string;
  /** Where a compiler named it differently; undefined: as recorded. */
  written?(method: number): WrittenName | undefined;
  signature(method: number): string;
  /** Source file name as the runtime gives it, or empty. */
  file(method: number): string;
  kind(method: number): number;
  /** First line of the method, 0 unknown. */
  firstLine(method: number): number;
  /** Hash of the method's source file as it was compiled, where the runtime knows it; else empty or absent. */
  sourceHash?(method: number): Uint8Array;
  /** Line of a position (bytecode index or dex pc), 0 unknown. */
  lineAt(method: number, position: number): number;
}

export interface CounterTrack {
  readonly name: string;
  readonly unit: string;
  /** The program told it itself, and each value has a stack. */
  readonly isOwn?: boolean;
  readonly count: number;
  readonly time: Float64Array;
  readonly value: Float64Array;
}

/** A library or program that native frames lie in. */
export interface Image {
  readonly id: number;
  readonly path: string;
  readonly buildId: Uint8Array;
  readonly loadAddress: bigint;
  readonly size: number;
  readonly arch: string;
}

export interface Hook {
  readonly name: string;
  readonly state: number;
  readonly why: string;
}

export interface Loss {
  readonly thread: number;
  readonly beginNs: number;
  readonly endNs: number;
  readonly count: number;
  readonly reason: number;
}

/** Something wrong in the bytes, in a person's words. */
export interface Problem {
  /** Place in the file; absent of what is not at one place. */
  readonly offset?: number;
  readonly what: string;
  /** So much was lost that the figures may not hold: it is told first, and beside the figures. */
  readonly isLoud?: boolean;
}

export interface CaptureCost {
  readonly kind: number;
  readonly count: number;
  readonly totalNs: number;
  /** Bucket b counts costs in [2^b, 2^(b+1)) ns. */
  readonly buckets: readonly number[];
}

export interface TraceInfo {
  /** "btrace", "perfetto", "chrome", "speedscope", "collapsed", "nanoscope", "art" … */
  readonly format: string;
  readonly targetName: string;
  readonly pid: number;
  readonly runtime: string;
  readonly os: string;
  readonly arch: string;
  readonly device: string;
  readonly agentVersion: string;
  readonly mode: number;
  readonly modeReason: string;
  readonly buildId: string;
  readonly startMonotonicNs: bigint;
  readonly startBoottimeNs: bigint;
  readonly startRealtimeNs: bigint;
  /** Between two captures of a thread, as configured; 0 for exact traces. */
  readonly syncIntervalNs: number;
  readonly asyncIntervalNs: number;
  /** What the weights of this trace mean; false where there is nothing to show. */
  readonly hasCpu: boolean;
  readonly hasAllocations: boolean;
  /** False where of allocations only their bytes are known. */
  readonly hasAllocationCounts: boolean;
  readonly hasFaults: boolean;
  readonly hasSwitches: boolean;
  /** True when calls are exact begin/end events, not rebuilt from samples. */
  readonly exact: boolean;
  /** Of some samples the line is that of a place near by where the runtime knows it. */
  readonly linesNearSafepoints: boolean;
  readonly allocationsEstimated: boolean;
}

/**
 * Which part of its samples a recording has, where all would take too much memory. Names, counters, losses and totals are
 * of the whole recording.
 */
export interface TracePart {
  /** Place in the file of the first samples after this part; undefined: it goes to the end. */
  readonly next: number | undefined;
  readonly recordingEndNs: number;
}

/**
 * The same of a foreign trace, whose events are in no order and whose end is not known: how far into the file they were
 * taken in. Names that do not come with events are of the whole file.
 */
export interface FilePart {
  /** 0 to 1. */
  readonly fileShare: number;
}

/** Of one of the ways in which samples come. */
export interface SourceInterval {
  /** SourceKind. */
  readonly kind: number;
  readonly askedNs: number;
  /** The median over the recording; while it goes on, now. */
  readonly effectiveNs: number;
}

/** Whole-recording totals as the agent counted them. */
export interface TraceStatus {
  readonly samples: number;
  readonly dropped: number;
  readonly captureNs: number;
  readonly drainNs: number;
  readonly processCpuNs: number;
  readonly memoryBytes: number;
  readonly effectiveIntervalNs: number;
  readonly costs: readonly CaptureCost[];
  /** Absent where an older agent does not tell. */
  readonly sources?: readonly SourceInterval[];
  /** Of the kernel's clock, where threads are interrupted by their CPU clocks. */
  readonly tickNs?: number;
  /** For which all threads were stopped as hooks went in and out, at most. Absent where that was not measured. */
  readonly stoppedNs?: number;
}

/** A thread of any program, as the kernel knows it. */
export interface SystemTask {
  /** Of its process, 0 unknown. */
  readonly pid: number;
  readonly name: string;
}

/** What the kernel's scheduler did meanwhile, on all cores and with all threads of the system, or of the program alone. */
export interface SystemTrace {
  /** "ftrace" … */
  readonly source: string;
  /**
   * Only the program's own threads were seen: thread 0 of a switch is any other or none, nobody is known to have woken a
   * thread, and a sleep lasts until the thread runs again.
   */
  readonly isOfProgram: boolean;
  /** The kernel's name of the clock that its events were stamped with. */
  readonly clock: string;
  /** That clock minus the recording's, as marks in both say; how far off that may be. */
  readonly offsetNs: number;
  readonly errorNs: number;
  /** How many marks that was measured with. */
  readonly marks: number;
  /** Events that the kernel had no room for. */
  readonly lost: number;
  readonly cores: number;
  readonly beginNs: number;
  readonly endNs: number;
  /** CPU time that reading them took, of the recorder. */
  readonly readerNs: number;
  /** Whether there are switches; asking costs nothing, while the first use of the columns may decode them. */
  readonly hasEvents: boolean;
  readonly switches: SwitchRows;
  readonly wakes: WakeRows;
  readonly diskWaits: WakeRows;
  readonly frequencies: {
    readonly time: readonly number[];
    readonly core: readonly number[];
    readonly kHz: readonly number[];
  };
  /** Whether `sections` has any; asking costs nothing. */
  readonly hasSections: boolean;
  /**
   * What Android and programs wrote into the trace, as a trace of its own on the same clock: the calls of its threads are
   * sections, its waits are told by their names. Made when it is first asked for. Undefined where there is none: of a foreign
   * trace sections are its own calls.
   */
  readonly sections: Trace | undefined;
  /** What `sections` is made of, as it was traced, in no order. Undefined where `sections` is. */
  readonly sectionRows: { readonly prints: PrintRows; readonly binder: BinderRows } | undefined;
  /** What was said of frames of apps, as it came. Undefined where nothing was: of a foreign trace `Trace.frames` has them. */
  readonly frameRows: FrameRows | undefined;
  /** Those of a process. Made when they are first asked for; undefined where there are none. */
  frames(pid: number): Frames | undefined;
  task(tid: number): SystemTask | undefined;
  /** By tid, of the threads of these tids that the kernel saw. */
  states(tids: Iterable<number>): ReadonlyMap<number, ThreadStates>;
}

export interface Trace {
  readonly info: TraceInfo;
  readonly beginNs: number;
  readonly endNs: number;
  /** False while it is being written, or when it was cut off. */
  readonly complete: boolean;
  readonly endReason: number;
  /** Absent where all of it is here. */
  readonly part?: TracePart | FilePart | undefined;
  readonly threads: readonly ThreadTrack[];
  readonly methods: Methods;
  readonly paths: Paths;
  /** Methods that are no code: their calls are waits, named by what is waited for. Absent where a format has none. */
  readonly waitSlices?: ReadonlySet<number>;
  /** Absent where a format has no positions within methods: then there are no figures by line. */
  readonly nodes?: StackNodes;
  readonly links: Links;
  /** Absent where a format has none. */
  readonly offCarrierWaits?: OffCarrierWaits;
  /** Absent or empty: the recording does not know. */
  readonly heldMemory?: HeldMemory;
  readonly counters: readonly CounterTrack[];
  /** Absent where the scheduler was not recorded. */
  readonly system?: SystemTrace | undefined;
  /** Absent where no frames with deadlines were recorded, or where `system` has them: framesOf(). */
  readonly frames?: Frames | undefined;
  /** Absent where a format knows no native frames. */
  readonly images?: readonly Image[];
  readonly hooks: readonly Hook[];
  readonly losses: readonly Loss[];
  readonly status: TraceStatus | undefined;
  readonly problems: readonly Problem[];
  className(id: number): string;
  text(id: number): string;
}
