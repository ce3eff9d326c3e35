/**
 * What the kernel's scheduler did: of a thread its states, of a core who ran. Height and colour both tell the states apart.
 * O(pixels · log stretches), at any zoom: what is narrower than two pixels is drawn as shares of the pixels' time.
 */
import { gallop } from '../../trace/model/bisect.js';
import { SchedState } from '../../trace/system/kernel-sink.js';
import {
  CoreUse,
  stretchAt,
  type StripColumns,
  stripKinds,
  timesBetween,
  timesIn,
  unknownKind,
} from '../../trace/system/strip.js';
import { formatShare, formatNs } from '../../trace/measure/quantities.js';
import type { TimeScale } from '../geometry/time-scale.js';
import { text } from '../texts.js';
import type { CoreStrip } from '../worker/messages.js';
import { cutToWidth } from './label-cache.js';
import { fontSize, labelInset, minBoxPixels, minLabelWidth, stateHeight } from './metrics.js';
import type { Palette } from './palette.js';
import type { Surface } from './surface.js';

type VisitStretch = (x: number, width: number, row: number) => void;
type VisitShares = (x: number, width: number, times: Float64Array) => void;

const times = new Float64Array(stripKinds);

/** Visits stretches that are two pixels wide and more by themselves, and all others two pixels at a time. */
export function visitStrip(
  strip: StripColumns,
  scale: TimeScale,
  stretch: VisitStretch,
  shares: VisitShares,
): void {
  const { begin, count } = strip;
  if (count === 0) return;
  let x = Math.max(0, Math.round(scale.x(begin[0] as number)));
  let row = Math.max(0, stretchAt(strip, scale.time(x)));
  while (x < scale.width && row < count) {
    const end = Math.min(scale.width, Math.round(scale.x(begin[row + 1] as number)));
    if (end >= x + minBoxPixels) {
      stretch(x, end - x, row);
      x = end;
      row++;
    } else {
      const to = x + minBoxPixels;
      const from = Math.max(scale.time(x), begin[0] as number);
      const next = Math.max(row, gallop(begin, scale.time(to), row, count + 1) - 1);
      timesBetween(strip, from, row, scale.time(to), next, times);
      shares(x, minBoxPixels, times);
      x = to;
      row = next;
    }
  }
}

/** Shares of the strip's height. A sleeping thread has a line. */
const tallOf: Readonly<Record<number, number>> = {
  [SchedState.Running]: 1,
  [SchedState.Runnable]: 0.7,
  [SchedState.Uninterruptible]: 0.45,
  [SchedState.Io]: 0.45,
};

const waitsForDevice = (of: Float64Array): number =>
  (of[SchedState.Uninterruptible] as number) + (of[SchedState.Io] as number);

/** Rectangles by colour, each filled at once. */
class Layers {
  readonly #paths = new Map<string, Path2D>();

  add(colour: string, x: number, y: number, width: number, height: number): void {
    if (height <= 0) return;
    let path = this.#paths.get(colour);
    if (path === undefined) this.#paths.set(colour, (path = new Path2D()));
    path.rect(x, y, width, height);
  }

  fill(context: CanvasRenderingContext2D): void {
    for (const [colour, path] of this.#paths) {
      context.fillStyle = colour;
      context.fill(path);
    }
  }
}

/** Shares of a stretch of pixels on top of each other, from below. */
function pile(
  layers: Layers,
  parts: readonly (readonly [colour: string, ns: number])[],
  all: number,
  x: number,
  base: number,
  width: number,
  height: number,
): void {
  let [sum, low] = [0, 0];
  for (const [colour, ns] of parts) {
    sum += ns;
    const high = Math.round(Math.min(1, sum / all) * height);
    layers.add(colour, x, base - high, width, high - low);
    low = high;
  }
}

