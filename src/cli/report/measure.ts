/** The figures of a report: methods, threads and waits of a scope. */
import {
  lockWaitsAtEnd,
  type LockWait,
  methodFigures,
  type MethodFigures,
  SampleFlag,
  SampleKind,
  type Scope,
  type Sums,
  sumScope,
  type ThreadTrack,
  type Trace,
  type Weight,
} from '../../trace/index.js';
import { wakerName, wakerOf } from '../../trace/measure/scheduling.js';
import { threadsIn } from '../../trace/measure/scope.js';
import { sectionTracks } from '../../trace/measure/sections.js';
import { offCarrierWaitPlaces } from '../../trace/measure/off-carrier-waits.js';
import type { Finding } from '../../trace/findings/finding.js';
import { findingsIn } from '../../trace/findings/registry.js';
import { virtualThreadFigures } from '../../trace/measure/virtual-threads.js';
import { Owners, threadOfMost } from '../../trace/measure/wait-owner.js';
import { interruptWaker } from '../../trace/system/kernel-sink.js';
import { threadWord } from './words.js';

export interface ReportRequest {
  readonly top: number;
  readonly sort: string | undefined;
  readonly fromNs: number | undefined;
  readonly toNs: number | undefined;
  readonly perThread: boolean;
  /** The mapping that the trace's names were retraced by. */
  readonly mapping?: string | undefined;
}

export interface SortKey {
  readonly by: 'self' | 'total';
  readonly weight: Weight;
}

export const sorts: ReadonlyMap<string, SortKey> = new Map<string, SortKey>([
  ['self-cpu', { by: 'self', weight: 'cpu' }],
  ['total-cpu', { by: 'total', weight: 'cpu' }],
  ['self-wall', { by: 'self', weight: 'wall' }],
  ['total-wall', { by: 'total', weight: 'wall' }],
  ['wait', { by: 'total', weight: 'wait' }],
  ['allocated', { by: 'self', weight: 'allocatedBytes' }],
  ['held', { by: 'self', weight: 'heldBytes' }],
]);
export const sortKeys: readonly string[] = [...sorts.keys()];

export interface MethodRow {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly calls: number;
  readonly selfWallNs: number;
  readonly totalWallNs: number;
  readonly selfCpuNs: number;
  readonly totalCpuNs: number;
  readonly waitNs: number;
  readonly allocatedBytes: number;
  /** Of what was allocated, not freed before the end. */
  readonly heldBytes: number;
}

export interface ThreadRow {
  readonly index: number;
  readonly name: string;
  readonly tid: number;
  readonly samples: number;
  readonly wallNs: number;
  readonly cpuNs: number;
  readonly waitNs: number;
  readonly gapNs: number;
  /** Hottest by the report's sort; more than one only when asked for. */
  readonly methods: readonly MethodRow[];
}

export interface WaitRow {
  readonly thread: string;
  /** SampleKind. */
  readonly kind: number;
  /** Class of what was waited for, empty when not known. */
  readonly type: string;
  /** Who had it for most of the wait, or ended that; empty when not known. */
  readonly by: string;
  readonly count: number;
  readonly totalNs: number;
  readonly longestNs: number;
  /** One of them had not ended when the recording did. */
  readonly openWait: boolean;
}

/** A thread that waited for a lock when the recording ended. */
export interface LockWaitRow {
  readonly thread: string;
  readonly tid: number;
  /** SampleKind. */
  readonly kind: number;
  /** Class of the lock, empty when not known. */
  readonly type: string;
  /** Who has it, empty when not known. */
  readonly owner: string;
  /** That was seen when the wait began, not at the end. */
  readonly isEstimated: boolean;
  /** Where it waits, empty when not known. */
  readonly method: string;
  readonly file: string;
  /** 0 unknown. */
  readonly line: number;
  /** Until the recording's end. */
  readonly waitedNs: number;
  /** It waited already when the recording began. */
  readonly isFromBefore: boolean;
}

export interface VirtualThreadRow {
  /** Java's, its low 32 bits. */
  readonly id: number;
  readonly cpuNs: number;
  /** On carriers. */
  readonly wallNs: number;
  readonly waitNs: number;
  /** What most of it went into, empty when that was several things. */
  readonly method: string;
  /** Off its carriers, of 1 ms and more. */
  readonly waitedNs: number;
  readonly waits: number;
  readonly longestWaitNs: number;
}

/** Waits of virtual threads off their carriers that were for the same thing, in the same method of the program. */
export interface OffCarrierWaitRow {
  /** SampleKind; Unknown where there is no stack. */
  readonly kind: number;
  /** Empty where there is no stack. */
  readonly method: string;
  readonly count: number;
  readonly totalNs: number;
  readonly longestNs: number;
}

