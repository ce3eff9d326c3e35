/** The page alone in a real Chromium: bundled as for the extension, under the same policy, its host is the test. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import type { Browser, ConsoleMessage, Page } from 'playwright-core';
import { pageHtml } from '../../src/protocol/page-html.js';
import type { HostMessage, PageMessage, PageSettings } from '../../src/protocol/messages.js';
import type { ViewState } from '../../src/webview/store.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { bundle } from './bundle.js';
import { themeStyle } from './themes.js';
import type { ThemeName } from './themes.js';

export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Of an address that a page begins at as a person meets it. */
const firstView = '#first';

export interface OpenOptions {
  readonly theme?: ThemeName;
  readonly settings?: Partial<PageSettings>;
  readonly name?: string;
  readonly width?: number;
  readonly height?: number;
  /** Of the browser's zoom or the screen: `width` and `height` are CSS pixels all the same. */
  readonly scale?: number;
  readonly live?: boolean;
  /** The page as a person meets it; else with the timeline and wall time, as most tests are of these. */
  readonly isFirst?: boolean;
  /** Instead of the rig's own page. */
  readonly address?: string;
  /** Runs in the page before its own scripts; such a page is for this test alone. */
  readonly first?: () => void;
}

/** One page with its host: what it said, and what is said to it. */
export class PageUnderTest {
  readonly #release: () => Promise<void>;

  constructor(
    readonly page: Page,
    readonly errors: string[],
    release: () => Promise<void>,
  ) {
    this.#release = release;
  }

  post(message: HostMessage): Promise<void> {
    return this.page.evaluate((sent) => window.postMessage(sent, '*'), message);
  }

  /** What the page has posted to its host so far. */
  said(): Promise<PageMessage[]> {
    return this.page.evaluate(() => (window as unknown as { said: PageMessage[] }).said);
  }

  /** Waits until the page has said something of this type, and gives the last such message. */
  async hear<T extends PageMessage['type']>(type: T, count = 1): Promise<PageMessage & { type: T }> {
    // Told by the page itself: Playwright's own waiting would have it draw sixty times a second.
    await this.page.evaluate(
      ([wanted, least, limitMs]) =>
        new Promise<void>((done, fail) => {
          const { said } = window as unknown as { said: PageMessage[] };
          const look = (): void => {
            if (said.filter((one) => one.type === wanted).length < least) return;
            window.removeEventListener('btrace', look);
            clearTimeout(limit);
            done();
          };
          // eslint-disable-next-line btrace/test-time -- the common limit, inside the page
          const limit = setTimeout(() => {
            fail(new Error(`not heard: ${wanted}, ${least} times`));
          }, limitMs);
          window.addEventListener('btrace', look);
          look();
        }),
      [type, count, waitLimitMs] as const,
    );
    const heard = (await this.said()).filter((one): one is PageMessage & { type: T } => one.type === type);
    return heard.at(-1)!;
  }

  /** Timers of so long that have begun are over: a timer that begins later ends later, and what is asked after that is answered later. */
  async afterTimersOf(ms: number): Promise<void> {
    // eslint-disable-next-line btrace/test-time -- by the order of the page's timers
    await this.page.evaluate((length) => new Promise((done) => setTimeout(done, length)), ms);
  }

  /** Sends bytes as the host would. */
  async open(bytes: Uint8Array, options: OpenOptions = {}): Promise<void> {
    await this.hear('ready');
    const settings: PageSettings = { myPackages: [], texts: {}, ...options.settings };
    const live = options.live ?? false;
    const name = options.name ?? 'test.btrace';
    await this.post({ type: 'open', name, totalBytes: bytes.byteLength, live, settings });
    await this.more(bytes, 0);
    if (!live) await this.post({ type: 'end' });
  }

  /** More bytes of a recording that is being written. */
  async more(bytes: Uint8Array, offset: number): Promise<void> {
    await this.page.evaluate(
      ([base64, from]) => {
        const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;
        window.postMessage({ type: 'bytes', offset: from, data }, '*', [data]);
      },
      [Buffer.from(bytes).toString('base64'), offset] as const,
    );
  }

  /** Two frames: what was asked for is on the screen. */
  painted(): Promise<void> {
    return this.page.evaluate(
      () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
  }

  /** What the page keeps of itself over a reload, as it is now: else it is written a moment after the last change. */
  kept(): Promise<Partial<ViewState>> {
    return this.page.evaluate(() => {
      window.dispatchEvent(new Event('pagehide'));
      return Object.values((history.state ?? {}) as Record<string, Partial<ViewState>>)[0] ?? {};
    });
  }

  /** Closes it after asking whether anything went wrong meanwhile. */
  async close(): Promise<void> {
    assert.deepEqual(this.errors, [], 'the page logged an error');
    const violations = await this.page.evaluate(
      () => (window as unknown as { violations: string[] }).violations,
    );
    assert.deepEqual(violations, [], 'the content security policy was violated');
    await this.#release();
  }
}

/** One browser for all tests of a run, and each page script bundled once. */
let browser: Promise<Browser> | undefined;
const bundles = new Map<string, Promise<string>>();
/** Pages that tests are done with, by what cannot be changed of them. One of these is there in half the time of a new one. */
const kept = new Map<string, Page[]>();
const servers: ReturnType<typeof createServer>[] = [];

function bundled(entry: string): Promise<string> {
  let made = bundles.get(entry);
  if (made === undefined) bundles.set(entry, (made = bundle(entry)));
  return made;
}

/** The worker as on a busy machine: whatever it says comes so many milliseconds later (BTRACE_SLOW_WORKER). */
function slowed(worker: string): string {
  const ms = Number(process.env['BTRACE_SLOW_WORKER'] ?? 0);
  if (ms === 0) return worker;
  const post = `const post = self.postMessage.bind(self); self.postMessage = (...sent) => setTimeout(() => post(...sent), ${ms});`;
  return `{ ${post} }\n${worker}`;
}

function keptPages(kind: string): Page[] {
  let pages = kept.get(kind);
  if (pages === undefined) kept.set(kind, (pages = []));
  return pages;
}

/** Ends what the rigs started; mocha calls it when the run is over. */
export async function closeRigs(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
  kept.clear();
  for (const server of servers.splice(0)) server.close();
}

// Also usable outside mocha, where nobody calls hooks.
if (typeof after === 'function') after(closeRigs);

/** The page with one kind of worker behind it. */
export class PageRig {
  static #opened = 0;

