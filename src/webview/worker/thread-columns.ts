/** The rest of what is drawn of a thread: CPU over time, waits and gaps, blocking samples, markers. All O(intervals). */
import { grown } from '../../trace/assemble/grow.js';
import { IntervalState } from '../../trace/model/trace.js';
import { programMethod } from '../../trace/measure/platform.js';
import { messageFigures, missedFrameNs } from '../../trace/measure/messages.js';
import type { Waits, Events, Intervals, ThreadTrack, ToldWaits, Trace } from '../../trace/model/trace.js';
import type {
  ActivityColumns,
  WaitColumns,
  WaitPlaceColumns,
  MissedFrameColumns,
  MarkerColumns,
  SpanColumns,
} from './messages.js';

/** Most threads have few points and spans. These are written anew for each thread, and only what is kept of them is copied. */
const fewRows = 1024;
const scratchTimes = new Float64Array(fewRows);
const scratchUsed = new Float64Array(fewRows);
const scratchRows = new Int32Array(fewRows);

/** Points may lie off the line between their neighbours by so much of their interval: nobody sees it, and a thread that
 * works or waits without pause needs two points instead of one an interval. */
const slack = 0.02;

/** Columns without rows, the same for all threads: a copy for each of some thousand would take the page long to receive. */
const noFloats = new Float64Array(0);
const noUints = new Uint32Array(0);
const noShorts = new Uint16Array(0);
const noBytes = new Uint8Array(0);
export const noActivity: ActivityColumns = { count: 0, time: noFloats, cpu: noFloats };
export const noSpans: SpanColumns = {
  count: 0,
  begin: noFloats,
  end: noFloats,
  depth: noShorts,
  state: noBytes,
};
const noWaits: WaitColumns = {
  count: 0,
  begin: noFloats,
  end: noFloats,
  depth: noShorts,
  kind: noBytes,
  type: noUints,
  object: noFloats,
  owner: noUints,
  flags: noShorts,
  link: new Int32Array(0),
};
const noMarkers: MarkerColumns = { count: 0, time: noFloats, kind: noBytes, text: noUints };
const noMissedFrames: MissedFrameColumns = { count: 0, begin: noFloats, end: noFloats };

export function activityColumns(intervals: Intervals): ActivityColumns {
  const { count, begin, end, cpu } = intervals;
  let time = scratchTimes;
  let used = scratchUsed;
  let points = 0;
  let sum = 0;
  let last = Number.NaN;
  // The line that runs from the last point that was kept, and how steep it may be to pass all points since.
  let fromTime = 0;
  let fromUsed = 0;
  let least = -Infinity;
  let most = Infinity;
  for (let row = 0; row < count; row++) {
    const from = begin[row] as number;
    const to = end[row] as number;
    const before = sum;
    sum += cpu[row] as number;
    // Of no length: what it counts is the next one's.
    if (to <= from) continue;
    const play = slack * (to - from);
    const low = (sum - play - fromUsed) / (to - fromTime);
    const high = (sum + play - fromUsed) / (to - fromTime);
    const slope = (sum - fromUsed) / (to - fromTime);
    if (from === last && slope >= least && slope <= most) {
      least = Math.max(least, low);
      most = Math.min(most, high);
    } else {
      // Two now, and one at the end.
      if (points + 3 > time.length) {
        time = grown(time, 2 * time.length);
        used = grown(used, time.length);
      }
      if (points > 0) {
        time[points] = last;
        used[points++] = before;
      }
      if (from !== last) {
        time[points] = from;
        used[points++] = before;
      }
      fromTime = from;
      fromUsed = before;
      least = (sum - play - fromUsed) / (to - from);
      most = (sum + play - fromUsed) / (to - from);
    }
    last = to;
  }
  if (points === 0) return noActivity;
  time[points] = last;
  used[points++] = sum;
  return { count: points, time: time.slice(0, points), cpu: used.slice(0, points) };
}

