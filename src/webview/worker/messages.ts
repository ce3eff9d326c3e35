/** What the page and its worker say to each other. Columns travel by transfer: one copy is made, in the worker. */
import type { PageRetraceMapping, SourceKey, WantedRetraceMapping } from '../../protocol/messages.js';
import type { NamedCode } from '../../trace/formats/code-names.js';
import type { PartOptions } from '../../trace/assemble/part.js';
import type { CallFigures, CallPlace } from '../../trace/measure/calls.js';
import type { Finding } from '../../trace/findings/finding.js';
import type { HotMethods } from '../../trace/measure/hot-methods.js';
import type { LockWaits } from '../../trace/measure/lock-waits.js';
import type { MethodWait } from '../../trace/measure/method-waits.js';
import type { MethodFigures } from '../../trace/measure/methods.js';
import type { Overview } from '../../trace/measure/overview.js';
import type { Question } from '../../trace/measure/question.js';
import type { StripColumns } from '../../trace/system/strip.js';
import type { StretchScheduling } from '../../trace/measure/scheduling.js';
import type { Scope } from '../../trace/measure/scope.js';
import type { ThreadTimes } from '../../trace/measure/thread-times.js';
import type { FlameNodes, Neighbours, TreeNodes } from '../../trace/measure/trees.js';
import type { VirtualThreadFigures } from '../../trace/measure/virtual-threads.js';
import type { OffCarrierWaitPlaces } from '../../trace/measure/off-carrier-waits.js';
import type { Weight } from '../../trace/measure/weights.js';
import type { WrittenName } from '../../trace/model/written-name.js';
import type {
  CounterTrack,
  Hook,
  Loss,
  Problem,
  TraceInfo,
  Trace,
  TraceStatus,
} from '../../trace/model/trace.js';

export interface CoreStrip {
  readonly core: number;
  readonly strip: StripColumns;
}

/** What the kernel's scheduler did, and sections of the system's trace. */
export interface SchedulingColumns {
  /** By a thread's index. */
  readonly threads: ReadonlyMap<number, StripColumns>;
  readonly cores: readonly CoreStrip[];
  /** Other programs, and who woke a thread, are not known. */
  readonly isOfProgram: boolean;
  /** By tid, of threads of other programs that ran. */
  readonly otherNames: ReadonlyMap<number, string>;
  /** By a thread's index; their methods are places in `sectionNames`. */
  readonly sections: ReadonlyMap<number, ChartColumns>;
  readonly sectionNames: readonly string[];
}

/**
 * The calls of one thread laid out for drawing: all of depth 0 by begin, then all of depth 1 …
 * Within a depth calls do not overlap, so both `begin` and `end` are sorted there and a viewport is found by bisection;
 * a call's parent is the one call of the depth above that spans it. 24 bytes a call. What is still to come has its rows, with
 * nothing in them.
 */
export interface ChartColumns {
  readonly count: number;
  /** Rows of depth d: depthStart[d] up to depthStart[d + 1]. */
  readonly depthStart: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly method: Uint32Array;
  /** CPU ns; float32 is enough to draw a share. */
  readonly cpu: Float32Array;
}

/** Stretches that are not plain evidence, by begin, without overlap. `depth` is the row they are drawn in. */
export interface SpanColumns {
  readonly count: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly depth: Uint16Array;
  /** IntervalState. */
  readonly state: Uint8Array;
}

/** CPU used up to a time, as a line of points: any stretch's CPU is two bisections. */
export interface ActivityColumns {
  readonly count: number;
  readonly time: Float64Array;
  readonly cpu: Float64Array;
}

export interface WaitColumns {
  readonly count: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly depth: Uint16Array;
  readonly kind: Uint8Array;
  /** Index in `Snapshot.typeNames`, 0 unknown. */
  readonly type: Uint32Array;
  readonly object: Float64Array;
  readonly owner: Uint32Array;
  readonly flags: Uint16Array;
  /** Row in `Snapshot.links`, −1 none. */
  readonly link: Int32Array;
  /** Where the trace itself says where the thread and the owner were. */
  readonly places?: WaitPlaceColumns;
}

/** Methods are −1 and lines 0 where they are not known. */
export interface WaitPlaceColumns {
  readonly method: Int32Array;
  readonly line: Int32Array;
  readonly ownerMethod: Int32Array;
  readonly ownerLine: Int32Array;
}

