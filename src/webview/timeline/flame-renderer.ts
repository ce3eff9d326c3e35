/** Draws the calls of a thread: O(boxes on screen), whatever the recording's size. */
import type { TimeScale } from '../geometry/time-scale.js';
import { libraryHue, nativeHue } from '../names.js';
import type { NameIndex } from '../names.js';
import { text } from '../texts.js';
import type { ChartColumns } from '../worker/messages.js';
import { LabelCache } from './label-cache.js';
import {
  cpuBarHeight,
  fontSize,
  labelInset,
  minBoxPixels,
  minLabelWidth,
  rowGap,
  rowHeight,
} from './metrics.js';
import { fillCount, fillIndex, shades } from './palette.js';
import type { Palette } from './palette.js';
import { RectBatch } from './rect-batch.js';
import { visitRow } from './row-boxes.js';
import type { BoxSink } from './row-boxes.js';
import type { Surface } from './surface.js';

type LabelLook = 'upright' | 'slanted' | 'dimUpright' | 'dimSlanted';

export interface FlameLook {
  readonly palette: Palette;
  readonly names: NameIndex;
  /** 1 for methods that the search found; undefined while nothing is searched. */
  readonly matches: Uint8Array | undefined;
  readonly hasCpu: boolean;
}

/** Labels of the last frame, for those who read rather than see. */
export interface DrawnBox {
  readonly thread: number;
  readonly depth: number;
  readonly row: number;
}

export class FlameRenderer {
  readonly #labels = new LabelCache();
  readonly #boxes = new RectBatch(fillCount);
  readonly #bars = new RectBatch(nativeHue + 1);
  readonly #marks = new RectBatch(1);
  /** Tops of threads in sight whose calls are to come. */
  readonly #toCome: number[] = [];
  /** Labels of this frame by their look: x, y, width, method of each. Those of libraries are slanted. */
  readonly #texts: Readonly<Record<LabelLook, number[]>> = {
    upright: [],
    slanted: [],
    dimUpright: [],
    dimSlanted: [],
  };
  /** Wide boxes drawn since `begin`. */
  readonly drawn: DrawnBox[] = [];

  begin(): void {
    this.drawn.length = 0;
  }

  /** Gathers rows of `chart` that lie between `clipTop` and `clipBottom`; `top` is row 0's. Device pixels. */
  addThread(
    thread: number,
    chart: ChartColumns,
    scale: TimeScale,
    top: number,
    clip: { readonly top: number; readonly bottom: number },
    look: FlameLook,
    ratio: number,
  ): void {
    if (chart.begin.length < chart.count) {
      this.#toCome.push(Math.max(top, clip.top));
      return;
    }
    const step = rowHeight * ratio;
    const first = Math.max(0, Math.floor((clip.top - top) / step));
    const last = Math.min(chart.depthStart.length - 2, Math.floor((clip.bottom - top) / step));
    const { names, matches, hasCpu } = look;
    const minLabel = minLabelWidth * ratio;
    const barHeight = Math.max(1, Math.round(cpuBarHeight * ratio));
    const boxHeight = this.#boxHeight(ratio);
    let depth = 0;
    let y = 0;
    const sink: BoxSink = {
      call: (row, x, width) => {
        const method = chart.method[row] as number;
        const hue = names.hue(method);
        const isFound = matches?.[method] === 1;
        const share = hasCpu ? cpuShare(chart, row) : 1;
        const shade = share > 0.75 ? 3 : share > 0.35 ? 2 : 1;
        const gap = width > 3 ? 1 : 0;
        const isDim = matches !== undefined && !isFound;
        this.#boxes.add(fillIndex(hue, shade, isDim), x, y, width - gap);
        if (isFound) this.#marks.add(0, x, y, width - gap);
        if (width < minLabel) return;
        if (hasCpu) {
          const bar = Math.round((width - gap) * share);
          if (bar > 0) this.#bars.add(hue, x, y + boxHeight - barHeight, bar);
        }
        const isSlanted = hue === libraryHue;
        const label = isDim ? (isSlanted ? 'dimSlanted' : 'dimUpright') : isSlanted ? 'slanted' : 'upright';
        this.#texts[label].push(x, y, width, method);
        this.drawn.push({ thread, depth, row });
      },
      density: (row, x, width, coverage) => {
        const method = chart.method[row] as number;
        const shade = Math.min(shades - 1, Math.floor(coverage * shades));
        const isDim = matches !== undefined && matches[method] !== 1;
        this.#boxes.add(fillIndex(names.hue(method), shade, isDim), x, y, width);
      },
    };
    for (depth = first; depth <= last; depth++) {
      y = Math.round(top + depth * step);
      visitRow(chart, depth, scale, minBoxPixels, sink);
    }
  }

  #boxHeight(ratio: number): number {
    return Math.round((rowHeight - rowGap) * ratio);
  }

  /** Paints what was gathered; returns the number of boxes. */
  paint(surface: Surface, look: FlameLook): number {
    const { context, ratio } = surface;
    const { palette } = look;
    const boxHeight = this.#boxHeight(ratio);
    const boxes = this.#boxes.flush(context, palette.fills, boxHeight);
    this.#bars.flush(context, palette.strong, Math.max(1, Math.round(cpuBarHeight * ratio)));
    this.#marks.flush(context, [palette.match], Math.max(1, Math.round(2 * ratio)));
    const size = fontSize * ratio;
    context.textBaseline = 'alphabetic';
    const baseline = Math.round(boxHeight / 2 + size * 0.36 - (look.hasCpu ? 0.5 * ratio : 0));
    context.font = `${size}px ${palette.fontFamily}`;
    this.#labels.use(look.names, context.font);
    const { upright, slanted, dimUpright, dimSlanted } = this.#texts;
    const inColours = (bright: number[], dim: number[]): void => {
      context.fillStyle = palette.onFill;
      this.#paintLabels(context, bright, baseline, ratio);
      context.fillStyle = palette.text;
      this.#paintLabels(context, dim, baseline, ratio);
    };
    inColours(upright, dimUpright);
    context.font = `italic ${size}px ${palette.fontFamily}`;
    inColours(slanted, dimSlanted);
    context.fillStyle = palette.faintText;
    for (const top of this.#toCome.splice(0))
      context.fillText(text('timeline.toCome'), labelInset * ratio, top + baseline);
    return boxes;
  }

  #paintLabels(context: CanvasRenderingContext2D, labels: number[], baseline: number, ratio: number): void {
    const inset = labelInset * ratio;
    for (let at = 0; at < labels.length; at += 4) {
      const label = this.#labels.fit(
        context,
        labels[at + 3] as number,
        (labels[at + 2] as number) - 2 * inset,
      );
      if (label !== '')
        context.fillText(label, (labels[at] as number) + inset, (labels[at + 1] as number) + baseline);
    }
    labels.length = 0;
  }
}

export function cpuShare(chart: ChartColumns, row: number): number {
  const wall = (chart.end[row] as number) - (chart.begin[row] as number);
  return wall > 0 ? Math.min(1, (chart.cpu[row] as number) / wall) : 0;
}