/** Neighbours of the same state in the same row become one span. */
export function spanColumns(intervals: Intervals, depths: Uint16Array): SpanColumns {
  const { count, begin, end, path, state } = intervals;
  let starts = scratchRows;
  let ends = scratchTimes;
  let spans = 0;
  let runState: number = IntervalState.Evidence;
  let runEnd = Number.NaN;
  let runPath = -1;
  for (let row = 0; row < count; row++) {
    const now = state[row] ?? 0;
    const here = path[row] ?? 0;
    const continues = now === runState && here === runPath && begin[row] === runEnd;
    runEnd = end[row] ?? 0;
    if (now === IntervalState.Evidence) {
      runState = now;
      continue;
    }
    if (!continues) {
      if (spans === starts.length) {
        starts = grown(starts, 2 * spans);
        ends = grown(ends, 2 * spans);
      }
      starts[spans++] = row;
    }
    ends[spans - 1] = runEnd;
    runState = now;
    runPath = here;
  }
  if (spans === 0) return noSpans;
  const columns = {
    count: spans,
    begin: new Float64Array(spans),
    end: ends.slice(0, spans),
    depth: new Uint16Array(spans),
    state: new Uint8Array(spans),
  };
  for (let span = 0; span < spans; span++) {
    const row = starts[span] ?? 0;
    columns.begin[span] = begin[row] ?? 0;
    columns.depth[span] = depths[path[row] ?? 0] ?? 0;
    columns.state[span] = state[row] ?? 0;
  }
  return columns;
}

/** Strings met while columns are made, each once; 0 is the empty one. */
export class StringTable {
  readonly strings: string[] = [''];
  readonly #ids = new Map<number, number>();

  /** `id` as the recording numbers it, named by `name` when first met. */
  of(id: number, name: (id: number) => string): number {
    if (id === 0) return 0;
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const own = this.strings.length;
    this.strings.push(name(id));
    this.#ids.set(id, own);
    return own;
  }
}

export function waitColumns(waits: Waits, trace: Trace, types: StringTable): WaitColumns {
  const { count } = waits;
  if (count === 0) return noWaits;
  const depth = new Uint16Array(count);
  const type = new Uint32Array(count);
  const nameOf = (id: number): string => trace.className(id);
  for (let row = 0; row < count; row++) {
    depth[row] = trace.paths.depth[waits.path[row] ?? 0] ?? 0;
    type[row] = types.of(waits.type[row] ?? 0, nameOf);
  }
  return {
    count,
    begin: waits.begin.slice(0, count),
    end: waits.end.slice(0, count),
    depth,
    kind: waits.kind.slice(0, count),
    type,
    object: waits.object.slice(0, count),
    owner: waits.owner.slice(0, count),
    flags: waits.flags.slice(0, count),
    link: waits.link.slice(0, count),
    ...(waits.told && { places: placeColumns(waits, waits.told, trace) }),
  };
}

function placeColumns(waits: Waits, told: ToldWaits, trace: Trace): WaitPlaceColumns {
  const method = new Int32Array(waits.count).fill(-1);
  for (let row = 0; row < waits.count; row++)
    if (told.line[row] !== 0) method[row] = programMethod(trace, waits.path[row] ?? 0);
  const { line, ownerMethod, ownerLine } = told;
  return { method, line: line.slice(), ownerMethod: ownerMethod.slice(), ownerLine: ownerLine.slice() };
}

/** SampleKind of recording.proto. */
const markerKind = 25;

/** Only what the program itself said; allocations and the like would be a row of noise. */
export function markerColumns(events: Events, trace: Trace, texts: StringTable): MarkerColumns {
  const rows: number[] = [];
  for (let row = 0; row < events.count; row++) {
    // One with an object is a counter's value.
    if (events.kind[row] === markerKind && events.object[row] === 0) rows.push(row);
  }
  if (rows.length === 0) return noMarkers;
  const nameOf = (id: number): string => trace.text(id);
  return {
    count: rows.length,
    time: Float64Array.from(rows, (row) => events.time[row] ?? 0),
    kind: Uint8Array.from(rows, (row) => events.kind[row] ?? 0),
    text: Uint32Array.from(rows, (row) => texts.of(events.text[row] ?? 0, nameOf)),
  };
}

/** Of a thread with a message loop: its messages that missed a frame. Costs a pass over its intervals; of others nothing. */
export function missedFrameColumns(
  { index, intervals, message }: ThreadTrack,
  trace: Trace,
): MissedFrameColumns {
  // Ids count up: whoever has messages has one at the end.
  const hasMessages = intervals.count > 0 && message[intervals.count - 1] !== 0;
  if (!hasMessages) return noMissedFrames;
  const { count, begin, end } = messageFigures(trace, [index]);
  const rows: number[] = [];
  for (let row = 0; row < count; row++) {
    if ((end[row] ?? 0) - (begin[row] ?? 0) > missedFrameNs) rows.push(row);
  }
  return {
    count: rows.length,
    begin: Float64Array.from(rows, (row) => begin[row] ?? 0),
    end: Float64Array.from(rows, (row) => end[row] ?? 0),
  };
}
