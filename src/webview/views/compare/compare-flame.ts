/**
 * Where in the call tree a recording takes more, and less, than another one, as a flame graph (docs/MEASURES.md, "Comparing"). A call
 * is as wide as the larger of the two; red and ▲ is more, blue, striped and ▼ less, grey what sampling may have made.
 */
import { isClear } from '../../../trace/compare/differences.js';
import { element } from '../../element.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import { OtherNames } from '../../search/other-names.js';
import { text } from '../../texts.js';
import { formatWeight } from '../../weights.js';
import type { ComparedFlame, CompareFlameQuery, Weight } from '../../worker/messages.js';
import { changeOf } from './change.js';
import { FlameCanvas } from '../flame-canvas.js';
import type { FlameNode } from '../flame-canvas.js';
import { flamePatterns } from '../flame-patterns.js';
import { Latest } from '../latest.js';

interface Node extends FlameNode {
  readonly children: Node[];
  readonly before: number;
  readonly after: number;
  readonly change: Change;
}

type Change = 'more' | 'less' | 'same';

const signs: Readonly<Record<Change, string>> = { more: '▲ ', less: '▼ ', same: '' };

/** A change by this share of the larger of both, and more, has the second, and the third, strength. */
const stronger = [0.1, 0.4] as const;

export class CompareFlame {
  readonly parts: readonly HTMLElement[];
  readonly #context: ViewContext;
  /** Says why it cannot be shown. */
  readonly #fail: (message: string) => void;
  readonly #canvas: FlameCanvas<Node>;
  readonly #latest = new Latest();
  readonly #gone = new OtherNames(() => this.search(this.#context.store.state.search.text));
  #names: ReadonlyMap<number, string> = new Map();
  #query: Omit<CompareFlameQuery, 'kind' | 'least' | 'path'> | undefined;

  constructor(context: ViewContext, fail: (message: string) => void) {
    this.#context = context;
    this.#fail = fail;
    this.#canvas = new FlameCanvas<Node>(text('compare.flame.label'), {
      colour: (node) => this.#colour(node),
      ground: (node) =>
        context.model.matches !== undefined && this.#matches(node) ? 'outlined' : 'background',
      figures: (node) => this.#figures(node),
      fullName: (node) => this.#fullName(node),
      matches: (node) => this.#matches(node),
      choose: ({ method }) => {
        if (method >= 0) context.store.set({ selection: { kind: 'method', method } });
      },
      announce: (words) => context.actions.announce(words),
      open: ({ method }, how) => context.actions.openSource(method, how),
      zoom: () => context.store.state.comparePath,
      zoomTo: (comparePath) => context.store.set({ comparePath }),
      menu: ({ method }, stack, x, y) =>
        context.actions.showMenu({ x, y, method, stack, zoom: () => this.#canvas.zoomToCurrent() }),
    });
    const legend = element('p', { class: 'flame-legend' }, text('compare.flame.legend'));
    this.parts = [lessPatterns(), legend, ...this.#canvas.parts];
    this.hide();
  }

  focus(): void {
    this.#canvas.focus();
  }

  hide(): void {
    this.#query = undefined;
    for (const part of this.parts) part.classList.add('is-left-out');
  }

  show(query: Omit<CompareFlameQuery, 'kind' | 'least' | 'path'>): void {
    for (const part of this.parts) part.classList.remove('is-left-out');
    this.#query = query;
    const { actions, store } = this.#context;
    const path = store.state.comparePath;
    this.#latest.take(
      actions.ask({ kind: 'compareFlame', ...query, least: this.#canvas.least, path }),
      (found) => {
        if (this.#query !== query) return;
        this.#names = found.names;
        this.#canvas.show(this.#tree(found), path, store.state.search.text);
      },
      this.#fail,
    );
  }

  search(words: string): void {
    this.#canvas.search(words);
  }

  #tree(found: ComparedFlame): Node | undefined {
    const { names } = this.#context.model;
    const made: Node[] = [];
    for (let row = 0; row < found.count; row++) {
      const [before, after] = [found.before[row] ?? 0, found.after[row] ?? 0];
      const difference = after - before;
      const isChange = isClear(difference, found.noise[row] ?? 0);
      const change: Change = !isChange ? 'same' : difference > 0 ? 'more' : 'less';
      const caller = made[found.parent[row] ?? -1];
      const [method, key] = [found.method[row] ?? -1, found.key[row] ?? 0];
      const name =
        caller === undefined
          ? text('flame.all')
          : method >= 0
            ? names.short(method)
            : plainText(shortName(found.names.get(key) ?? ''));
      const value = found.width[row] ?? 0;
      const node = {
        name: signs[change] + name,
        key,
        method,
        value,
        children: [],
        caller,
        before,
        after,
        change,
      };
      made.push(node);
      caller?.children.push(node);
    }
    return made[0];
  }

  #fullName({ method, key, name, caller }: Node): string {
    if (caller === undefined) return name;
    const written =
      method >= 0 ? this.#context.model.names.qualified(method) : (this.#names.get(key) ?? name);
    return plainText(written, 300);
  }

  #matches({ method, key, caller }: Node): boolean {
    const { model, store } = this.#context;
    if (method >= 0) return model.matches?.[method] === 1;
    return caller !== undefined && this.#gone.find(this.#names, store.state.search).has(key);
  }

  #colour(node: Node): string {
    const { before, after, change, caller } = node;
    const isDim = this.#context.model.matches !== undefined && !this.#matches(node);
    if (caller === undefined) return 'var(--hue-root)';
    if (isDim) return 'var(--not-found)';
    if (change === 'same') return 'var(--as-before)';
    const share = Math.abs(after - before) / Math.max(before, after);
    const strength = stronger.filter((from) => share >= from).length + 1;
    return change === 'more' ? `var(--more-${strength})` : `url(#less-${strength})`;
  }

  #figures({ before, after, change }: Node): string {
    const weight = this.#query?.weight ?? ('wall' satisfies Weight);
    const said = {
      before: formatWeight(weight, before),
      after: formatWeight(weight, after),
      change: changeOf(before, after, weight),
    };
    const isScaled = this.#query?.isScaled === true;
    if (change === 'same')
      return text(isScaled ? 'compare.flame.chanceScaled' : 'compare.flame.chance', said);
    return text(isScaled ? 'compare.flame.changeScaled' : 'compare.flame.change', said);
  }
}

/** Class and method, as those that the recording knows. */
function shortName(qualified: string): string {
  return qualified.split('.').slice(-2).join('.');
}

/** Stripes, which are told from a plain ground without a colour. */
function lessPatterns(): HTMLElement {
  return flamePatterns(
    Array.from({ length: stronger.length + 1 }, (_, at) => ({
      id: `less-${at + 1}`,
      width: 6,
      height: 6,
      turn: 45,
      parts: [
        { className: `less-ground-${at + 1}`, x: 0, y: 0, width: 3, height: 6 },
        { className: `less-stripe-${at + 1}`, x: 3, y: 0, width: 3, height: 6 },
      ],
    })),
  );
}
