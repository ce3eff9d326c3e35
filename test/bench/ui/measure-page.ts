/** Our page alone: bytes in hand to the first painted chart, then panned and zoomed. */
import { pageHtml } from '../../../src/protocol/page-html.js';
import type { FromWorker } from '../../../src/webview/worker/messages.js';
import { bundle } from '../../page/bundle.js';
import { BenchBrowser, frameTimes, percentile, serve } from './browser.js';
import type { Measured } from './ui.js';

/**
 * What an open is made of: until the worker's columns are there, until they are drawn, until they are on the screen. And
 * how long it takes from the beginning until what is not in sight is there, too.
 */
export interface Phases {
  readonly columnsMs: number;
  readonly drawMs: number;
  readonly paintMs: number;
  readonly wholeMs: number;
  /** From a click on the overview's tab until its lines are there. */
  readonly overviewMs: number;
}

/** `rest`: how long the page has been there before the bytes come. */
export async function measurePage(bytes: Buffer, frames: number, rest: number): Promise<Measured & Phases> {
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
      // The chart first, as speedscope has it; a person meets the overview.
      history.replaceState({ 'btrace.state': { view: 'timeline' } }, '');
      const said: unknown[] = [];
      Object.assign(window, { said });
      window.addEventListener('btrace', (event) => said.push((event as CustomEvent).detail));
      // Notes when the first columns come from the worker, and the last, before the page hears of them.
      const times = { columns: 0, whole: 0 };
      Object.assign(window, { times });
      window.Worker = class extends Worker {
        constructor(url: string | URL, options?: WorkerOptions) {
          super(url, options);
          this.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
            if (data.type === 'snapshot') times.columns ||= performance.now();
            const isWhole =
              data.type === 'rest' || (data.type === 'snapshot' && data.snapshot.toCome === undefined);
            if (isWhole) times.whole ||= performance.now();
          });
        }
      };
    });
    await page.goto(served.address);
    await page.waitForFunction(() =>
      (window as unknown as { said: { type: string }[] }).said.some((one) => one.type === 'ready'),
    );
    await page.waitForTimeout(rest);
    const before = await bench.memory();
    const measured = await page.evaluate(async () => {
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
      const drawn = performance.now();
      // A task after the next frame runs when that has been handed on to the screen.
      await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      const painted = performance.now();
      const { times } = window as unknown as { times: { columns: number; whole: number } };
      const { columns } = times;
      // The page has taken it in when its message was handled: before memory is looked at, and before it is panned.
      while (times.whole === 0)
        await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      const asked = performance.now();
      document.getElementById('tab-overview')?.click();
      while (document.querySelector('#view-overview .card-row') === null)
        await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      const overviewMs = performance.now() - asked;
      document.getElementById('tab-timeline')?.click();
      return {
        overviewMs,
        openMs: painted - started,
        columnsMs: columns - started,
        drawMs: drawn - columns,
        paintMs: painted - drawn,
        wholeMs: times.whole - started,
      };
    });
    const after = await bench.memory();
    const times = await frameTimes(page, '.chart', frames);
    return { ...measured, memoryBytes: after.now - before.now, frameP95Ms: percentile(times, 0.95) };
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
