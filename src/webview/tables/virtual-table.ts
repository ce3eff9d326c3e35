/**
 * A table of any length of which only the rows on screen have elements. The rows are one tab stop: arrows walk them, Left and
 * Right close and open a row that has children and scroll to columns that are out of sight, Enter opens the source. With
 * Shift they move the edge between names and figures. Heads of columns that can be sorted by are buttons.
 */
import type { SourceOpening } from '../../protocol/messages.js';
import { openingOf } from '../source-opening.js';
import { isMenuKey } from '../menu-request.js';
import { element, icon, replaceContent } from '../element.js';
import type { Child } from '../element.js';

export interface Column {
  readonly id: string;
  readonly title: string;
  /** Explains the figure. */
  readonly hint?: string;
  /** CSS pixels; the first column takes what is left. */
  readonly width: number;
  readonly isSortable: boolean;
}

export interface Cell {
  readonly text: string;
  readonly title?: string;
  /** 0–1: drawn as a bar behind the figure. */
  readonly share?: number;
  readonly detail?: string;
  /** How the bar is meant, where it is of a difference. */
  readonly tone?: 'more' | 'less';
  readonly isMuted?: boolean;
  readonly isMatch?: boolean;
  readonly hue?: string;
}

export interface RowSource {
  readonly count: number;
  cell(row: number, column: string): Cell;
  /** 0 for the outermost. */
  level?(row: number): number;
  /** Steps that the row stands in; absent: its level. */
  indent?(row: number): number;
  /** The row above is its parent and stands in as far. */
  isChained?(row: number): boolean;
  /** undefined: nothing below it. */
  isExpanded?(row: number): boolean | undefined;
  /** The same thing keeps its key when rows move. */
  key(row: number): string;
}

export interface TableListener {
  select(row: number): void;
  open(row: number, how: SourceOpening): void;
  activate?(row: number): void;
  toggle?(row: number, expand: boolean): void;
  sort?(column: string): void;
  /** A right click, or the menu key, on a row; `x` and `y` are of the window. */
  menu?(row: number, x: number, y: number): void;
}

export interface Sorted {
  readonly column: string;
  readonly descending: boolean;
}

const rowHeight = 22;
/** The head stays in sight over the rows. */
const headHeight = 24;
const indent = 14;
/** Of the first column. */
const mostIndentShare = 0.4;
/** About a column. */
const sidewaysStep = 80;
/** Of the first column, in CSS pixels. */
const leastNameWidth = 180;
const leastFigureWidth = 40;
const mostFigureWidth = 600;
/** How much wider or narrower the columns of figures become by a key. */
const figureStep = 1.15;
const emptyRows: RowSource = { count: 0, cell: () => ({ text: '' }), key: () => '' };

let lastTable = 0;

export class VirtualTable {
  readonly root: HTMLElement;
  readonly #head = element('div', { class: 'table-head', role: 'row' });
  readonly #headGroup: HTMLElement;
  readonly #spacer = element('div', { class: 'table-spacer', role: 'rowgroup' });
  readonly #listener: TableListener;
  readonly #id = `table-${++lastTable}`;
  readonly #isTree: boolean;
  #columns: readonly Column[] = [];
  /** By column, CSS pixels that a person chose. */
  readonly #chosenWidths = new Map<string, number>();
  #rows: RowSource = emptyRows;
  #selectedKey: string | undefined;
  /** The last one that was scrolled to. */
  #revealedKey: string | undefined;
  #selectedRow = -1;
  #frame = 0;

