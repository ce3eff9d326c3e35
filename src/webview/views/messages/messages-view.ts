/**
 * What a message loop's thread did with each message, or carriers with each virtual thread, the longest first: picks the range
 * that all views are of.
 */
import { hangNs, missedFrameNs } from '../../../trace/measure/messages.js';
import { formatCount, formatNs, formatShare } from '../../../trace/measure/quantities.js';
import type { ViewContext } from '../../model.js';
import { plainText, shownThreadName } from '../../names.js';
import type { ViewState } from '../../store.js';
import { VirtualTable } from '../../tables/virtual-table.js';
import type { Cell, Column } from '../../tables/virtual-table.js';
import { text } from '../../texts.js';
import { waitKindName } from '../../timeline/waits.js';
import { shareOf } from '../../weights.js';
import type { MessageRows } from '../../worker/messages.js';
import { nameCell } from '../name-cell.js';
import { FigureView } from '../view.js';
import { WaitPlacesTable } from './wait-places-table.js';

/** Of a message's length, on each side of it on the timeline. */
const margin = 0.1;

const columnIds = ['id', 'begin', 'wall', 'cpu', 'wait', 'waited', 'longest'] as const;
type ColumnId = (typeof columnIds)[number];
/** With the waits of virtual threads there are many columns: on a usual screen beside the details none is cut off. */
const narrow: Record<ColumnId, number> = {
  id: 100,
  begin: 95,
  wall: 110,
  cpu: 130,
  wait: 130,
  waited: 145,
  longest: 105,
};
const waitColumns: ReadonlySet<ColumnId> = new Set(['waited', 'longest']);

export class MessagesView extends FigureView {
  readonly #table: VirtualTable;
  readonly #places: WaitPlacesTable;
  #figures: MessageRows | undefined;
  /** Rows of `#figures` in the order shown. */
  #order: readonly number[] = [];
  #sort: { column: ColumnId; descending: boolean } = { column: 'wall', descending: true };

