/** Ticks over the chart. */
import { formatTick } from '../../trace/measure/quantities.js';
import type { TimeScale } from '../geometry/time-scale.js';
import { fontSize, rulerHeight } from './metrics.js';
import type { Palette } from './palette.js';
import type { Surface } from './surface.js';

/** 1, 2 or 5 times a power of ten, at least `leastNs`. */
export function tickStep(leastNs: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, leastNs)));
  for (const factor of [1, 2, 5]) if (power * factor >= leastNs) return power * factor;
  return power * 10;
}

const tickGap = 110;

/** The ruler counts from `originNs`. */
export function paintRuler(surface: Surface, palette: Palette, scale: TimeScale, originNs: number): void {
  const { context, ratio, width, height } = surface;
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  const step = tickStep(tickGap * ratio * scale.nsPerPixel);
  const first = Math.floor((scale.beginNs - originNs) / step);
  const last = Math.ceil((scale.endNs - originNs) / step);
  context.font = `${(fontSize - 0.5) * ratio}px ${palette.fontFamily}`;
  context.textBaseline = 'alphabetic';
  const line = Math.max(1, Math.round(ratio));
  for (let tick = first; tick <= last; tick++) {
    const x = Math.round(scale.x(originNs + tick * step));
    context.fillStyle = palette.line;
    context.fillRect(x, 0, line, height);
    for (let minor = 1; minor < 5; minor++) {
      const minorX = Math.round(scale.x(originNs + (tick + minor / 5) * step));
      context.fillRect(minorX, height - Math.round(4 * ratio), line, Math.round(4 * ratio));
    }
    context.fillStyle = palette.faintText;
    const label = formatTick(tick * step, step);
    const left = labelLeft(x, context.measureText(label).width, width, ratio);
    context.fillText(label, left, Math.round((rulerHeight / 2 + 3) * ratio));
  }
}

/** Right of its tick, or left of it where the ruler ends too soon. Device pixels. */
export function labelLeft(tick: number, labelWidth: number, width: number, ratio: number): number {
  const inset = 4 * ratio;
  return tick + inset + labelWidth <= width ? tick + inset : tick - inset - labelWidth;
}

/** Lines through the chart below the ruler's ticks. */
export function paintGrid(surface: Surface, palette: Palette, scale: TimeScale, originNs: number): void {
  const { context, ratio, height } = surface;
  const step = tickStep(tickGap * ratio * scale.nsPerPixel);
  const last = Math.ceil((scale.endNs - originNs) / step);
  context.fillStyle = palette.track;
  for (let tick = Math.floor((scale.beginNs - originNs) / step); tick <= last; tick++) {
    context.fillRect(Math.round(scale.x(originNs + tick * step)), 0, Math.max(1, Math.round(ratio)), height);
  }
}
