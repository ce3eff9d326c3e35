/** A canvas kept at the size of its element in device pixels, so that every edge is sharp. */
export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  /** Device pixels per CSS pixel. */
  ratio = 1;
  cssWidth = 0;
  cssHeight = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    // Opaque: nothing shines through, and the compositor is spared blending.
    const context = canvas.getContext('2d', { alpha: false });
    if (context === null) throw new Error('This browser gives no 2D canvas.');
    this.context = context;
  }

  get width(): number {
    return this.canvas.width;
  }

  get height(): number {
    return this.canvas.height;
  }

  fill(color: string): void {
    this.context.fillStyle = color;
    this.context.fillRect(0, 0, this.width, this.height);
  }

  resize(cssWidth: number, cssHeight: number): void {
    this.ratio = window.devicePixelRatio || 1;
    const isNew = this.cssWidth !== cssWidth || this.cssHeight !== cssHeight;
    this.cssWidth = cssWidth;
    this.cssHeight = cssHeight;
    const width = Math.max(1, Math.round(cssWidth * this.ratio));
    const height = Math.max(1, Math.round(cssHeight * this.ratio));
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    if (!isNew) return;
    this.canvas.style.width = `${cssWidth}px`;
    this.canvas.style.height = `${cssHeight}px`;
  }
}
