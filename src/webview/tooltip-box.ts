/** A box of a few words beside the pointer. */
import { element } from './element.js';

const offset = 14;

export class TooltipBox {
  readonly root = element('div', { class: 'tooltip', role: 'presentation' });

  constructor() {
    this.root.hidden = true;
  }

  /** The first line is a title; no lines at all hide it. `x` and `y` are of the window. */
  show(lines: readonly string[], x: number, y: number): void {
    this.root.hidden = lines.length === 0;
    if (lines.length === 0) return;
    this.root.replaceChildren(
      ...lines.map((line, at) =>
        element('div', { class: at === 0 ? 'tooltip-title' : 'tooltip-line' }, line),
      ),
    );
    const { width, height } = this.root.getBoundingClientRect();
    const left = x + offset + width > window.innerWidth ? Math.max(0, x - offset - width) : x + offset;
    const top = y + offset + height > window.innerHeight ? Math.max(0, y - offset - height) : y + offset;
    this.root.style.transform = `translate(${left}px, ${top}px)`;
  }

  hide(): void {
    this.show([], 0, 0);
  }
}
