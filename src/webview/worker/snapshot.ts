/** A trace as the page draws it, and the buffers that travel with it. */
import { lockWaitsAtEnd } from '../../trace/measure/lock-waits.js';
import { questionOf } from '../../trace/measure/question.js';
import { heldUp, isIdle } from '../../trace/measure/rest.js';
import { threadTimes } from '../../trace/measure/thread-times.js';
import type { Links, Methods, ThreadTrack, Trace } from '../../trace/model/trace.js';
import { mayBeMade, type WrittenName } from '../../trace/model/written-name.js';
import { byImportance } from '../thread-order.js';
import { chartColumns, emptyChart, rowsByDepth, type WideCalls } from './chart-columns.js';
import type { Drawn, LinkColumns, NameColumns, Rest, Snapshot, ThreadSnapshot } from './messages.js';
import {
  StringTable,
  activityColumns,
  waitColumns,
  missedFrameColumns,
  noActivity,
  noSpans,
  markerColumns,
  spanColumns,
} from './thread-columns.js';

export interface SnapshotOptions {
  readonly live: boolean;
  /** Before some of its calls were left out: lines are known by those. */
  readonly unhidden?: Trace;
  readonly isRetraced?: boolean | undefined;
  readonly mapId?: string;
  readonly newerMapping?: string;
  /** Only what a window with room for so many rows of calls shows at first, where the rest takes long enough to be waited for. */
  readonly rowsInSight?: number | undefined;
}

/** A label needs more than this share of the widest chart. */
const labelShare = 1 / 400;
/** Each name costs a few µs, and each interval a tenth of one: with fewer than these all of it comes at once. */
const manyMethods = 2000;
const manyIntervals = 20_000;

/** Of threads that are to come. */
const notYet = { spans: noSpans, activity: noActivity };

export function takeSnapshot(trace: Trace, options: SnapshotOptions): Snapshot {
  const types = new StringTable();
  const texts = new StringTable();
  const { rowsInSight = Infinity } = options;
  const intervals = trace.threads.reduce((sum, thread) => sum + thread.intervals.count, 0);
  const wide =
    rowsInSight < Infinity && trace.methods.count > manyMethods
      ? {
          shortestNs: (trace.endNs - trace.beginNs) * labelShare,
          methods: new Uint8Array(trace.methods.count),
        }
      : undefined;
  const drafts = trace.threads.map((track) => {
    const depthStart = rowsByDepth(track.intervals, trace.paths);
    const held = heldUp(track.waits, track.isMain, (type) => trace.className(type));
    const own = threadSnapshot(track, trace, types, texts, { ...notYet, chart: emptyChart(depthStart) });
    const shown = { ...own, isIdle: trace.info.hasCpu && isIdle(own, held, track.isMain) };
    return { track, depthStart, shown, askedNs: held.askedNs };
  });
  const inSight = new Map<number, Drawn>();
  let room = intervals > manyIntervals ? rowsInSight : Infinity;
  for (const { track, depthStart } of [...drafts].sort((a, b) => byImportance(a.shown, b.shown))) {
    if (room <= 0) break;
    inSight.set(track.index, drawnOf(track, trace, depthStart, wide));
    room -= depthStart.length - 1;
  }
  const threads = drafts.map(({ shown }) => ({ ...shown, ...inSight.get(shown.index) }));
  const toCome = drafts
    .filter(({ track: { index, intervals } }) => intervals.count > 0 && !inSight.has(index))
    .map(({ track }) => track.index);
  return {
    toCome: wide === undefined && toCome.length === 0 ? undefined : toCome,
    info: trace.info,
    beginNs: trace.beginNs,
    endNs: trace.endNs,
    complete: trace.complete,
    endReason: trace.endReason,
    live: options.live,
    part: trace.part,
    status: trace.status,
    hooks: trace.hooks,
    losses: trace.losses,
    problems: trace.problems,
    counters: trace.counters.map((track) => ({
      name: track.name,
      unit: track.unit,
      isOwn: track.isOwn === true,
      count: track.count,
      time: track.time.slice(0, track.count),
      value: track.value.slice(0, track.count),
    })),
    threads,
    hasScheduling: trace.system?.hasEvents === true,
    switchesAlone: trace.system?.isOfProgram === true,
    schedulingLost: trace.system?.lost ?? 0,
    hasHeldMemory: (trace.heldMemory?.count ?? 0) > 0,
    // Ids count up: whoever has messages has one at the end.
    hasMessages: trace.threads.some(({ message, intervals }) => (message[intervals.count - 1] ?? 0) > 0),
    question: questionOf(
      {
        lengthNs: trace.endNs - trace.beginNs,
        cpuNs: threads.reduce((sum, { cpuNs }) => sum + cpuNs, 0),
        askedNs: drafts.reduce((sum, draft) => sum + draft.askedNs, 0),
      },
      trace.info.hasCpu,
    ),
    names: nameColumns(trace.methods, wide?.methods),
    links: linkColumns(trace.links),
    lockWaits: lockWaitsAtEnd(options.unhidden ?? trace),
    typeNames: types.strings,
    markerTexts: texts.strings,
    isRetraced: options.isRetraced,
    mapId: options.mapId ?? '',
    newerMapping: options.newerMapping ?? '',
  };
}