export interface VirtualThreads {
  /** All that were seen. */
  readonly count: number;
  /** Those with the most CPU time first. */
  readonly top: readonly VirtualThreadRow[];
  /** Where they waited, the most first. */
  readonly waits: readonly OffCarrierWaitRow[];
  /** Waits that are not among them, to stay within the budget, and how long they were together: of the whole recording. */
  readonly leftOut: number;
  readonly leftOutNs: number;
}

export interface Report {
  readonly trace: Trace;
  readonly scope: Scope;
  readonly sums: Sums;
  readonly sort: string;
  readonly methods: readonly MethodRow[];
  readonly methodCount: number;
  /** Of the whole recording. */
  readonly findings: readonly Finding[];
  /** Circles of threads, each of which waits for a lock of the next one's. Of the whole recording. */
  readonly deadlocks: readonly (readonly LockWaitRow[])[];
  /** In no circle. */
  readonly lockWaits: readonly LockWaitRow[];
  readonly threads: readonly ThreadRow[];
  readonly waits: readonly WaitRow[];
  /** Waits that the system's trace tells of. */
  readonly systemWaits: readonly WaitRow[];
  readonly virtualThreads: VirtualThreads;
  readonly request: ReportRequest;
}

function hottest(trace: Trace, figures: MethodFigures, { by, weight }: SortKey, top: number): MethodRow[] {
  const { methods } = trace;
  const sorted = [...Array(figures.count).keys()];
  const key = figures[by][weight];
  // A thread that only waits has used no CPU time to sort by: then where its time went.
  const { wall } = figures.self;
  sorted.sort((a, b) => (key[b] ?? 0) - (key[a] ?? 0) || (wall[b] ?? 0) - (wall[a] ?? 0));
  return sorted.slice(0, top).map((row) => {
    const method = figures.method[row] ?? 0;
    return {
      name: methods.qualifiedName(method),
      file: methods.file(method),
      line: methods.firstLine(method),
      calls: figures.calls[row] ?? 0,
      selfWallNs: figures.self.wall[row] ?? 0,
      totalWallNs: figures.total.wall[row] ?? 0,
      selfCpuNs: figures.self.cpu[row] ?? 0,
      totalCpuNs: figures.total.cpu[row] ?? 0,
      waitNs: figures.total.wait[row] ?? 0,
      allocatedBytes: figures.self.allocatedBytes[row] ?? 0,
      heldBytes: figures.self.heldBytes[row] ?? 0,
    };
  });
}

function threadRow(trace: Trace, index: number, scope: Scope, key: SortKey, top: number): ThreadRow {
  const sums = sumScope(trace, { ...scope, threads: [index] });
  const track = trace.threads.find((thread) => thread.index === index);
  return {
    index,
    name: track?.name ?? '',
    tid: track?.tid ?? 0,
    samples: sums.samples,
    wallNs: sums.sum.wall,
    cpuNs: sums.sum.cpu,
    waitNs: sums.sum.wait,
    gapNs: sums.gap.wall,
    methods: hottest(trace, methodFigures(sums, trace.methods.count), key, top),
  };
}

/** Waits with the same thread, kind, class and owner together, what of them lies in the scope; the longest first. */
function waitRows(trace: Trace, scope: Scope): WaitRow[] {
  const names = new Map(trace.threads.map((track) => [track.index, nameOf(track)]));
  const rows = new Map<string, WaitRow>();
  const owners = new Owners(trace);
  for (const track of threadsIn(trace, scope)) {
    const { waits } = track;
    const thread = nameOf(track);
    for (let row = 0; row < waits.count; row++) {
      const [from, to] = [waits.begin[row] ?? 0, waits.end[row] ?? 0];
      if (to <= scope.beginNs || from >= scope.endNs) continue;
      const ns = Math.min(to, scope.endNs) - Math.max(from, scope.beginNs);
      const kind = waits.kind[row] ?? 0;
      const type = trace.className(waits.type[row] ?? 0);
      const nsByOwner = new Map<number, number>();
      owners.addTo(nsByOwner, waits, row, scope);
      const by = names.get(threadOfMost(nsByOwner)) ?? wokenBy(trace, track, kind, from, to);
      const key = [thread, kind, type, by].join('\0');
      const before = rows.get(key);
      rows.set(key, {
        thread,
        kind,
        type,
        by,
        count: (before?.count ?? 0) + 1,
        totalNs: (before?.totalNs ?? 0) + ns,
        longestNs: Math.max(before?.longestNs ?? 0, ns),
        openWait: before?.openWait === true || ((waits.flags[row] ?? 0) & SampleFlag.OpenWait) !== 0,
      });
    }
  }
  return [...rows.values()].sort((a, b) => b.totalNs - a.totalNs);
}

