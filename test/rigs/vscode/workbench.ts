// The VS Code window in Chromium, as a person has it before them: palette, editors, lenses, notifications, webviews.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Frame, FrameLocator, Locator, Page } from 'playwright-core';
import { find, root } from '../../../scripts/setup.mjs';
import { waitLimitMs } from '../wait-limit.js';
import { askInPage, clickInPage } from './in-page.js';
import type { VSCodeServer } from './server.js';
import { until } from '../until.js';

const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage', // 64 MB in a container, too small for VS Code
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', // whatever asks for another host fails at once
];

export async function launchChromium(): Promise<Browser> {
  const part = find('chromium');
  if (!part) throw new Error('Chromium is not set up: run node scripts/setup.mjs chromium');
  return await chromium.launch({ executablePath: part.at, args: flags, chromiumSandbox: false });
}

/** What serves the window. */
export type WorkbenchServer = Pick<VSCodeServer, 'url' | 'opened' | 'set' | 'stop'>;

export interface WorkbenchOptions {
  /** Parameters of the workbench's address, such as tests to run in the extension host. */
  readonly payload?: ReadonlyArray<readonly [string, string]>;
  /** 1280 × 800 if nothing is said. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Called on the page before it loads. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** What is done before it has a folder; with nothing, it opens with one. */
  readonly begin?: (workbench: Workbench) => Promise<void>;
}

/** A row of a list to choose from. */
const choice = '.quick-input-widget .quick-input-list .monaco-list-row';
const notice = '.notification-list-item';

/** By the class that a window has of it. */
const themes = { 'vs-dark': 'Dark Modern', vs: 'Light Modern', 'hc-black': 'Default High Contrast' };

export class Workbench {
  readonly #server: WorkbenchServer;
  readonly #browser: Browser;
  readonly page: Page;
  /** What the window and its webviews wrote to the console: "type: text". */
  readonly console: string[] = [];