function threadSnapshot(
  thread: ThreadTrack,
  trace: Trace,
  types: StringTable,
  texts: StringTable,
  drawn: Drawn,
): Omit<ThreadSnapshot, 'isIdle'> {
  const { intervals } = thread;
  return {
    index: thread.index,
    tid: thread.tid,
    name: thread.name,
    isMain: thread.isMain,
    kind: thread.kind,
    beginNs: thread.beginNs,
    endNs: thread.endNs,
    sampleCount: thread.sampleCount,
    ...threadTimes(intervals),
    ...drawn,
    waits: waitColumns(thread.waits, trace, types),
    markers: markerColumns(thread.events, trace, texts),
    missedFrames: missedFrameColumns(thread, trace),
  };
}

function drawnOf(
  { intervals }: ThreadTrack,
  { paths }: Trace,
  depthStart?: Int32Array,
  wide?: WideCalls,
): Drawn {
  return {
    chart: chartColumns(intervals, paths, depthStart, wide),
    spans: spanColumns(intervals, paths.depth),
    activity: activityColumns(intervals),
  };
}

/** What a snapshot left out. */
export function restOf(trace: Trace, toCome: readonly number[]): Rest {
  const wanted = new Set(toCome);
  const left = trace.threads.filter(({ index }) => wanted.has(index));
  return {
    names: nameColumns(trace.methods),
    threads: new Map(left.map((track) => [track.index, drawnOf(track, trace)])),
  };
}

/** Of all methods, or of those that are wanted. */
export function nameColumns(methods: Methods, wanted?: Uint8Array): NameColumns {
  const classIds = new Map<string, number>([['', 0]]);
  const classNames: string[] = [''];
  const classOf = new Uint32Array(methods.count);
  // What is not wanted is a hole: twenty thousand of these travel in no time, as many empty names do not.
  const names = new Array<string>(methods.count);
  const written = new Map<number, WrittenName>();
  for (let method = 0; method < methods.count; method++) {
    if (wanted !== undefined && wanted[method] !== 1) continue;
    const className = methods.className(method);
    let id = classIds.get(className);
    if (id === undefined) {
      id = classNames.length;
      classNames.push(className);
      classIds.set(className, id);
    }
    classOf[method] = id;
    const name = methods.name(method);
    names[method] = name;
    const asWritten = mayBeMade(className, name) ? methods.written?.(method) : undefined;
    if (asWritten !== undefined) written.set(method, asWritten);
  }
  return { count: methods.count, classNames, classOf, names, written };
}

function linkColumns(links: Links): LinkColumns {
  const { count } = links;
  return {
    count,
    waiter: links.waiter.slice(0, count),
    waiterTime: links.waiterTime.slice(0, count),
    waker: links.waker.slice(0, count),
    wakerTime: links.wakerTime.slice(0, count),
    certainty: links.certainty.slice(0, count),
  };
}

/** To give a buffer away costs more than to copy one that is smaller. */
const leastGivenBytes = 4096;

/** Every large buffer of columns, each once; all were made to be given away, so the worker loses nothing. */
function buffersIn(all: readonly object[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const columns of all) {
    for (const value of Object.values(columns)) {
      if (!ArrayBuffer.isView(value) || !(value.buffer instanceof ArrayBuffer)) continue;
      if (value.buffer.byteLength >= leastGivenBytes) buffers.add(value.buffer);
    }
  }
  return [...buffers];
}

export function buffersOf({ threads, counters, links, names }: Snapshot): ArrayBuffer[] {
  const ofThreads = threads.flatMap(({ chart, spans, activity, waits, markers, missedFrames }) => [
    chart,
    spans,
    activity,
    waits,
    markers,
    missedFrames,
  ]);
  return buffersIn([...ofThreads, ...counters, links, names]);
}

export function buffersOfRest({ names, threads }: Rest): ArrayBuffer[] {
  return buffersIn([
    names,
    ...[...threads.values()].flatMap(({ chart, spans, activity }) => [chart, spans, activity]),
  ]);
}