function systemWaits(trace: Trace, scope: Scope): WaitRow[] {
  const sections = trace.system?.sections;
  const threads = sectionTracks(trace, scope).map(({ track }) => track.index);
  // No threads would stand for all.
  return sections === undefined || threads.length === 0 ? [] : waitRows(sections, { ...scope, threads });
}

/** What the kernel says where no hook saw who ended a wait. That a timer ends a sleep is no news. */
function wokenBy(trace: Trace, track: ThreadTrack, kind: number, from: number, to: number): string {
  const waker = trace.system === undefined ? 0 : wakerOf(trace, track, from, to);
  if (waker === 0 || (waker === interruptWaker && kind === SampleKind.Sleep)) return '';
  return wakerName(trace, waker);
}

function lockWaitRow(trace: Trace, wait: LockWait): LockWaitRow {
  const { threads, methods } = trace;
  const track = threads.find(({ index }) => index === wait.thread);
  const owner = threads.find(({ index }) => index === wait.owner);
  const [begin, end] = [track?.waits.begin[wait.row] ?? 0, track?.waits.end[wait.row] ?? 0];
  const flags = track?.waits.flags[wait.row] ?? 0;
  return {
    thread: nameOf(track),
    tid: track?.tid ?? 0,
    kind: track?.waits.kind[wait.row] ?? 0,
    type: trace.className(track?.waits.type[wait.row] ?? 0),
    owner: wait.owner === 0 ? '' : nameOf(owner),
    isEstimated: wait.isEstimated,
    method: wait.method < 0 ? '' : methods.qualifiedName(wait.method),
    file: wait.method < 0 ? '' : methods.file(wait.method),
    line: wait.line,
    waitedNs: end - begin,
    isFromBefore: (flags & SampleFlag.FromBefore) !== 0,
  };
}

const nameOf = (thread: ThreadTrack | undefined): string => threadWord(thread?.name ?? '', thread?.tid ?? 0);

function virtualThreads(trace: Trace, scope: Scope, top: number): VirtualThreads {
  const { all, count, id, cpu, wall, wait, method, waited, waits, longest } = virtualThreadFigures(
    trace,
    scope,
  );
  const nameOf = (at: number): string => (at < 0 ? '' : trace.methods.qualifiedName(at));
  const rows = Array.from({ length: Math.min(count, top) }, (_, row) => ({
    id: id[row] ?? 0,
    cpuNs: cpu[row] ?? 0,
    wallNs: wall[row] ?? 0,
    waitNs: wait[row] ?? 0,
    method: nameOf(method[row] ?? -1),
    waitedNs: waited[row] ?? 0,
    waits: waits[row] ?? 0,
    longestWaitNs: longest[row] ?? 0,
  }));
  const places = offCarrierWaitPlaces(trace, scope);
  const where = Array.from({ length: Math.min(places.count, top) }, (_, row) => ({
    kind: places.kind[row] ?? 0,
    method: nameOf(places.method[row] ?? -1),
    count: places.waits[row] ?? 0,
    totalNs: places.total[row] ?? 0,
    longestNs: places.longest[row] ?? 0,
  }));
  const { leftOut, leftOutNs } = places;
  return { count: all, top: rows, waits: where, leftOut, leftOutNs };
}

/** `threads`: indexes; empty for all. */
export function measure(trace: Trace, threads: readonly number[], request: ReportRequest): Report {
  const scope: Scope = {
    threads,
    beginNs: request.fromNs === undefined ? -Infinity : trace.beginNs + request.fromNs,
    endNs: request.toNs === undefined ? Infinity : trace.beginNs + request.toNs,
  };
  const sort = request.sort ?? (trace.info.hasCpu ? 'self-cpu' : 'self-wall');
  const key = sorts.get(sort) ?? { by: 'self', weight: 'wall' };
  const sums = sumScope(trace, scope);
  const figures = methodFigures(sums, trace.methods.count);
  const perThread = request.perThread ? request.top : 1;
  const { deadlocks, others } = lockWaitsAtEnd(trace);
  const rowOf = (wait: LockWait): LockWaitRow => lockWaitRow(trace, wait);
  return {
    trace,
    scope,
    sums,
    sort,
    methods: hottest(trace, figures, key, request.top),
    methodCount: figures.count,
    findings: findingsIn(trace),
    deadlocks: deadlocks.map((circle) => circle.map(rowOf)),
    lockWaits: others.map(rowOf),
    threads: threadsIn(trace, scope)
      .map(({ index }) => threadRow(trace, index, scope, key, perThread))
      .sort((a, b) => b.cpuNs - a.cpuNs || b.wallNs - a.wallNs),
    waits: waitRows(trace, scope),
    systemWaits: systemWaits(trace, scope),
    virtualThreads: virtualThreads(trace, scope, request.top),
    request,
  };
}
