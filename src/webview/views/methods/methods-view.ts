/** Every method with its figures: sortable, columns chosen, searched. */
import { formatCount, formatShare } from '../../../trace/measure/quantities.js';
import { element, icon } from '../../element.js';
import type { ViewContext } from '../../model.js';
import type { ViewState } from '../../store.js';
import { VirtualTable } from '../../tables/virtual-table.js';
import type { Cell, Column } from '../../tables/virtual-table.js';
import { text } from '../../texts.js';
import { formatWeight, knownWeights, shareOf, weightName } from '../../weights.js';
import type { MethodFigures, Weight } from '../../worker/messages.js';
import { allWeights } from '../../../trace/measure/weights.js';
import { nameCell } from '../name-cell.js';
import { FigureView } from '../view.js';

const figureWidth = 124;

export class MethodsView extends FigureView {
  readonly #table: VirtualTable;
  readonly #chooser: HTMLElement;
  #figures: MethodFigures | undefined;
  /** Rows of `#figures` in the order shown. */
  #order: number[] = [];

  constructor(context: ViewContext) {
    super(context, 'methods');
    this.#table = new VirtualTable(text('view.methods'), false, {
      select: (row) => this.#selectRow(row),
      open: (row, how) => context.actions.openSource(this.#method(row), how),
      activate: (row) => context.actions.showCallers(this.#method(row)),
      menu: (row, x, y) => context.actions.showMenu({ x, y, method: this.#method(row) }),
      sort: (column) => this.#sortBy(column),
    });
    this.#chooser = this.#makeChooser();
    this.root.append(this.#chooser, this.#table.root);
  }

  focus(): void {
    this.#table.focus();
  }

  #method(row: number): number {
    return this.#figures?.method[this.#order[row] ?? -1] ?? 0;
  }

  #selectRow(row: number): void {
    this.context.store.set({ selection: { kind: 'method', method: this.#method(row) } });
  }

  #sortBy(column: string): void {
    const { sort } = this.context.store.state;
    const descending = sort.column === column ? !sort.descending : column !== 'name';
    this.context.store.set({ sort: { column, descending } });
  }

  protected load(): void {
    const { model, store, actions } = this.context;
    this.latest.take(
      actions.ask({ kind: 'methods', scope: model.scope(store.state) }),
      (figures) => {
        this.#figures = figures;
        this.#arrange();
        this.#followSelection();
      },
      (message) => this.say(message),
    );
  }

  protected stateChanged(state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    if (changed.has('sort') || changed.has('search') || changed.has('columns')) this.#arrange();
    if (changed.has('selection')) this.#table.selectKey(this.#selectedKey(state), true);
  }

  /** To a method, where one asked for it; who comes with a call of the chart sees the first rows. */
  #followSelection(): void {
    const { state } = this.context.store;
    const key = this.#selectedKey(state);
    if (state.selection?.kind === 'method') this.#table.followKey(key);
    else this.#table.selectKey(key, false);
  }

  #selectedKey({ selection }: ViewState): string | undefined {
    const method = this.context.model.methodOf(selection);
    return method === undefined ? undefined : String(method);
  }

  /** Extra columns: `self.cpu`, `total.allocatedBytes`, `calls`. */
  #columns(): Column[] {
    const { weight, columns } = this.context.store.state;
    const figure = (id: string, title: string, hint: string): Column => ({
      id,
      title,
      hint,
      width: figureWidth,
      isSortable: true,
    });
    const shown = [
      { id: 'name', title: text('column.name'), width: 0, isSortable: true },
      figure('self', text('column.self', { weight: weightName(weight) }), text('column.self.hint')),
      figure('total', text('column.total', { weight: weightName(weight) }), text('column.total.hint')),
    ];
    for (const id of this.#choices()) {
      if (columns.includes(id)) shown.push(figure(id, this.#title(id), ''));
    }
    return shown;
  }

  #choices(): string[] {
    const known = knownWeights(this.context.model.snapshot);
    return ['calls', ...known.flatMap((weight) => [`self.${weight}`, `total.${weight}`])];
  }

  #title(id: string): string {
    if (id === 'calls') return text('column.calls');
    const [part, weight] = id.split('.') as ['self' | 'total', Weight];
    return text(`column.${part}`, { weight: weightName(weight) });
  }

