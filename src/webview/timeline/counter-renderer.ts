/** A counter over time as a stepped area. O(pixels · log points). */
import type { CounterTrack } from '../../trace/model/trace.js';
import { gallop, upperBound } from '../../trace/model/bisect.js';
import type { TimeScale } from '../geometry/time-scale.js';
import { formatQuantity } from '../../trace/measure/quantities.js';
import { fontSize } from './metrics.js';
import type { Palette } from './palette.js';
import type { Surface } from './surface.js';

/** The value holds from its own time to that of the next. */
export function counterAt(counter: CounterTrack, timeNs: number): number | undefined {
  const at = upperBound(counter.time, timeNs, 0, counter.count) - 1;
  return at < 0 ? undefined : counter.value[at];
}

export function paintCounter(
  surface: Surface,
  palette: Palette,
  counter: CounterTrack,
  scale: TimeScale,
  top: number,
  height: number,
): void {
  const { context, ratio } = surface;
  const { time, value, count } = counter;
  context.fillStyle = palette.track;
  context.fillRect(0, top, surface.width, height);
  let peak = 0;
  for (let row = 0; row < count; row++) peak = Math.max(peak, value[row] as number);
  if (peak <= 0) return;
  const room = height - Math.round(2 * ratio);
  context.fillStyle = palette.counter;
  let at = Math.max(0, upperBound(time, scale.beginNs, 0, count) - 1);
  while (at < count) {
    const from = time[at] as number;
    if (from >= scale.endNs) break;
    const x = Math.max(0, Math.round(scale.x(from)));
    // Everything within the same pixel shows its highest value.
    const next = Math.max(at + 1, gallop(time, scale.time(x + 1), at, count));
    let highest = 0;
    for (let row = at; row < next; row++) highest = Math.max(highest, value[row] as number);
    const right = next < count ? Math.round(scale.x(time[next] as number)) : surface.width;
    const tall = Math.round((highest / peak) * room);
    context.fillRect(x, top + height - tall, Math.max(1, Math.min(surface.width, right) - x), tall);
    at = next;
  }
  const label = formatQuantity(peak, counter.unit);
  const inset = Math.round(4 * ratio);
  context.font = `${(fontSize - 1) * ratio}px ${palette.fontFamily}`;
  context.fillStyle = palette.track;
  context.fillRect(0, top, context.measureText(label).width + 2 * inset, Math.round((fontSize + 3) * ratio));
  context.fillStyle = palette.faintText;
  context.fillText(label, inset, top + Math.round(fontSize * ratio));
}