export function stateColour(palette: Palette, state: number): string | undefined {
  if (state === SchedState.Running) return palette.running;
  if (state === SchedState.Runnable) return palette.waitsForCore;
  if (state === SchedState.Uninterruptible || state === SchedState.Io) return palette.waitsForDevice;
  return state === SchedState.Sleeping ? palette.sleeping : undefined;
}

export function paintStates(
  surface: Surface,
  palette: Palette,
  strip: StripColumns,
  scale: TimeScale,
  top: number,
): void {
  const { context, ratio } = surface;
  const height = Math.round((stateHeight - 2) * ratio);
  const base = top + height;
  const line = Math.max(1, Math.round(ratio));
  const layers = new Layers();
  visitStrip(
    strip,
    scale,
    (x, width, row) => {
      const state = strip.kind[row] as number;
      const colour = stateColour(palette, state);
      if (colour === undefined) return;
      const tall = Math.max(line, Math.round((tallOf[state] ?? 0) * height));
      layers.add(colour, x, base - tall, width, tall);
    },
    (x, width, of) => {
      const parts = [
        [palette.running, of[SchedState.Running] as number],
        [palette.waitsForCore, of[SchedState.Runnable] as number],
        [palette.waitsForDevice, waitsForDevice(of)],
      ] as const;
      if ((of[SchedState.Sleeping] as number) > 0) layers.add(palette.sleeping, x, base - line, width, line);
      pile(layers, parts, width * scale.nsPerPixel, x, base, width, height);
    },
  );
  layers.fill(context);
}

/** Who ran on a core: the program in its colour and as high as the row, others lower and grey, idle nothing. */
export function paintCore(
  surface: Surface,
  palette: Palette,
  strip: StripColumns,
  scale: TimeScale,
  top: number,
  height: number,
  nameOf: (tid: number) => string,
): void {
  const { context, ratio } = surface;
  context.fillStyle = palette.track;
  context.fillRect(0, top, surface.width, height);
  const base = top + height;
  const layers = new Layers();
  const labels: { x: number; width: number; name: string }[] = [];
  visitStrip(
    strip,
    scale,
    (x, width, row) => {
      const use = strip.kind[row];
      if (use !== CoreUse.Program && use !== CoreUse.Other) return;
      const isProgram = use === CoreUse.Program;
      const tall = isProgram ? height : Math.round(height * 0.6);
      const gap = width > 4 * ratio ? 1 : 0;
      layers.add(isProgram ? palette.running : palette.otherProgram, x, base - tall, width - gap, tall);
      if (isProgram && width >= minLabelWidth * ratio)
        labels.push({ x, width, name: nameOf(strip.detail[row] as number) });
    },
    (x, width, of) => {
      const parts = [
        [palette.running, of[CoreUse.Program] as number],
        [palette.otherProgram, of[CoreUse.Other] as number],
      ] as const;
      pile(layers, parts, width * scale.nsPerPixel, x, base, width, height);
    },
  );
  layers.fill(context);
  context.font = `${(fontSize - 1) * ratio}px ${palette.fontFamily}`;
  context.fillStyle = palette.onRunning;
  const inset = labelInset * ratio;
  for (const { x, width, name } of labels) {
    const shown = cutToWidth(name, context.measureText(name).width, width - 2 * inset);
    if (shown !== '')
      context.fillText(shown, x + inset, Math.round(top + height / 2 + fontSize * ratio * 0.32));
  }
}

