/** speedscope from npm on the same content, in the same browser, the same way. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { BenchBrowser, frameTimes, percentile, restMs, serve } from './browser.js';
import type { Measured } from './ui.js';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

/** `undefined` when the page crashed or ran out of memory. */
export async function measureSpeedscope(
  file: string,
  frames: number,
  limitMs: number,
): Promise<Measured | undefined> {
  const release = path.join(
    path.dirname(createRequire(import.meta.url).resolve('speedscope/package.json')),
    'dist/release',
  );
  const served = await serve((asked) => {
    const at = path.join(release, asked === '/' ? 'index.html' : path.normalize(asked));
    return existsSync(at)
      ? [types[path.extname(at)] ?? 'application/octet-stream', readFileSync(at)]
      : undefined;
  });
  const bench = await BenchBrowser.start();
  try {
    const { page } = bench;
    await page.goto(served.address);
    await page.waitForSelector('input[type=file]', { state: 'attached' });
    await page.waitForTimeout(restMs);
    const before = await bench.memory();
    await page.evaluate(() => {
      const marks = { started: 0 };
      Object.assign(window, { marks });
      document.addEventListener('change', () => (marks.started = performance.now()), { capture: true });
    });
    await page.setInputFiles('input[type=file]', file);
    // The chart is there when its view's canvas is, and the frame after has been handed on.
    const openMs = await page
      .evaluate(async (limit) => {
        const { marks } = window as unknown as { marks: { started: number } };
        for (;;) {
          await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));
          if (performance.now() - marks.started > limit) return undefined;
          const isLoading = Array.from(document.querySelectorAll('div')).some(
            (div) => div.textContent === 'Loading...',
          );
          const hasChart =
            document.body.textContent.includes('Time Order') &&
            document.querySelectorAll('canvas').length > 1;
          if (hasChart && !isLoading) break;
        }
        await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done, 0)));
        return performance.now() - marks.started;
      }, limitMs)
      .catch(() => undefined);
    // Also when the page crashed: what is evaluated in it fails then.
    if (openMs === undefined) return undefined;
    const after = await bench.memory();
    const times = await frameTimes(page, 'canvas:last-of-type', frames);
    return { openMs, memoryBytes: after.now - before.now, frameP95Ms: percentile(times, 0.95) };
  } finally {
    await bench.stop();
    await served.stop();
  }
}
