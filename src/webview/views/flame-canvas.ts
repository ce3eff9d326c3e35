/**
 * A call tree as boxes on each other, drawn by d3-flame-graph, with the way back above them, and figures beside the pointer or the
 * frame that keys are on. Its elements cost about five nodes a frame, so whoever asks for the tree leaves out what would be under a pixel.
 */
import flamegraph from 'd3-flame-graph';
import type { FlameDatum, FlameFrame, FlameGraph } from 'd3-flame-graph';
import { select } from 'd3-selection';
import type { SourceOpening } from '../../protocol/messages.js';
import { element, replaceContent } from '../element.js';
import { isMenuKey } from '../menu-request.js';
import { openingOf } from '../source-opening.js';
import { TooltipBox } from '../tooltip-box.js';
import { text } from '../texts.js';

export interface FlameNode extends FlameDatum {
  /** Tells it from its siblings. */
  readonly key: number;
  /** Negative: none of the recording's. */
  readonly method: number;
  readonly value: number;
  readonly children: FlameNode[];
  /** undefined: the root. A path of its own for each would be large where stacks are deep. */
  readonly caller: FlameNode | undefined;
}

/** What the words of a frame stand on, which decides their colour. `outlined`: found, in a colour that means something else. */
export type FrameGround = 'fill' | 'match' | 'background' | 'outlined';

/** What its view knows of the nodes. */
export interface FlameLook<N extends FlameNode> {
  colour(node: N): string;
  ground(node: N): FrameGround;
  /** What stands behind its name: figures. */
  figures(node: N): string;
  /** Its name in full. */
  fullName(node: N): string;
  matches(node: N): boolean;
  choose(node: N): void;
  announce(words: string): void;
  open(node: N, how: SourceOpening): void;
  /** The zoom that was asked for last, shown or not yet. */
  zoom(): readonly number[];
  /** By key, from the root; empty: all of it. */
  zoomTo(path: readonly number[]): void;
  menu(node: N, stack: readonly number[], x: number, y: number): void;
}

type Frame<N extends FlameNode> = FlameFrame<N>;

export const frameHeight = 19;
/** Above the frame that was zoomed to: stacks may be deeper than a window is high. */
const callersInSight = 2;

export class FlameCanvas<N extends FlameNode> {
  readonly parts: readonly HTMLElement[];
  readonly #look: FlameLook<N>;
  readonly #canvas: HTMLElement;
  readonly #crumbs = element('div', { class: 'flame-crumbs' });
  readonly #tooltip = new TooltipBox();
  #graph: FlameGraph<N> | undefined;
  #root: N | undefined;
  #isSearched = false;
  #zoom: readonly number[] = [];
  #drawnZoom = '';
  #current: readonly number[] | undefined;
  #searched = '';

