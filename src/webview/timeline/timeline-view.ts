/** The timeline: threads over time. Puts the parts together and draws at most once a frame. */
import { element } from '../element.js';
import { TimeScale } from '../geometry/time-scale.js';
import type { ViewContext } from '../model.js';
import type { ViewState } from '../store.js';
import { text } from '../texts.js';
import { AccessibleMirror } from './accessible-mirror.js';
import { paintActivity } from './activity-renderer.js';
import { paintCounter } from './counter-renderer.js';
import { FlameRenderer } from './flame-renderer.js';
import { Gutter } from './gutter.js';
import { paintLinks } from './link-renderer.js';
import { activityHeight, rulerHeight, sectionHeight } from './metrics.js';
import { Minimap } from './minimap.js';
import { Overlay } from './overlay.js';
import { readPalette } from './palette.js';
import type { Palette } from './palette.js';
import { PointerHandler } from './pointer-handler.js';
import type { PointedChart } from './pointer-handler.js';
import { paintGrid, paintRuler } from './ruler.js';
import { paintSections, sectionRows } from './section-renderer.js';
import { makePatterns, paintSpans } from './span-renderer.js';
import type { SpanPainting, StatePatterns } from './span-renderer.js';
import { paintCore, paintCoreUse, paintStates } from './state-renderer.js';
import { Surface } from './surface.js';
import { threadFilter } from './thread-filter.js';
import { TimelineNavigation } from './timeline-navigation.js';
import { layoutTracks, placeAt } from './track-layout.js';
import type { TrackLayout, TrackPlace } from './track-layout.js';

