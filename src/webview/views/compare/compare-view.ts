/**
 * What takes more, and less, than in another recording: by method, the largest differences first, apart from what sampling
 * may have made (docs/MEASURES.md, "Comparing"). Of all of both recordings, and the threads that are called as those in sight.
 */
import { isClear } from '../../../trace/compare/differences.js';
import { formatLength } from '../../../trace/measure/quantities.js';
import { control, element } from '../../element.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import { OtherNames } from '../../search/other-names.js';
import type { ViewState } from '../../store.js';
import { VirtualTable } from '../../tables/virtual-table.js';
import type { Cell, Column } from '../../tables/virtual-table.js';
import { text } from '../../texts.js';
import type { TextKey } from '../../texts.js';
import type { CheckControl } from '../../toolkit.js';
import { formatWeight, weightName } from '../../weights.js';
import type { ComparedMethods, Weight } from '../../worker/messages.js';
import { changeOf, relative, signed } from './change.js';
import { CompareFlame } from './compare-flame.js';
import { nameCell } from '../name-cell.js';
import { FigureView, scopeKeys } from '../view.js';

const switches = ['scaled', 'total', 'all', 'flame'] as const;
type Switch = (typeof switches)[number];
/** A flame graph has all of it. */
const ofTable: ReadonlySet<Switch> = new Set(['total', 'all']);

const columnIds = ['before', 'after', 'difference'] as const;
const widths = { before: 120, after: 100, difference: 210 };

export class CompareView extends FigureView {
  readonly #table: VirtualTable;
  /** Made when it is first asked for. */
  #flame: CompareFlame | undefined;
  readonly #said = element('p', { class: 'compare-said', 'aria-live': 'polite' });
  readonly #boxes = new Map<Switch, CheckControl>();
  readonly #bar: HTMLElement;
  readonly #with: HTMLElement;
  readonly #stop: HTMLElement;
  #found: ComparedMethods | undefined;
  readonly #gone = new OtherNames(() => this.#arrange());
  /** Rows of `#found` in the order shown. */
  #order: readonly number[] = [];
  #largest = 0;

