/**
 * What one row of the chart shows of its calls: each that is wide enough, and density boxes for the rest.
 * O(boxes · log calls): calls under `minPixels` that begin in the same bucket of time become one box, found by
 * galloping over them. Buckets lie on a grid of time, not of the screen, so panning does not make them flicker.
 */
import { gallop, upperBound } from '../../trace/model/bisect.js';
import type { TimeScale } from '../geometry/time-scale.js';
import type { ChartColumns } from '../worker/messages.js';

export interface BoxSink {
  call(row: number, x: number, width: number): void;
  /** `row`: the longest of some of the calls in the box; `coverage` 0–1: how much of the box they fill. */
  density(row: number, x: number, width: number, coverage: number): void;
}

/** Calls looked at, spread over a bucket, to estimate how much of it is covered. */
const probes = 8;

export function visitRow(
  chart: ChartColumns,
  depth: number,
  scale: TimeScale,
  minPixels: number,
  sink: BoxSink,
): void {
  const low = chart.depthStart[depth];
  const high = chart.depthStart[depth + 1];
  if (low === undefined || high === undefined) return;
  const { begin, end } = chart;
  const bucketNs = minPixels * scale.nsPerPixel;
  const { width } = scale;
  let row = upperBound(end, scale.beginNs, low, high);
  while (row < high) {
    const from = begin[row] as number;
    if (from >= scale.endNs) break;
    const to = end[row] as number;
    if (to - from >= bucketNs) {
      const x = Math.max(0, Math.round(scale.x(from)));
      sink.call(row, x, Math.max(1, Math.min(width, Math.round(scale.x(to))) - x));
      row++;
      continue;
    }
    const bucketEnd = (Math.floor(from / bucketNs) + 1) * bucketNs;
    let next = gallop(begin, bucketEnd, row + 1, high);
    // Only the last call that begins in a bucket can reach far out of it.
    if (next - 1 > row && (end[next - 1] as number) - (begin[next - 1] as number) >= bucketNs) next--;
    const x = Math.max(0, Math.round(scale.x(from)));
    const right = Math.max(x + 1, Math.min(width, Math.round(scale.x(end[next - 1] as number))));
    probe(chart, row, next, Math.max(bucketNs * 0.5, (right - x) * scale.nsPerPixel));
    sink.density(probed.row, x, right - x, probed.coverage);
    row = next;
  }
}

/** One result, reused: this runs once a box. */
const probed = { row: 0, coverage: 0 };

function probe(chart: ChartColumns, from: number, to: number, lengthNs: number): void {
  const count = to - from;
  const looks = Math.min(probes, count);
  let longest = -1;
  let sum = 0;
  for (let look = 0; look < looks; look++) {
    const row = looks === count ? from + look : from + Math.floor(((look + 0.5) * count) / looks);
    const length = (chart.end[row] as number) - (chart.begin[row] as number);
    sum += length;
    if (length > longest) {
      longest = length;
      probed.row = row;
    }
  }
  probed.coverage = Math.min(1, ((sum / looks) * count) / lengthNs);
}
