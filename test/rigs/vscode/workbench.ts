// The VS Code window in Chromium, as a person has it before them: palette, editors, lenses, notifications, webviews.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Frame, FrameLocator, Locator, Page } from 'playwright-core';
import { find, root } from '../../../scripts/setup.mjs';
import type { VSCodeServer } from './server.js';

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

export interface WorkbenchOptions {
  /** Parameters of the workbench's address, such as tests to run in the extension host. */
  readonly payload?: ReadonlyArray<readonly [string, string]>;
  /** Called on the page before it loads. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** By the class that a window has of it. */
const themes = { 'vs-dark': 'Dark Modern', vs: 'Light Modern', 'hc-black': 'Default High Contrast' };

export class Workbench {
  readonly #server: VSCodeServer;
  readonly #browser: Browser;
  readonly page: Page;
  /** What the window and its webviews wrote to the console: "type: text". */
  readonly console: string[] = [];

  private constructor(server: VSCodeServer, browser: Browser, page: Page) {
    this.#server = server;
    this.#browser = browser;
    this.page = page;
    page.on('console', (message) => this.console.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.console.push(`uncaught: ${error.stack ?? error.message}`));
  }

  static async open(server: VSCodeServer, options: WorkbenchOptions = {}): Promise<Workbench> {
    const browser = await launchChromium();
    return await Workbench.#show(server, browser, options);
  }

  static async #show(server: VSCodeServer, browser: Browser, options: WorkbenchOptions): Promise<Workbench> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(30_000);
    const workbench = new Workbench(server, browser, page);
    await options.prepare?.(page);
    const query = new URLSearchParams([[...server.opened]]);
    if (options.payload) query.set('payload', JSON.stringify(options.payload));
    await page.goto(`${server.url}/?${query.toString()}`);
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
    const { page } = this;
    const input = page.locator('.quick-input-widget:not(.hidden) input[type="text"]').first();
    const row = page.locator('.quick-input-list .monaco-list-row').filter({
      has: page.locator('.label-name', { hasText: new RegExp(`^${escaped(title)}$`) }),
    });
    const end = Date.now() + 30_000;
    for (;;) {
      await page.keyboard.press('F1');
      try {
        // A list that is just closing takes the key with it.
        await input.fill(`>${title}`, { timeout: 1500 });
        // The palette's list is fixed when it opens: reopened until the extension has brought its commands.
        await row.first().waitFor({ timeout: 1500 });
        await row.first().click();
        return;
      } catch (error) {
        if (Date.now() > end) throw new Error(`The palette has no command "${title}"`, { cause: error });
        await page.keyboard.press('Escape');
      }
    }
  }

  /** The rows of the list that a command has opened to choose from. */
  choices(): Locator {
    return this.page.locator('.quick-input-widget:not(.hidden) .quick-input-list .monaco-list-row');
  }

  /** Chooses the first row whose text has `text`. */
  async choose(text: string | RegExp): Promise<void> {
    await this.choices().filter({ hasText: text }).first().click();
  }

  /** A notification (also one with progress) that has `text`. */
  notification(text: string | RegExp): Locator {
    return this.page.locator('.notification-list-item').filter({ hasText: text }).first();
  }

  /** A button of a notification, such as Stop. */
  async press(notification: Locator, button: string | RegExp): Promise<void> {
    await notification.hover(); // some buttons show only then
    await notification.locator('.monaco-button', { hasText: button }).first().click();
  }

  /** Ends the recording that the notification is of. Where it is drawn anew under the mouse the click goes nowhere: once more. */
  async stopAndOpen(notification: Locator): Promise<void> {
    const link = notification.locator('a', { hasText: 'Stop and Open' });
    const gone = (timeout: number): Promise<void> => link.waitFor({ state: 'detached', timeout });
    await link.click();
    await gone(10_000).catch(async () => {
      if ((await link.count()) > 0) await link.click();
      await gone(30_000);
    });
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item').filter({ hasText: text }).first();
  }

  tab(name: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: name }).first();
  }

  /** Opens a file of the workspace through quick open. `line` counts from 1. */
  async openFile(file: string, line?: number): Promise<void> {
    const { page } = this;
    const name = path.basename(file);
    const input = page.locator('.quick-input-widget:not(.hidden) input[type="text"]').first();
    const found = page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: name });
    const end = Date.now() + 30_000;
    for (;;) {
      await page.keyboard.press('Control+P');
      try {
        await input.fill(file, { timeout: 1500 });
        await found.first().waitFor({ timeout: 3000 });
        if (line !== undefined) await input.fill(`${file}:${line}`, { timeout: 1500 });
        await page.keyboard.press('Enter');
        // The list may have gone back to the files opened last as the key came.
        await page
          .locator('.tabs-container .tab.active', { hasText: name })
          .first()
          .waitFor({ timeout: 3000 });
        return;
      } catch (error) {
        if (Date.now() > end) throw new Error(`Quick open did not open ${file}`, { cause: error });
        await page.keyboard.press('Escape');
      }
    }
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

  /** The same as a frame, to run code in. */
  async webviewFrame(): Promise<Frame> {
    const body = await this.webview().locator('body').elementHandle();
    const frame = await body.ownerFrame();
    if (frame === null) throw new Error('No webview is shown');
    return frame;
  }

  /** Waits until the active text editor is `file`'s and its cursor is in `line` (from 1). */
  async cursorAt(file: string, line: number): Promise<void> {
    await this.page.locator('.tabs-container .tab.active', { hasText: file }).first().waitFor();
    const position = new RegExp(`Ln ${line},`);
    await this.page.locator('[id="status.editor.selection"]').filter({ hasText: position }).waitFor();
  }

  /** The lenses in the visible editors that have `text`. */
  lens(text: string | RegExp): Locator {
    return this.page.locator('.codelens-decoration a').filter({ hasText: text }).first();
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

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
