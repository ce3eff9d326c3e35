/** Mouse, wheel and trackpad over the chart and the ruler. */
import type { Span } from '../geometry/time-scale.js';
import type { ViewContext } from '../model.js';
import { openingOf } from '../source-opening.js';
import { callerOf } from './call-walk.js';
import { hitTest, sameHit } from './hit.js';
import type { Hit } from './hit.js';
import { activityHeight, dragPixels, rowHeight } from './metrics.js';
import type { Overlay } from './overlay.js';
import type { NavigatedChart, TimelineNavigation } from './timeline-navigation.js';
import { Tooltip } from './tooltip.js';
import { toggleCollapsed, toggleCores } from './thread-actions.js';

/** A wheel notch of 100 zooms by a quarter; a pinch sends small ones. */
const zoomPerDelta = 0.0022;

type Drag =
  | {
      readonly kind: 'pan';
      readonly x: number;
      readonly y: number;
      readonly span: Span;
      readonly scrollTop: number;
    }
  | { readonly kind: 'range' | 'measure'; readonly fromNs: number; readonly x: number };

/** What a pointer can point at, and what it can set going. */
export interface PointedChart extends NavigatedChart {
  readonly root: HTMLElement;
  readonly chart: HTMLElement;
  readonly navigation: TimelineNavigation;
  readonly overlay: Overlay;
  /** While true, a drag measures a stretch of time instead of panning. */
  readonly isMeasuring: boolean;
  setMeasuring(isMeasuring: boolean): void;
  requestDraw(): void;
}

export class PointerHandler {
  readonly #context: ViewContext;
  readonly #view: PointedChart;
  readonly #tooltip: Tooltip;
  #drag: Drag | undefined;
  #moved = false;
  #hovered: Hit | undefined;

