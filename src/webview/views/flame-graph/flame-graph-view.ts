/** The aggregated flame graph: a zoom asks anew from there, so that detail comes back as one goes in. */
import { formatShare } from '../../../trace/measure/quantities.js';
import { FlameWait } from '../../../trace/measure/trees.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import type { ViewState } from '../../store.js';
import { text } from '../../texts.js';
import { waitEdges } from '../../timeline/metrics.js';
import { threadName } from '../../timeline/waits.js';
import { formatWeight, shareOf } from '../../weights.js';
import type { FlameNodes } from '../../worker/messages.js';
import { FlameCanvas, frameHeight } from '../flame-canvas.js';
import type { FlameNode, FrameGround } from '../flame-canvas.js';
import { flamePatterns } from '../flame-patterns.js';
import type { FlamePattern } from '../flame-patterns.js';
import { FigureView, scopeKeys } from '../view.js';

const waitNames: Readonly<Record<number, string>> = {
  [FlameWait.HeldUp]: 'held-up',
  [FlameWait.Resting]: 'resting',
  [FlameWait.Inferred]: 'waiting',
};

/** Grounds with an edge, below as in the timeline; an inferred wait has it above. */
function waitPatterns(): HTMLElement {
  const edged = (name: string, edge: number, y: number): FlamePattern => ({
    id: `wait-${name}`,
    width: frameHeight,
    height: frameHeight,
    parts: [
      { className: `wait-ground-${name}`, x: 0, y: 0, width: frameHeight, height: frameHeight },
      { className: `wait-edge-${name}`, x: 0, y, width: frameHeight, height: edge },
    ],
  });
  return flamePatterns([
    edged('held-up', waitEdges.heldUp + 1, frameHeight - waitEdges.heldUp - 1),
    edged('resting', waitEdges.resting + 1, frameHeight - waitEdges.resting - 1),
    edged('waiting', 3, 0),
  ]);
}

/** By method; negative: one of `apart`, or a thread below the second of these. */
interface Datum extends FlameNode {
  readonly children: Datum[];
  readonly total: number;
  /** FlameWait. */
  readonly wait: number;
}

/** What of the root is no method's. */
const apart = { all: -1, outside: -2, gaps: -3, firstThread: -4 } as const;

export class FlameGraphView extends FigureView {
  readonly #canvas: FlameCanvas<Datum>;
  #nodes: FlameNodes | undefined;

  constructor(context: ViewContext) {
    super(context, 'flameGraph', [...scopeKeys, 'flamePath']);
    this.#canvas = new FlameCanvas(text('flame.label'), {
      colour: (datum) => this.#colour(datum),
      ground: (datum) => this.#ground(datum),
      figures: (datum) => this.#figures(datum),
      fullName: ({ method, name }) =>
        method >= 0 ? plainText(context.model.names.qualified(method), 300) : name,
      matches: ({ method }) => context.model.matches?.[method] === 1,
      choose: ({ method }) => {
        if (method >= 0) context.store.set({ selection: { kind: 'method', method } });
      },
      announce: (words) => context.actions.announce(words),
      open: ({ method }, how) => context.actions.openSource(method, how),
      zoom: () => context.store.state.flamePath,
      zoomTo: (flamePath) => context.store.set({ flamePath }),
      menu: ({ method }, stack, x, y) =>
        context.actions.showMenu({ x, y, method, stack, zoom: () => this.#canvas.zoomToCurrent() }),
    });
    this.root.append(waitPatterns(), ...this.#canvas.parts);
  }

  focus(): void {
    this.#canvas.focus();
  }

  protected load(): void {
    const { model, store, actions } = this.context;
    const { weight, flamePath: path } = store.state;
    const { least } = this.#canvas;
    this.latest.take(
      actions.ask({ kind: 'flame', scope: model.scope(store.state), weight, least, path }),
      (nodes) => {
        this.#nodes = nodes;
        const root = this.#data(nodes);
        this.say(root.total > 0 ? '' : text('table.empty'));
        this.#canvas.show(root, path, store.state.search.text);
      },
      (message) => this.say(message),
    );
  }

  protected stateChanged(state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    if (changed.has('search')) this.#canvas.search(state.search.text);
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
        key: method,
        method,
        value: total,
        total,
        wait: nodes.wait[row] ?? FlameWait.None,
        children: [],
        caller: parent,
      };
      made.push(datum);
      parent?.children.push(datum);
    }
    const root = made[0];
    if (root === undefined) return apartNode('', apart.all, 0, undefined);
    root.children.push(...this.#apart(nodes, root));
    return root;
  }

  /** What no method has is told as well: a strip without a name would be a riddle. */
  #apart(nodes: FlameNodes, root: Datum): Datum[] {
    const { snapshot } = this.context.model;
    if (snapshot === undefined) return [];
    const sum = nodes.outside.reduce((all, thread) => all + thread.total, 0);
    const outside = apartNode(text('flame.outside'), apart.outside, sum, root);
    for (const { thread, total, waits } of nodes.outside) {
      const name = threadName(snapshot, thread);
      const said = waits ? text('flame.waits', { name }) : name;
      outside.children.push(apartNode(said, apart.firstThread - thread, total, outside));
    }
    const gaps = apartNode(text('flame.gaps'), apart.gaps, nodes.gap, root);
    return [outside, gaps].filter((node) => node.total > 0);
  }

  #colour({ method, wait }: Datum): string {
    const { matches, names } = this.context.model;
    if (method < 0) return 'var(--hue-root)';
    const isFound = matches?.[method] === 1;
    if (isFound) return 'var(--match)';
    if (matches !== undefined) return `var(--hue-${names.hue(method)}-dim)`;
    const pattern = waitNames[wait];
    return pattern === undefined ? `var(--hue-${names.hue(method)})` : `url(#wait-${pattern})`;
  }

  #ground({ method, wait }: Datum): FrameGround {
    const { matches } = this.context.model;
    if (method < 0) return 'background';
    if (matches !== undefined) return matches[method] === 1 ? 'match' : 'background';
    return wait === FlameWait.None ? 'fill' : 'background';
  }

  #figures(datum: Datum): string {
    const { weight } = this.context.store.state;
    const sum = (this.#nodes?.total[0] ?? 0) + (this.#nodes?.gap ?? 0);
    return `${formatWeight(weight, datum.total)} (${formatShare(shareOf(datum.total, sum))})`;
  }
}

function apartNode(name: string, method: number, total: number, caller: Datum | undefined): Datum {
  return { name, key: method, method, value: total, total, wait: FlameWait.None, children: [], caller };
}
