/** Call tree (from the outermost calls down) and bottom-up tree (from methods to their callers). Children come when opened. */
import { formatCount, formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import type { OpenRows, ViewState } from '../store.js';
import { VirtualTable } from '../tables/virtual-table.js';
import type { Cell } from '../tables/virtual-table.js';
import { text } from '../texts.js';
import { formatWeight, shareOf, weightName } from '../weights.js';
import type { TreeDirection, TreeNodes } from '../worker/messages.js';
import { nameCell } from './name-cell.js';
import { FigureView } from './view.js';

interface TreeRow {
  readonly nodes: TreeNodes;
  readonly at: number;
  readonly path: readonly number[];
  readonly key: string;
  /** Rows that are their caller's only callee (bottom-up: the other way round) stand in no further than that. */
  readonly indent: number;
  readonly isChained: boolean;
  isExpanded: boolean;
}

/** At first the heaviest way down opens by itself while it holds this much of its caller: nobody wants to click through `main`. */
const openShare = 0.4;
const mostOpenedAtOnce = 40;
/** Rows of a chain that open with its first one: frameworks' stacks are 60 to 120 deep. */
const mostOfChain = 250;
/** Open rows that a reload brings back; letters, as they are written while a person drags. */
const mostKeptLetters = 10_000;

export class TreeView extends FigureView {
  readonly #table: VirtualTable;
  readonly #direction: TreeDirection;
  readonly #tree: keyof OpenRows;
  #rows: TreeRow[] = [];
  /** Paths that were open, so that a new scope shows the same places. */
  readonly #open = new Set<string>();

  constructor(context: ViewContext, direction: TreeDirection) {
    const tree = direction === 'down' ? 'callTree' : 'bottomUp';
    super(context, tree);
    this.#direction = direction;
    this.#tree = tree;
    for (const key of context.store.state.openRows[tree] ?? []) this.#open.add(key);
    context.store.onChange(({ openRows }, changed) => {
      if (changed.has('openRows') && openRows[tree] === undefined) this.#open.clear();
    });
    this.#table = new VirtualTable(text(`view.${this.name}`), true, {
      select: (row) => this.#select(row),
      open: (row, how) => context.actions.openSource(this.#method(row), how),
      activate: (row) => context.actions.showCallers(this.#method(row)),
      menu: (row, x, y) =>
        context.actions.showMenu({ x, y, method: this.#method(row), stack: this.#stack(row) }),
      toggle: (row, expand) => this.#toggle(row, expand),
    });
    this.root.append(this.#table.root);
  }

  focus(): void {
    this.#table.focus();
  }

  #method(row: number): number {
    const shown = this.#rows[row];
    return shown?.nodes.method[shown.at] ?? 0;
  }

  /** From the innermost one: a row's path begins with the outermost one, or, in bottom-up, with the innermost. */
  #stack(row: number): readonly number[] {
    const path = this.#rows[row]?.path ?? [];
    return this.#direction === 'down' ? path.toReversed() : path;
  }

  #select(row: number): void {
    this.context.store.set({ selection: { kind: 'method', method: this.#method(row) } });
  }

  async #children(parent?: TreeRow): Promise<TreeRow[]> {
    const path = parent?.path ?? [];
    const { model, store, actions } = this.context;
    const { weight } = store.state;
    const scope = model.scope(store.state);
    const nodes = await actions.ask({ kind: 'tree', scope, direction: this.#direction, weight, path });
    const isChained = parent !== undefined && nodes.count === 1;
    const indent = parent === undefined ? 0 : parent.indent + (isChained ? 0 : 1);
    return Array.from({ length: nodes.count }, (_, at) => {
      const below = [...path, nodes.method[at] ?? 0];
      return { nodes, at, path: below, key: below.join('/'), indent, isChained, isExpanded: false };
    });
  }

  /** The rows below one that is opened. Where there is no choice, what is below that, too. */
  async #opened(row: TreeRow): Promise<TreeRow[]> {
    const rows: TreeRow[] = [];
    const keys: string[] = [];
    for (let last = row; ;) {
      const children = await this.#children(last);
      keys.push(last.key);
      if (last !== row) last.isExpanded = true;
      rows.push(...children);
      const [only] = children;
      if (children.length !== 1 || only === undefined || keys.length >= mostOfChain) break;
      if (only.nodes.hasChildren[only.at] !== 1) break;
      last = only;
    }
    for (const key of keys) this.#open.add(key);
    return rows;
  }

  protected load(): void {
    this.latest.take(
      this.#loadOpen(),
      (rows) => {
        this.#rows = rows;
        this.#keepOpen();
        this.#show();
      },
      (message) => this.say(message),
    );
  }

  /** The roots, and again what was open. */
  async #loadOpen(): Promise<TreeRow[]> {
    const isFirst = this.context.store.state.openRows[this.#tree] === undefined;
    const rows = await this.#children();
    let opened = 0;
    // The row whose first child may open by itself, and what it weighs.
    let way = { level: 0, total: 0 };
    for (let at = 0; at < rows.length && opened < mostOpenedAtOnce * 8; at++) {
      const row = rows[at];
      if (row === undefined || row.nodes.hasChildren[row.at] !== 1) continue;
      const total = row.nodes.total[row.at] ?? 0;
      const isWay = row.path.length === way.level + 1 && row.at === 0 && total >= way.total * openShare;
      const opensItself = isFirst && this.#direction === 'down' && isWay && opened < mostOpenedAtOnce;
      if (!this.#open.has(row.key) && !opensItself) continue;
      if (opensItself) way = { level: row.path.length, total };
      this.#open.add(row.key);
      row.isExpanded = true;
      opened++;
      rows.splice(at + 1, 0, ...(await this.#children(row)));
    }
    return rows;
  }

  #toggle(at: number, expand: boolean): void {
    const row = this.#rows[at];
    if (row === undefined) return;
    if (!expand) {
      this.#open.delete(row.key);
      this.#keepOpen();
      row.isExpanded = false;
      let end = at + 1;
      while ((this.#rows[end]?.path.length ?? 0) > row.path.length) end++;
      this.#rows.splice(at + 1, end - at - 1);
      this.#show();
      return;
    }
    this.#open.add(row.key);
    this.#keepOpen();
    this.latest.take(
      this.#opened(row),
      (below) => {
        row.isExpanded = true;
        const now = this.#rows.indexOf(row);
        if (now >= 0) this.#rows.splice(now + 1, 0, ...below);
        this.#keepOpen();
        this.#show();
      },
      (message) => this.say(message),
    );
  }

  /** The outer ones first: what is within one that is closed is not seen. */
  #keepOpen(): void {
    const kept = [...this.#open].sort((one, other) => one.length - other.length);
    let letters = 0;
    const end = kept.findIndex((key) => (letters += key.length) > mostKeptLetters);
    const { store } = this.context;
    const rows = end < 0 ? kept : kept.slice(0, end);
    store.set({ openRows: { ...store.state.openRows, [this.#tree]: rows } });
  }

  protected stateChanged(_state: ViewState, changed: ReadonlySet<keyof ViewState>): void {
    if (changed.has('search')) this.#table.render();
  }

  #show(): void {
    const { weight } = this.context.store.state;
    const figure = { width: 132, isSortable: false };
    this.#table.setColumns(
      [
        { id: 'name', title: text('column.name'), width: 0, isSortable: false },
        {
          id: 'total',
          title: text('column.total', { weight: weightName(weight) }),
          hint: text('column.total.hint'),
          ...figure,
        },
        {
          id: 'self',
          title: text('column.self', { weight: weightName(weight) }),
          hint: text('column.self.hint'),
          ...figure,
        },
        {
          id: 'calls',
          title: text('column.calls'),
          hint: text('column.calls.hint'),
          width: 76,
          isSortable: false,
        },
      ],
      undefined,
    );
    this.say(this.#rows.length === 0 ? text('table.empty') : '');
    const rows = this.#rows;
    this.#table.setRows({
      count: rows.length,
      key: (row) => rows[row]?.key ?? '',
      level: (row) => (rows[row]?.path.length ?? 1) - 1,
      indent: (row) => rows[row]?.indent ?? 0,
      isChained: (row) => rows[row]?.isChained === true,
      isExpanded: (row) => {
        const shown = rows[row];
        return shown === undefined || shown.nodes.hasChildren[shown.at] !== 1 ? undefined : shown.isExpanded;
      },
      cell: (row, column) => this.#cell(rows[row], column),
    });
  }

  #cell(row: TreeRow | undefined, column: string): Cell {
    if (row === undefined) return { text: '' };
    const { nodes, at } = row;
    const { weight } = this.context.store.state;
    if (column === 'name') return nameCell(this.context, nodes.method[at] ?? 0);
    if (column === 'calls') return { text: formatCount(nodes.calls[at] ?? 0) };
    const value = (column === 'total' ? nodes.total : nodes.self)[at] ?? 0;
    const share = shareOf(value, nodes.sum);
    const figure = { text: formatWeight(weight, value), detail: formatShare(share), isMuted: value === 0 };
    return column === 'total' ? { ...figure, share } : figure;
  }
}