  constructor(label: string, isTree: boolean, listener: TableListener) {
    this.#listener = listener;
    this.#isTree = isTree;
    this.#headGroup = element('div', { role: 'rowgroup', class: 'table-head-group' }, this.#head);
    this.root = element(
      'div',
      { class: 'table', role: isTree ? 'treegrid' : 'grid', tabindex: 0, 'aria-label': label },
      this.#headGroup,
      this.#spacer,
    );
    this.root.addEventListener('scroll', () => this.#renderSoon());
    this.root.addEventListener('keydown', (event) => this.#key(event));
    this.#spacer.addEventListener('click', (event) => this.#click(event));
    this.#spacer.addEventListener('dblclick', (event) => {
      const row = this.#rowOf(event);
      if (row >= 0) this.#listener.activate?.(row);
    });
    this.#spacer.addEventListener('contextmenu', (event) => {
      const row = this.#rowOf(event);
      if (row < 0) return;
      event.preventDefault();
      this.root.focus();
      this.#select(row);
      this.#listener.menu?.(row, event.clientX, event.clientY);
    });
    new ResizeObserver(() => this.#renderSoon()).observe(this.root);
  }

  setColumns(columns: readonly Column[], sorted: Sorted | undefined): void {
    this.#columns = columns;
    this.#placeColumns();
    replaceContent(this.#head, this.root, ...columns.map((column, at) => this.#headCell(column, at, sorted)));
    this.root.setAttribute('aria-colcount', String(columns.length));
    this.#renderSoon();
  }

  #widthOf({ id, width }: Column): number {
    return this.#chosenWidths.get(id) ?? width;
  }

  #placeColumns(): void {
    const [, ...figures] = this.#columns;
    const widths = figures.map((column) => this.#widthOf(column));
    const template = [
      `minmax(${leastNameWidth}px, 1fr)`,
      ...widths.map((width) => `calc(${width}px * var(--figure-scale, 1))`),
    ];
    this.root.style.setProperty('--columns', template.join(' '));
    const sum = widths.reduce((all, width) => all + width, 0);
    this.root.style.setProperty(
      '--least-width',
      `calc(${leastNameWidth}px + ${sum}px * var(--figure-scale, 1))`,
    );
  }

  /** The left edge of a figure's head: a drag moves it, a double click puts it back. */
  #edge(column: Column): HTMLElement {
    const edge = element('span', { class: 'table-edge' });
    edge.addEventListener('pointerdown', (down) => {
      if (down.button !== 0) return;
      down.preventDefault();
      edge.setPointerCapture(down.pointerId);
      const before = this.#widthOf(column);
      const move = ({ clientX }: PointerEvent): void =>
        this.#setWidth(column, before + down.clientX - clientX);
      edge.addEventListener('pointermove', move);
      edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', move), {
        once: true,
      });
    });
    edge.addEventListener('dblclick', () => {
      this.#chosenWidths.delete(column.id);
      this.#placeColumns();
    });
    return edge;
  }

  #setWidth({ id }: Column, width: number): void {
    this.#chosenWidths.set(id, Math.max(leastFigureWidth, Math.min(mostFigureWidth, Math.round(width))));
    this.#placeColumns();
  }

  /** By keys there is one edge: that between names and all figures. */
  #scaleFigures(by: number): void {
    for (const column of this.#columns.slice(1)) this.#setWidth(column, this.#widthOf(column) * by);
  }

  #headCell(column: Column, at: number, sorted: Sorted | undefined): HTMLElement {
    const isSorted = sorted?.column === column.id;
    const order = !isSorted ? 'none' : sorted.descending ? 'descending' : 'ascending';
    const title = element('span', { class: 'table-head-title' }, column.title);
    const cell = element('div', {
      class: `table-head-cell${at === 0 ? '' : ' is-figure'}`,
      role: 'columnheader',
      'aria-sort': column.isSortable ? order : undefined,
      title: column.hint,
    });
    if (at > 0) cell.append(this.#edge(column));
    if (!column.isSortable) {
      cell.append(title);
      return cell;
    }
    const arrow = isSorted ? icon(sorted.descending ? 'chevronDown' : 'chevronUp') : undefined;
    const button = element('button', { class: 'table-sort', type: 'button' }, title, arrow);
    button.addEventListener('click', (event) => {
      // Keys are with the rows after a click; who came by key may sort again.
      if (event.detail > 0) this.root.focus();
      this.#listener.sort?.(column.id);
    });
    cell.append(button);
    return cell;
  }

  /** Rows are read again; what was selected stays selected where it now is. */
  setRows(rows: RowSource): void {
    this.#rows = rows;
    this.#spacer.style.height = `${rows.count * rowHeight}px`;
    this.root.setAttribute('aria-rowcount', String(rows.count + 1));
    this.#selectedRow = this.#find(this.#selectedKey);
    this.render();
  }

  /** Selects without telling; undefined selects nothing. */
  selectKey(key: string | undefined, reveal: boolean): void {
    this.#selectedKey = key;
    this.#selectedRow = this.#find(key);
    if (reveal && this.#selectedRow >= 0) this.#reveal(this.#selectedRow);
    this.#mark();
  }

  /** Selects without telling, after rows changed: goes there where it is another one, and leaves who has scrolled away since. */
  followKey(key: string | undefined): void {
    this.selectKey(key, key !== this.#revealedKey);
  }

  focus(): void {
    this.root.focus();
  }

  #find(key: string | undefined): number {
    if (key === undefined) return -1;
    for (let row = 0; row < this.#rows.count; row++) if (this.#rows.key(row) === key) return row;
    return -1;
  }

  /** Shows which row is selected. Rows stay the elements they are: a double click on one that was replaced would be none. */
  #mark(): void {
    const rows = Array.from(this.#spacer.children);
    const isThere = rows.some((row) => row.id === `${this.#id}-${this.#selectedRow}`);
    if (this.#selectedRow >= 0 && !isThere) {
      this.render();
      return;
    }
    for (const row of rows) {
      const isSelected = row.id === `${this.#id}-${this.#selectedRow}`;
      row.classList.toggle('is-selected', isSelected);
      row.setAttribute('aria-selected', String(isSelected));
    }
    if (isThere) this.root.setAttribute('aria-activedescendant', `${this.#id}-${this.#selectedRow}`);
    else this.root.removeAttribute('aria-activedescendant');
  }

  #renderSoon(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => this.render());
  }

  render(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const { scrollTop, clientHeight } = this.root;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - 4);
    const last = Math.min(this.#rows.count, Math.ceil((scrollTop + clientHeight) / rowHeight) + 4);
    const rows: HTMLElement[] = [];
    for (let row = first; row < last; row++) rows.push(this.#rowElement(row));
    this.#spacer.replaceChildren(...rows);
    const isShown = this.#selectedRow >= first && this.#selectedRow < last;
    if (isShown) this.root.setAttribute('aria-activedescendant', `${this.#id}-${this.#selectedRow}`);
    else this.root.removeAttribute('aria-activedescendant');
  }

  #rowElement(row: number): HTMLElement {
    const isSelected = row === this.#selectedRow;
    const level = this.#rows.level?.(row) ?? 0;
    const expanded = this.#rows.isExpanded?.(row);
    const made = element(
      'div',
      {
        id: `${this.#id}-${row}`,
        class: `table-row${isSelected ? ' is-selected' : ''}`,
        role: 'row',
        'data-row': row,
        'aria-rowindex': row + 2,
        'aria-selected': String(isSelected),
        'aria-level': this.#isTree ? level + 1 : undefined,
        'aria-expanded': expanded === undefined ? undefined : String(expanded),
      },
      ...this.#columns.map((column, at) => this.#cellElement(row, column, at, level, expanded)),
    );
    made.style.top = `${row * rowHeight}px`;
    return made;
  }

  #cellElement(
    row: number,
    column: Column,
    at: number,
    level: number,
    expanded: boolean | undefined,
  ): HTMLElement {
    const cell = this.#rows.cell(row, column.id);
    const children: Child[] = [];
    const made = element('div', {
      class: `table-cell${at === 0 ? ' is-name' : ' is-figure'}${cell.isMuted === true ? ' is-muted' : ''}${cell.isMatch === true ? ' is-match' : ''}`,
      role: 'gridcell',
      title: cell.title,
    });
    if (at === 0 && this.#isTree) {
      // However deep it is, its name has the larger part of the column.
      const steps = this.#rows.indent?.(row) ?? level;
      made.style.paddingLeft = `min(${4 + steps * indent}px, ${mostIndentShare * 100}%)`;
      if (this.#rows.isChained?.(row) === true) made.classList.add('is-chained');
      const twisty = element('span', { class: 'twisty' });
      if (expanded !== undefined) twisty.append(icon(expanded ? 'chevronDown' : 'chevronRight'));
      children.push(twisty);
    }
    if (cell.hue !== undefined) {
      const dot = element('span', { class: 'hue-dot' });
      dot.style.background = cell.hue;
      children.push(dot);
    }
    if (cell.share !== undefined) {
      const bar = element('span', { class: `cell-bar${cell.tone === undefined ? '' : ` is-${cell.tone}`}` });
      bar.style.width = `${Math.min(100, cell.share * 100)}%`;
      children.push(bar);
    }
    children.push(element('span', { class: 'cell-text' }, cell.text));
    if (cell.detail !== undefined) children.push(element('span', { class: 'cell-detail' }, cell.detail));
    for (const child of children) if (child !== undefined) made.append(child);
    return made;
  }

  #rowOf(event: Event): number {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('.table-row') : null;
    return row === null ? -1 : Number(row.dataset['row']);
  }

  #click(event: MouseEvent): void {
    const row = this.#rowOf(event);
    if (row < 0) return;
    const isTwisty = event.target instanceof Element && event.target.closest('.twisty') !== null;
    const expanded = this.#rows.isExpanded?.(row);
    this.#select(row);
    if (isTwisty && expanded !== undefined) this.#listener.toggle?.(row, !expanded);
    else if (event.detail <= 1) this.#listener.open(row, openingOf(event));
  }

  #select(row: number): void {
    if (row < 0 || row >= this.#rows.count) return;
    this.#selectedRow = row;
    this.#selectedKey = this.#rows.key(row);
    this.#reveal(row);
    this.#mark();
    this.#listener.select(row);
  }

  #reveal(row: number): void {
    this.#revealedKey = this.#selectedKey;
    const top = row * rowHeight;
    const { scrollTop } = this.root;
    const room = this.root.clientHeight - headHeight;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (top + rowHeight > scrollTop + room) this.root.scrollTop = top + rowHeight - room;
  }

  #key(event: KeyboardEvent): void {
    // A head sorts by these; by arrows one goes on from it to the rows.
    if (event.target !== this.root && (event.key === 'Enter' || event.key === ' ')) return;
    const row = this.#selectedRow;
    const page = Math.max(1, Math.floor((this.root.clientHeight - headHeight) / rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: row + 1,
      ArrowUp: row < 0 ? 0 : row - 1,
      PageDown: row + page,
      PageUp: row - page,
      Home: 0,
      End: this.#rows.count - 1,
    };
    const to = moves[event.key];
    if (to !== undefined && !event.ctrlKey && !event.metaKey) {
      this.#select(Math.max(0, Math.min(this.#rows.count - 1, to)));
    } else if (event.key === 'Enter' && row >= 0) {
      this.#listener.open(row, openingOf(event));
    } else if (event.key === ' ' && row >= 0) {
      this.#listener.activate?.(row);
    } else if (isMenuKey(event) && row >= 0) {
      this.#reveal(row);
      const { left, top } = this.root.getBoundingClientRect();
      const below = (row + 1) * rowHeight - this.root.scrollTop + headHeight;
      event.preventDefault();
      event.stopPropagation();
      this.#listener.menu?.(row, left + indent, top + below);
      return;
    } else if (event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      this.#scaleFigures(event.key === 'ArrowLeft' ? figureStep : 1 / figureStep);
    } else if (event.key === 'ArrowRight') {
      const expanded = this.#rows.isExpanded?.(row);
      if (expanded === false) this.#listener.toggle?.(row, true);
      else if (expanded === true) this.#select(row + 1);
      else this.root.scrollLeft += sidewaysStep;
    } else if (event.key === 'ArrowLeft') {
      if (this.root.scrollLeft > 0) this.root.scrollLeft -= sidewaysStep;
      else if (this.#rows.isExpanded?.(row) === true) this.#listener.toggle?.(row, false);
      else if (row >= 0) this.#select(this.#parentOf(row));
    } else {
      return;
    }
    this.root.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  #parentOf(row: number): number {
    const level = this.#rows.level?.(row) ?? 0;
    for (let up = row - 1; up >= 0; up--) if ((this.#rows.level?.(up) ?? 0) < level) return up;
    return row;
  }
}
