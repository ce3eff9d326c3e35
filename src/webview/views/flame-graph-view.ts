/**
 * The aggregated flame graph, drawn by d3-flame-graph. Its elements cost about five nodes a frame, so the worker leaves
 * out what would be under a pixel, and a zoom asks anew from there: detail comes back as one goes in.
 */
import flamegraph from 'd3-flame-graph';
import type { FlameDatum, FlameFrame, FlameGraph } from 'd3-flame-graph';
import { select } from 'd3-selection';
import { element } from '../element.js';
import { formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import type { ViewState } from '../store.js';
import { text } from '../texts.js';
import { threadName } from '../timeline/waits.js';
import { formatWeight, shareOf } from '../weights.js';
import type { FlameNodes } from '../worker/messages.js';
import { FigureView, scopeKeys } from './view.js';

interface Datum extends FlameDatum {
  /** Negative: no method, but one of `apart`, or a thread below the second of these. */
  readonly method: number;
  readonly children: Datum[];
  /** Methods from the root to here. */
  readonly path: readonly number[];
  readonly total: number;
}

type Frame = FlameFrame<Datum>;

const cellHeight = 19;

/** What of the root is no method's. */
const apart = { all: -1, outside: -2, gaps: -3, firstThread: -4 } as const;

export class FlameGraphView extends FigureView {
  readonly #canvas: HTMLElement;
  readonly #crumbs = element('div', { class: 'flame-crumbs' });
  readonly #status = element('div', { class: 'flame-status', 'aria-live': 'polite' });
  #graph: FlameGraph<Datum> | undefined;
  #nodes: FlameNodes | undefined;
  #zoom: readonly number[] = [];
  #current: readonly number[] | undefined;

  constructor(context: ViewContext) {
    super(context, 'flameGraph', [...scopeKeys, 'flamePath']);
    this.#canvas = element('div', {
      class: 'flame-graph',
      tabindex: 0,
      role: 'application',
      'aria-label': text('flame.label'),
    });
    this.root.append(this.#crumbs, this.#canvas, this.#status);
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
    let width = 0;
    new ResizeObserver(() => {
      if (this.#canvas.clientWidth === width) return;
      width = this.#canvas.clientWidth;
      this.#draw();
    }).observe(this.#canvas);
  }

  focus(): void {
    this.#canvas.focus();
  }

  protected load(): void {
    const { model, store, actions } = this.context;
    const { weight, flamePath: path } = store.state;
    if (path.join() !== this.#zoom.join()) this.#zoom = this.#current = path;
    // Without a width yet it is about to be shown: as wide as it may become.
    const width = this.#canvas.clientWidth || window.innerWidth;
    this.latest.take(
      actions.ask({ kind: 'flame', scope: model.scope(store.state), weight, least: 1 / width, path }),
      (nodes) => {
        this.#nodes = nodes;
        this.#draw();
      },
      (message) => this.say(message),
    );
  }

  protected stateChanged(_state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    if (changed.has('search')) this.#search();
  }

  #zoomTo(path: readonly number[]): void {
    if (path.join() !== this.#zoom.join()) this.context.store.set({ flamePath: path });
  }

  #draw(): void {
    const nodes = this.#nodes;
    const width = this.#canvas.clientWidth;
    if (nodes === undefined || width === 0) return;
    const root = this.#data(nodes);
    this.say(root.total > 0 ? '' : text('table.empty'));
    this.#graph?.destroy();
    this.#canvas.replaceChildren();
    this.#placeCrumbs(root);
    if (root.total <= 0) return;
    const { model } = this.context;
    const graph = flamegraph<Datum>()
      .width(width)
      .cellHeight(cellHeight)
      .minFrameSize(1)
      .transitionDuration(0)
      .inverted(true)
      .sort(true)
      .setSearchMatch((frame) => model.matches?.[frame.data.method] === 1)
      .setSearchHandler(() => undefined)
      .setColorMapper((frame) => this.#colour(frame))
      .setLabelHandler((frame) => this.#label(frame.data))
      .onHover((frame) => (this.#status.textContent = this.#label(frame.data)))
      .onClick((frame) => this.#choose(frame.data, true));
    this.#graph = graph;
    select(this.#canvas).datum(root).call(graph);
    this.#canvas.firstElementChild?.setAttribute('aria-hidden', 'true');
    this.#search();
    this.#mark();
  }

  /** The answer as d3 wants it. */
  #data(nodes: FlameNodes): Datum {
    const { names } = this.context.model;
    const made: Datum[] = [];
    for (let row = 0; row < nodes.count; row++) {
      const parent = made[nodes.parent[row] ?? -1];
      // The root is no method, and 0 is one.
      const method = parent === undefined ? apart.all : (nodes.method[row] ?? apart.all);
      const total = (nodes.total[row] ?? 0) + (parent === undefined ? nodes.gap : 0);
      const datum: Datum = {
        name: method < 0 ? text('flame.all') : names.short(method),
        method,
        value: total,
        total,
        children: [],
        path: parent === undefined ? [] : [...parent.path, method],
      };
      made.push(datum);
      parent?.children.push(datum);
    }
    const root = made[0];
    if (root === undefined) return apartNode('', apart.all, 0, []);
    root.children.push(...this.#apart(nodes));
    return zoomed(root, this.#zoom);
  }

  /** What no method has is told as well: a strip without a name would be a riddle. */
  #apart(nodes: FlameNodes): Datum[] {
    const { snapshot } = this.context.model;
    if (snapshot === undefined) return [];
    const path = [apart.outside];
    const threads = nodes.outside.map(({ thread, total, waits }) => {
      const name = threadName(snapshot, thread);
      const method = apart.firstThread - thread;
      return apartNode(waits ? text('flame.waits', { name }) : name, method, total, [...path, method]);
    });
    const total = threads.reduce((sum, thread) => sum + thread.total, 0);
    const outside = apartNode(text('flame.outside'), apart.outside, total, path, threads);
    const gaps = apartNode(text('flame.gaps'), apart.gaps, nodes.gap, [apart.gaps]);
    return [outside, gaps].filter((node) => node.total > 0);
  }

  #colour(frame: Frame): string {
    const { model } = this.context;
    const { method } = frame.data;
    if (method < 0) return 'var(--hue-root)';
    const isDim = model.matches !== undefined && model.matches[method] !== 1;
    return `var(--hue-${model.names.hue(method)}${isDim ? '-dim' : ''})`;
  }

  #label(datum: Datum): string {
    const { weight } = this.context.store.state;
    const sum = (this.#nodes?.total[0] ?? 0) + (this.#nodes?.gap ?? 0);
    return `${datum.name} · ${formatWeight(weight, datum.total)} (${formatShare(shareOf(datum.total, sum))})`;
  }

  #choose(datum: Datum, zoom: boolean): void {
    this.#current = datum.path;
    if (datum.method >= 0) this.context.store.set({ selection: { kind: 'method', method: datum.method } });
    if (zoom) this.#zoomTo(datum.path);
    else this.#mark();
    const said = this.#label(datum);
    this.#status.textContent = said;
  }

  #search(): void {
    const { search } = this.context.store.state;
    if (this.#graph === undefined) return;
    if (search.text === '') this.#graph.clear();
    else this.#graph.search(search.text);
  }

  #placeCrumbs(root: Datum): void {
    this.#crumbs.hidden = this.#zoom.length === 0;
    const all = element('button', { class: 'link-button', type: 'button' }, text('flame.all'));
    all.addEventListener('click', () => this.#zoomTo([]));
    let last = root;
    for (const method of this.#zoom) last = last.children.find((child) => child.method === method) ?? last;
    this.#crumbs.replaceChildren(all, ' › ', last.name);
  }

  /** The frame that the keys are on. */
  #mark(): void {
    const wanted = this.#current?.join('/');
    select(this.#canvas)
      .selectAll('g.frame')
      .each(function (datum) {
        const isCurrent = wanted !== undefined && (datum as Frame).data.path.join('/') === wanted;
        this.classList.toggle('is-current', isCurrent);
      });
  }

  #frames(): Frame[] {
    const frames: Frame[] = [];
    select(this.#canvas)
      .selectAll('g.frame')
      .each((datum) => frames.push(datum as Frame));
    return frames;
  }

  #key(event: KeyboardEvent): void {
    const frames = this.#frames();
    const wanted = this.#current?.join('/') ?? '';
    const current = frames.find((frame) => frame.data.path.join('/') === wanted) ?? frames[0];
    if (current === undefined) return;
    const siblings = current.parent?.data.children ?? [];
    // Drawn in the order of names (d3 sorts by it).
    const drawn = frames.filter((frame) => siblings.includes(frame.data)).map((frame) => frame.data);
    drawn.sort((one, other) => (one.name < other.name ? -1 : 1));
    const at = drawn.indexOf(current.data);
    const isDrawn = (datum: Datum): boolean => frames.some((frame) => frame.data === datum);
    let next: Datum | undefined;
    if (event.key === 'ArrowUp') next = current.parent?.data;
    else if (event.key === 'ArrowDown') next = largest(current.data.children.filter(isDrawn));
    else if (event.key === 'ArrowLeft') next = drawn[at - 1];
    else if (event.key === 'ArrowRight') next = drawn[at + 1];
    else if (event.key === 'Enter') {
      this.context.actions.openSource(current.data.method, event.ctrlKey || event.metaKey);
    } else if (event.key === 'f' || event.key === ' ') this.#zoomTo(current.data.path);
    else if (event.key === '0') this.#zoomTo([]);
    else if (event.key === 'Escape' && this.#zoom.length > 0) this.#zoomTo([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== undefined) this.#choose(next, false);
  }
}

function apartNode(
  name: string,
  method: number,
  total: number,
  path: readonly number[],
  children: Datum[] = [],
): Datum {
  return { name, method, value: total, total, children, path };
}

/** Only what lies on the way to the zoomed node and below it; its callers are as wide as it is. */
function zoomed(root: Datum, path: readonly number[]): Datum {
  let node = root;
  const way: Datum[] = [];
  for (const method of path) {
    const next = node.children.find((child) => child.method === method);
    if (next === undefined) return root;
    way.push(node);
    node = next;
  }
  return way.reduceRight<Datum>(
    (below, caller) => ({ ...caller, value: node.total, children: [below] }),
    node,
  );
}

function largest(children: readonly Datum[]): Datum | undefined {
  return children.reduce<Datum | undefined>(
    (best, child) => (best === undefined || child.total > best.total ? child : best),
    undefined,
  );
}