  private constructor(server: WorkbenchServer, browser: Browser, page: Page) {
    this.#server = server;
    this.#browser = browser;
    this.page = page;
    page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.console.push(`uncaught: ${error.stack ?? error.message}`));
  }

  static async open(server: WorkbenchServer, options: WorkbenchOptions = {}): Promise<Workbench> {
    const browser = await launchChromium();
    return await Workbench.#show(server, browser, options);
  }

  static async #show(
    server: WorkbenchServer,
    browser: Browser,
    options: WorkbenchOptions,
  ): Promise<Workbench> {
    const page = await browser.newPage({ viewport: options.size ?? { width: 1280, height: 800 } });
    page.setDefaultTimeout(waitLimitMs);
    const workbench = new Workbench(server, browser, page);
    await options.prepare?.(page);
    const query = new URLSearchParams([[...server.opened]]);
    if (options.payload) query.set('payload', JSON.stringify(options.payload));
    await page.goto(`${server.url}/?${query.toString()}`);
    await options.begin?.(workbench);
    await workbench.ready();
    return workbench;
  }

  /** Until the window is drawn and its extensions are known. */
  async ready(): Promise<void> {
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await this.page.locator('.statusbar-item[id="status.notifications"]').waitFor();
  }

  /** Runs a command by its palette title, such as "BTrace: Record". */
  async run(title: string): Promise<void> {
    const row = { css: choice, part: '.label-name', text: new RegExp(`^${escaped(title)}$`) };
    const palette = { value: '>', placeholder: /./ };
    // The palette's list is fixed when it opens: reopened until the extension has brought its commands. Longer each time: on a
    // busy machine one that gives up too soon never gets further than the first letters.
    await this.#again(async (timeout) => {
      await askInPage(
        this.page,
        { key: 'F1', code: 'F1', keyCode: 112, ctrlKey: false },
        palette,
        `>${title}`,
        timeout,
      );
      await clickInPage(this.page, row, { timeout });
    });
  }

  /** Until it succeeds, with more time each time. What failed has left a list, which is closed. */
  async #again(work: (timeout: number) => Promise<void>): Promise<void> {
    let timeout = 1000;
    let problem: unknown;
    await until(
      () => String(problem),
      async () => {
        timeout = Math.min(2 * timeout, waitLimitMs);
        try {
          await work(timeout);
          return true;
        } catch (error) {
          problem = error;
          await this.page.keyboard.press('Escape');
          return false;
        }
      },
      0,
    );
  }

  /** The rows of the list that a command has opened to choose from. */
  choices(): Locator {
    return this.page.locator('.quick-input-widget:not(.hidden) .quick-input-list .monaco-list-row');
  }

  /** Chooses the first row whose text has `text`. */
  choose(text: string | RegExp): Promise<void> {
    return this.click(choice, text);
  }

  /** Clicks the first element that a person can click and that has `text`, whatever is drawn anew meanwhile. */
  async click(css: string, text: string | RegExp): Promise<void> {
    await clickInPage(this.page, { css, text: pattern(text) }, { timeout: waitLimitMs });
  }

  /** A notification (also one with progress) that has `text`. */
  notification(text: string | RegExp): Locator {
    return this.page.locator(notice).filter({ hasText: text }).first();
  }

  /** A button, such as Stop, or a link of the notification that has `text`. */
  async press(text: string | RegExp, button: string | RegExp): Promise<void> {
    const css = '.monaco-button, .notification-list-item-message a';
    const within = { css: notice, text: pattern(text) };
    await clickInPage(this.page, { css, text: pattern(button), within }, { timeout: waitLimitMs });
  }

  /** Ends what is recorded in this window, which then opens. */
  async stopAndOpen(): Promise<void> {
    const text = /Recording .*samples/;
    await this.press(text, 'Stop and Open');
    await this.notification(text).waitFor({ state: 'detached' });
  }

  /** Shows a view of the activity bar, if it is not shown: a click would hide it. */
  async showView(name: string): Promise<void> {
    const css = `.activitybar .action-item:has([aria-label^="${name}"])`;
    const timeout = waitLimitMs;
    await clickInPage(this.page, { css, text: /^/ }, { timeout, unless: '[aria-selected="true"]' });
    await this.page.locator(`${css}[aria-selected="true"]`).waitFor();
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text }).first();
  }

  tab(name: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: name }).first();
  }

  /** Shows the editor whose tab has that name. */
  async showTab(name: string | RegExp): Promise<void> {
    await this.click('.tabs-container .tab', name);
    await this.#activeTab(name).waitFor();
  }

  #activeTab(name: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab.active', { hasText: name }).first();
  }

  /** Opens a file of the workspace through quick open. In a text's `line`, which counts from 1, one can write at once. */
  async openFile(file: string, line?: number): Promise<void> {
    const name = path.basename(file);
    const row = { css: choice, part: '.label-name', text: new RegExp(`^${escaped(name)}$`) };
    const keys = { key: 'p', code: 'KeyP', keyCode: 80, ctrlKey: true };
    const field = { value: '', placeholder: /^Search files/ };
    await this.#again(async (timeout) => {
      await askInPage(this.page, keys, field, line === undefined ? file : `${file}:${line}`, timeout);
      await clickInPage(this.page, row, { timeout });
    });
    await this.#activeTab(name).waitFor();
    if (line === undefined) return;
    await this.cursorAt(name, line);
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
  }

  /** Until the window has the colours of that theme. */
  async setTheme(kind: keyof typeof themes): Promise<void> {
    this.#server.set({ 'workbench.colorTheme': themes[kind] });
    await this.page.locator(`.monaco-workbench.${kind}`).waitFor();
  }

  /** The inside of the webview that is shown: of a custom editor, a panel or a view. */
  webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready:visible').frameLocator('#active-frame');
  }

  /** The timeline of the page that is shown; a page begins with its overview. */
  async timeline(): Promise<FrameLocator> {
    const page = this.webview();
    await page.getByRole('tab', { name: 'Timeline', exact: true }).click();
    return page;
  }

  /** The same as a frame, to run code in. */
  async webviewFrame(): Promise<Frame> {
    const body = await this.webview().locator('body').elementHandle();
    const frame = await body.ownerFrame();
    if (frame === null) throw new Error('No webview is shown');
    return frame;
  }

  /** Looks for the call in the timeline with the mouse, as a person does, and clicks it where its name is shown. */
  async clickCall(name: string, modifier?: 'Control'): Promise<void> {
    const { page } = this;
    const box = await this.webview().locator('#btrace').boundingBox();
    if (box === null) throw new Error('No page is shown');
    await this.webview().locator('canvas').first().waitFor();
    const x = box.x + box.width * 0.45;
    const shown = this.webview().locator('.tooltip', { hasText: name });
    // Again and again: the canvas is there before the calls are.
    await until(`${name} is in the chart`, async () => {
      for (let y = box.y + 90; y < box.y + box.height; y += 7) {
        await page.mouse.move(x, y);
        if ((await shown.count()) === 0 || !(await shown.first().isVisible())) continue;
        if (modifier !== undefined) await page.keyboard.down(modifier);
        await page.mouse.click(x, y);
        if (modifier !== undefined) await page.keyboard.up(modifier);
        return true;
      }
      return false;
    });
  }

  /** Waits until the active text editor is `file`'s and its cursor is in `line` (from 1), or in one from that to `last`. */
  async cursorAt(file: string, line: number, last = line): Promise<void> {
    await this.#activeTab(file).waitFor();
    const position = new RegExp(
      `Ln (${Array.from({ length: last - line + 1 }, (_, at) => line + at).join('|')}),`,
    );
    await this.page.locator('[id="status.editor.selection"]').filter({ hasText: position }).waitFor();
  }

  /** The lenses in the visible editors that have `text`. */
  lens(text: string | RegExp): Locator {
    return this.page.locator('.codelens-decoration a').filter({ hasText: text }).first();
  }

  async clickLens(text: string | RegExp): Promise<void> {
    await this.click('.codelens-decoration a', text);
  }

  /** The hover over a word of a line, once it has `text`. */
  async hover(line: string, word: string, text: string | RegExp): Promise<Locator> {
    const { page } = this;
    const over = page.locator('.view-line', { hasText: line }).locator('span', { hasText: word }).last();
    const shown = page.locator('.monaco-hover', { hasText: text });
    // Lenses that come meanwhile move the line away from below the mouse.
    await this.#again(async (timeout) => {
      await page.mouse.move(0, 0);
      await over.hover({ timeout });
      await shown.waitFor({ timeout });
    });
    return shown;
  }

  /** What a Content-Security-Policy refused, in the webviews and around them. */
  cspViolations(): string[] {
    return this.console.filter((line) => /content security policy/i.test(line));
  }

  /** Kept under artefacts/, which CI keeps. Returns the file. */
  async screenshot(name: string): Promise<string> {
    const folder = path.join(root, 'artefacts');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${name.replace(/[^\w.-]+/g, '-')}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** By VS Code's own command: it saves what is open first, which the browser's reload may cut short. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.run('Developer: Reload Window');
    await loaded;
    await this.ready();
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.stop();
  }

  /** Another window on the same workspace, with nothing remembered; closed by `closeWindow`, or with this one. */
  another(): Promise<Workbench> {
    return Workbench.#show(this.#server, this.#browser, {});
  }

  async closeWindow(): Promise<void> {
    await this.page.close();
  }

  /** The window learns of it, and ends what belongs to it. */
  async closeByPerson(): Promise<void> {
    const closed = this.page.waitForEvent('close');
    await this.page.close({ runBeforeUnload: true });
    await closed;
  }
}

function pattern(text: string | RegExp): RegExp {
  return typeof text === 'string' ? new RegExp(escaped(text), 'i') : text;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