export class TimelineView implements PointedChart {
  readonly root: HTMLElement;
  readonly chart: HTMLElement;
  readonly scroller: HTMLElement;
  readonly navigation: TimelineNavigation;
  readonly overlay: Overlay;
  readonly #context: ViewContext;
  readonly #pointer: PointerHandler;
  readonly #surface: Surface;
  readonly #ruler: Surface;
  readonly #rulerBox: HTMLElement;
  readonly #content = element('div', { class: 'tl-content' });
  readonly #gutter: Gutter;
  readonly #minimap: Minimap;
  readonly #flame = new FlameRenderer();
  readonly #mirror: AccessibleMirror;
  #palette: Palette;
  #patterns: StatePatterns | undefined;
  #layout: TrackLayout = { places: [], height: 0 };
  #frame = 0;
  #isMeasuring = false;
  #needs = { layout: true, minimap: true };
  /** Called after each painted frame with its cost and boxes; benches listen. */
  onPainted: ((milliseconds: number, boxes: number) => void) | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#gutter = new Gutter(context, () => this.chart.focus());
    this.#minimap = new Minimap(context);
    this.#palette = readPalette(document.documentElement);
    const canvas = element('canvas', { 'aria-hidden': 'true' });
    this.#surface = new Surface(canvas);
    const ruler = element('canvas', { 'aria-hidden': 'true' });
    this.#ruler = new Surface(ruler);
    this.#rulerBox = element('div', { class: 'ruler', title: text('timeline.ruler') }, ruler);
    this.overlay = new Overlay(context);
    this.#mirror = new AccessibleMirror(context);
    this.chart = element(
      'div',
      { class: 'chart', tabindex: 0, role: 'tree', 'aria-label': text('timeline.label') },
      canvas,
      this.overlay.root,
      this.#mirror.root,
    );
    this.#content.append(this.#gutter.root, this.chart);
    this.scroller = element('div', { class: 'tl-scroller', tabindex: -1 }, this.#content);
    this.root = element(
      'section',
      { class: 'timeline', 'aria-label': text('view.timeline') },
      threadFilter(context, () => this.chart.focus()),
      element('div', { class: 'tl-head' }, this.#minimap.root, this.#rulerBox, this.overlay.rulerRoot),
      this.scroller,
    );
    this.#rulerBox.append(this.overlay.rulerRoot);
    this.navigation = new TimelineNavigation(context, this);
    this.#pointer = new PointerHandler(context, this, this.#rulerBox);
    this.scroller.addEventListener('scroll', () => {
      context.store.set({ scrollTop: this.scroller.scrollTop });
      this.requestDraw();
    });
    new ResizeObserver(() => {
      this.#needs.minimap = true;
      this.requestDraw();
    }).observe(this.root);
    context.store.onChange((_state, changed) => this.#stateChanged(changed));
    context.model.onChange(() => {
      this.#needs = { layout: true, minimap: true };
      this.requestDraw();
    });
  }

  get isMeasuring(): boolean {
    return this.#isMeasuring;
  }

  setMeasuring(isMeasuring: boolean): void {
    this.#isMeasuring = isMeasuring;
    this.chart.classList.toggle('is-measuring', isMeasuring);
  }

  /** By key: of what is selected. */
  openMenu(): void {
    this.#pointer.openMenu();
  }

  get layout(): TrackLayout {
    if (this.#needs.layout) this.#relayout(this.scroller.clientHeight);
    return this.#layout;
  }

  /** In CSS pixels of the chart. */
  get scale(): TimeScale {
    const span = this.#context.model.viewport(this.#context.store.state);
    return new TimeScale(span.beginNs, span.endNs, this.chart.clientWidth);
  }

  /** Scrolls to where the person was, once there is something to scroll. */
  restoreScroll(): void {
    const { scrollTop } = this.#context.store.state;
    this.#relayout(this.scroller.clientHeight);
    this.scroller.scrollTop = scrollTop;
  }

  themeChanged(): void {
    this.#palette = readPalette(document.documentElement);
    this.#patterns = undefined;
    this.#needs.minimap = true;
    this.draw();
  }

  requestDraw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => this.draw());
  }

  #stateChanged(changed: ReadonlySet<keyof ViewState>): void {
    for (const key of [
      'hidden',
      'idleShown',
      'threadFilter',
      'pinned',
      'collapsed',
      'expanded',
      'countersExpanded',
      'coresExpanded',
    ] as const) {
      if (changed.has(key)) this.#needs.layout = true;
    }
    for (const key of ['viewport', 'selection', 'range', 'search', 'view', 'soloThread'] as const) {
      if (changed.has(key)) this.requestDraw();
    }
    if (this.#needs.layout) this.requestDraw();
  }

  #relayout(height: number): void {
    const { snapshot, threads } = this.#context.model;
    if (snapshot === undefined) return;
    this.#needs.layout = false;
    this.#layout = layoutTracks(
      snapshot,
      threads,
      this.#context.store.state,
      this.#context.model.scheduling?.cores,
      this.#context.model.scheduling?.sections,
    );
    this.#content.style.height = `${Math.max(this.#layout.height, height)}px`;
  }

  draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { model, store } = this.#context;
    const { snapshot } = model;
    // What the layout tells is asked for before anything changes: an answer after a change costs a layout of its own.
    const width = this.chart.clientWidth;
    const height = this.scroller.clientHeight;
    const { scrollTop } = this.scroller;
    const minimapWidth = this.#minimap.root.clientWidth;
    if (width === 0 || height === 0 || (snapshot === undefined && this.#patterns !== undefined)) return;
    const started = performance.now();
    if (this.#needs.layout) this.#relayout(height);
    this.#surface.resize(width, height);
    this.#ruler.resize(width, rulerHeight);
    this.#patterns ??= makePatterns(this.#surface.context, this.#palette, this.#surface.ratio);
    this.#surface.fill(this.#palette.background);
    // All that is needed to fill the chart is made before there is anything to fill it with: it takes some milliseconds.
    if (snapshot === undefined) {
      // Opaque canvases are black until something is drawn, and a large file takes a while to come.
      this.#ruler.fill(this.#palette.background);
      this.#minimap.paint(this.#palette, minimapWidth);
      return;
    }
    const span = model.viewport(store.state);
    const scale = new TimeScale(span.beginNs, span.endNs, this.#surface.width);
    paintGrid(this.#surface, this.#palette, scale, model.originNs);
    const places = this.#inSight(scrollTop, height);
    const painting = {
      surface: this.#surface,
      palette: this.#palette,
      patterns: this.#patterns,
      snapshot,
      scale,
    };
    const boxes = this.#paintTracks(painting, places, scrollTop);
    const links = { surface: this.#surface, palette: this.#palette, scale, layout: this.#layout };
    paintLinks({ ...links, scrollTop }, store.state, model);
    paintRuler(this.#ruler, this.#palette, scale, model.originNs);
    if (this.#needs.minimap) {
      this.#needs.minimap = false;
      this.#minimap.paint(this.#palette, minimapWidth);
    }
    this.#minimap.place();
    this.#gutter.show(places);
    this.overlay.place(new TimeScale(span.beginNs, span.endNs, width), this.#layout, scrollTop, height);
    this.#mirror.follow(this.chart, this.#flame.drawn);
    this.onPainted?.(performance.now() - started, boxes);
  }

  /** The tracks that a stretch of the chart shows, in CSS pixels. */
  #inSight(scrollTop: number, height: number): readonly TrackPlace[] {
    const { places } = this.#layout;
    const visible = [];
    for (let at = placeAt(this.#layout, scrollTop); at < places.length; at++) {
      const place = places[at];
      if (place === undefined || place.top >= scrollTop + height) break;
      visible.push(place);
    }
    return visible;
  }

  #paintTracks(painting: SpanPainting, places: readonly TrackPlace[], scrollTop: number): number {
    const { names, matches, scheduling } = this.#context.model;
    const nameOf = (tid: number): string => this.#context.model.taskName(tid);
    const { surface, palette, snapshot, scale } = painting;
    const { ratio } = surface;
    const look = { palette, names, matches, hasCpu: snapshot.info.hasCpu };
    const threads = [];
    this.#flame.begin();
    for (const place of places) {
      const top = Math.round((place.top - scrollTop) * ratio);
      if (place.kind === 'counter') {
        paintCounter(surface, palette, place.counter, scale, top, Math.round(place.height * ratio));
        continue;
      }
      if (place.kind === 'core') {
        const tall = Math.round(place.height * ratio);
        if (place.core === undefined) paintCoreUse(surface, palette, place.cores, scale, top, tall);
        else paintCore(surface, palette, place.core.strip, scale, top, tall, nameOf);
        continue;
      }
      const states = scheduling?.threads.get(place.thread.index);
      if (states !== undefined)
        paintStates(surface, palette, states, scale, top + Math.round((activityHeight - 1) * ratio));
      paintActivity(painting, place.thread, top, Math.round((activityHeight - 2) * ratio));
      if (place.isCollapsed) continue;
      const rowsTop = top + Math.round(place.headHeight * ratio);
      const { sections } = place;
      if (sections !== undefined) {
        const from = rowsTop - Math.round(sectionRows(sections) * sectionHeight * ratio);
        paintSections(surface, palette, sections, scheduling?.sectionNames ?? [], scale, from);
      }
      const clip = { top: 0, bottom: surface.height };
      this.#flame.addThread(place.thread.index, place.thread.chart, scale, rowsTop, clip, look, ratio);
      threads.push({ thread: place.thread, rowsTop, clip });
    }
    const boxes = this.#flame.paint(surface, look);
    for (const { thread, rowsTop, clip } of threads) paintSpans(painting, thread, rowsTop, clip);
    return boxes;
  }
}