  constructor(context: ViewContext, view: PointedChart, ruler: HTMLElement) {
    this.#context = context;
    this.#view = view;
    this.#tooltip = new Tooltip(context);
    view.root.append(this.#tooltip.root);
    const { chart } = view;
    chart.addEventListener('pointerdown', (event) =>
      this.#down(event, event.shiftKey ? 'range' : 'pan', chart),
    );
    ruler.addEventListener('pointerdown', (event) => this.#down(event, 'range', ruler));
    for (const area of [chart, ruler]) {
      area.addEventListener('pointermove', (event) => this.#move(event));
      area.addEventListener('pointerup', (event) => this.#up(event, area));
      area.addEventListener('pointercancel', () => (this.#drag = undefined));
    }
    chart.addEventListener('pointerleave', () => this.#leave());
    chart.addEventListener('dblclick', () => view.navigation.focus());
    chart.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      this.#tooltip.show(undefined, 0, 0);
      const hit = this.#hit(event);
      chart.focus({ preventScroll: true });
      if (hit === undefined || hit.kind === 'counter' || hit.kind === 'core') return;
      this.#select(hit);
      this.#menu(event.clientX, event.clientY, hit.place.thread.index);
    });
    view.root.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
  }

  #x(event: MouseEvent): number {
    // What is drawn begins after the line beside the names of threads.
    const { chart } = this.#view;
    return event.clientX - chart.getBoundingClientRect().left - chart.clientLeft;
  }

  #hit(event: MouseEvent): Hit | undefined {
    const { scroller, layout, scale } = this.#view;
    const y = event.clientY - scroller.getBoundingClientRect().top + scroller.scrollTop;
    return hitTest(layout, scale, this.#x(event), y);
  }

  #down(event: PointerEvent, kind: 'pan' | 'range', area: HTMLElement): void {
    if (event.button !== 0) return;
    this.#moved = false;
    const x = this.#x(event);
    const fromNs = this.#view.scale.time(x);
    const { scroller, navigation } = this.#view;
    const wanted = this.#view.isMeasuring ? 'measure' : kind;
    this.#drag =
      wanted === 'pan'
        ? {
            kind: wanted,
            x: event.clientX,
            y: event.clientY,
            span: navigation.span,
            scrollTop: scroller.scrollTop,
          }
        : { kind: wanted, fromNs, x: event.clientX };
    area.setPointerCapture(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (drag === undefined) {
      this.#hover(event);
      return;
    }
    if (
      !this.#moved &&
      Math.hypot(event.clientX - drag.x, drag.kind === 'pan' ? event.clientY - drag.y : 0) < dragPixels
    ) {
      return;
    }
    this.#moved = true;
    this.#tooltip.show(undefined, 0, 0);
    const { navigation, scale, scroller, overlay } = this.#view;
    if (drag.kind === 'pan') {
      this.#view.chart.classList.add('is-panning');
      const shift = -(event.clientX - drag.x) * scale.nsPerPixel;
      navigation.show({ beginNs: drag.span.beginNs + shift, endNs: drag.span.endNs + shift });
      scroller.scrollTop = drag.scrollTop - (event.clientY - drag.y);
      return;
    }
    const at = scale.time(Math.max(0, Math.min(scale.width, this.#x(event))));
    const span = { beginNs: Math.min(at, drag.fromNs), endNs: Math.max(at, drag.fromNs) };
    if (span.endNs <= span.beginNs) return;
    if (drag.kind === 'range') this.#context.store.set({ range: span });
    else {
      overlay.measured = span;
      this.#view.requestDraw();
    }
  }

  #up(event: PointerEvent, area: HTMLElement): void {
    const drag = this.#drag;
    this.#drag = undefined;
    this.#view.chart.classList.remove('is-panning');
    // One drag measures; what it measured stays until Escape.
    if (drag?.kind === 'measure' && this.#moved) this.#view.setMeasuring(false);
    if (drag === undefined || this.#moved) return;
    if (area === this.#view.chart) this.#click(event);
    else this.#context.store.set({ range: undefined });
  }

  #click(event: PointerEvent): void {
    const { store, actions } = this.#context;
    const hit = this.#hit(event);
    this.#view.chart.focus({ preventScroll: true });
    if (hit === undefined) {
      store.set({ selection: undefined });
      return;
    }
    this.#select(hit);
    if (hit.kind === 'call') {
      const { thread } = hit.place;
      // The second click of a pair zooms; the source is open already.
      if (event.detail <= 1)
        actions.openSource(thread.chart.method[hit.row] ?? -1, openingOf(event), {
          thread: thread.index,
          timeNs: this.#view.scale.time(this.#x(event)),
        });
    } else if (hit.kind === 'strip' || hit.kind === 'state') {
      toggleCollapsed(store, hit.place);
    } else if (hit.kind === 'core') {
      toggleCores(store);
    }
  }

  /** A call or a wait; of anything else nothing changes. */
  #select(hit: Hit): void {
    const { store } = this.#context;
    if (hit.kind !== 'call' && hit.kind !== 'wait') return;
    const { thread } = hit.place;
    const { index } = thread;
    if (hit.kind === 'call')
      store.set({
        selection: {
          kind: 'call',
          thread: index,
          depth: hit.depth,
          beginNs: thread.chart.begin[hit.row] ?? 0,
        },
      });
    else store.set({ selection: { kind: 'wait', thread: index, beginNs: thread.waits.begin[hit.row] ?? 0 } });
  }

  /** By key: of what is selected, where that is in sight, else in the middle of the chart. */
  openMenu(): void {
    const { selection } = this.#context.store.state;
    if (selection === undefined || selection.kind === 'method') return;
    const { chart, scroller, layout, scale } = this.#view;
    const place = layout.places.find((one) => one.kind === 'thread' && one.thread.index === selection.thread);
    const box = scroller.getBoundingClientRect();
    const depth = selection.kind === 'call' ? selection.depth + 1 : 0;
    const top = box.top + (place?.top ?? 0) - scroller.scrollTop + activityHeight + depth * rowHeight;
    const left = chart.getBoundingClientRect().left + Math.max(0, scale.x(selection.beginNs));
    const [x, y] = [Math.min(left, box.right), Math.max(box.top, Math.min(top, box.bottom))];
    this.#menu(x, y, selection.thread);
  }

  #menu(x: number, y: number, thread: number): void {
    const { store, model, actions } = this.#context;
    const { selection } = store.state;
    const zoom = (): void => this.#view.navigation.focus();
    const isOfThread = selection !== undefined && selection.kind !== 'method' && selection.thread === thread;
    const call = selection?.kind === 'call' && isOfThread ? model.call(selection) : undefined;
    if (selection?.kind !== 'call' || call === undefined) {
      actions.showMenu({ x, y, thread, ...(isOfThread && { zoom }) });
      return;
    }
    const { chart } = call.thread;
    const stack: number[] = [];
    for (let [row, depth] = [call.row, selection.depth]; row >= 0; row = callerOf(chart, depth--, row))
      stack.push(chart.method[row] ?? 0);
    actions.showMenu({ x, y, thread, method: stack[0] ?? -1, stack, zoom });
  }

  #hover(event: PointerEvent): void {
    const hit = this.#hit(event);
    const x = this.#x(event);
    this.#view.navigation.pointerNs = this.#view.scale.time(x);
    if (!sameHit(hit, this.#hovered)) {
      this.#hovered = hit;
      this.#view.chart.classList.toggle('is-over-call', hit?.kind === 'call' || hit?.kind === 'wait');
    }
    this.#view.overlay.hover(hit, x);
    this.#tooltip.show(hit, event.clientX, event.clientY, this.#view.scale.nsPerPixel);
  }

  #leave(): void {
    this.#hovered = undefined;
    this.#view.navigation.pointerNs = undefined;
    this.#view.overlay.hover(undefined, undefined);
    this.#tooltip.show(undefined, 0, 0);
  }

  /** As in editors and maps: the wheel scrolls, sideways or with Shift it pans, with Ctrl/Cmd (a pinch is that) it zooms. */
  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const { navigation, scale, scroller } = this.#view;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 18 : 1;
    if (event.ctrlKey || event.metaKey) {
      navigation.zoomAt(Math.exp(event.deltaY * unit * zoomPerDelta), scale.time(this.#x(event)));
      return;
    }
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (sideways !== 0) navigation.panBy(sideways * unit * scale.nsPerPixel);
    if (!event.shiftKey) scroller.scrollTop += event.deltaY * unit;
  }
}