  #value(figures: MethodFigures, row: number, column: string): number {
    const { weight } = this.context.store.state;
    if (column === 'calls') return figures.calls[row] ?? 0;
    const [part, named] = column.split('.');
    const by = allWeights.find((one) => one === named) ?? weight;
    return (part === 'total' ? figures.total : figures.self)[by][row] ?? 0;
  }

  #arrange(): void {
    const figures = this.#figures;
    if (figures === undefined) return;
    const { names, matches } = this.context.model;
    const { sort, weight } = this.context.store.state;
    const columns = this.#columns();
    const order: number[] = [];
    for (let row = 0; row < figures.count; row++) {
      if (matches === undefined || matches[figures.method[row] ?? 0] === 1) order.push(row);
    }
    const column = columns.some((one) => one.id === sort.column) ? sort.column : 'self';
    const sign = sort.descending ? -1 : 1;
    if (column === 'name') {
      const name = (row: number): string => names.short(figures.method[row] ?? 0);
      const compare = new Intl.Collator('en').compare;
      order.sort((one, other) => sign * compare(name(one), name(other)));
    } else {
      const key = Float64Array.from({ length: figures.count }, (_, row) => this.#value(figures, row, column));
      order.sort((one, other) => sign * ((key[one] ?? 0) - (key[other] ?? 0)) || one - other);
    }
    this.#order = order;
    this.#table.setColumns(columns, { column, descending: sort.descending });
    this.say(order.length === 0 ? text(matches === undefined ? 'table.empty' : 'table.noMatch') : '');
    this.#table.setRows({
      count: order.length,
      key: (row) => String(this.#method(row)),
      cell: (row, id) => this.#cell(figures, order[row] ?? 0, id, weight),
    });
  }

  #cell(figures: MethodFigures, row: number, id: string, weight: Weight): Cell {
    const method = figures.method[row] ?? 0;
    if (id === 'name') return nameCell(this.context, method);
    const value = this.#value(figures, row, id);
    if (id === 'calls') return { text: formatCount(value), isMuted: value === 0 };
    const by = allWeights.find((one) => id.endsWith(`.${one}`)) ?? weight;
    const share = shareOf(value, figures.sum[by]);
    return {
      text: formatWeight(by, value),
      isMuted: value === 0,
      ...((id === 'self' || id === 'total') && { detail: formatShare(share), share }),
    };
  }

  #makeChooser(): HTMLElement {
    const list = element('div', { class: 'column-list', role: 'group', 'aria-label': text('column.choose') });
    list.hidden = true;
    const button = element(
      'button',
      {
        class: 'icon-button column-button',
        type: 'button',
        title: text('column.choose'),
        'aria-label': text('column.choose'),
        'aria-expanded': 'false',
      },
      icon('panel'),
    );
    const show = (isShown: boolean): void => {
      list.hidden = !isShown;
      button.setAttribute('aria-expanded', String(isShown));
      if (isShown) this.#fillChooser(list);
    };
    button.addEventListener('click', () => show(list.hidden !== false));
    const chooser = element('div', { class: 'column-chooser' }, button, list);
    chooser.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || list.hidden) return;
      event.stopPropagation();
      show(false);
      button.focus();
    });
    return chooser;
  }

  #fillChooser(list: HTMLElement): void {
    const { store } = this.context;
    list.replaceChildren(
      ...this.#choices().map((id) => {
        const box = element('input', { type: 'checkbox' });
        box.checked = store.state.columns.includes(id);
        box.addEventListener('change', () => {
          const others = store.state.columns.filter((one) => one !== id);
          store.set({ columns: box.checked ? [...others, id] : others });
        });
        return element('label', {}, box, this.#title(id));
      }),
    );
  }
}
