/** What lies over the canvas and changes without it: selection, hover, range, ruler of two points. */
import { element } from '../element.js';
import { formatLength } from '../../trace/measure/quantities.js';
import type { Span, TimeScale } from '../geometry/time-scale.js';
import type { ViewContext } from '../model.js';
import type { Hit } from './hit.js';
import { waitRow } from './wait-rows.js';
import { rowGap, rowHeight } from './metrics.js';
import { rowTop } from './track-layout.js';
import type { TrackLayout } from './track-layout.js';

interface Box {
  readonly thread: number;
  readonly depth: number;
  readonly beginNs: number;
  readonly endNs: number;
}

export class Overlay {
  readonly root: HTMLElement;
  /** Lies over the ruler. */
  readonly rulerRoot: HTMLElement;
  readonly #selected = element('div', { class: 'box-selected' });
  readonly #hovered = element('div', { class: 'box-hovered' });
  readonly #range = element('div', { class: 'range' });
  readonly #measure = element('div', { class: 'measure' }, element('span', { class: 'measure-text' }));
  readonly #rulerRange = element(
    'div',
    { class: 'ruler-range' },
    element('span', { class: 'ruler-range-text' }),
  );
  readonly #cursor = element('div', { class: 'cursor' });
  readonly #context: ViewContext;
  #hit: Hit | undefined;
  #last: { readonly scale: TimeScale; readonly layout: TrackLayout; readonly scrollTop: number } | undefined;
  /** The stretch being measured. */
  measured: Span | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    this.root = element(
      'div',
      { class: 'overlay', 'aria-hidden': 'true' },
      this.#range,
      this.#hovered,
      this.#selected,
      this.#measure,
      this.#cursor,
    );
    this.rulerRoot = element('div', { class: 'ruler-overlay', 'aria-hidden': 'true' }, this.#rulerRange);
    const parts = [this.#selected, this.#hovered, this.#range, this.#measure, this.#rulerRange, this.#cursor];
    for (const part of parts) part.hidden = true;
  }

  place(scale: TimeScale, layout: TrackLayout, scrollTop: number, height: number): void {
    this.#last = { scale, layout, scrollTop };
    const { range } = this.#context.store.state;
    spanBox(this.#range, range, scale, 0, height);
    spanBox(this.#rulerRange, range, scale);
    if (range !== undefined) setLabel(this.#rulerRange, formatLength(range.endNs - range.beginNs));
    spanBox(this.#measure, this.measured, scale, 0, height);
    if (this.measured !== undefined) {
      setLabel(this.#measure, formatLength(this.measured.endNs - this.measured.beginNs));
      keepLabelInside(this.#measure, this.measured, scale);
    }
    this.#place(this.#selected, this.#selectedBox());
    this.#place(this.#hovered, this.#hoveredBox());
  }

  hover(hit: Hit | undefined, x: number | undefined): void {
    this.#hit = hit;
    this.#place(this.#hovered, this.#hoveredBox());
    this.#cursor.hidden = x === undefined;
    if (x !== undefined) this.#cursor.style.transform = `translateX(${Math.round(x)}px)`;
  }

  #selectedBox(): Box | undefined {
    const { selection } = this.#context.store.state;
    if (selection === undefined || selection.kind === 'method') return undefined;
    if (selection.kind === 'wait') {
      const waits = this.#context.model.thread(selection.thread)?.waits;
      const row = waits === undefined ? -1 : waitRow(waits, selection.beginNs);
      if (waits === undefined || row < 0) return undefined;
      return {
        thread: selection.thread,
        depth: waits.depth[row] ?? 0,
        beginNs: selection.beginNs,
        endNs: waits.end[row] ?? 0,
      };
    }
    const call = this.#context.model.call(selection);
    if (call === undefined) return undefined;
    return { ...selection, endNs: call.thread.chart.end[call.row] ?? 0 };
  }

  #hoveredBox(): Box | undefined {
    const hit = this.#hit;
    if (hit === undefined || !('row' in hit) || hit.kind === 'section') return undefined;
    const { thread } = hit.place;
    const of = hit.kind === 'call' ? thread.chart : hit.kind === 'wait' ? thread.waits : thread.spans;
    const depth = 'depth' in hit ? hit.depth : 'depth' in of ? (of.depth[hit.row] ?? 0) : 0;
    return { thread: thread.index, depth, beginNs: of.begin[hit.row] ?? 0, endNs: of.end[hit.row] ?? 0 };
  }

  #place(node: HTMLElement, box: Box | undefined): void {
    const last = this.#last;
    const place = last?.layout.places.find(
      (one) => one.kind === 'thread' && one.thread.index === box?.thread,
    );
    node.hidden = true;
    if (last === undefined || box === undefined || place?.kind !== 'thread') return;
    const { scale } = last;
    if (box.endNs < scale.beginNs || box.beginNs > scale.endNs) return;
    const left = Math.max(-4, scale.x(box.beginNs));
    const right = Math.min(scale.width + 4, scale.x(box.endNs));
    node.hidden = false;
    node.style.transform = `translate(${left}px, ${rowTop(place, box.depth) - last.scrollTop}px)`;
    node.style.width = `${Math.max(2, right - left)}px`;
    node.style.height = `${rowHeight - rowGap}px`;
  }
}

/** In pixels, as far as it is in sight. */
function ends(span: Span, scale: TimeScale): [left: number, right: number] {
  return [Math.max(-2, scale.x(span.beginNs)), Math.min(scale.width + 2, scale.x(span.endNs))];
}

function spanBox(
  node: HTMLElement,
  span: Span | undefined,
  scale: TimeScale,
  top?: number,
  height?: number,
): void {
  const [left, right] = span === undefined ? [0, 0] : ends(span, scale);
  node.hidden = span === undefined || right < 0 || left > scale.width;
  if (node.hidden) return;
  node.style.left = `${left}px`;
  node.style.width = `${Math.max(1, right - left)}px`;
  if (top !== undefined) node.style.top = `${top}px`;
  if (height !== undefined) node.style.height = `${height}px`;
}

/** Half of the longest label. */
const labelRoom = 40;

/** In the middle of its stretch, unless the edge of the chart would cut it. */
function keepLabelInside(node: HTMLElement, span: Span, scale: TimeScale): void {
  const [left, right] = ends(span, scale);
  const middle = Math.min(scale.width - labelRoom, Math.max(labelRoom, (left + right) / 2));
  if (node.firstElementChild instanceof HTMLElement) node.firstElementChild.style.left = `${middle - left}px`;
}

function setLabel(node: HTMLElement, label: string): void {
  if (node.firstElementChild !== null) node.firstElementChild.textContent = label;
}
