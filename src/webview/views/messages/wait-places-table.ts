/** Where virtual threads waited while they were off their carriers: what for, how often, how long; the most first. */
import { formatCount, formatNs } from '../../../trace/measure/quantities.js';
import { SampleKind } from '../../../trace/model/kinds.js';
import type { OffCarrierWaitPlaces } from '../../../trace/measure/off-carrier-waits.js';
import { element } from '../../element.js';
import type { ViewContext } from '../../model.js';
import { VirtualTable } from '../../tables/virtual-table.js';
import type { Cell } from '../../tables/virtual-table.js';
import { text } from '../../texts.js';
import { waitKindName } from '../../timeline/waits.js';
import { nameCell } from '../name-cell.js';

export class WaitPlacesTable {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #table: VirtualTable;
  readonly #title = element('h2', { class: 'view-title' });
  readonly #notSeen = element('p', { class: 'view-note' }, text('messages.virtual.notSeen'));
  #places: OffCarrierWaitPlaces | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#table = new VirtualTable(text('messages.virtual.where'), false, {
      select: () => undefined,
      open: (row, how) => {
        const method = this.#places?.method[row] ?? -1;
        if (method >= 0) context.actions.openSource(method, how);
      },
      menu: (row, x, y) => context.actions.showMenu({ x, y, method: this.#places?.method[row] ?? -1 }),
    });
    this.root = element('div', { class: 'wait-places' });
    const column = (id: string, name: string, width: number) => ({
      id,
      title: name,
      width,
      isSortable: false,
    });
    this.#table.setColumns(
      [
        column('method', text('column.name'), 0),
        column('kind', text('messages.virtual.for'), 190),
        column('total', text('messages.virtual.waited'), 130),
        column('longest', text('messages.virtual.longest'), 130),
      ],
      undefined,
    );
  }

  /** Nothing at all where there are none. */
  show(places: OffCarrierWaitPlaces): void {
    this.#places = places;
    this.root.replaceChildren(...(places.count === 0 ? [] : [this.#title, this.#table.root, this.#notSeen]));
    const { leftOut, leftOutNs } = places;
    this.#title.textContent =
      leftOut === 0
        ? text('messages.virtual.where')
        : text('messages.virtual.whereMost', { count: formatCount(leftOut), time: formatNs(leftOutNs) });
    this.#table.setRows({
      count: places.count,
      cell: (row, id) => this.#cell(places, row, id),
      key: (row) => `${places.kind[row]} ${places.method[row]}`,
    });
  }

  #cell({ kind, method, waits, total, longest }: OffCarrierWaitPlaces, row: number, id: string): Cell {
    const of = kind[row] ?? SampleKind.Unknown;
    if (id === 'kind')
      return { text: of === SampleKind.Unknown ? text('messages.virtual.unknown') : waitKindName(of) };
    if (id === 'longest') return { text: formatNs(longest[row] ?? 0) };
    if (id === 'total') {
      const times = text('messages.virtual.times', { count: formatCount(waits[row] ?? 0) });
      return { text: formatNs(total[row] ?? 0), detail: times };
    }
    const at = method[row] ?? -1;
    return at < 0 ? { text: text('messages.virtual.unknown'), isMuted: true } : nameCell(this.#context, at);
  }
}
