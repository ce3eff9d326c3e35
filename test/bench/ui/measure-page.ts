/** Our page alone: bytes in hand to the first painted chart, then panned and zoomed. */
import { pageHtml } from '../../../src/protocol/page-html.js';
import { bundle } from '../../page/bundle.js';
import { BenchBrowser, frameTimes, percentile, serve } from './browser.js';
import type { Measured } from './ui.js';

export async function measurePage(bytes: Buffer, frames: number): Promise<Measured> {
  const [script, worker] = await Promise.all([
    bundle('src/webview/page.ts'),
    bundle('src/webview/engine-worker.ts'),
  ]);
  const served = await serve((path, address) => {
    if (path === '/page.js') return ['text/javascript; charset=utf-8', script];
    if (path === '/worker.js') return ['text/javascript; charset=utf-8', worker];
    if (path === '/recording') return ['application/octet-stream', bytes];
    const uris = { scriptUri: `${address}/page.js`, workerUri: `${address}/worker.js` };
    return ['text/html; charset=utf-8', pageHtml({ ...uris, nonce: 'YmVuY2gtbm9uY2U', cspSource: address })];
  });
  const bench = await BenchBrowser.start();
  try {
    const { page } = bench;
    await page.addInitScript(() => {
      const said: unknown[] = [];
      Object.assign(window, { said });
      window.addEventListener('btrace', (event) => said.push((event as CustomEvent).detail));
    });
    await page.goto(served.address);
    await page.waitForFunction(() =>
      (window as unknown as { said: { type: string }[] }).said.some((one) => one.type === 'ready'),
    );
    const before = await bench.memory();
    const openMs = await page.evaluate(async () => {
      const data = await (await fetch('/recording')).arrayBuffer();
      const settings = { myPackages: [], texts: {} };
      const opened = new Promise<void>((done) => {
        window.addEventListener('btrace', (event) => {
          if ((event as CustomEvent<{ type: string }>).detail.type === 'opened') done();
        });
      });
      const started = performance.now();
      window.postMessage(
        { type: 'open', name: 'bench.btrace', totalBytes: data.byteLength, live: false, settings },
        '*',
      );
      window.postMessage({ type: 'bytes', offset: 0, data }, '*', [data]);
      window.postMessage({ type: 'end' }, '*');
      await opened;
      // The chart is drawn in the next frame; a task after that frame runs when it has been handed on.
      await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      return performance.now() - started;
    });
    const after = await bench.memory();
    const times = await frameTimes(page, '.chart', frames);
    return { openMs, memoryBytes: after.now - before.now, frameP95Ms: percentile(times, 0.95) };
  } finally {
    await bench.stop();
    await served.stop();
  }
}

/** The limit of this machine: a full-size image put on a canvas each frame, and nothing else. */
export async function measureBarePaint(frames: number): Promise<number> {
  const served = await serve(() => [
    'text/html',
    '<!DOCTYPE html><body style="margin:0"><canvas></canvas></body>',
  ]);
  const bench = await BenchBrowser.start();
  try {
    const { page } = bench;
    await page.goto(served.address);
    await page.evaluate(() => {
      const canvas = document.querySelector('canvas')!;
      canvas.width = innerWidth;
      canvas.height = innerHeight;
      const context = canvas.getContext('2d', { alpha: false })!;
      const image = context.createImageData(canvas.width, canvas.height);
      const words = new Uint32Array(image.data.buffer);
      let shift = 0;
      canvas.addEventListener('wheel', () => {
        shift++;
        for (let at = 0; at < words.length; at++) words[at] = 0xff000000 | (at + shift);
        context.putImageData(image, 0, 0);
      });
    });
    return percentile(await frameTimes(page, 'canvas', frames), 0.95);
  } finally {
    await bench.stop();
    await served.stop();
  }
}
