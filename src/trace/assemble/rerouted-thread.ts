/** A thread whose calls are on other paths than they were recorded on: times, states and counts stay as they are. */
import { type Waits, type Events, type Intervals, type Paths, type ThreadTrack } from '../model/trace.js';
import { CallTable } from './calls.js';

/** One entry a row. */
export interface Routes {
  readonly path: Int32Array;
  readonly keep: Uint16Array;
  /** Absent: nodes stay. */
  readonly node?: Int32Array;
  readonly blockPaths: Int32Array;
  readonly eventPaths: Int32Array;
}

export function reroutedThread(thread: ThreadTrack, paths: Paths, routes: Routes): ThreadTrack {
  const { index, tid, javaId, kind, name, isMain, beginNs, endNs, creator, message, sampleCount } = thread;
  const intervals = reroutedIntervals(thread.intervals, routes);
  let calls: CallTable | undefined;
  return {
    index,
    tid,
    javaId,
    kind,
    name,
    isMain,
    beginNs,
    endNs,
    creator,
    message,
    sampleCount,
    intervals,
    // Made when it is asked for: charts and figures come from the intervals.
    get calls() {
      if (calls === undefined) {
        calls = new CallTable();
        calls.extend(intervals, paths);
        calls.settle();
      }
      return calls;
    },
    waits: reroutedWaits(thread.waits, routes.blockPaths),
    events: reroutedEvents(thread.events, routes.eventPaths),
  };
}

function reroutedIntervals(intervals: Intervals, { path, keep, node }: Routes): Intervals {
  const { count, begin, end, state, cpu, countsWith } = intervals;
  return {
    count,
    begin,
    end,
    path,
    keep,
    state,
    cpu,
    node: node ?? intervals.node,
    countsWith,
    // Counted only when somebody asks: build/sampled-intervals.ts.
    get allocations() {
      return intervals.allocations;
    },
    get allocatedBytes() {
      return intervals.allocatedBytes;
    },
    get faults() {
      return intervals.faults;
    },
    get switches() {
      return intervals.switches;
    },
    get samples() {
      return intervals.samples;
    },
  };
}

function reroutedWaits(waits: Waits, path: Int32Array): Waits {
  const { count, begin, end, kind, type, object, owner, flags, link, told } = waits;
  const columns = { count, begin, end, kind, path, type, object, owner, flags, link };
  return told === undefined ? columns : { ...columns, told };
}

function reroutedEvents(events: Events, path: Int32Array): Events {
  const { count, time, kind, type, object, peer, text } = events;
  return { count, time, kind, path, type, object, peer, text };
}
