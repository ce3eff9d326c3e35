/** The whole recording in a strip, with a lens over what the chart shows. Drag moves the lens, its edges, or makes a new one; a click brings it there. */
import { element } from '../element.js';
import type { Span } from '../geometry/time-scale.js';
import { TimeScale, clampSpan, panSpan } from '../geometry/time-scale.js';
import type { ViewContext } from '../model.js';
import { text } from '../texts.js';
import { addUtilisation } from './activity-renderer.js';
import { dragPixels, minimapHeight } from './metrics.js';
import type { Palette } from './palette.js';
import { Surface } from './surface.js';

const edgePixels = 6;

/** What a drag from some place does to the lens. */
type Grip = 'new' | 'move' | 'begin' | 'end';

interface Drag {
  readonly kind: Grip;
  readonly x: number;
  readonly from: number;
  readonly span: Span;
  /** Before, it may still be a click. */
  hasMoved: boolean;
}

export class Minimap {
  readonly root: HTMLElement;
  readonly #surface: Surface;
  readonly #lens = element('div', { class: 'lens' });
  readonly #left = element('div', { class: 'lens-shade' });
  readonly #right = element('div', { class: 'lens-shade' });
  readonly #range = element('div', { class: 'lens-range' });
  readonly #context: ViewContext;
  #drag: Drag | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    const canvas = element('canvas', { 'aria-hidden': 'true' });
    this.#surface = new Surface(canvas);
    this.root = element(
      'div',
      { class: 'minimap', title: text('timeline.minimap') },
      canvas,
      this.#left,
      this.#right,
      this.#range,
      this.#lens,
    );
    this.#lens.hidden = true;
    this.root.addEventListener('pointerdown', (event) => this.#begin(event));
    this.root.addEventListener('pointermove', (event) => this.#move(event));
    this.root.addEventListener('pointerup', () => this.#end());
    this.root.addEventListener('pointercancel', () => (this.#drag = undefined));
    this.root.addEventListener('dblclick', () => context.store.set({ viewport: undefined }));
  }

  /** Only when data, size or theme changed: what moves is the lens, and that is a style. */
  paint(palette: Palette, width: number): void {
    this.#surface.resize(width, minimapHeight);
    this.#surface.fill(palette.background);
    const { context } = this.#surface;
    const { snapshot, bounds } = this.#context.model;
    // Part of it would look like all of it.
    if (snapshot === undefined || (snapshot.toCome?.length ?? 0) > 0) return;
    const scale = new TimeScale(bounds.beginNs, bounds.endNs, this.#surface.width);
    const use = new Float32Array(this.#surface.width);
    for (const thread of snapshot.threads) addUtilisation(thread.activity, scale, use);
    const peak = use.reduce((highest, share) => Math.max(highest, share), 0.001);
    context.fillStyle = palette.activity;
    const room = this.#surface.height - 2;
    use.forEach((share, x) => {
      const tall = Math.round((share / peak) * room);
      context.fillRect(x, this.#surface.height - tall, 1, tall);
    });
  }

  place(): void {
    const { store, model } = this.#context;
    const { bounds } = model;
    const length = bounds.endNs - bounds.beginNs;
    const percent = (timeNs: number): number => ((timeNs - bounds.beginNs) / length) * 100;
    const view = model.viewport(store.state);
    const from = percent(view.beginNs);
    const to = percent(view.endNs);
    this.#lens.hidden = false;
    this.#lens.style.left = `${from}%`;
    this.#lens.style.width = `${Math.max(0, to - from)}%`;
    this.#left.style.width = `${from}%`;
    this.#right.style.left = `${to}%`;
    this.#right.style.width = `${100 - to}%`;
    const { range } = store.state;
    this.#range.hidden = range === undefined;
    if (range === undefined) return;
    this.#range.style.left = `${percent(range.beginNs)}%`;
    this.#range.style.width = `${percent(range.endNs) - percent(range.beginNs)}%`;
  }

  #time(event: PointerEvent): number {
    const box = this.root.getBoundingClientRect();
    const { bounds } = this.#context.model;
    return bounds.beginNs + ((event.clientX - box.left) / box.width) * (bounds.endNs - bounds.beginNs);
  }

  #grip(at: number, span: Span): Grip {
    const { bounds } = this.#context.model;
    // There is nothing to move, and no edge to be seen.
    if (span.beginNs <= bounds.beginNs && span.endNs >= bounds.endNs) return 'new';
    const edge = (edgePixels / this.root.clientWidth) * (bounds.endNs - bounds.beginNs);
    if (at < span.beginNs) return span.beginNs - at < edge ? 'begin' : 'new';
    if (at > span.endNs) return at - span.endNs < edge ? 'end' : 'new';
    // A narrow lens is not all edges.
    const within = Math.min(edge, (span.endNs - span.beginNs) / 4);
    if (at - span.beginNs < within) return 'begin';
    return span.endNs - at < within ? 'end' : 'move';
  }

  #begin(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.root.setPointerCapture(event.pointerId);
    const { store, model } = this.#context;
    const span = model.viewport(store.state);
    const from = this.#time(event);
    this.#drag = { kind: this.#grip(from, span), x: event.clientX, from, span, hasMoved: false };
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    const at = this.#time(event);
    const { model, store } = this.#context;
    if (drag === undefined) {
      // The cursor says what a drag from here would do.
      this.root.dataset['grip'] = this.#grip(at, model.viewport(store.state));
      return;
    }
    if (!drag.hasMoved && Math.abs(event.clientX - drag.x) < dragPixels) return;
    drag.hasMoved = true;
    const { span, from } = drag;
    let wanted: Span;
    if (drag.kind === 'move') wanted = { beginNs: span.beginNs + at - from, endNs: span.endNs + at - from };
    else if (drag.kind === 'begin') wanted = ordered(at, span.endNs);
    else if (drag.kind === 'end') wanted = ordered(span.beginNs, at);
    else wanted = ordered(from, at);
    if (wanted.endNs <= wanted.beginNs) return;
    store.set({ viewport: clampSpan(wanted, model.bounds) });
  }

  #end(): void {
    const drag = this.#drag;
    this.#drag = undefined;
    const { store, model } = this.#context;
    if (drag?.kind !== 'new' || drag.hasMoved || store.state.viewport === undefined) return;
    const { from, span } = drag;
    store.set({ viewport: panSpan(span, from - (span.beginNs + span.endNs) / 2, model.bounds) });
  }
}

function ordered(one: number, other: number): Span {
  return { beginNs: Math.min(one, other), endNs: Math.max(one, other) };
}
