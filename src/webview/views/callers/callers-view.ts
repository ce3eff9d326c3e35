/** One method between its callers and its callees; a double click on either makes that the middle. */
import { formatShare } from '../../../trace/measure/quantities.js';
import { element } from '../../element.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import type { ViewState } from '../../store.js';
import { VirtualTable } from '../../tables/virtual-table.js';
import { text } from '../../texts.js';
import { formatWeight, shareOf, weightName } from '../../weights.js';
import type { Neighbours, Scope, TreeNodes, Weight } from '../../worker/messages.js';
import { nameCell } from '../name-cell.js';
import { FigureView } from '../view.js';

export class CallersView extends FigureView {
  readonly #callers: VirtualTable;
  readonly #callees: VirtualTable;
  readonly #callersTitle = element('h2', { class: 'view-title' }, text('callers.callers'));
  readonly #calleesTitle = element('h2', { class: 'view-title' }, text('callers.callees'));
  readonly #middle = element('div', { class: 'callers-middle' });
  #nodes: { callers: TreeNodes; callees: TreeNodes } | undefined;
  #method: number | undefined;

  constructor(context: ViewContext) {
    super(context, 'callers');
    this.#callers = this.#table(text('callers.callers'), () => this.#nodes?.callers);
    this.#callees = this.#table(text('callers.callees'), () => this.#nodes?.callees);
    this.root.append(
      this.#callersTitle,
      this.#callers.root,
      this.#middle,
      this.#calleesTitle,
      this.#callees.root,
    );
  }

  focus(): void {
    this.#callers.focus();
  }

  #table(label: string, nodes: () => TreeNodes | undefined): VirtualTable {
    const { actions } = this.context;
    const method = (row: number): number => nodes()?.method[row] ?? 0;
    return new VirtualTable(label, false, {
      select: () => undefined,
      open: (row, how) => actions.openSource(method(row), how),
      activate: (row) => actions.showCallers(method(row)),
      menu: (row, x, y) => actions.showMenu({ x, y, method: method(row) }),
    });
  }

  protected load(): void {
    const { model, store } = this.context;
    this.#method = model.methodOf(store.state.selection) ?? this.#method;
    const method = this.#method;
    const { weight } = store.state;
    const scope = model.scope(store.state);
    this.latest.take(
      this.#neighbours(method, scope, weight),
      (found) => {
        this.say(found === undefined ? text('callers.none') : '');
        if (found === undefined) this.#middle.replaceChildren();
        else this.#show(found.method, found.neighbours);
      },
      (message) => this.say(message),
    );
  }

  /** Of the hottest method, until one is selected. */
  async #neighbours(
    selected: number | undefined,
    scope: Scope,
    weight: Weight,
  ): Promise<{ method: number; neighbours: Neighbours } | undefined> {
    const { actions, model } = this.context;
    const { myPackages } = model;
    const hottest = async (): Promise<number | undefined> =>
      (await actions.ask({ kind: 'hot', scope, weight, myPackages })).rows[0]?.method;
    const method = selected ?? (await hottest());
    if (method === undefined) return undefined;
    return { method, neighbours: await actions.ask({ kind: 'neighbours', scope, weight, method }) };
  }

  protected stateChanged(state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    const method = this.context.model.methodOf(state.selection);
    if (changed.has('selection') && method !== undefined && method !== this.#method) this.invalidate();
    else if (changed.has('search')) {
      this.#callers.render();
      this.#callees.render();
    }
  }

  #show(method: number, found: Neighbours): void {
    this.#nodes = found;
    const { names } = this.context.model;
    const { weight } = this.context.store.state;
    const { actions } = this.context;
    const name = names.short(method);
    const open = actions.canOpenSource
      ? element('button', { class: 'link-button callers-name', type: 'button' }, name)
      : element('span', { class: 'callers-name' }, name);
    open.title = plainText(names.qualified(method));
    open.addEventListener('click', (event) =>
      actions.openSource(method, event.ctrlKey || event.metaKey ? 'replace' : 'go'),
    );
    const figure = (key: 'details.self' | 'details.total', value: number): HTMLElement =>
      element(
        'span',
        {},
        `${text(key)} ${formatWeight(weight, value)} (${formatShare(shareOf(value, found.sum))})`,
      );
    this.#middle.replaceChildren(
      open,
      figure('details.total', found.total),
      figure('details.self', found.self),
    );
    const { callers, callees } = found;
    this.#callersTitle.textContent = text(callers.count > 0 ? 'callers.callers' : 'callers.noCallers');
    this.#calleesTitle.textContent = text(callees.count > 0 ? 'callers.callees' : 'callers.noCallees');
    this.#fill(this.#callers, callers, found.total);
    this.#fill(this.#callees, callees, found.total);
  }

  #fill(table: VirtualTable, nodes: TreeNodes, sum: number): void {
    const { weight } = this.context.store.state;
    table.setColumns(
      [
        { id: 'name', title: text('column.name'), width: 0, isSortable: false },
        { id: 'total', title: weightName(weight), width: 150, isSortable: false },
      ],
      undefined,
    );
    table.setRows({
      count: nodes.count,
      key: (row) => String(nodes.method[row]),
      cell: (row, column) => {
        const method = nodes.method[row] ?? 0;
        if (column === 'name') {
          return nameCell(this.context, method);
        }
        const value = nodes.total[row] ?? 0;
        const share = shareOf(value, sum);
        return { text: formatWeight(weight, value), detail: formatShare(share), share };
      },
    });
  }
}
