/** Moving about in the timeline, as commands: keys and buttons call these. */
import { panSpan, zoomSpan, clampSpan } from '../geometry/time-scale.js';
import type { Span, TimeScale } from '../geometry/time-scale.js';
import type { ViewContext } from '../model.js';
import type { WaitKey, CallKey } from '../store.js';
import { waitRow } from './wait-rows.js';
import { callAt, callerOf, longestCallee, neighbourOf } from './call-walk.js';
import { activityHeight, minBoxPixels, rowHeight } from './metrics.js';
import { toggleCollapsed } from './thread-actions.js';
import { rowTop } from './track-layout.js';
import type { ThreadPlace, TrackLayout } from './track-layout.js';

const panShare = 0.15;
const zoomStep = 1.4;

/** Where things lie in the chart that is moved about in. */
export interface NavigatedChart {
  readonly scroller: HTMLElement;
  readonly layout: TrackLayout;
  readonly scale: TimeScale;
}

export class TimelineNavigation {
  readonly #context: ViewContext;
  readonly #view: NavigatedChart;
  /** Where a key zooms: under the pointer while it is over the chart. */
  pointerNs: number | undefined;

  constructor(context: ViewContext, view: NavigatedChart) {
    this.#context = context;
    this.#view = view;
  }

  get span(): Span {
    return this.#context.model.viewport(this.#context.store.state);
  }

  show(span: Span): void {
    const { bounds } = this.#context.model;
    const shown = clampSpan(span, bounds);
    const isAll = shown.beginNs <= bounds.beginNs && shown.endNs >= bounds.endNs;
    this.#context.store.set({ viewport: isAll ? undefined : shown });
  }

  pan(direction: 1 | -1): void {
    const { span } = this;
    this.show(panSpan(span, (span.endNs - span.beginNs) * panShare * direction, this.#context.model.bounds));
  }

  panBy(ns: number): void {
    this.show(panSpan(this.span, ns, this.#context.model.bounds));
  }

  zoom(direction: 1 | -1): void {
    const { span } = this;
    const around = this.pointerNs ?? (span.beginNs + span.endNs) / 2;
    this.zoomAt(direction > 0 ? 1 / zoomStep : zoomStep, around);
  }

  zoomAt(factor: number, aroundNs: number): void {
    this.show(zoomSpan(this.span, factor, aroundNs, this.#context.model.bounds));
  }

  zoomAll(): void {
    this.#context.store.set({ viewport: undefined });
  }

  /** The selected call, or the range, across the chart. */
  focus(): void {
    const { model, store } = this.#context;
    const { selection, range } = store.state;
    if (selection?.kind === 'call') {
      const call = model.call(selection);
      if (call !== undefined) {
        this.#frame(selection.beginNs, call.thread.chart.end[call.row] ?? 0);
        return;
      }
    }
    if (selection?.kind === 'wait') {
      const waits = model.thread(selection.thread)?.waits;
      const row = waits === undefined ? -1 : waitRow(waits, selection.beginNs);
      if (row >= 0) {
        this.#frame(selection.beginNs, waits?.end[row] ?? 0);
        return;
      }
    }
    if (range !== undefined) this.show(range);
  }

  #frame(beginNs: number, endNs: number): void {
    const margin = (endNs - beginNs) * 0.05;
    this.show({ beginNs: beginNs - margin, endNs: endNs + margin });
  }

  /** Walks from the selected call; without one, starts at the middle of the chart. */
  walk(step: 'caller' | 'callee' | 'before' | 'after'): void {
    const { model, store } = this.#context;
    const { selection } = store.state;
    const call = selection?.kind === 'call' ? model.call(selection) : undefined;
    if (selection?.kind !== 'call' || call === undefined) {
      this.#startWalk();
      return;
    }
    const { chart, index } = call.thread;
    const { depth } = selection;
    // Nothing of a collapsed one is seen but that it is selected; keys expand it.
    const isCollapsed = this.isCollapsed(index);
    const shortest = minBoxPixels * this.#view.scale.nsPerPixel;
    switch (step) {
      case 'caller':
        if (depth === 0 || isCollapsed) this.#otherThread(-1);
        else this.#select(index, depth - 1, callerOf(chart, depth, call.row));
        return;
      case 'callee': {
        const callee = isCollapsed ? -1 : longestCallee(chart, depth, call.row);
        if (callee < 0) this.#otherThread(1);
        else this.#select(index, depth + 1, callee);
        return;
      }
      case 'before': {
        this.#select(index, depth, neighbourOf(chart, depth, call.row, -1, shortest));
        return;
      }
      case 'after': {
        this.#select(index, depth, neighbourOf(chart, depth, call.row, 1, shortest));
        return;
      }
    }
  }

  isCollapsed(thread: number): boolean {
    return this.#placeOf(thread)?.isCollapsed === true;
  }

  #threads(): ThreadPlace[] {
    return this.#view.layout.places.filter(
      (place): place is ThreadPlace => place.kind === 'thread' && place.thread.chart.count > 0,
    );
  }

  #startWalk(): void {
    const first = this.#threads()[0];
    if (first !== undefined) this.#enter(first);
  }

  #enter(place: ThreadPlace): void {
    const { span } = this;
    const { chart, index } = place.thread;
    const row = callAt(chart, 0, (span.beginNs + span.endNs) / 2, Infinity);
    this.#select(index, 0, row);
  }

  #otherThread(step: 1 | -1): void {
    const { selection } = this.#context.store.state;
    if (selection === undefined || selection.kind === 'method') return;
    const places = this.#threads();
    const at = places.findIndex((place) => place.thread.index === selection.thread);
    const next = places[at + step];
    if (next !== undefined) this.#enter(next);
  }

