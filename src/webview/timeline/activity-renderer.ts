/** CPU use over time: of one thread as a strip, of many as the minimap's mountains. O(pixels · log points). */
import { IntervalState } from '../../trace/model/trace.js';
import { gallop, lowerBound } from '../../trace/model/bisect.js';
import type { TimeScale } from '../geometry/time-scale.js';
import type { ActivityColumns, ThreadSnapshot } from '../worker/messages.js';
import type { SpanPainting } from './span-renderer.js';
import { visitSpans } from './span-renderer.js';
import { isResting } from './waits.js';

/** CPU ns used up to a time, by line between the two points around it; `at` is the first point at or after it. */
function usedAt(activity: ActivityColumns, timeNs: number, at: number): number {
  const { time, cpu, count } = activity;
  if (count === 0 || at === 0) return 0;
  if (at >= count) return cpu[count - 1] ?? 0;
  const fromTime = time[at - 1] as number;
  const toTime = time[at] as number;
  const from = cpu[at - 1] as number;
  const share = toTime > fromTime ? (timeNs - fromTime) / (toTime - fromTime) : 1;
  return from + ((cpu[at] as number) - from) * share;
}

/** Adds the share of each pixel's time that was on the CPU to `into`. */
export function addUtilisation(activity: ActivityColumns, scale: TimeScale, into: Float32Array): void {
  const { time, count } = activity;
  if (count === 0) return;
  // Before its first point and after its last one a thread used nothing.
  const first = Math.max(0, Math.floor(scale.x(time[0] as number)));
  const pixels = Math.min(into.length, Math.ceil(scale.x(time[count - 1] as number)));
  let at = lowerBound(time, scale.time(first), 0, count);
  let before = usedAt(activity, scale.time(first), at);
  for (let x = first; x < pixels; x++) {
    const right = scale.time(x + 1);
    at = at < count ? gallop(time, right, at, count) : at;
    const used = usedAt(activity, right, at);
    into[x] = (into[x] ?? 0) + (used - before) * scale.perNs;
    before = used;
  }
}

/** The strip at the top of a thread: where it was, how busy, where it waited, where nobody knows. */
export function paintActivity(
  painting: SpanPainting,
  thread: ThreadSnapshot,
  top: number,
  height: number,
): void {
  const { surface, palette, patterns, scale } = painting;
  const { context, ratio } = surface;
  context.fillStyle = palette.track;
  context.fillRect(0, top, surface.width, height);
  const base = top + height;
  const lane = Math.max(2, Math.round(3 * ratio));
  const room = height - lane - Math.round(2 * ratio);

  const use = new Float32Array(surface.width);
  addUtilisation(thread.activity, scale, use);
  context.fillStyle = palette.activity;
  for (let x = 0; x < use.length; x++) {
    const share = Math.min(1, use[x] as number);
    if (share <= 0.004) continue;
    const tall = Math.max(1, Math.round(share * room));
    let right = x + 1;
    while (right < use.length && Math.max(1, Math.round(Math.min(1, use[right] as number) * room)) === tall)
      right++;
    context.fillRect(x, base - lane - tall, right - x, tall);
    x = right - 1;
  }
  const { spans, waits, missedFrames } = thread;
  visitSpans(spans.begin, spans.end, spans.count, scale, (row, x, width) => {
    const state = spans.state[row];
    if (state === IntervalState.Wait) return;
    context.fillStyle = state === IntervalState.Gap ? patterns.gap : palette.waiting;
    if (state === IntervalState.Gap) context.fillRect(x, top, width, height);
    else context.fillRect(x, base - lane, width, lane);
  });
  visitSpans(waits.begin, waits.end, waits.count, scale, (row, x, width) => {
    context.fillStyle = isResting(waits, row, painting.snapshot) ? palette.restingEdge : palette.heldUpEdge;
    context.fillRect(x, base - lane, width, lane);
  });
  // Along the upper edge, where nothing else is, and with an end to each: what is too long is told by place and length.
  context.fillStyle = palette.missedFrame;
  const { begin, end, count } = missedFrames;
  visitSpans(begin, end, count, scale, (_row, x, width, isOne) => {
    context.fillRect(x, top, width, lane);
    if (isOne) context.fillRect(x, top, Math.max(1, Math.round(ratio)), height - lane);
  });
}
