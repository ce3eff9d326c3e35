/**
 * Lines from who ended a wait to its end: faint for the waits in sight that are wide enough to be looked at, strong for the
 * selected one.
 */
import { upperBound } from '../../trace/model/bisect.js';
import type { TimeScale } from '../geometry/time-scale.js';
import type { Model } from '../model.js';
import type { ViewState } from '../store.js';
import type { LinkColumns, ThreadSnapshot } from '../worker/messages.js';
import { waitRow } from './wait-rows.js';
import { rowHeight } from './metrics.js';
import type { Palette } from './palette.js';
import type { Surface } from './surface.js';
import type { TrackLayout } from './track-layout.js';

/** Narrower waits, in CSS pixels, show no line unless selected; and no more than so many do. */
const leastWidth = 32;
const mostLinks = 60;

interface LinkPainting {
  readonly surface: Surface;
  readonly palette: Palette;
  readonly scale: TimeScale;
  readonly layout: TrackLayout;
  readonly scrollTop: number;
}

export function paintLinks(painting: LinkPainting, state: ViewState, model: Model): void {
  const links = model.snapshot?.links;
  if (links === undefined) return;
  const { scale, layout, scrollTop, surface } = painting;
  const shortest = leastWidth * surface.ratio * scale.nsPerPixel;
  let left = mostLinks;
  surface.context.globalAlpha = 0.45;
  for (const place of layout.places) {
    const isInSight = place.top < scrollTop + surface.cssHeight && place.top + place.height > scrollTop;
    if (place.kind !== 'thread' || !isInSight) continue;
    const { waits } = place.thread;
    for (let row = upperBound(waits.end, scale.beginNs, 0, waits.count); row < waits.count; row++) {
      if ((waits.begin[row] ?? 0) >= scale.endNs || left <= 0) break;
      const isWide = (waits.end[row] ?? 0) - (waits.begin[row] ?? 0) >= shortest;
      if (isWide && paintLink(painting, place.thread, row, links)) left--;
    }
  }
  surface.context.globalAlpha = 1;
  const { selection } = state;
  const thread = selection?.kind === 'wait' ? model.thread(selection.thread) : undefined;
  if (selection?.kind !== 'wait' || thread === undefined) return;
  const row = waitRow(thread.waits, selection.beginNs);
  if (row >= 0) paintLink(painting, thread, row, links);
}

/** False when there is none to be drawn. */
function paintLink(
  painting: LinkPainting,
  { index, waits }: ThreadSnapshot,
  row: number,
  links: LinkColumns,
): boolean {
  const { surface, palette, scale, layout, scrollTop } = painting;
  const link = waits.link[row] ?? -1;
  if (link < 0) return false;
  const { ratio } = surface;
  const from = threadY(layout, index, waits.depth[row] ?? 0);
  const to = threadY(layout, wakerOf(links, link), 0);
  if (from === undefined || to === undefined) return false;
  const x1 = scale.x(waits.end[row] ?? 0);
  const y1 = (from - scrollTop) * ratio;
  const x2 = scale.x(links.wakerTime[link] ?? 0);
  const y2 = (to - scrollTop) * ratio;
  const { context } = surface;
  context.strokeStyle = palette.link;
  context.fillStyle = palette.link;
  context.lineWidth = 1.5 * ratio;
  // An estimate is drawn as one.
  context.setLineDash(links.certainty[link] === 0 ? [] : [4 * ratio, 3 * ratio]);
  context.beginPath();
  const bend = Math.max(24 * ratio, Math.abs(x2 - x1) / 3);
  context.moveTo(x2, y2);
  context.bezierCurveTo(x2 + bend, y2, x1 + bend, y1, x1, y1);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.arc(x2, y2, 3.5 * ratio, 0, Math.PI * 2);
  context.fill();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 + 7 * ratio, y1 - 4 * ratio);
  context.lineTo(x1 + 7 * ratio, y1 + 4 * ratio);
  context.fill();
  return true;
}

function wakerOf(links: LinkColumns, link: number): number {
  return links.waker[link] ?? 0;
}

/** Middle of a row of a thread, in CSS pixels of the content; of its strip when collapsed. */
function threadY(layout: TrackLayout, thread: number, depth: number): number | undefined {
  const place = layout.places.find((one) => one.kind === 'thread' && one.thread.index === thread);
  if (place?.kind !== 'thread') return undefined;
  return place.isCollapsed
    ? place.top + place.headHeight / 2
    : place.top + place.headHeight + depth * rowHeight + rowHeight / 2;
}
