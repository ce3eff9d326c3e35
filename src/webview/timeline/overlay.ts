/** What lies over the canvas and changes without it: selection, hover, range, ruler of two points. */
import { element } from '../element.js';
import { formatLength } from '../../trace/measure/quantities.js';
import type { Span, TimeScale } from '../geometry/time-scale.js';
import type { ViewContext } from '../model.js';
import type { Hit } from './hit.js';
import { blockRow } from './blocks.js';
import { activityHeight, rowGap, rowHeight } from './metrics.js';
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
    for (const part of [this.#selected, this.#hovered, this.#range, this.#measure, this.#cursor])
      part.hidden = true;
  }

  place(scale: TimeScale, layout: TrackLayout, scrollTop: number, height: number): void {
    this.#last = { scale, layout, scrollTop };
    const { range } = this.#context.store.state;
    spanBox(this.#range, range, scale, 0, height);
    spanBox(this.#rulerRange, range, scale);
    if (range !== undefined) setLabel(this.#rulerRange, formatLength(range.endNs - range.beginNs));
    spanBox(this.#measure, this.measured, scale, 0, height);
    if (this.measured !== undefined)
      setLabel(this.#measure, formatLength(this.measured.endNs - this.measured.beginNs));
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
    if (selection.kind === 'block') {
      const blocks = this.#context.model.thread(selection.thread)?.blocks;
      const row = blocks === undefined ? -1 : blockRow(blocks, selection.beginNs);
      if (blocks === undefined || row < 0) return undefined;
      return {
        thread: selection.thread,
        depth: blocks.depth[row] ?? 0,
        beginNs: selection.beginNs,
        endNs: blocks.end[row] ?? 0,
      };
    }
    const call = this.#context.model.call(selection);
    if (call === undefined) return undefined;
    return { ...selection, endNs: call.thread.chart.end[call.row] ?? 0 };
  }

  #hoveredBox(): Box | undefined {
    const hit = this.#hit;
    if (hit === undefined || hit.kind === 'counter' || hit.kind === 'strip') return undefined;
    const { thread } = hit.place;
    const of = hit.kind === 'call' ? thread.chart : hit.kind === 'block' ? thread.blocks : thread.spans;
    const depth = 'depth' in hit ? hit.depth : 'depth' in of ? (of.depth[hit.row] ?? 0) : 0;
    return { thread: thread.index, depth, beginNs: of.begin[hit.row] ?? 0, endNs: of.end[hit.row] ?? 0 };
  }

  #place(node: HTMLElement, box: Box | undefined): void {
    const last = this.#last;
    const place = last?.layout.places.find(
      (one) => one.kind === 'thread' && one.thread.index === box?.thread,
    );
    node.hidden = true;
    if (last === undefined || box === undefined || place?.kind !== 'thread' || place.isFolded) return;
    const { scale } = last;
    if (box.endNs < scale.beginNs || box.beginNs > scale.endNs) return;
    const left = Math.max(-4, scale.x(box.beginNs));
    const right = Math.min(scale.width + 4, scale.x(box.endNs));
    node.hidden = false;
    node.style.transform = `translate(${left}px, ${place.top + activityHeight + box.depth * rowHeight - last.scrollTop}px)`;
    node.style.width = `${Math.max(2, right - left)}px`;
    node.style.height = `${rowHeight - rowGap}px`;
  }
}

function spanBox(
  node: HTMLElement,
  span: Span | undefined,
  scale: TimeScale,
  top?: number,
  height?: number,
): void {
  const left = span === undefined ? 0 : Math.max(-2, scale.x(span.beginNs));
  const right = span === undefined ? 0 : Math.min(scale.width + 2, scale.x(span.endNs));
  node.hidden = span === undefined || right < 0 || left > scale.width;
  if (node.hidden) return;
  node.style.left = `${left}px`;
  node.style.width = `${Math.max(1, right - left)}px`;
  if (top !== undefined) node.style.top = `${top}px`;
  if (height !== undefined) node.style.height = `${height}px`;
}

function setLabel(node: HTMLElement, label: string): void {
  if (node.firstElementChild !== null) node.firstElementChild.textContent = label;
}
