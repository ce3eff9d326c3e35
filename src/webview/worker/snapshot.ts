/** A trace as the page draws it, and the buffers that travel with it. */
import { threadTimes } from '../../trace/measure/thread-times.js';
import type { Links, Methods, ThreadTrack, Trace } from '../../trace/model/trace.js';
import { chartColumns } from './chart-columns.js';
import type { WideCalls } from './chart-columns.js';
import type { LinkColumns, NameColumns, Snapshot, ThreadSnapshot } from './messages.js';
import {
  StringTable,
  activityColumns,
  blockColumns,
  missedFrameColumns,
  markerColumns,
  spanColumns,
} from './thread-columns.js';

export interface SnapshotOptions {
  readonly live: boolean;
  readonly isRetraced?: boolean | undefined;
  readonly mapId?: string;
  /** Names only what can carry a label in a chart of all of it: each name costs a few µs, and there may be many. */
  readonly fewNames: boolean;
}

/** A label needs more than this share of the widest chart. */
const labelShare = 1 / 400;

export function takeSnapshot(trace: Trace, options: SnapshotOptions): Snapshot {
  const types = new StringTable();
  const texts = new StringTable();
  const wide = options.fewNames
    ? {
        shortestNs: (trace.endNs - trace.beginNs) * labelShare,
        methods: new Uint8Array(trace.methods.count),
      }
    : undefined;
  const threads = trace.threads.map((thread) => threadSnapshot(thread, trace, types, texts, wide));
  return {
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
      count: track.count,
      time: track.time.slice(0, track.count),
      value: track.value.slice(0, track.count),
    })),
    threads,
    names: nameColumns(trace.methods, wide?.methods),
    links: linkColumns(trace.links),
    typeNames: types.strings,
    markerTexts: texts.strings,
    isRetraced: options.isRetraced,
    mapId: options.mapId ?? '',
  };
}

function threadSnapshot(
  thread: ThreadTrack,
  trace: Trace,
  types: StringTable,
  texts: StringTable,
  wide: WideCalls | undefined,
): ThreadSnapshot {
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
    chart: chartColumns(intervals, trace.paths, wide),
    spans: spanColumns(intervals, trace.paths.depth),
    activity: activityColumns(intervals),
    blocks: blockColumns(thread.blocks, trace, types),
    markers: markerColumns(thread.events, trace, texts),
    missedFrames: missedFrameColumns(thread, trace),
  };
}

/** Of all methods, or of those that are wanted. */
export function nameColumns(methods: Methods, wanted?: Uint8Array): NameColumns {
  const classIds = new Map<string, number>([['', 0]]);
  const classNames: string[] = [''];
  const classOf = new Uint32Array(methods.count);
  const names: string[] = [];
  for (let method = 0; method < methods.count; method++) {
    if (wanted !== undefined && wanted[method] !== 1) {
      names.push('');
      continue;
    }
    const className = methods.className(method);
    let id = classIds.get(className);
    if (id === undefined) {
      id = classNames.length;
      classNames.push(className);
      classIds.set(className, id);
    }
    classOf[method] = id;
    names.push(methods.name(method));
  }
  return { count: methods.count, classNames, classOf, names };
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

/** Every buffer of a snapshot's columns, each once; all were made for it, so the worker loses nothing by giving them away. */
export function buffersOf(snapshot: Snapshot): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const addColumns = (columns: object): void => {
    for (const value of Object.values(columns)) {
      if (ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer) buffers.add(value.buffer);
    }
  };
  for (const thread of snapshot.threads) {
    for (const part of [
      thread.chart,
      thread.spans,
      thread.activity,
      thread.blocks,
      thread.markers,
      thread.missedFrames,
    ]) {
      addColumns(part);
    }
  }
  snapshot.counters.forEach(addColumns);
  addColumns(snapshot.links);
  addColumns(snapshot.names);
  return [...buffers];
}
