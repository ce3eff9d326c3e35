/** Sections of the system's trace of a thread, in rows below its states: O(boxes on screen), as calls are drawn. */
import type { TimeScale } from '../geometry/time-scale.js';
import { plainText } from '../names.js';
import type { ChartColumns } from '../worker/messages.js';
import { cutToWidth } from './label-cache.js';
import { fontSize, labelInset, minBoxPixels, minLabelWidth, sectionHeight } from './metrics.js';
import type { Palette } from './palette.js';
import { visitRow } from './row-boxes.js';
import type { Surface } from './surface.js';

/** Deeper ones are not drawn: `btrace report` and `btrace query` have them. */
const mostRows = 6;

export const sectionRows = (chart: ChartColumns | undefined): number =>
  chart === undefined ? 0 : Math.min(mostRows, chart.depthStart.length - 1);

/** `top`: of the first row, in device pixels. */
export function paintSections(
  surface: Surface,
  palette: Palette,
  chart: ChartColumns,
  names: readonly string[],
  scale: TimeScale,
  top: number,
): void {
  const { context, ratio } = surface;
  const height = Math.round((sectionHeight - 1) * ratio);
  const labels: { x: number; y: number; width: number; row: number }[] = [];
  const rows = sectionRows(chart);
  const boxes = new Path2D();
  for (let depth = 0; depth < rows; depth++) {
    const y = top + Math.round(depth * sectionHeight * ratio);
    visitRow(chart, depth, scale, minBoxPixels, {
      call: (row, x, width) => {
        boxes.rect(x, y, width > 3 ? width - 1 : width, height);
        if (width >= minLabelWidth * ratio) labels.push({ x, y, width, row });
      },
      density: (_row, x, width, coverage) => {
        const tall = Math.max(1, Math.round(height * coverage));
        boxes.rect(x, y + height - tall, width, tall);
      },
    });
  }
  context.fillStyle = palette.otherProgram;
  context.fill(boxes);
  context.font = `${(fontSize - 1) * ratio}px ${palette.fontFamily}`;
  context.fillStyle = palette.isHighContrast ? palette.background : palette.text;
  const inset = labelInset * ratio;
  for (const { x, y, width, row } of labels) {
    const name = plainText(names[chart.method[row] as number] ?? '');
    const shown = cutToWidth(name, context.measureText(name).width, width - 2 * inset);
    if (shown !== '')
      context.fillText(shown, x + inset, Math.round(y + height / 2 + (fontSize - 1) * ratio * 0.36));
  }
}