export interface MarkerColumns {
  readonly count: number;
  readonly time: Float64Array;
  readonly kind: Uint8Array;
  /** Index in `Snapshot.markerTexts`. */
  readonly text: Uint32Array;
}

/** Messages that missed a frame, by begin, without overlap. */
export interface MissedFrameColumns {
  readonly count: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
}

export interface LinkColumns {
  readonly count: number;
  readonly waiter: Uint32Array;
  readonly waiterTime: Float64Array;
  readonly waker: Uint32Array;
  readonly wakerTime: Float64Array;
  readonly certainty: Uint8Array;
}

export interface ThreadSnapshot extends ThreadTimes {
  readonly index: number;
  readonly tid: number;
  readonly name: string;
  readonly isMain: boolean;
  readonly kind: number;
  readonly beginNs: number;
  readonly endNs: number;
  readonly sampleCount: number;
  /** It rested for all of its time that matters: left out, unless a person wants to see it. */
  readonly isIdle: boolean;
  readonly chart: ChartColumns;
  readonly spans: SpanColumns;
  readonly activity: ActivityColumns;
  readonly waits: WaitColumns;
  readonly markers: MarkerColumns;
  readonly missedFrames: MissedFrameColumns;
}

/** Names by method id: `classNames[classOf[m]]` and `names[m]`; of a name that is still to come, empty and not there. */
export interface NameColumns {
  readonly count: number;
  readonly classNames: readonly string[];
  readonly classOf: Uint32Array;
  readonly names: readonly string[];
  /** By method id, of those whose compiler named them differently. */
  readonly written: ReadonlyMap<number, WrittenName>;
}

export interface Snapshot {
  /** Of the first one of a large recording, threads that are yet to be drawn (`Drawn`), with all names; undefined where it is whole. */
  readonly toCome: readonly number[] | undefined;
  readonly info: TraceInfo;
  readonly beginNs: number;
  readonly endNs: number;
  readonly complete: boolean;
  readonly endReason: number;
  /** More may come. */
  readonly live: boolean;
  /** Undefined where all of the recording is here. */
  readonly part: Trace['part'];
  readonly status: TraceStatus | undefined;
  readonly hooks: readonly Hook[];
  readonly losses: readonly Loss[];
  readonly problems: readonly Problem[];
  readonly counters: readonly CounterTrack[];
  readonly threads: readonly ThreadSnapshot[];
  /** The kernel's scheduler was recorded, too: its columns come after the first chart. */
  readonly hasScheduling: boolean;
  /** Of the scheduler, the program's own switches alone are known. */
  readonly switchesAlone: boolean;
  /** Events of the scheduler that the kernel had no room for. */
  readonly schedulingLost: number;
  /** Knows what was allocated and not freed. */
  readonly hasHeldMemory: boolean;
  /** Of a message loop, or virtual threads. */
  readonly hasMessages: boolean;
  /** What figures begin with. */
  readonly question: Question;
  readonly names: NameColumns;
  readonly links: LinkColumns;
  readonly lockWaits: LockWaits;
  readonly typeNames: readonly string[];
  readonly markerTexts: readonly string[];
  /** Names were retraced, or (false) were not because the person wants them as recorded; undefined: there is none. */
  readonly isRetraced: boolean | undefined;
  /** Of the mapping that the recorded build has; empty: not known. */
  readonly mapId: string;
  /** Version of the mapping, where it is newer than what is read here; else empty. */
  readonly newerMapping: string;
}

/** Of a thread, what costs a pass over its intervals and is drawn where it is in sight. */
export type Drawn = Pick<ThreadSnapshot, 'chart' | 'spans' | 'activity'>;

/** What nobody sees on the first chart: all names, and the threads below it. */
export interface Rest {
  readonly names: NameColumns;
  readonly threads: ReadonlyMap<number, Drawn>;
}

export type { CallFigures, FlameNodes, MethodFigures, Neighbours, Scope, TreeNodes, Weight };

