/** What the host and the engine's worker thread say to each other. Columns and strings: no object per method crosses. */
import type { WantedRetraceMapping } from '../../protocol/messages.js';
import type { Frame } from '../../symbols/wanted-source.js';
import type { MergeRefusal } from '../../trace/system/merge.js';
import type { NamedCode, Trace } from '../../trace/index.js';
import type { ListedLag, WorstLag } from '../../trace/lags/lag-groups.js';
import type { RecordedSources } from './recorded-sources.js';

/**
 * A file is read by the worker itself; what is elsewhere comes as bytes. `namesCode`: names of its code are looked up in the
 * files that it tells of.
 */
export type TraceSource =
  | { readonly path: string; readonly namesCode: boolean }
  | { readonly bytes: ArrayBuffer };

/** The R8 mappings that there are, of which one may be used. */
export interface KnownRetraceMappings {
  /** Newest first. */
  readonly paths: readonly string[];
  /** The one, by the person; those found by themselves are used only for what ART ran. */
  readonly chosen: boolean;
}

/** What of a mapping is needed, and which file it is; both empty where there is none. */
export interface PathExcerpt {
  readonly path: string;
  readonly text: string;
  /** It was chosen, but says that it is of another build than the recording. */
  readonly isOther: boolean;
}

/** The host → the worker. Each is answered once, under the same id; `lagsSoFar` comes before. */
export type EngineRequest =
  | {
      readonly type: 'open';
      readonly id: number;
      readonly source: TraceSource;
      readonly mapping: KnownRetraceMappings;
      /** What the recording may take. */
      readonly memoryBytes: number;
    }
  | { readonly type: 'detail'; readonly id: number; readonly rows: readonly number[] }
  /** The names of a trace's code that stand in other files. */
  | { readonly type: 'codeNames'; readonly id: number; readonly path: string; readonly memoryBytes: number }
  /** The sources that the recording at this path names, without decoding it. */
  | {
      readonly type: 'sources';
      readonly id: number;
      readonly path: string;
      readonly mapping: KnownRetraceMappings;
    }
  | {
      readonly type: 'export';
      readonly id: number;
      readonly source: TraceSource;
      readonly format: string;
      readonly to: string;
      readonly mapping: KnownRetraceMappings;
      readonly memoryBytes: number;
    }
  | {
      readonly type: 'merge';
      readonly id: number;
      readonly recording: string;
      readonly systemTrace: string;
      readonly to: string;
    }
  /** What the mapping says of what is wanted, or of what a recording names. */
  | {
      readonly type: 'excerpt';
      readonly id: number;
      readonly mapping: KnownRetraceMappings;
      readonly of: WantedRetraceMapping | TraceSource;
      readonly memoryBytes: number;
    }
  | {
      readonly type: 'retrace';
      readonly id: number;
      readonly mapping: KnownRetraceMappings;
      readonly frame: Frame;
    }
  /** Groups the lag files of a folder, and keeps the groups. */
  | {
      readonly type: 'lags';
      readonly id: number;
      readonly folder: string;
      readonly mapping: KnownRetraceMappings;
    }
  /** Of a group that was told, by its index. */
  | { readonly type: 'lagPlaces'; readonly id: number; readonly group: number };

/** The worker → the host. `gone`: the path of the file that is not there, where that is why. */
export type EngineAnswer =
  | { readonly type: 'figures'; readonly id: number; readonly figures: FigureColumns }
  | { readonly type: 'detail'; readonly id: number; readonly detail: MethodDetail }
  | { readonly type: 'sources'; readonly id: number; readonly sources: RecordedSources }
  | { readonly type: 'codeNames'; readonly id: number; readonly names: readonly NamedCode[] }
  | { readonly type: 'exported'; readonly id: number; readonly bytes: number }
  | { readonly type: 'merged'; readonly id: number; readonly outcome: MergeOutcome }
  | { readonly type: 'excerpt'; readonly id: number; readonly excerpt: PathExcerpt }
  | { readonly type: 'retraced'; readonly id: number; readonly frames: readonly Frame[] }
  | { readonly type: 'lagsSoFar'; readonly id: number; readonly files: number }
  | { readonly type: 'lags'; readonly id: number; readonly lags: LagsOfFolder }
  | { readonly type: 'lagPlaces'; readonly id: number; readonly places: readonly LagPlaceRow[] }
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly gone: string };

