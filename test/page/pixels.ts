/** What of two pictures is another colour, and by how much: looked at by the browser, which has the decoder. */
import type { Browser, Page } from 'playwright-core';

export interface Change {
  /** Pixels of another colour. */
  readonly pixels: number;
  /** Of them, those that nobody can take for the colour before. */
  readonly clear: number;
}

/** Of 255, of a colour's channels. */
const clearFrom = 80;

/** A page without a policy, so that pictures may be given to it. */
export class PixelEye {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async of(browser: Browser): Promise<PixelEye> {
    const page = await browser.newPage();
    await page.addInitScript({ content: 'globalThis.__name = (value) => value;' });
    await page.goto('about:blank');
    return new PixelEye(page);
  }

  compare(one: Buffer, other: Buffer): Promise<Change> {
    return this.#page.evaluate(
      async ([pictures, clearFrom]) => {
        const [before, after] = await Promise.all(
          pictures.map(async (base64) => {
            const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
            const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
            const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height).data;
          }),
        );
        let [pixels, clear] = [0, 0];
        for (let at = 0; at < before!.length; at += 4) {
          const by = Math.max(
            ...[0, 1, 2].map((channel) => Math.abs(before![at + channel]! - after![at + channel]!)),
          );
          if (by > 0) pixels++;
          if (by >= clearFrom) clear++;
        }
        return { pixels, clear };
      },
      [[one.toString('base64'), other.toString('base64')], clearFrom] as const,
    );
  }

  /** How many colours there are in it. */
  coloursOf(picture: Buffer): Promise<number> {
    return this.#page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      return new Set(new Uint32Array(data.buffer)).size;
    }, picture.toString('base64'));
  }

  close(): Promise<void> {
    return this.#page.close();
  }
}
