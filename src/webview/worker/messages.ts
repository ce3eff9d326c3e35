/** What the page and its worker say to each other. Columns travel by transfer: one copy is made, in the worker. */
import type { SourceKey } from '../../protocol/messages.js';
import type { CounterTrack, Hook, Loss, Problem, TraceInfo, TraceStatus } from '../../trace/model/trace.js';

/**
 * The calls of one thread laid out for drawing: all of depth 0 by begin, then all of depth 1 …
 * Within a depth calls do not overlap, so both `begin` and `end` are sorted there and a viewport is found by bisection;
 * a call's parent is the one call of the depth above that spans it. 24 bytes a call.
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

export interface BlockColumns {
  readonly count: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly depth: Uint16Array;
  readonly kind: Uint8Array;
  /** Index in `Snapshot.typeNames`, 0 unknown. */
  readonly type: Uint32Array;
  readonly object: Float64Array;
  readonly owner: Uint32Array;
  readonly flags: Uint8Array;
  /** Row in `Snapshot.links`, −1 none. */
  readonly link: Int32Array;
}

export interface MarkerColumns {
  readonly count: number;
  readonly time: Float64Array;
  readonly kind: Uint8Array;
  /** Index in `Snapshot.markerTexts`. */
  readonly text: Uint32Array;
}

export interface LinkColumns {
  readonly count: number;
  readonly waiter: Uint32Array;
  readonly waiterTime: Float64Array;
  readonly waker: Uint32Array;
  readonly wakerTime: Float64Array;
  readonly certainty: Uint8Array;
}

export interface ThreadSnapshot {
  readonly index: number;
  readonly tid: number;
  readonly name: string;
  readonly isMain: boolean;
  readonly kind: number;
  readonly beginNs: number;
  readonly endNs: number;
  readonly sampleCount: number;
  readonly cpuNs: number;
  readonly wallNs: number;
  readonly gapNs: number;
  readonly blockedNs: number;
  readonly chart: ChartColumns;
  readonly spans: SpanColumns;
  readonly activity: ActivityColumns;
  readonly blocks: BlockColumns;
  readonly markers: MarkerColumns;
}

/** Names by method id: `className[classOf[m]]` + `name[m]`. */
export interface NameColumns {
  readonly count: number;
  readonly classNames: readonly string[];
  readonly classOf: Uint32Array;
  readonly names: readonly string[];
}

export interface Snapshot {
  readonly info: TraceInfo;
  readonly beginNs: number;
  readonly endNs: number;
  readonly complete: boolean;
  readonly endReason: number;
  /** More may come. */
  readonly live: boolean;
  readonly status: TraceStatus | undefined;
  readonly hooks: readonly Hook[];
  readonly losses: readonly Loss[];
  readonly problems: readonly Problem[];
  readonly counters: readonly CounterTrack[];
  readonly threads: readonly ThreadSnapshot[];
  /** Missing when no name came since the last snapshot. */
  readonly names: NameColumns | undefined;
  readonly links: LinkColumns;
  readonly typeNames: readonly string[];
  readonly markerTexts: readonly string[];
}

/** What a figure is about: threads by index (empty: all) and a stretch of time. */
export interface Scope {
  readonly threads: readonly number[];
  readonly beginNs: number;
  readonly endNs: number;
}

export type Weight = 'wall' | 'cpu' | 'blocked' | 'allocations' | 'allocatedBytes' | 'faults' | 'switches';
export const weights: readonly Weight[] = [
  'wall',
  'cpu',
  'blocked',
  'allocations',
  'allocatedBytes',
  'faults',
  'switches',
];

export type ToWorker =
  | { readonly type: 'open'; readonly name: string; readonly totalBytes: number; readonly live: boolean }
  | { readonly type: 'bytes'; readonly data: ArrayBuffer }
  | { readonly type: 'end' }
  /** Prefixes of the workspace's packages; `fold` leaves everything else out of the charts. */
  | { readonly type: 'mine'; readonly prefixes: readonly string[]; readonly fold: boolean }
  | { readonly type: 'ask'; readonly id: number; readonly query: Query };

export type FromWorker =
  | { readonly type: 'progress'; readonly bytes: number; readonly totalBytes: number }
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'notTrace'; readonly what: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly message: string };

export interface SourceQuery {
  readonly kind: 'source';
  readonly method: number;
}

export type Query = SourceQuery;

/** What each kind of query is answered with. */
export interface Answers {
  source: SourceKey;
}
