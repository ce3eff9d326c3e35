/** Labels cut to their boxes. Measuring text costs far more than drawing it, so each name is measured once per font. */
import type { NameIndex } from '../names.js';

export class LabelCache {
  #names: NameIndex | undefined;
  #font = '';
  readonly #widths = new Map<number, number>();

  /** Forgets what was measured when names or font changed. */
  use(names: NameIndex, font: string): void {
    if (names === this.#names && font === this.#font) return;
    this.#names = names;
    this.#font = font;
    this.#widths.clear();
  }

  /** The method's label as far as it fits into `width` device pixels; '' when less than three letters would. */
  fit(context: CanvasRenderingContext2D, method: number, width: number): string {
    const label = this.#names?.short(method) ?? '';
    let full = this.#widths.get(method);
    if (full === undefined) {
      full = context.measureText(label).width;
      this.#widths.set(method, full);
    }
    return cutToWidth(label, full, width);
  }
}

/** Cut in proportion: letters differ in width, so one letter is left as slack. */
export function cutToWidth(label: string, fullWidth: number, width: number): string {
  if (fullWidth <= width) return label;
  const letters = Math.floor((label.length * width) / fullWidth) - 2;
  return letters < 3 ? '' : `${label.slice(0, letters)}…`;
}
