/** The aggregated flame graph: a zoom asks anew from there, so that detail comes back as one goes in. */
import { formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import type { ViewState } from '../store.js';
import { text } from '../texts.js';
import { threadName } from '../timeline/waits.js';
import { formatWeight, shareOf } from '../weights.js';
import type { FlameNodes } from '../worker/messages.js';
import { FlameCanvas } from './flame-canvas.js';
import type { FlameNode } from './flame-canvas.js';
import { FigureView, scopeKeys } from './view.js';

/** By method; negative: one of `apart`, or a thread below the second of these. */
interface Datum extends FlameNode {
  readonly children: Datum[];
  readonly total: number;
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
      label: (datum) => this.#label(datum),
      matches: ({ method }) => context.model.matches?.[method] === 1,
      choose: ({ method }) => {
        if (method >= 0) context.store.set({ selection: { kind: 'method', method } });
      },
      open: ({ method }, beside) => context.actions.openSource(method, beside),
      zoomTo: (flamePath) => context.store.set({ flamePath }),
    });
    this.root.append(...this.#canvas.parts);
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

  #colour({ method }: Datum): string {
    const { model } = this.context;
    if (method < 0) return 'var(--hue-root)';
    const isDim = model.matches !== undefined && model.matches[method] !== 1;
    return `var(--hue-${model.names.hue(method)}${isDim ? '-dim' : ''})`;
  }

  #label(datum: Datum): string {
    const { weight } = this.context.store.state;
    const sum = (this.#nodes?.total[0] ?? 0) + (this.#nodes?.gap ?? 0);
    return `${datum.name} · ${formatWeight(weight, datum.total)} (${formatShare(shareOf(datum.total, sum))})`;
  }
}

function apartNode(name: string, method: number, total: number, caller: Datum | undefined): Datum {
  return { name, key: method, method, value: total, total, children: [], caller };
}
