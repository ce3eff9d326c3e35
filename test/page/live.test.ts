/** A recording that is being made: drawn at most once a second however its bytes come, and as it is at its end. */
import assert from 'node:assert/strict';
import { synthesize } from '../../src/trace/index.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

const chunks = 150;

describe('a recording that grows', function () {
  let rig: PageRig;
  let whole: Buffer;
  const pages: PageUnderTest[] = [];

  before(async () => {
    rig = await PageRig.start('src/webview/engine-worker.ts');
    const parts: Uint8Array[] = [];
    const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void parts.push(bytes.slice()));
    await synthesize({ write }, { samples: 30_000, threads: 3, methods: 300, depth: 12 });
    whole = Buffer.concat(parts);
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });

  const chart = ({ page }: PageUnderTest): Promise<string> =>
    page.locator('.chart canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());

  it('is drawn once a second at most, and whole when it ends', async () => {
    const live = await rig.page();
    pages.push(live);
    // When anything is painted on the chart; what is painted in one go is one drawing.
    await live.page.evaluate(() => {
      Object.assign(window, { drawn: [] });
      // oxlint-disable-next-line typescript/unbound-method -- called with `this` below
      const paint = CanvasRenderingContext2D.prototype.fillRect;
      CanvasRenderingContext2D.prototype.fillRect = function (...where) {
        // eslint-disable-next-line btrace/test-time -- what is painted in one go, counted as one
        const now = performance.now();
        const { drawn } = window as unknown as { drawn: number[] };
        if (this.canvas.closest('.chart') !== null && now - (drawn.at(-1) ?? -Infinity) > 50) drawn.push(now);
        paint.apply(this, where);
      };
    });
    const piece = Math.ceil(whole.length / chunks);
    await live.open(whole.subarray(0, piece), { live: true });
    await live.page.locator('.thread-name').first().waitFor();
    await live.page.evaluate(() => Object.assign(window, { drawn: [] }));
    // Much faster than it is drawn.
    await live.page.evaluate(
      async ([base64, size]) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        for (let offset = size; offset < bytes.length; offset += size) {
          const data = bytes.slice(offset, offset + size).buffer;
          window.postMessage({ type: 'bytes', offset, data }, '*', [data]);
          // eslint-disable-next-line btrace/test-time -- as pieces of a recording come; nothing is judged by it
          await new Promise((done) => setTimeout(done, 25));
        }
      },
      [whole.toString('base64'), piece] as const,
    );
    const drawn = await live.page.evaluate(() => (window as unknown as { drawn: number[] }).drawn);
    // That it is each second is tried on a clock of its own (live-snapshots.test.ts).
    assert.ok(drawn.length > 0 && drawn.length < chunks / 2, `drawn at ${drawn.join()}`);

    await live.post({ type: 'end' });
    await live.hear('opened');
    await live.painted();
    const atOnce = await rig.opened(whole);
    pages.push(atOnce);
    await live.page.mouse.move(0, 0);
    await live.page.waitForFunction(
      (wanted) => document.querySelector<HTMLCanvasElement>('.chart canvas')!.toDataURL() === wanted,
      await chart(atOnce),
    );
  });
});
