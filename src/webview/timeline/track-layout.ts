/** Which tracks there are, in which order, and where each lies. Computed anew from data and state: nothing to keep true. */
import type { CounterTrack } from '../../trace/model/trace.js';
import type { ViewState } from '../store.js';
import { threadsInSight } from '../thread-order.js';
import type { ChartColumns, CoreStrip, Snapshot, ThreadSnapshot } from '../worker/messages.js';
import {
  activityHeight,
  coreGap,
  coreHeight,
  counterHeight,
  rowHeight,
  sectionHeight,
  stateHeight,
  trackGap,
} from './metrics.js';
import { sectionRows } from './section-renderer.js';

interface Placed {
  /** CSS pixels from the top of the scrolled content. */
  readonly top: number;
  readonly height: number;
}

export interface ThreadPlace extends Placed {
  readonly kind: 'thread';
  readonly thread: ThreadSnapshot;
  readonly isCollapsed: boolean;
  readonly isPinned: boolean;
  /** Of the strips and sections above the calls. */
  readonly headHeight: number;
  /** Of the system's trace, drawn below the strips; undefined where it has none of the thread, and when collapsed. */
  readonly sections: ChartColumns | undefined;
  /** Rows of calls below the strips; 0 when collapsed. */
  readonly rows: number;
}

export interface CounterPlace extends Placed {
  readonly kind: 'counter';
  readonly counter: CounterTrack;
  /** Of the first one, where there are more: whether those are left out. */
  readonly isCollapsed?: boolean;
}

/** All cores together, or one of them. */
export interface CorePlace extends Placed {
  readonly kind: 'core';
  /** Undefined: of all cores. */
  readonly core: CoreStrip | undefined;
  readonly cores: readonly CoreStrip[];
  readonly isCollapsed: boolean;
}

export type TrackPlace = ThreadPlace | CounterPlace | CorePlace;

export interface TrackLayout {
  readonly places: readonly TrackPlace[];
  readonly height: number;
}

/** With more threads than this only the first ones start expanded. */
const expandedAtFirst = 8;

/** `threads`: all, in the order that they are shown in. */
export function layoutTracks(
  { counters: tracks, hasScheduling }: Snapshot,
  threads: readonly ThreadSnapshot[],
  state: ViewState,
  cores: readonly CoreStrip[] = [],
  sectionsOf: ReadonlyMap<number, ChartColumns> = new Map(),
): TrackLayout {
  const places: TrackPlace[] = [];
  let top = trackGap / 2;
  // What the whole process did lies above what its threads did. Only the first counter is there unasked.
  const counters = tracks.filter(({ count }) => count > 0);
  for (const [at, counter] of counters.entries()) {
    if (at > 0 && !state.countersExpanded) break;
    const hasOthers = at === 0 && counters.length > 1;
    const isCollapsed = hasOthers ? { isCollapsed: !state.countersExpanded } : {};
    places.push({ kind: 'counter', counter, ...isCollapsed, top, height: counterHeight });
    top += counterHeight + trackGap;
  }
  if (cores.length > 0) {
    const isCollapsed = !state.coresExpanded;
    const shown = isCollapsed ? [undefined] : [undefined, ...cores];
    for (const core of shown) {
      const height = core === undefined ? activityHeight : coreHeight;
      places.push({ kind: 'core', core, cores, isCollapsed, top, height });
      top += height + (core === undefined || core === cores.at(-1) ? trackGap : coreGap);
    }
  }
  const stripsHeight = activityHeight + (hasScheduling ? stateHeight : 0);
  const pinned = new Set(state.pinned);
  shownThreads(threads, state).forEach((thread, position) => {
    const startsCollapsed = position >= expandedAtFirst || thread.chart.count === 0;
    const isCollapsed = startsCollapsed
      ? !state.expanded.includes(thread.index)
      : state.collapsed.includes(thread.index);
    const rows = isCollapsed ? 0 : rowsOf(thread);
    const sections = isCollapsed ? undefined : sectionsOf.get(thread.index);
    const headHeight = stripsHeight + sectionRows(sections) * sectionHeight;
    const height = headHeight + rows * rowHeight;
    const isPinned = pinned.has(thread.index);
    const own = { thread, isCollapsed, isPinned, headHeight, sections, rows };
    places.push({ kind: 'thread', ...own, top, height });
    top += height + trackGap;
  });
  return { places, height: top };
}

/** Pinned first. */
export function shownThreads(threads: readonly ThreadSnapshot[], state: ViewState): ThreadSnapshot[] {
  const pinned = new Set(state.pinned);
  const isPinned = ({ index }: ThreadSnapshot): number => (pinned.has(index) ? 1 : 0);
  return threadsInSight(threads, state).sort((one, other) => isPinned(other) - isPinned(one));
}

/** Calls, and below the deepest ones room for what a thread waited for. */
export function rowsOf(thread: ThreadSnapshot): number {
  let rows = thread.chart.depthStart.length - 1;
  const { spans, waits } = thread;
  for (let row = 0; row < spans.count; row++) rows = Math.max(rows, (spans.depth[row] ?? 0) + 1);
  for (let row = 0; row < waits.count; row++) rows = Math.max(rows, (waits.depth[row] ?? 0) + 1);
  return rows;
}

/** Where a row of calls lies; of a collapsed thread all lie in its strip. */
export function rowTop(place: ThreadPlace, depth: number): number {
  return place.isCollapsed ? place.top + trackGap / 2 : place.top + place.headHeight + depth * rowHeight;
}

/** First place that reaches below `y`: places are in order, so this is a bisection. */
export function placeAt(layout: TrackLayout, y: number): number {
  let low = 0;
  let high = layout.places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const place = layout.places[middle];
    if (place !== undefined && place.top + place.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}
