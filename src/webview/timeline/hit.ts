/** What lies under the pointer. */
import { upperBound } from '../../trace/model/bisect.js';
import type { TimeScale } from '../geometry/time-scale.js';
import type { ThreadSnapshot } from '../worker/messages.js';
import { callAt } from './call-walk.js';
import { activityHeight, rowHeight, sectionHeight } from './metrics.js';
import { sectionRows } from './section-renderer.js';
import { placeAt } from './track-layout.js';
import type { CorePlace, CounterPlace, ThreadPlace, TrackLayout } from './track-layout.js';

export type Hit =
  | { readonly kind: 'call'; readonly place: ThreadPlace; readonly depth: number; readonly row: number }
  | { readonly kind: 'wait'; readonly place: ThreadPlace; readonly row: number }
  | { readonly kind: 'span'; readonly place: ThreadPlace; readonly row: number }
  | { readonly kind: 'strip'; readonly place: ThreadPlace; readonly timeNs: number }
  /** The strip of what the kernel's scheduler did with a thread, or on a core. */
  | { readonly kind: 'state'; readonly place: ThreadPlace; readonly timeNs: number }
  /** A section of the system's trace. */
  | { readonly kind: 'section'; readonly place: ThreadPlace; readonly row: number }
  | { readonly kind: 'core'; readonly place: CorePlace; readonly timeNs: number }
  | { readonly kind: 'counter'; readonly place: CounterPlace; readonly timeNs: number };

/** `x` in CSS pixels from the chart's left, `y` from the top of the scrolled content; `scale` in CSS pixels. */
export function hitTest(layout: TrackLayout, scale: TimeScale, x: number, y: number): Hit | undefined {
  const place = layout.places[placeAt(layout, y)];
  if (place === undefined || y < place.top) return undefined;
  const timeNs = scale.time(x);
  if (place.kind === 'counter') return { kind: 'counter', place, timeNs };
  if (place.kind === 'core') return { kind: 'core', place, timeNs };
  const inRows = y - place.top - place.headHeight;
  if (inRows < 0) return headHit(place, y - place.top, timeNs, scale.nsPerPixel);
  const depth = Math.floor(inRows / rowHeight);
  const { thread } = place;
  const slack = scale.nsPerPixel;
  const row = callAt(thread.chart, depth, timeNs, slack);
  if (row >= 0) return { kind: 'call', place, depth, row };
  const block = spanAt(thread.waits, depth, timeNs, slack);
  if (block >= 0) return { kind: 'wait', place, row: block };
  const span = spanAt(thread.spans, depth, timeNs, slack);
  return span >= 0 ? { kind: 'span', place, row: span } : undefined;
}

/** Above the calls; `y` from the track's top. */
function headHit(place: ThreadPlace, y: number, timeNs: number, slackNs: number): Hit | undefined {
  if (y < activityHeight) return { kind: 'strip', place, timeNs };
  const { sections } = place;
  const inSections = y - (place.headHeight - sectionRows(sections) * sectionHeight);
  if (sections === undefined || inSections < 0) return { kind: 'state', place, timeNs };
  const row = callAt(sections, Math.floor(inSections / sectionHeight), timeNs, slackNs);
  return row >= 0 ? { kind: 'section', place, row } : undefined;
}

function spanAt(
  spans: ThreadSnapshot['spans'] | ThreadSnapshot['waits'],
  depth: number,
  timeNs: number,
  slackNs: number,
): number {
  const row = upperBound(spans.end, timeNs - slackNs, 0, spans.count);
  return row < spans.count && (spans.begin[row] as number) <= timeNs + slackNs && spans.depth[row] === depth
    ? row
    : -1;
}

/** The same thing as far as a person can tell. */
export function sameHit(one: Hit | undefined, other: Hit | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.kind !== other.kind || one.place !== other.place) return false;
  if ('row' in one && 'row' in other && one.row !== other.row) return false;
  return !('timeNs' in one && 'timeNs' in other && one.timeNs !== other.timeNs);
}
