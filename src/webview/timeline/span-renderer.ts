/**
 * Draws what is not work: waits plain, with an edge below and said in words, gaps hatched, inferred waits as a thin line. Each looks
 * the same at every zoom. Edges and words carry the meaning; colour only helps.
 */
import { IntervalState } from '../../trace/model/trace.js';
import { gallop, upperBound } from '../../trace/model/bisect.js';
import type { TimeScale } from '../geometry/time-scale.js';
import { text } from '../texts.js';
import type { Snapshot, ThreadSnapshot } from '../worker/messages.js';
import {
  fontSize,
  labelInset,
  minBoxPixels,
  minLabelWidth,
  rowGap,
  rowHeight,
  waitEdges,
} from './metrics.js';
import { cutToWidth } from './label-cache.js';
import type { Palette } from './palette.js';
import type { Surface } from './surface.js';
import { describeWait, isResting } from './waits.js';

export interface StatePatterns {
  readonly gap: CanvasPattern | string;
}

export function makePatterns(
  context: CanvasRenderingContext2D,
  palette: Palette,
  ratio: number,
): StatePatterns {
  return {
    gap: stripes(context, palette.background, palette.gap, Math.round(5 * ratio)),
  };
}

function stripes(
  context: CanvasRenderingContext2D,
  under: string,
  line: string,
  size: number,
): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = tile.height = size;
  const pen = tile.getContext('2d');
  if (pen === null) return under;
  pen.fillStyle = under;
  pen.fillRect(0, 0, size, size);
  pen.strokeStyle = line;
  pen.lineWidth = Math.max(1, size / 5);
  pen.beginPath();
  // Three strokes, so that the corners meet when tiled.
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift - 1, -1);
    pen.lineTo(shift + size + 1, size + 1);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat') ?? under;
}

export interface SpanPainting {
  readonly surface: Surface;
  readonly palette: Palette;
  readonly patterns: StatePatterns;
  readonly snapshot: Snapshot;
  readonly scale: TimeScale;
}

/** `top` is that of row 0, `stripTop` that of the activity strip; rows outside the clip are left out. Device pixels. */
export function paintSpans(
  painting: SpanPainting,
  thread: ThreadSnapshot,
  top: number,
  clip: { readonly top: number; readonly bottom: number },
): void {
  const { surface, palette, patterns, scale, snapshot } = painting;
  const { context, ratio } = surface;
  const step = rowHeight * ratio;
  const height = Math.round((rowHeight - rowGap) * ratio);
  const rowTop = (depth: number): number => Math.round(top + depth * step);
  const isShown = (y: number): boolean => y + height > clip.top && y < clip.bottom;
  const { spans, waits } = thread;
  visitSpans(spans.begin, spans.end, spans.count, scale, (row, x, width) => {
    const y = rowTop(spans.depth[row] ?? 0);
    if (!isShown(y)) return;
    if (spans.state[row] === IntervalState.Gap) {
      context.fillStyle = patterns.gap;
      context.fillRect(x, y, width, height);
      paintLabel(context, text('timeline.gap'), { x, y, width, height }, palette.faintText, palette, ratio);
    } else if (spans.state[row] === IntervalState.InferredWait) {
      context.fillStyle = palette.waiting;
      context.fillRect(x, y, width, Math.max(1, Math.round(2 * ratio)));
    }
  });
  visitSpans(waits.begin, waits.end, waits.count, scale, (row, x, width, isOne) => {
    const y = rowTop(waits.depth[row] ?? 0);
    if (!isShown(y)) return;
    const rests = isResting(waits, row, snapshot);
    context.fillStyle = rests ? palette.resting : palette.heldUp;
    context.fillRect(x, y, width, height);
    const edge = Math.max(1, Math.round((rests ? waitEdges.resting : waitEdges.heldUp) * ratio));
    context.fillStyle = rests ? palette.restingEdge : palette.heldUpEdge;
    context.fillRect(x, y + height - edge, width, edge);
    if (isOne)
      paintLabel(
        context,
        describeWait(waits, row, snapshot),
        { x, y, width, height },
        palette.text,
        palette,
        ratio,
      );
  });
}

function paintLabel(
  context: CanvasRenderingContext2D,
  label: string,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  colour: string,
  palette: Palette,
  ratio: number,
): void {
  if (width < minLabelWidth * ratio) return;
  const inset = labelInset * ratio;
  context.font = `${fontSize * ratio}px ${palette.fontFamily}`;
  const full = context.measureText(label).width;
  const shown = cutToWidth(label, full, width - 2 * inset);
  if (shown === '') return;
  // A plate under the words keeps them readable on the pattern.
  const plate = Math.min(width, context.measureText(shown).width + 2 * inset);
  context.fillStyle = palette.background;
  context.globalAlpha = 0.65;
  context.fillRect(x, y, plate, height);
  context.globalAlpha = 1;
  context.fillStyle = colour;
  context.fillText(shown, x + inset, Math.round(y + height / 2 + fontSize * ratio * 0.36));
}

/** Visits what is in view; neighbours under two pixels are visited together, as the first of them. */
export function visitSpans(
  begin: Float64Array,
  end: Float64Array,
  count: number,
  scale: TimeScale,
  visit: (row: number, x: number, width: number, isOne: boolean) => void,
): void {
  const shortest = minBoxPixels * scale.nsPerPixel;
  let row = upperBound(end, scale.beginNs, 0, count);
  while (row < count) {
    const from = begin[row] as number;
    if (from >= scale.endNs) return;
    let next = row + 1;
    if ((end[row] as number) - from < shortest) {
      next = gallop(begin, from + shortest, next, count);
      // Only the last of them can be long: that is itself, and not what the first one is.
      if (next > row + 1 && (end[next - 1] as number) - (begin[next - 1] as number) >= shortest) next -= 1;
    }
    const x = Math.max(0, Math.round(scale.x(from)));
    const right = Math.min(scale.width, Math.round(scale.x(end[next - 1] as number)));
    visit(row, x, Math.max(1, right - x), next === row + 1);
    row = next;
  }
}