/** Lags with the same innermost frames. */
export interface LagRow {
  /** Innermost first. */
  readonly frames: readonly string[];
  readonly count: number;
  readonly users: number;
  readonly freezes: number;
  readonly notResponding: number;
  readonly worst: WorstLag;
  /** The most frequent ones, with how many lags each. */
  readonly versions: readonly (readonly [name: string, lags: number])[];
  readonly moreVersions: number;
  /** Lags a day, up to `lastDay` since 1970. */
  readonly trend: readonly number[];
  readonly lastDay: number;
}

export interface LagPlaceRow extends LagRow {
  readonly longest: readonly ListedLag[];
}

/** What the lag files of a folder come to. */
export interface LagsOfFolder {
  readonly all: LagRow;
  readonly files: number;
  /** Files that are no lag files, and some of them with the reason. */
  readonly skips: number;
  readonly skipped: readonly { readonly file: string; readonly why: string }[];
  /** The most frequent groups. */
  readonly groups: readonly LagRow[];
  /** How many there are that `groups` has not. */
  readonly moreGroups: number;
}

/** What came of adding a system trace. */
export interface MergeOutcome {
  /** Why nothing was written; empty: the file is there. */
  readonly refusal: MergeRefusal['kind'] | '';
  /** Begin of the system trace minus that of the recording. */
  readonly apartNs: number;
}

/** One row a method that has any weight. */
export interface FigureColumns {
  readonly count: number;
  /** As in the source: retraced. */
  readonly className: readonly string[];
  readonly name: readonly string[];
  readonly signature: readonly string[];
  readonly file: readonly string[];
  /** "com.example/Shop.java", sorted; `fileRows[fileStart[i] … fileStart[i + 1]]` are the rows of file i. */
  readonly fileKeys: readonly string[];
  readonly fileStart: Int32Array;
  readonly fileRows: Int32Array;
  /** Native functions whose file is not known: their rows, what a text calls them, and their parameters (−1 unknown). */
  readonly nativeRows: Int32Array;
  readonly nativeNames: readonly string[];
  readonly nativeParameters: Int32Array;
  readonly firstLine: Int32Array;
  readonly selfCpuNs: Float64Array;
  readonly totalCpuNs: Float64Array;
  readonly selfWallNs: Float64Array;
  readonly totalWallNs: Float64Array;
  readonly selfBytes: Float64Array;
  readonly totalBytes: Float64Array;
  /** Rows grouped by method: `lineStart[row] … lineStart[row + 1]`. */
  readonly lineStart: Int32Array;
  /** From 1. */
  readonly line: Int32Array;
  readonly lineCpuNs: Float64Array;
  readonly lineWallNs: Float64Array;
  readonly lineBytes: Float64Array;
  /** Of all that was read: what shares are of. */
  readonly cpuNs: number;
  readonly wallNs: number;
  readonly hasCpu: boolean;
  readonly hasAllocations: boolean;
  readonly allocationsEstimated: boolean;
  /** As TraceInfo has it. */
  readonly linesNearSafepoints: boolean;
  /** Unix time in ms at which the recording began, 0 unknown: sources changed later are not what was recorded. */
  readonly startedMs: number;
  readonly endNs: number;
  /** Where the file is too large to be read whole. */
  readonly part: Trace['part'];
  /** "HotSpot 17.0.15" */
  readonly runtime: string;
}

export interface Neighbour {
  readonly name: string;
  readonly cpuNs: number;
  readonly wallNs: number;
}

/** The heaviest first. */
export interface MethodDetail {
  readonly callers: readonly Neighbour[];
  readonly callees: readonly Neighbour[];
}