export type ToWorker =
  | {
      readonly type: 'open';
      readonly totalBytes: number;
      readonly live: boolean;
      readonly part: PartOptions;
      /** Rows of calls that the window has room for. */
      readonly rowsInSight: number;
    }
  | { readonly type: 'bytes'; readonly data: ArrayBuffer }
  /** Names of code of the recording, or of the one to compare with: before the end of its bytes. */
  | { readonly type: 'codeNames'; readonly names: readonly NamedCode[] }
  | { readonly type: 'baselineCodeNames'; readonly names: readonly NamedCode[] }
  | { readonly type: 'end' }
  /** Prefixes of the workspace's packages; `hideLibraries` hides all other frames of the charts. */
  | { readonly type: 'myCode'; readonly myPackages: readonly string[]; readonly hideLibraries: boolean }
  /** The mapping that the host has, and whether names are to stay as recorded. */
  | {
      readonly type: 'naming';
      readonly mapping: PageRetraceMapping | undefined;
      readonly asRecorded: boolean;
    }
  /** What the trace needs of the retrace mapping. */
  | { readonly type: 'retraceExcerpt'; readonly text: string }
  /** The recording to compare with; `undefined`: none any more. */
  | { readonly type: 'baseline'; readonly part: PartOptions | undefined }
  | { readonly type: 'baselineBytes'; readonly data: ArrayBuffer }
  | { readonly type: 'baselineEnd' }
  | { readonly type: 'ask'; readonly id: number; readonly query: Query };

export type FromWorker =
  | { readonly type: 'progress'; readonly bytes: number; readonly totalBytes: number }
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  /** Of a made-up recording, while there is no other: what draws it has been run when the first real one comes. */
  | { readonly type: 'rehearsal'; readonly snapshot: Snapshot }
  | { readonly type: 'rest'; readonly rest: Rest }
  /** With all problems of the recording: those of the scheduler's events are known only now. */
  | {
      readonly type: 'scheduling';
      readonly scheduling: SchedulingColumns;
      readonly problems: readonly Problem[];
    }
  | { readonly type: 'wantRetraceMapping'; readonly wanted: WantedRetraceMapping }
  /** What there is to compare with now; empty `problem`: nothing is wrong with it. */
  | { readonly type: 'baseline'; readonly info: BaselineInfo | undefined; readonly problem: string }
  | { readonly type: 'notTrace'; readonly what: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly message: string };

export interface BaselineInfo {
  readonly lengthNs: number;
  readonly hasCpu: boolean;
  readonly hasAllocations: boolean;
  readonly isPart: boolean;
}

/** All of both recordings, of the threads that are called as these are; none named: of all threads. */
export interface CompareQuery {
  readonly kind: 'compare';
  readonly threads: readonly number[];
  readonly by: 'self' | 'total';
  readonly weight: Weight;
  /** As if the baseline were as long as this recording. */
  readonly isScaled: boolean;
}

/** A row a method that was seen in one of the recordings. */
export interface ComparedMethods {
  readonly count: number;
  /** −1: only the baseline has it, and `names` its name. */
  readonly method: Int32Array;
  readonly names: ReadonlyMap<number, string>;
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** So much of the difference sampling may have made. */
  readonly noise: Float64Array;
  readonly sum: { readonly before: number; readonly after: number; readonly noise: number };
}

/** The call trees of both in one: what is narrower than `least` of all, or of the node zoomed to, is left out. */
export interface CompareFlameQuery extends Omit<CompareQuery, 'kind' | 'by'> {
  readonly kind: 'compareFlame';
  readonly least: number;
  /** From the root to the node that is zoomed to, by `key`. */
  readonly path: readonly number[];
}

/** A row a call of either; row 0 is the root, parents come first. */
export interface ComparedFlame {
  readonly count: number;
  readonly parent: Int32Array;
  /** Of the method, whichever recording it is of. */
  readonly key: Uint32Array;
  /** −1: only the baseline has it, and `names`, by key, its name. */
  readonly method: Int32Array;
  readonly names: ReadonlyMap<number, string>;
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** So much of the difference sampling may have made. */
  readonly noise: Float64Array;
  readonly width: Float64Array;
}

/** Which of a method's lines to look at: the hottest of a scope, or the one at a moment of a thread; absent: none. */
export interface LineWanted {
  readonly scope?: Scope;
  readonly moment?: { readonly thread: number; readonly timeNs: number };
}

export interface SourceQuery extends LineWanted {
  readonly kind: 'source';
  readonly method: number;
}

/** `at`: the line to look at, 0 unknown. */
export interface SourceAnswer extends SourceKey {
  readonly at: number;
}

