/** Which tracks there are, in which order, and where each lies. Computed anew from data and state: nothing to keep true. */
import type { CounterTrack } from '../../trace/model/trace.js';
import type { ViewState } from '../store.js';
import { threadsInSight } from '../thread-order.js';
import type { Snapshot, ThreadSnapshot } from '../worker/messages.js';
import { activityHeight, counterHeight, rowHeight, trackGap } from './metrics.js';

interface Placed {
  /** CSS pixels from the top of the scrolled content. */
  readonly top: number;
  readonly height: number;
}

export interface ThreadPlace extends Placed {
  readonly kind: 'thread';
  readonly thread: ThreadSnapshot;
  readonly isFolded: boolean;
  readonly isPinned: boolean;
  /** Rows of calls below the activity strip; 0 when folded. */
  readonly rows: number;
}

export interface CounterPlace extends Placed {
  readonly kind: 'counter';
  readonly counter: CounterTrack;
  /** Of the first one, where there are more: whether those are left out. */
  readonly isFolded?: boolean;
}

export type TrackPlace = ThreadPlace | CounterPlace;

export interface TrackLayout {
  readonly places: readonly TrackPlace[];
  readonly height: number;
}

/** With more threads than this only the first ones start unfolded. */
const unfoldedAtFirst = 8;

/** `threads`: all, in the order that they are shown in. */
export function layoutTracks(
  { counters: tracks }: Snapshot,
  threads: readonly ThreadSnapshot[],
  state: ViewState,
): TrackLayout {
  const places: TrackPlace[] = [];
  let top = trackGap / 2;
  // What the whole process did lies above what its threads did. Only the first counter is there unasked.
  const counters = tracks.filter(({ count }) => count > 0);
  for (const [at, counter] of counters.entries()) {
    if (at > 0 && !state.countersUnfolded) break;
    const hasOthers = at === 0 && counters.length > 1;
    const isFolded = hasOthers ? { isFolded: !state.countersUnfolded } : {};
    places.push({ kind: 'counter', counter, ...isFolded, top, height: counterHeight });
    top += counterHeight + trackGap;
  }
  const pinned = new Set(state.pinned);
  shownThreads(threads, state).forEach((thread, position) => {
    const startsFolded = position >= unfoldedAtFirst || thread.chart.count === 0;
    const isFolded = startsFolded
      ? !state.unfolded.includes(thread.index)
      : state.folded.includes(thread.index);
    const rows = isFolded ? 0 : rowsOf(thread);
    const height = activityHeight + rows * rowHeight;
    const isPinned = pinned.has(thread.index);
    places.push({ kind: 'thread', thread, isFolded, isPinned, rows, top, height });
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

/** Calls, and below the deepest ones room for what a thread was blocked on. */
export function rowsOf(thread: ThreadSnapshot): number {
  let rows = thread.chart.depthStart.length - 1;
  const { spans, blocks } = thread;
  for (let row = 0; row < spans.count; row++) rows = Math.max(rows, (spans.depth[row] ?? 0) + 1);
  for (let row = 0; row < blocks.count; row++) rows = Math.max(rows, (blocks.depth[row] ?? 0) + 1);
  return rows;
}

/** Where a row of calls lies; of a folded thread all lie in its strip. */
export function rowTop(place: ThreadPlace, depth: number): number {
  return place.isFolded ? place.top + trackGap / 2 : place.top + activityHeight + depth * rowHeight;
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