  constructor(context: ViewContext) {
    super(context, 'compare', [...scopeKeys, 'comparing', 'comparePath']);
    this.#table = new VirtualTable(text('view.compare'), false, {
      select: (row) => this.#select(row),
      open: (row, how) => context.actions.openSource(this.#method(row), how),
      activate: (row) => context.actions.showCallers(this.#method(row)),
      menu: (row, x, y) => context.actions.showMenu({ x, y, method: this.#method(row) }),
    });
    const boxes = switches.map((name) => this.#box(name));
    this.#with = this.#button('compare.with', true);
    this.#stop = this.#button('compare.stop', false);
    this.#bar = element(
      'div',
      { class: 'compare-bar' },
      this.#said,
      ...boxes,
      ...(context.actions.canOpenSource ? [this.#with, this.#stop] : []),
    );
    this.root.append(this.#bar, this.#table.root);
    context.model.onBaseline(() => this.invalidate());
  }

  focus(): void {
    if (this.#isFlame && this.#found !== undefined) this.#flame?.focus();
    else if (this.#table.root.hidden) this.#bar.querySelector<HTMLElement>('vscode-button')?.focus();
    else this.#table.focus();
  }

  get #isFlame(): boolean {
    return this.context.store.state.comparing.includes('flame');
  }

  #button(key: 'compare.with' | 'compare.stop', another: boolean): HTMLElement {
    const button = control('vscode-button', { appearance: 'secondary' }, text(key));
    button.addEventListener('click', () => this.context.actions.compareWith(another));
    return button;
  }

  #box(name: Switch): CheckControl {
    const { store } = this.context;
    const box = control(
      'vscode-checkbox',
      { title: text(`compare.${name}.hint`) },
      text(`compare.${name}`),
    ) as CheckControl;
    box.addEventListener('change', () => {
      const { comparing } = store.state;
      // The kit tells of what the page itself has set, too.
      if (box.checked === comparing.includes(name)) return;
      store.set({ comparing: box.checked ? [...comparing, name] : comparing.filter((one) => one !== name) });
    });
    this.#boxes.set(name, box);
    return box;
  }

  #method(row: number): number {
    return this.#found?.method[this.#order[row] ?? -1] ?? -1;
  }

  #select(row: number): void {
    const method = this.#method(row);
    if (method >= 0) this.context.store.set({ selection: { kind: 'method', method } });
  }

  protected load(): void {
    const { model, store, actions } = this.context;
    const { baseline } = model;
    const { state } = store;
    const isThere = baseline?.info !== undefined;
    for (const [name, box] of this.#boxes) {
      box.hidden = !isThere || (this.#isFlame && ofTable.has(name));
      box.checked = state.comparing.includes(name);
    }
    this.#with.setAttribute('appearance', isThere ? 'secondary' : 'primary');
    this.#with.textContent = text(isThere ? 'compare.another' : 'compare.with');
    this.#stop.hidden = baseline === undefined;
    this.#table.root.hidden = !isThere || this.#isFlame;
    this.#flame?.hide();
    this.#found = undefined;
    if (!isThere) {
      this.#said.textContent = '';
      this.say(this.#whyNot());
      return;
    }
    const { weight } = state;
    if (!this.#isKnown(weight)) {
      this.#table.root.hidden = true;
      this.#said.textContent = '';
      this.say(text('compare.noWeight', { name: plainText(baseline.name), weight: weightName(weight) }));
      return;
    }
    const { threads } = model.scope(state);
    const isScaled = state.comparing.includes('scaled');
    const by = state.comparing.includes('total') ? 'total' : 'self';
    if (this.#isFlame) this.#showFlame({ threads, weight, isScaled });
    this.latest.take(
      actions.ask({ kind: 'compare', threads, by, weight, isScaled }),
      (found) => {
        this.#found = found;
        this.#arrange();
        this.#followSelection();
      },
      (message) => this.say(message),
    );
  }

  #showFlame(query: Parameters<CompareFlame['show']>[0]): void {
    if (this.#flame === undefined) {
      this.#flame = new CompareFlame(this.context, (message) => this.say(message));
      this.root.append(...this.#flame.parts);
    }
    this.#flame.show(query);
  }

  /** Why there is nothing to see. */
  #whyNot(): string {
    const { model, actions } = this.context;
    if (model.baseline === undefined) return text(actions.canOpenSource ? 'compare.none' : 'compare.notHere');
    const { name, problem } = model.baseline;
    if (problem === '') return text('compare.reading', { name: plainText(name) });
    return text('compare.failed', { name: plainText(name), what: plainText(problem) });
  }

  #isKnown(weight: Weight): boolean {
    const info = this.context.model.baseline?.info;
    if (weight === 'cpu') return info?.hasCpu === true;
    if (weight === 'heldBytes' || weight === 'counted') return false;
    return !weight.startsWith('alloc') || info?.hasAllocations === true;
  }

  protected stateChanged(state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    if (changed.has('search')) {
      this.#arrange();
      this.#flame?.search(state.search.text);
    }
    if (changed.has('selection')) this.#table.selectKey(this.#selectedKey(state), true);
  }

  /** As in the table of methods. */
  #followSelection(): void {
    const { state } = this.context.store;
    const key = this.#selectedKey(state);
    if (state.selection?.kind === 'method') this.#table.followKey(key);
    else this.#table.selectKey(key, false);
  }

  #selectedKey({ selection }: ViewState): string | undefined {
    const method = this.context.model.methodOf(selection);
    return method === undefined ? undefined : `m${method}`;
  }

  #arrange(): void {
    const found = this.#found;
    const { model, store } = this.context;
    if (found === undefined) return;
    const { weight, comparing } = store.state;
    const difference = found.after.map((now, row) => now - (found.before[row] ?? 0));
    const isTold = (row: number): boolean =>
      comparing.includes('all')
        ? difference[row] !== 0
        : isClear(difference[row] ?? 0, found.noise[row] ?? 0);
    const told = [...difference.keys()].filter(isTold);
    const gone = this.#gone.find(found.names, store.state.search);
    const isMatch = (row: number): boolean => model.matches?.[found.method[row] ?? -1] === 1 || gone.has(row);
    const order = told
      .filter((row) => model.matches === undefined || isMatch(row))
      .sort((one, other) => Math.abs(difference[other] ?? 0) - Math.abs(difference[one] ?? 0));
    this.#order = order;
    this.#largest = Math.abs(difference[order[0] ?? -1] ?? 0);
    this.#said.textContent = this.#sentence(found, weight);
    const nothing =
      told.length > 0 ? 'table.noMatch' : comparing.includes('all') ? 'compare.equal' : 'compare.noneClear';
    this.say(order.length === 0 && !this.#isFlame ? text(nothing) : '');
    this.#table.setColumns(columns(weight, comparing), undefined);
    this.#table.setRows({
      count: order.length,
      key: (row) => {
        const method = this.#method(row);
        return method < 0 ? `b${order[row]}` : `m${method}`;
      },
      cell: (row, id) => this.#cell(found, order[row] ?? 0, id, weight),
    });
  }

  #sentence({ sum }: ComparedMethods, weight: Weight): string {
    const { store, model } = this.context;
    const { baseline, bounds } = model;
    const isChance = !isClear(sum.after - sum.before, sum.noise);
    // Scaled sums are the same but for what a double cannot hold.
    const isSame = Math.abs(sum.after - sum.before) < 0.5;
    const key = isSame ? 'compare.sumSame' : isChance ? 'compare.sumChance' : 'compare.sum';
    const said = text(key, {
      weight: weightName(weight),
      name: plainText(baseline?.name ?? ''),
      lengthBefore: formatLength(baseline?.info?.lengthNs ?? 0),
      lengthAfter: formatLength(bounds.endNs - bounds.beginNs),
      before: formatWeight(weight, sum.before),
      after: formatWeight(weight, sum.after),
      change: changeOf(sum.before, sum.after, weight),
    });
    const { range, comparing } = store.state;
    const name = plainText(baseline?.name ?? '');
    return [
      said,
      ...(comparing.includes('scaled') ? [text('compare.isScaled', { name })] : []),
      ...(range === undefined ? [] : [text('compare.noRange')]),
    ].join('. ');
  }

  #cell(found: ComparedMethods, row: number, id: string, weight: Weight): Cell {
    const method = found.method[row] ?? -1;
    if (id === 'name') {
      if (method >= 0) return nameCell(this.context, method);
      const name = plainText(found.names.get(row) ?? '');
      return { text: name, title: name, isMuted: true };
    }
    const [before, after] = [found.before[row] ?? 0, found.after[row] ?? 0];
    if (id === 'before') return { text: formatWeight(weight, before), isMuted: before === 0 };
    if (id === 'after') return { text: formatWeight(weight, after), isMuted: after === 0 };
    const noise = found.noise[row] ?? 0;
    const isChance = !isClear(after - before, noise);
    const kind = before === 0 ? text('compare.new') : after === 0 ? text('compare.gone') : undefined;
    return {
      text: signed(after - before, weight),
      detail: isChance ? text('compare.chance') : (kind ?? relative(before, after)),
      title: noise > 0 ? text('compare.noise', { noise: formatWeight(weight, noise) }) : '',
      share: this.#largest > 0 ? Math.abs(after - before) / this.#largest : 0,
      tone: after > before ? 'more' : 'less',
      isMuted: isChance,
    };
  }
}

function columns(weight: Weight, comparing: readonly string[]): Column[] {
  const of = { weight: weightName(weight) };
  const isTotal = comparing.includes('total');
  const titleOf = (id: (typeof columnIds)[number]): TextKey =>
    id === 'before' && comparing.includes('scaled') ? 'compare.column.scaled' : `compare.column.${id}`;
  return [
    { id: 'name', title: text('column.name'), width: 0, isSortable: false },
    ...columnIds.map((id) => ({
      id,
      title: text(titleOf(id)),
      hint: text(isTotal ? 'column.total' : 'column.self', of),
      width: widths[id],
      isSortable: false,
    })),
  ];
}