  constructor(context: ViewContext) {
    super(context, 'messages');
    this.#table = new VirtualTable(text('view.messages'), false, {
      select: (row) => this.#pick(row),
      open: (row) => this.#show(row),
      sort: (column) => this.#sortBy(column),
    });
    this.#places = new WaitPlacesTable(context);
    this.root.append(this.#table.root, this.#places.root);
  }

  focus(): void {
    this.#table.focus();
  }

  protected load(): void {
    const { model, store, actions } = this.context;
    this.latest.take(
      // Of all of the time: the range is what this list chooses.
      actions.ask({ kind: 'messages', threads: model.scope(store.state).threads }),
      (figures) => {
        this.#figures = figures;
        this.#table.root.hidden = figures.count === 0;
        const name = text(model.hasVirtualThreads ? 'view.virtualThreads' : 'view.messages');
        for (const part of [this.root, this.#table.root]) part.setAttribute('aria-label', name);
        this.say(note(figures, model.hasVirtualThreads));
        this.#places.show(figures.places);
        this.#arrange();
      },
      (message) => this.say(message),
    );
  }

  protected stateChanged(state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    if (changed.has('search')) this.#arrange();
    if (changed.has('range') && state.range === undefined) this.#table.selectKey(undefined, false);
  }

  #pick(row: number): void {
    const at = this.#order[row];
    const figures = this.#figures;
    if (at === undefined || figures === undefined) return;
    const beginNs = figures.begin[at] ?? 0;
    const endNs = figures.end[at] ?? 0;
    const around = (endNs - beginNs) * margin;
    const { bounds } = this.context.model;
    this.context.store.set({
      range: { beginNs, endNs },
      viewport: {
        beginNs: Math.max(bounds.beginNs, beginNs - around),
        endNs: Math.min(bounds.endNs, endNs + around),
      },
    });
  }

  #show(row: number): void {
    this.#pick(row);
    this.context.store.set({ view: 'timeline' });
    this.context.actions.focusView();
  }

  #sortBy(column: string): void {
    const found = columnIds.find((one) => one === column);
    if (found === undefined) return;
    const descending =
      this.#sort.column === found ? !this.#sort.descending : found !== 'begin' && found !== 'id';
    this.#sort = { column: found, descending };
    this.#arrange();
  }

  #columns(isVirtual: boolean): Column[] {
    const hasCpu = this.context.model.snapshot?.info.hasCpu === true;
    const hasWaits = (this.#figures?.places.count ?? 0) > 0;
    const known = columnIds.filter(
      (id) =>
        (id !== 'cpu' || hasCpu) &&
        (id !== 'id' || isVirtual) &&
        (!waitColumns.has(id) || (isVirtual && hasWaits)),
    );
    return [
      {
        id: 'name',
        title: text(isVirtual ? 'messages.virtual.what' : 'messages.what'),
        hint: text(isVirtual ? 'messages.virtual.what.hint' : 'messages.what.hint'),
        width: 0,
        isSortable: false,
      },
      ...known.map((id) => ({
        id,
        title: titleOf(id),
        ...(id === 'waited' && { hint: text('messages.virtual.waited.hint') }),
        width: hasWaits ? narrow[id] : id === 'wall' ? 190 : 130,
        isSortable: true,
      })),
    ];
  }

  #value(at: number, column: ColumnId): number {
    const figures = this.#figures;
    if (figures === undefined) return 0;
    return figures[column][at] ?? 0;
  }

  #arrange(): void {
    const figures = this.#figures;
    if (figures === undefined) return;
    const { column, descending } = this.#sort;
    const sign = descending ? -1 : 1;
    this.#order = Array.from({ length: figures.count }, (_, at) => at).sort(
      (one, other) => sign * (this.#value(one, column) - this.#value(other, column)) || one - other,
    );
    this.#table.setColumns(this.#columns(figures.isVirtual), { column, descending });
    this.#table.setRows({
      count: this.#order.length,
      cell: (row, id) => this.#cell(figures, this.#order[row] ?? 0, id),
      key: (row) => String(this.#order[row] ?? -1),
    });
  }

  #cell(figures: MessageRows, at: number, id: string): Cell {
    const { model } = this.context;
    if (id === 'name') {
      const method = figures.method[at] ?? -1;
      const several = (figures.wall[at] ?? 0) > 0 ? text('messages.nothing') : '–';
      const cell: Cell = method < 0 ? { text: several, isMuted: true } : nameCell(this.context, method);
      const thread = model.thread(figures.thread[at] ?? 0);
      const hint = text(figures.isVirtual ? 'messages.virtual.id' : 'messages.id', {
        id: figures.id[at] ?? 0,
        thread: thread === undefined ? '' : shownThreadName(thread),
      });
      return { ...cell, title: cell.title === undefined ? hint : `${cell.title}\n${hint}` };
    }
    const value = this.#value(at, id as ColumnId);
    if (id === 'id') return { text: `#${value}` };
    if (id === 'begin') return { text: formatNs(value - model.originNs) };
    if (id === 'longest') return { text: formatNs(value) };
    if (id === 'waited') return this.#waitedCell(figures, at);
    const wall = this.#value(at, 'wall');
    if (id !== 'wall') return { text: formatNs(value), detail: formatShare(shareOf(value, wall)) };
    if (figures.isVirtual || wall <= missedFrameNs) return { text: formatNs(wall) };
    return { text: formatNs(wall), detail: text(wall >= hangNs ? 'messages.hang' : 'messages.missedFrame') };
  }

  #waitedCell({ waited, waits, waitKind, waitMethod }: MessageRows, at: number): Cell {
    const method = waitMethod[at] ?? -1;
    const cell = {
      text: formatNs(waited[at] ?? 0),
      detail: text('messages.virtual.times', { count: formatCount(waits[at] ?? 0) }),
    };
    if (method < 0) return cell;
    const what = waitKindName(waitKind[at] ?? 0);
    const where = plainText(this.context.model.names.qualified(method));
    return { ...cell, title: text('messages.virtual.mostWaited', { what, method: where }) };
  }
}

function titleOf(id: ColumnId): string {
  if (id === 'id') return text('messages.virtual');
  if (id === 'waited' || id === 'longest') return text(`messages.virtual.${id}`);
  return id === 'begin' ? text('details.begins') : text(`weight.${id}`);
}

/** What is not in the table. */
function note({ count, all }: MessageRows, areVirtual: boolean): string {
  if (count === 0) return text(areVirtual ? 'messages.virtual.none' : 'messages.none');
  return count < all
    ? text('messages.virtual.most', { count: formatCount(count), all: formatCount(all) })
    : '';
}
