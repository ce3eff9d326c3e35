/** The page alone in a real Chromium: bundled as for the extension, under the same policy, its host is the test. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { pageHtml } from '../../src/protocol/page-html.js';
import type { HostMessage, PageMessage, PageSettings } from '../../src/protocol/messages.js';
import { themeStyle } from './themes.js';
import type { ThemeName } from './themes.js';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function bundle(entry: string): Promise<string> {
  const built = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    loader: { '.css': 'text' },
  });
  return built.outputFiles[0]!.text;
}

export interface OpenOptions {
  readonly theme?: ThemeName;
  readonly settings?: Partial<PageSettings>;
  readonly name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly live?: boolean;
}

/** One page with its host: what it said, and what is said to it. */
export class PageUnderTest {
  constructor(
    readonly page: Page,
    readonly errors: string[],
  ) {}

  post(message: HostMessage): Promise<void> {
    return this.page.evaluate((sent) => window.postMessage(sent, '*'), message);
  }

  /** What the page has posted to its host so far. */
  said(): Promise<PageMessage[]> {
    return this.page.evaluate(() => (window as unknown as { said: PageMessage[] }).said);
  }

  /** Waits until the page has said something of this type, and gives the last such message. */
  async hear<T extends PageMessage['type']>(type: T, count = 1): Promise<PageMessage & { type: T }> {
    await this.page.waitForFunction(
      ([wanted, least]) =>
        (window as unknown as { said: PageMessage[] }).said.filter((one) => one.type === wanted).length >=
        least,
      [type, count] as const,
    );
    const heard = (await this.said()).filter((one): one is PageMessage & { type: T } => one.type === type);
    return heard.at(-1)!;
  }

  /** Sends bytes as the host would. */
  async open(bytes: Uint8Array, options: OpenOptions = {}): Promise<void> {
    await this.hear('ready');
    const settings: PageSettings = { myPackages: [], texts: {}, ...options.settings };
    const live = options.live ?? false;
    const name = options.name ?? 'test.btrace';
    await this.post({ type: 'open', name, totalBytes: bytes.byteLength, live, settings });
    await this.page.evaluate((base64) => {
      const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;
      window.postMessage({ type: 'bytes', offset: 0, data }, '*', [data]);
    }, Buffer.from(bytes).toString('base64'));
    if (!live) await this.post({ type: 'end' });
  }

  /** Two frames: what was asked for is on the screen. */
  painted(): Promise<void> {
    return this.page.evaluate(
      () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

export class PageRig {
  readonly #browser: Browser;
  readonly #server: ReturnType<typeof createServer>;
  readonly #address: string;

  private constructor(browser: Browser, server: ReturnType<typeof createServer>) {
    this.#browser = browser;
    this.#server = server;
    this.#address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(workerEntry: string): Promise<PageRig> {
    const [script, worker, browser] = await Promise.all([
      bundle('src/webview/page.ts'),
      bundle(workerEntry),
      chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: browserFlags }),
    ]);
    const files: Record<string, readonly [string, string]> = {
      '/page.js': ['text/javascript', script],
      '/worker.js': ['text/javascript', worker],
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
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new PageRig(browser, server);
  }

  async page(options: OpenOptions = {}): Promise<PageUnderTest> {
    const page = await this.#browser.newPage({
      viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    });
    // The loader of these files wraps named functions with this; what is evaluated in the page must find it there.
    await page.addInitScript({ content: 'globalThis.__name = (value) => value;' });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.addInitScript(
      ([style, kind]) => {
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
      themeStyle(options.theme ?? 'dark'),
    );
    await page.goto(this.#address);
    return new PageUnderTest(page, errors);
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await new Promise((done) => this.#server.close(done));
  }
}
