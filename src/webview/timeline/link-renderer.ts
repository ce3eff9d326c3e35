/** The line from the end of a wait to who ended it, for the selected wait. */
import type { TimeScale } from '../geometry/time-scale.js';
import type { Model } from '../model.js';
import type { ViewState } from '../store.js';
import type { LinkColumns } from '../worker/messages.js';
import { blockRow } from './blocks.js';
import { activityHeight, rowHeight } from './metrics.js';
import type { Palette } from './palette.js';
import type { Surface } from './surface.js';
import type { TrackLayout } from './track-layout.js';

export function paintLinks(
  surface: Surface,
  palette: Palette,
  scale: TimeScale,
  layout: TrackLayout,
  scrollTop: number,
  state: ViewState,
  model: Model,
): void {
  const { selection } = state;
  const links = model.snapshot?.links;
  if (selection?.kind !== 'block' || links === undefined) return;
  const thread = model.thread(selection.thread);
  if (thread === undefined) return;
  const row = blockRow(thread.blocks, selection.beginNs);
  const link = thread.blocks.link[row] ?? -1;
  if (link < 0) return;
  const { ratio } = surface;
  const from = threadY(layout, thread.index, thread.blocks.depth[row] ?? 0);
  const to = threadY(layout, wakerOf(links, link), 0);
  if (from === undefined || to === undefined) return;
  const x1 = scale.x(thread.blocks.end[row] ?? 0);
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
}

function wakerOf(links: LinkColumns, link: number): number {
  return links.waker[link] ?? 0;
}

/** Middle of a row of a thread, in CSS pixels of the content; of its strip when folded. */
function threadY(layout: TrackLayout, thread: number, depth: number): number | undefined {
  const place = layout.places.find((one) => one.kind === 'thread' && one.thread.index === thread);
  if (place?.kind !== 'thread') return undefined;
  return place.isFolded
    ? place.top + activityHeight / 2
    : place.top + activityHeight + depth * rowHeight + rowHeight / 2;
}