  #select(thread: number, depth: number, row: number): void {
    const chart = this.#context.model.thread(thread)?.chart;
    const beginNs = row < 0 ? undefined : chart?.begin[row];
    if (beginNs !== undefined) this.#choose({ kind: 'call', thread, depth, beginNs });
  }

  /** Selects a call and moves just far enough that it is seen. */
  select(key: CallKey): void {
    this.#open(key.thread);
    this.#choose(key);
  }

  #choose(key: CallKey): void {
    const { store, model } = this.#context;
    store.set({ selection: key });
    const call = model.call(key);
    if (call !== undefined)
      this.#reveal(key.thread, key.depth, key.beginNs, call.thread.chart.end[call.row] ?? 0);
  }

  /** Shows a moment of a thread, and selects its deepest call or wait there. */
  goTo(thread: number, timeNs: number): void {
    const chart = this.#context.model.thread(thread)?.chart;
    if (chart === undefined) return;
    this.#open(thread);
    let depth = 0;
    let row = callAt(chart, 0, timeNs);
    while (row >= 0 && depth + 2 < chart.depthStart.length) {
      const deeper = callAt(chart, depth + 1, timeNs);
      if (deeper < 0) break;
      depth++;
      row = deeper;
    }
    if (row < 0) this.#reveal(thread, 0, timeNs, timeNs);
    else this.#select(thread, depth, row);
  }

  /** Selects a wait, and moves just far enough that it is seen. */
  selectWait(key: WaitKey): void {
    const waits = this.#context.model.thread(key.thread)?.waits;
    const row = waits === undefined ? -1 : waitRow(waits, key.beginNs);
    if (waits === undefined || row < 0) return;
    this.#open(key.thread);
    this.#context.store.set({ selection: key });
    this.#reveal(key.thread, waits.depth[row] ?? 0, key.beginNs, waits.end[row] ?? 0);
  }

  /** Neither left out as idle, nor hidden, nor filtered out, nor collapsed. */
  #open(thread: number): void {
    const { store } = this.#context;
    const { hidden } = store.state;
    if (hidden.includes(thread)) store.set({ hidden: hidden.filter((one) => one !== thread) });
    const { isIdle = false } = this.#context.model.thread(thread) ?? {};
    if (isIdle) store.set({ idleShown: true });
    if (this.#placeOf(thread) === undefined) store.set({ threadFilter: '' });
    const place = this.#placeOf(thread);
    if (place?.isCollapsed === true) toggleCollapsed(store, place);
  }

  #placeOf(thread: number): ThreadPlace | undefined {
    return this.#view.layout.places.find(
      (one): one is ThreadPlace => one.kind === 'thread' && one.thread.index === thread,
    );
  }

  #reveal(thread: number, depth: number, beginNs: number, endNs: number): void {
    const { span } = this;
    if (endNs <= span.beginNs || beginNs >= span.endNs) {
      const length = span.endNs - span.beginNs;
      const middle = endNs - beginNs > length ? beginNs + length / 2 : (beginNs + endNs) / 2;
      this.show({ beginNs: middle - length / 2, endNs: middle + length / 2 });
    }
    const place = this.#placeOf(thread);
    if (place === undefined) return;
    const top = rowTop(place, depth);
    const { scroller } = this.#view;
    if (top < scroller.scrollTop + activityHeight) scroller.scrollTop = Math.max(0, top - activityHeight * 2);
    else if (top + rowHeight > scroller.scrollTop + scroller.clientHeight) {
      scroller.scrollTop = top + rowHeight * 3 - scroller.clientHeight;
    }
  }
}
