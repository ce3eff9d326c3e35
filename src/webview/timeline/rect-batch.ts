/**
 * Rectangles of one height, gathered by colour and filled colour by colour: changing a canvas's fill style costs more
 * than the rectangle. Positions are whole device pixels.
 */
import { grown } from '../../trace/assemble/grow.js';

const perRect = 3;

export class RectBatch {
  readonly #perColour: Int32Array[];
  readonly #used: Int32Array;

  constructor(colours: number) {
    this.#perColour = Array.from({ length: colours }, () => new Int32Array(perRect * 16));
    this.#used = new Int32Array(colours);
  }

  add(colour: number, x: number, y: number, width: number): void {
    let rects = this.#perColour[colour];
    if (rects === undefined) return;
    const at = this.#used[colour] ?? 0;
    if (at + perRect > rects.length) this.#perColour[colour] = rects = grown(rects, rects.length * 2);
    rects[at] = x;
    rects[at + 1] = y;
    rects[at + 2] = width;
    this.#used[colour] = at + perRect;
  }

  /** Fills what was gathered and forgets it; returns how many there were. */
  flush(context: CanvasRenderingContext2D, colours: readonly string[], height: number): number {
    let drawn = 0;
    for (let colour = 0; colour < this.#perColour.length; colour++) {
      const used = this.#used[colour] ?? 0;
      if (used === 0) continue;
      const rects = this.#perColour[colour] as Int32Array;
      context.fillStyle = colours[colour] ?? '#000';
      for (let at = 0; at < used; at += perRect) {
        context.fillRect(rects[at] as number, rects[at + 1] as number, rects[at + 2] as number, height);
      }
      drawn += used / perRect;
      this.#used[colour] = 0;
    }
    return drawn;
  }
}