  constructor(label: string, look: FlameLook<N>) {
    this.#look = look;
    this.#canvas = element('div', {
      class: 'flame-graph',
      tabindex: 0,
      role: 'application',
      'aria-label': label,
    });
    this.parts = [this.#crumbs, this.#canvas, this.#tooltip.root];
    this.#crumbs.hidden = true;
    for (const gone of ['pointerleave', 'scroll', 'blur'] as const)
      this.#canvas.addEventListener(gone, () => this.#tooltip.hide());
    this.#canvas.addEventListener('pointermove', (event) => {
      const node = nodeAt(event) as N | undefined;
      this.#tip(node, event.clientX, event.clientY);
    });
    this.#canvas.addEventListener('contextmenu', (event) => {
      const node = nodeAt(event) as N | undefined;
      if (node === undefined) return;
      event.preventDefault();
      this.#tooltip.hide();
      this.#canvas.focus({ preventScroll: true });
      this.#choose(node, false);
      this.#menu(node, event.clientX, event.clientY);
    });
    this.#canvas.addEventListener('keydown', (event) => this.#key(event));
    // Before d3 hears of it, whose click zooms at once.
    this.#canvas.addEventListener('click', (event) => this.#click(event), true);
    this.#canvas.addEventListener('dblclick', (event) => {
      const node = nodeAt(event) as N | undefined;
      if (node !== undefined) this.#choose(node, true);
    });
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

  /** What a node must have of all to be as wide as a pixel. */
  get least(): number {
    // Without a width yet it is about to be shown: as wide as it may become.
    return 1 / (this.#canvas.clientWidth || window.innerWidth);
  }

  /** `zoom`: keys from the root to the node that is as wide as all; `searched`: words that something is searched for by. */
  show(root: N | undefined, zoom: readonly number[], searched: string): void {
    this.#searched = searched;
    if (zoom.join() !== this.#zoom.join()) this.#current = zoom;
    this.#zoom = zoom;
    this.#root = root;
    this.#draw();
  }

  #draw(): void {
    const width = this.#canvas.clientWidth;
    if (width === 0) return;
    const root = this.#root === undefined ? undefined : (zoomed(this.#root, this.#zoom) as N);
    this.#graph?.destroy();
    this.#graph = undefined;
    const { scrollTop } = this.#canvas;
    this.#canvas.replaceChildren();
    this.#placeCrumbs(root);
    if (root === undefined || root.value <= 0) return;
    const look = this.#look;
    const graph = flamegraph<N>()
      .width(width)
      .cellHeight(frameHeight)
      .minFrameSize(1)
      .transitionDuration(0)
      .inverted(true)
      .sort(true)
      .setSearchMatch((frame) => look.matches(frame.data))
      .setSearchHandler(() => undefined)
      .setColorMapper((frame) => look.colour(frame.data))
      .setLabelHandler((frame) => this.#label(frame.data));
    this.#graph = graph;
    this.#isSearched = false;
    select(this.#canvas).datum(root).call(graph);
    this.#canvas.firstElementChild?.setAttribute('aria-hidden', 'true');
    showAtOnce(this.#canvas);
    this.search(this.#searched);
    this.#canvas.scrollTop = scrollTop;
    const zoom = this.#zoom.join();
    if (zoom !== this.#drawnZoom) this.#reveal(this.#zoom.length, callersInSight);
    this.#drawnZoom = zoom;
  }

  /** Scrolls to the frames of a depth, with so many of their callers where there are any out of sight. */
  #reveal(depth: number, callers: number): void {
    const top = Math.max(0, depth - callers) * frameHeight;
    const bottom = (depth + 1) * frameHeight;
    const { scrollTop, clientHeight } = this.#canvas;
    const isFar = callers > 0 && depth * frameHeight > scrollTop + clientHeight / 2;
    if (isFar || top < scrollTop) this.#canvas.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.#canvas.scrollTop = bottom - clientHeight;
  }

  search(words: string): void {
    this.#searched = words;
    if (this.#graph === undefined) return;
    // To clear what is clear draws all of it anew.
    if (words !== '') this.#graph.search(words);
    else if (this.#isSearched) this.#graph.clear();
    this.#isSearched = words !== '';
    this.#mark();
  }

  #choose(node: N, zoom: boolean): void {
    this.#current = pathOf(node);
    this.#look.choose(node);
    if (zoom) this.#zoomTo(pathOf(node));
    else this.#mark();
    this.#look.announce(this.#label(node));
  }

  #label(node: N): string {
    return `${node.name} · ${this.#look.figures(node)}`;
  }

  #tip(node: N | undefined, x: number, y: number): void {
    if (node === undefined) this.#tooltip.hide();
    else this.#tooltip.show([this.#look.fullName(node), this.#look.figures(node)], x, y);
  }

  #menu(node: N, x: number, y: number): void {
    const stack: number[] = [];
    for (let at: FlameNode | undefined = node; at !== undefined; at = at.caller)
      if (at.method >= 0) stack.push(at.method);
    this.#look.menu(node, stack, x, y);
  }

  /** Where the frame that keys are on is seen. */
  #placeOfCurrent(): DOMRect {
    const shown = this.#canvas.querySelector('.is-current') ?? this.#canvas;
    return shown.getBoundingClientRect();
  }

  #click(event: MouseEvent): void {
    const node = nodeAt(event) as N | undefined;
    if (node === undefined) return;
    event.stopPropagation();
    this.#choose(node, false);
    // The second click of a pair zooms; the source is open already.
    if (event.detail <= 1) this.#look.open(node, openingOf(event));
  }

  zoomToCurrent(): void {
    if (this.#current !== undefined) this.#zoomTo(this.#current);
  }

  #zoomTo(path: readonly number[]): void {
    if (path.join() !== this.#look.zoom().join()) this.#look.zoomTo(path);
  }

  #placeCrumbs(root: N | undefined): void {
    this.#crumbs.hidden = this.#zoom.length === 0;
    const all = element('button', { class: 'link-button', type: 'button' }, text('flame.all'));
    all.addEventListener('click', () => this.#zoomTo([]));
    let last: FlameNode | undefined = root;
    for (const key of this.#zoom) last = last?.children.find((child) => child.key === key) ?? last;
    replaceContent(this.#crumbs, this.#canvas, all, element('span', {}, ` › ${last?.name ?? ''}`));
  }

  /** Which frame the keys are on, and what words stand on. d3 sets the classes anew when it draws. */
  #mark(): void {
    const current = this.#currentOf(this.#frames());
    const look = this.#look;
    select(this.#canvas)
      .selectAll('g.frame')
      .each(function (datum) {
        this.classList.toggle('is-current', current !== undefined && datum === current);
        const ground = look.ground((datum as Frame<N>).data);
        this.classList.toggle('is-fill', ground === 'fill');
        this.classList.toggle('is-match', ground === 'match');
        this.classList.toggle('is-outlined', ground === 'outlined');
      });
  }

  #frames(): Frame<N>[] {
    const frames: Frame<N>[] = [];
    select(this.#canvas)
      .selectAll('g.frame')
      .each((datum) => frames.push(datum as Frame<N>));
    return frames;
  }

  #currentOf(frames: readonly Frame<N>[]): Frame<N> | undefined {
    const wanted = this.#current;
    if (wanted === undefined) return undefined;
    const [last, way] = [wanted.at(-1), wanted.join()];
    return frames.find(
      ({ data, depth }) =>
        depth === wanted.length && (depth === 0 || data.key === last) && pathOf(data).join() === way,
    );
  }

  #key(event: KeyboardEvent): void {
    const frames = this.#frames();
    const current = this.#currentOf(frames) ?? frames[0];
    if (current === undefined) return;
    const siblings: readonly FlameNode[] = current.parent?.data.children ?? [];
    // Drawn in the order of names (d3 sorts by it).
    const drawn = frames.filter((frame) => siblings.includes(frame.data)).map((frame) => frame.data);
    drawn.sort((one, other) => (one.name < other.name ? -1 : 1));
    const at = drawn.indexOf(current.data);
    const below = frames.filter((frame) => frame.parent === current).map((frame) => frame.data);
    let next: N | undefined;
    if (event.key === 'ArrowUp') next = current.parent?.data;
    else if (event.key === 'ArrowDown') next = largest(below);
    else if (event.key === 'ArrowLeft') next = drawn[at - 1];
    else if (event.key === 'ArrowRight') next = drawn[at + 1];
    else if (event.key === 'Enter') this.#look.open(current.data, openingOf(event));
    else if (event.key === 'f' || event.key === ' ') this.#zoomTo(pathOf(current.data));
    else if (isMenuKey(event)) {
      this.#choose(current.data, false);
      const { left, bottom } = this.#placeOfCurrent();
      this.#tooltip.hide();
      this.#menu(current.data, left, bottom);
    } else if (event.key === '0') this.#zoomTo([]);
    else if (event.key === 'Escape' && this.#look.zoom().length > 0) this.#zoomTo([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next === undefined) return;
    this.#choose(next, false);
    this.#reveal(pathOf(next).length, 0);
    const { left, top } = this.#placeOfCurrent();
    this.#tip(next, left, top);
  }
}

/** The frame under the pointer. */
function nodeAt(event: MouseEvent): FlameNode | undefined {
  const frame = event.target instanceof Element ? event.target.closest('g.frame') : null;
  if (frame === null) return undefined;
  const datum = select(frame).datum() as FlameFrame<FlameNode> | undefined;
  return datum?.data;
}

/** New frames would grow to their width for a quarter of a second, whatever the duration of transitions is. */
function showAtOnce(canvas: Element): void {
  select(canvas)
    .selectAll('rect')
    .interrupt()
    .each(function () {
      this.setAttribute('width', this.parentElement?.getAttribute('width') ?? '0');
    });
}

/** Keys from the root to here. */
function pathOf(node: FlameNode): number[] {
  const path: number[] = [];
  for (let at = node; at.caller !== undefined; at = at.caller) path.push(at.key);
  return path.reverse();
}

/** Only what lies on the way to the zoomed node and below it; its callers are as wide as it is. */
function zoomed(root: FlameNode, path: readonly number[]): FlameNode {
  let node = root;
  const way: FlameNode[] = [];
  for (const key of path) {
    const next = node.children.find((child) => child.key === key);
    if (next === undefined) return root;
    way.push(node);
    node = next;
  }
  return way.reduceRight<FlameNode>(
    (below, caller) => ({ ...caller, value: node.value, children: [below] }),
    node,
  );
}

function largest<N extends FlameNode>(nodes: readonly N[]): N | undefined {
  return nodes.reduce<N | undefined>(
    (best, node) => (best === undefined || node.value > best.value ? node : best),
    undefined,
  );
}
