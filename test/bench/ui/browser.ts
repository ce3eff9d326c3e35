/** One Chromium a measurement, so that memory is that of one page alone. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, CDPSession, Page } from 'playwright-core';

/**
 * speedscope needs WebGL; without a graphics card that is SwiftShader's. Everything else is drawn by the browser's own
 * software, as it is on such a machine: canvases through SwiftShader would be fifty times slower. Both sides get the same.
 */
const flags = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-gpu-compositing',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--max-old-space-size=8192',
];

/** Both pages have loaded and come to rest before a file is opened in them: what is measured is the opening. */
export const restMs = 1500;

export const viewport = { width: 1440, height: 900 };

export class BenchBrowser {
  private constructor(
    readonly browser: Browser,
    readonly page: Page,
    readonly session: CDPSession,
  ) {}

  static async start(): Promise<BenchBrowser> {
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: flags,
    });
    const page = await browser.newPage({ viewport });
    // The loader of these files wraps named functions with this; what is evaluated in the page must find it there.
    await page.addInitScript({ content: 'globalThis.__name = (value) => value;' });
    return new BenchBrowser(browser, page, await browser.newBrowserCDPSession());
  }

  /** Resident bytes of the page's process now, and at its highest. */
  async memory(): Promise<{ readonly now: number; readonly peak: number }> {
    const { processInfo } = await this.session.send('SystemInfo.getProcessInfo');
    let now = 0;
    let peak = 0;
    for (const { type, id } of processInfo) {
      if (type !== 'renderer') continue;
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      const field = (name: string): number =>
        Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
      // A spare renderer may stand by: the page's is the one that has grown.
      now = Math.max(now, field('VmRSS'));
      peak = Math.max(peak, field('VmHWM'));
    }
    return { now, peak };
  }

  stop(): Promise<void> {
    return this.browser.close();
  }
}

export interface Served {
  readonly address: string;
  stop(): Promise<void>;
}

/** `answer` gives content type and body for a path. */
export async function serve(
  answer: (path: string, address: string) => readonly [string, string | Buffer] | undefined,
): Promise<Served> {
  let address = '';
  const server = createServer((request, response) => {
    const found = answer((request.url ?? '/').split('?')[0]!, address);
    if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': found[0] }).end(found[1]);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { address, stop: () => new Promise((done) => server.close(() => done())) };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Frame lengths in ms while one wheel event a frame goes to the element: pan there and back, then zoom in and out. */
export function frameTimes(page: Page, selector: string, frames: number): Promise<number[]> {
  return page.evaluate(
    async ([wanted, count]) => {
      const target = document.querySelector(wanted);
      if (target === null) throw new Error(`nothing to turn the wheel over: ${wanted}`);
      const box = target.getBoundingClientRect();
      const times: number[] = [];
      await new Promise<void>((done) => {
        let last = 0;
        let at = 0;
        requestAnimationFrame(function frame(now) {
          if (at > 2) times.push(now - last);
          last = now;
          if (at++ >= count) {
            done();
            return;
          }
          const isPan = at < count / 2;
          const forth = Math.floor(at / (count / 8)) % 2 === 0 ? 1 : -1;
          target.dispatchEvent(
            new WheelEvent('wheel', {
              bubbles: true,
              cancelable: true,
              composed: true,
              clientX: box.left + box.width / 2,
              clientY: box.top + Math.min(300, box.height / 2),
              deltaX: isPan ? 40 * forth : 0,
              deltaY: isPan ? 0 : -30 * forth,
              ctrlKey: !isPan,
            }),
          );
          requestAnimationFrame(frame);
        });
      });
      return times;
    },
    [selector, frames] as const,
  );
}