  private constructor(
    readonly browser: Browser,
    readonly address: string,
    readonly script: string,
    readonly worker: string,
  ) {}

  static async start(workerEntry: string): Promise<PageRig> {
    browser ??= chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: browserFlags,
    });
    const [script, worker, started] = await Promise.all([
      bundled('src/webview/page.ts'),
      bundled(workerEntry),
      browser,
    ]);
    const files: Record<string, readonly [string, string]> = {
      '/page.js': ['text/javascript', script],
      '/worker.js': ['text/javascript', slowed(worker)],
    };
    const server = createServer((request, response) => {
      const file = files[request.url ?? ''];
      const host = `http://${request.headers.host ?? ''}`;
      const html = pageHtml({
        scriptUri: `${host}/page.js`,
        workerUri: `${host}/worker.js`,
        nonce: 'dGVzdC1ub25jZQ',
        cspSource: host,
      });
      const [type, text] = file ?? ['text/html', html];
      // What the browser has compiled once it does not compile again.
      const cache = { 'cache-control': file === undefined ? 'no-store' : 'max-age=3600' };
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...cache }).end(text);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    servers.push(server);
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new PageRig(started, address, script, worker);
  }

  async page(options: OpenOptions = {}): Promise<PageUnderTest> {
    const { theme = 'dark', scale = 1, first } = options;
    const pages = keptPages(`${theme} ${scale}`);
    const page = (first === undefined ? pages.pop() : undefined) ?? (await this.#made(scale, theme));
    await page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 800 });
    if (first !== undefined) await page.addInitScript(first);
    const errors: string[] = [];
    const thrown = (error: Error): unknown => errors.push(error.message);
    const logged = (message: ConsoleMessage): unknown =>
      message.type() === 'error' && errors.push(message.text());
    page.on('pageerror', thrown).on('console', logged);
    // Another address each time: a page that was there before is not gone on with.
    await page.goto(
      options.address ?? `${this.address}/?${PageRig.#opened++}${options.isFirst === true ? firstView : ''}`,
    );
    return new PageUnderTest(page, errors, async () => {
      if (first !== undefined) {
        await page.close();
        return;
      }
      page.off('pageerror', thrown).off('console', logged);
      await page.unrouteAll();
      await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: null });
      await page.mouse.move(-1, -1);
      pages.push(page);
    });
  }

  async #made(deviceScaleFactor: number, theme: ThemeName): Promise<Page> {
    const page = await this.browser.newPage({ deviceScaleFactor });
    page.setDefaultTimeout(waitLimitMs);
    // The loader of these files wraps named functions with this; what is evaluated in the page must find it there.
    await page.addInitScript({ content: 'globalThis.__name = (value) => value;' });
    await page.addInitScript(
      ([style, kind, first]) => {
        // As after a reload: what a host kept is what is shown.
        if (history.state === null && location.hash !== first)
          history.replaceState({ 'btrace.state': { view: 'timeline', weight: 'wall', factsOpen: true } }, '');
        const said: unknown[] = [];
        Object.assign(window, { said, violations: [] as string[] });
        window.addEventListener('btrace', (event) => said.push((event as CustomEvent).detail));
        document.addEventListener('securitypolicyviolation', (event) => {
          (window as unknown as { violations: string[] }).violations.push(
            `${event.effectiveDirective} ${event.blockedURI} ${event.sample}`,
          );
        });
        if (style === '') return;
        document.addEventListener('DOMContentLoaded', () => {
          for (const rule of style.split(';')) {
            const [name, value] = rule.split(': ');
            if (name !== undefined && value !== undefined) {
              document.documentElement.style.setProperty(name.trim(), value);
            }
          }
          document.body.dataset['vscodeThemeKind'] = kind;
          document.body.className = kind;
        });
      },
      [...themeStyle(theme), firstView] as const,
    );
    return page;
  }

  /** A page that has opened these bytes and painted them. */
  async opened(bytes: Uint8Array, options: OpenOptions = {}): Promise<PageUnderTest> {
    const page = await this.page(options);
    await page.open(bytes, options);
    await page.hear('opened');
    await page.painted();
    return page;
  }
}