/** Figures of every method that has any in the scope. */
export interface MethodsQuery {
  readonly kind: 'methods';
  readonly scope: Scope;
  /** Where no other is looked at; absent: all of them. */
  readonly weight?: Weight;
}

/** Of threads with a message loop, or of carriers of virtual threads; none named: all. */
export interface MessagesQuery {
  readonly kind: 'messages';
  readonly threads: readonly number[];
}

/** A row a message, or a virtual thread: of these not all are told. */
export interface MessageRows extends VirtualThreadFigures {
  readonly isVirtual: boolean;
  /** Where virtual threads waited off their carriers. */
  readonly places: OffCarrierWaitPlaces;
}

export type TreeDirection = 'down' | 'up';

/** Children of one node of the call tree (`down`) or of the bottom-up tree; node 0 is the root. */
export interface TreeQuery {
  readonly kind: 'tree';
  readonly scope: Scope;
  readonly direction: TreeDirection;
  readonly weight: Weight;
  /** Methods from the root to the node whose children are asked for. */
  readonly path: readonly number[];
}

/** The whole call tree but what weighs less than `least` of all, or, below the node zoomed to, than `least` of that. */
export interface FlameQuery {
  readonly kind: 'flame';
  readonly scope: Scope;
  readonly weight: Weight;
  readonly least: number;
  /** Methods from the root to the node that is zoomed to. */
  readonly path: readonly number[];
}

/** Who calls a method, and whom it calls, one step each way. */
export interface NeighboursQuery {
  readonly kind: 'neighbours';
  readonly scope: Scope;
  readonly weight: Weight;
  readonly method: number;
}

/** Weight of everything in which any of `methods` (1 by id) takes part, once. */
export interface MatchedQuery {
  readonly kind: 'matched';
  readonly scope: Scope;
  readonly weight: Weight;
  readonly methods: Uint8Array;
}

export interface Matched {
  readonly total: number;
  readonly sum: number;
}

/** What the scope says at once. `myPackages`: prefixes of the workspace's packages. */
export interface OverviewQuery {
  readonly kind: 'overview';
  readonly scope: Scope;
  readonly myPackages: readonly string[];
}

/** What the rules of `src/trace/findings` find, in the whole recording or in a scope. */
export interface FindingsQuery {
  readonly kind: 'findings';
  readonly scope?: Scope;
}

/** Whose code a weight went to. */
export interface HotQuery {
  readonly kind: 'hot';
  readonly scope: Scope;
  readonly weight: Weight;
  readonly myPackages: readonly string[];
}

/** All of a scope: what shares are of. */
export interface SumQuery {
  readonly kind: 'sum';
  readonly scope: Scope;
}

/** One call: what it is made of, or the part of it within two times. */
export interface CallQuery extends CallPlace {
  readonly kind: 'call';
  readonly within?: { readonly beginNs: number; readonly endNs: number };
}

/** What all calls of a method waited for. */
export interface MethodWaitsQuery {
  readonly kind: 'methodWaits';
  readonly scope: Scope;
  readonly method: number;
}

/** What the kernel's scheduler did with a thread meanwhile. */
export interface SchedulingQuery {
  readonly kind: 'scheduling';
  readonly thread: number;
  readonly beginNs: number;
  readonly endNs: number;
}

export type Query =
  | SourceQuery
  | MethodsQuery
  | MessagesQuery
  | TreeQuery
  | FlameQuery
  | NeighboursQuery
  | MatchedQuery
  | SumQuery
  | OverviewQuery
  | FindingsQuery
  | HotQuery
  | CallQuery
  | MethodWaitsQuery
  | SchedulingQuery
  | CompareQuery
  | CompareFlameQuery;

/** What is asked of one trace alone. */
export type TraceQuery = Exclude<Query, CompareQuery | CompareFlameQuery>;

/** What each kind of query is answered with. */
export interface Answers {
  source: SourceAnswer;
  methods: MethodFigures;
  messages: MessageRows;
  tree: TreeNodes;
  flame: FlameNodes;
  neighbours: Neighbours;
  matched: Matched;
  sum: Readonly<Record<Weight, number>>;
  overview: Overview;
  findings: readonly Finding[];
  hot: HotMethods;
  scheduling: StretchScheduling | undefined;
  methodWaits: readonly MethodWait[];
  call: CallFigures & { readonly key: SourceKey };
  compare: ComparedMethods;
  compareFlame: ComparedFlame;
}
