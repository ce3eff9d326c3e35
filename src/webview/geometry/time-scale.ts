/** A stretch of time shown across so many pixels. Immutable; every change gives a new one. */
export class TimeScale {
  readonly beginNs: number;
  readonly endNs: number;
  readonly width: number;
  /** Pixels a nanosecond. */
  readonly perNs: number;

  constructor(beginNs: number, endNs: number, width: number) {
    this.beginNs = beginNs;
    this.endNs = endNs > beginNs ? endNs : beginNs + 1;
    this.width = width > 0 ? width : 1;
    this.perNs = this.width / (this.endNs - this.beginNs);
  }

  /** The origin is subtracted in float64, before anything is scaled down: exact for recordings of any length. */
  x(timeNs: number): number {
    return (timeNs - this.beginNs) * this.perNs;
  }

  time(x: number): number {
    return this.beginNs + x / this.perNs;
  }

  get lengthNs(): number {
    return this.endNs - this.beginNs;
  }

  get nsPerPixel(): number {
    return 1 / this.perNs;
  }
}

export interface Span {
  readonly beginNs: number;
  readonly endNs: number;
}

/** Deepest zoom: 20 ns across the chart. */
const shortestNs = 20;

/** `wanted`, moved and cut so that it stays within `bounds`. */
export function clampSpan(wanted: Span, bounds: Span): Span {
  const all = Math.max(bounds.endNs - bounds.beginNs, shortestNs);
  const length = Math.min(Math.max(wanted.endNs - wanted.beginNs, shortestNs), all);
  const middle = (wanted.beginNs + wanted.endNs) / 2;
  let begin = wanted.endNs - wanted.beginNs === length ? wanted.beginNs : middle - length / 2;
  begin = Math.max(bounds.beginNs, Math.min(begin, bounds.beginNs + all - length));
  return { beginNs: begin, endNs: begin + length };
}

/** Zoomed by `factor` (below 1: in) so that `aroundNs` stays where it is. */
export function zoomSpan(span: Span, factor: number, aroundNs: number, bounds: Span): Span {
  const length = span.endNs - span.beginNs;
  const wanted = Math.min(Math.max(length * factor, shortestNs), bounds.endNs - bounds.beginNs);
  const share = (aroundNs - span.beginNs) / length;
  const begin = aroundNs - wanted * share;
  return clampSpan({ beginNs: begin, endNs: begin + wanted }, bounds);
}

export function panSpan(span: Span, byNs: number, bounds: Span): Span {
  return clampSpan({ beginNs: span.beginNs + byNs, endNs: span.endNs + byNs }, bounds);
}
