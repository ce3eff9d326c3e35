/**
 * The chart for those who hear it: the same boxes that carry a label on the canvas, as items of a tree. A canvas is opaque
 * to a screen reader. Follows the canvas once it has come to rest, so that panning costs nothing here.
 */
import { element } from '../element.js';
import { formatNs, formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { plainText, shownThreadName } from '../names.js';
import { text } from '../texts.js';
import type { DrawnBox } from './flame-renderer.js';
import { cpuShare } from './flame-renderer.js';

const restMs = 120;
/** More would be no use to a listener; the keys reach all of them. */
const mostItems = 400;

export class AccessibleMirror {
  readonly root = element('div', { class: 'sr-only', role: 'group' });
  readonly #context: ViewContext;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  follow(chart: HTMLElement, drawn: readonly DrawnBox[]): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#mirror(chart, drawn.slice(0, mostItems)), restMs);
  }

  #mirror(chart: HTMLElement, drawn: readonly DrawnBox[]): void {
    const { selection } = this.#context.store.state;
    const items: HTMLElement[] = [];
    let active: string | undefined;
    const add = (box: DrawnBox, isSelected: boolean): void => {
      const id = `call-${box.thread}-${box.depth}-${box.row}`;
      if (isSelected) active = id;
      items.push(
        element(
          'div',
          { id, role: 'treeitem', 'aria-level': box.depth + 1, 'aria-selected': String(isSelected) },
          describeCall(this.#context, box.thread, box.row),
        ),
      );
    };
    const selected = selection?.kind === 'call' ? this.#context.model.call(selection) : undefined;
    let found = false;
    for (const box of drawn) {
      const isSelected = selected?.thread.index === box.thread && selected.row === box.row;
      found ||= isSelected;
      add(box, isSelected);
    }
    if (!found && selection?.kind === 'call' && selected !== undefined) {
      add({ thread: selection.thread, depth: selection.depth, row: selected.row }, true);
    }
    this.root.replaceChildren(...items);
    if (active === undefined) chart.removeAttribute('aria-activedescendant');
    else chart.setAttribute('aria-activedescendant', active);
  }
}

/** "Cart.add, wall 12.3 ms, CPU 4 ms (32 %), thread main". */
export function describeCall({ model }: ViewContext, thread: number, row: number): string {
  const track = model.thread(thread);
  if (track === undefined) return '';
  const { chart } = track;
  const wall = (chart.end[row] ?? 0) - (chart.begin[row] ?? 0);
  const parts = [
    plainText(model.names.short(chart.method[row] ?? 0)),
    text('call.wall', { value: formatNs(wall) }),
  ];
  if (model.snapshot?.info.hasCpu === true) {
    parts.push(
      text('call.cpu', { value: formatNs(chart.cpu[row] ?? 0), share: formatShare(cpuShare(chart, row)) }),
    );
  }
  parts.push(shownThreadName(track));
  return parts.join(', ');
}