/** Of all cores together: how much of them the program used, and above it what others did. */
export function paintCoreUse(
  surface: Surface,
  palette: Palette,
  cores: readonly CoreStrip[],
  scale: TimeScale,
  top: number,
  height: number,
): void {
  const { context } = surface;
  context.fillStyle = palette.track;
  context.fillRect(0, top, surface.width, height);
  const program = new Float64Array(surface.width);
  const others = new Float64Array(surface.width);
  for (const { strip } of cores)
    visitStrip(
      strip,
      scale,
      (x, width, row) => {
        const use = strip.kind[row];
        const into = use === CoreUse.Program ? program : use === CoreUse.Other ? others : undefined;
        if (into === undefined) return;
        for (let at = x; at < x + width; at++) into[at] = (into[at] as number) + 1;
      },
      (x, width, of) => {
        const share = 1 / (width * scale.nsPerPixel);
        for (let at = x; at < x + width; at++) {
          program[at] = (program[at] as number) + (of[CoreUse.Program] as number) * share;
          others[at] = (others[at] as number) + (of[CoreUse.Other] as number) * share;
        }
      },
    );
  const layers = new Layers();
  for (let x = 0; x < surface.width; x++) {
    const parts = [
      [palette.running, program[x] as number],
      [palette.otherProgram, others[x] as number],
    ] as const;
    pile(layers, parts, cores.length, x, top + height, 1, height);
  }
  layers.fill(context);
}

/** "Running on core 3 · 1.2 ms"; where several lie within a pixel, their shares. */
export function describeStates(strip: StripColumns, timeNs: number, nsPerPixel: number): string[] {
  const row = stretchAt(strip, timeNs);
  if (row < 0 || row >= strip.count) return [];
  const length = (strip.begin[row + 1] as number) - (strip.begin[row] as number);
  if (length >= minBoxPixels * nsPerPixel) {
    const name = stateName(strip.kind[row] as number, strip.detail[row] as number);
    return name === '' ? [] : [name, formatNs(length)];
  }
  const lengthNs = minBoxPixels * nsPerPixel;
  timesIn(strip, timeNs - lengthNs / 2, timeNs + lengthNs / 2, times);
  const states = [SchedState.Running, SchedState.Runnable, SchedState.Sleeping, SchedState.Uninterruptible];
  return states
    .map((state) => [
      state,
      state === SchedState.Uninterruptible ? waitsForDevice(times) : (times[state] as number),
    ])
    .filter(([, ns = 0]) => ns > 0)
    .map(([state = 0, ns = 0]) => shareLine(stateName(state, -1), ns / lengthNs));
}

function shareLine(name: string, share: number): string {
  return text('joined.value', { name, value: formatShare(share) });
}

export function stateName(state: number, core: number): string {
  switch (state) {
    case SchedState.Running:
      return core < 0 ? text('sched.running') : text('sched.runningOn', { core });
    case SchedState.Runnable:
      return text('sched.runnable');
    case SchedState.Sleeping:
      return text('sched.sleeping');
    case SchedState.Uninterruptible:
      return text('sched.uninterruptible');
    case SchedState.Io:
      return text('sched.io');
    default:
      return '';
  }
}

/** Who ran on a core then. */
export function describeCore(
  strip: StripColumns,
  timeNs: number,
  nsPerPixel: number,
  nameOf: (tid: number) => string,
): string[] {
  const row = stretchAt(strip, timeNs);
  if (row < 0 || row >= strip.count) return [];
  const length = (strip.begin[row + 1] as number) - (strip.begin[row] as number);
  const use = strip.kind[row];
  if (length >= minBoxPixels * nsPerPixel) {
    if (use === CoreUse.Idle) return [text('sched.idle'), formatNs(length)];
    if (use !== CoreUse.Program && use !== CoreUse.Other) return [];
    return [nameOf(strip.detail[row] as number), formatNs(length)];
  }
  const lengthNs = minBoxPixels * nsPerPixel;
  timesIn(strip, timeNs - lengthNs / 2, timeNs + lengthNs / 2, times);
  const program = useLine('sched.program', CoreUse.Program);
  // Where not all is known, what others had is not either.
  return (times[unknownKind] as number) > 0 ? [program] : [program, useLine('sched.others', CoreUse.Other)];

  function useLine(key: 'sched.program' | 'sched.others', of: number): string {
    return shareLine(text(key), (times[of] as number) / lengthNs);
  }
}
