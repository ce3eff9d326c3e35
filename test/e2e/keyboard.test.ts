// The same way without a mouse: a program recorded from its first moment, the chart, the line, the lens, and back.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { root } from '../../scripts/setup.mjs';
import { packageFile } from '../../scripts/package.mjs';
import { compile, mainClasses, mainJdk, shopSources } from '../rigs/jvm/programs.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';
import { inOrder } from '../rigs/kinds.js';

const workspace = path.join(root, 'build/e2e/keyboard-workspace');

describe('Record by keyboard alone', function () {
  inOrder(this);
  let classes = '';

  before(function () {
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(path.join(workspace, 'src'), { recursive: true });
    cpSync(shopSources, path.join(workspace, 'src/com'), { recursive: true });
    classes = compile('shop');
  });

  const vscode = withVSCode(() => ({ workspace, extensions: [packageFile()] }));

  /** Types a command's title into the palette. */
  async function palette(title: string): Promise<void> {
    const { page } = vscode.workbench;
    const row = focusedChoice(title);
    // Longer each time, as far as one waits anywhere: a busy machine must get to its end once.
    for (let timeout = 2000; ; timeout *= 2) {
      await noQuickInput(); // one that is just closing takes the key with it
      await page.keyboard.press('F1');
      try {
        await quickInput().waitFor({ timeout });
        await page.keyboard.type(title);
        await row.waitFor({ timeout });
        break;
      } catch (error) {
        if (timeout > waitLimitMs) throw error; // the palette's list is fixed when it opens
        await page.keyboard.press('Escape');
      }
    }
    await page.keyboard.press('Enter');
  }

  it('records a program from its first moment, until it ends', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await palette('BTrace: Start a Program and Record It');
    await page.locator('.quick-input-title', { hasText: 'Start a Program and Record It' }).waitFor();
    await page.keyboard.type(`${mainJdk().home}/bin/java -cp ${classes} ${mainClasses.shop} 1.5`);
    await page.keyboard.press('Enter');
    await focusedChoice('Balanced').waitFor();
    await page.keyboard.press('Enter');
    await workbench.tab(/com\.example\.shop\.Shop .*\.btrace/).waitFor();
    await workbench.webview().locator('#view-overview .card-row').first().waitFor();
    await palette('BTrace: Show Timeline');
    await workbench
      .webview()
      .locator('[role="treeitem"]', { hasText: 'Shop.main' })
      .first()
      .waitFor({ state: 'attached' });
    await workbench.screenshot('keyboard-1-chart');
    assert.deepEqual(workbench.cspViolations(), []);
  });

  it('walks the calls by arrows, hears them, and opens the line by Enter', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await page.keyboard.press('Control+J'); // the terminal, out of the way
    await palette('BTrace: Show Timeline');
    await focusChart();
    await page.keyboard.press('ArrowDown');
    // The launcher may have been met before it called main: along the row until main is heard.
    const main = vscode.workbench.webview().locator('[aria-live="polite"]').filter({ hasText: 'Shop.main' });
    for (let calls = 0; calls < 30 && (await main.count()) === 0; calls++)
      await page.keyboard.press('ArrowRight');
    await main.first().waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    // The line of main with most of its CPU time: any of them.
    await workbench.cursorAt('Shop.java', lineOf('Shop shop = new Shop();'), lineOf('System.in.read()'));
  });

  it('leads from the lens of the line back to the chart', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.lens(/^CPU .* · wall /).waitFor();
    await goTo(lineOf('public static void main'));
    await palette('Show CodeLens Commands for Current Line');
    await focusedChoice(/CPU/).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.tabs-container .tab.active', { hasText: '.btrace' }).waitFor();
    await workbench
      .webview()
      .locator('[aria-selected="true"]', { hasText: 'Shop.main' })
      .first()
      .waitFor({ state: 'attached' });
  });

  it('searches, narrows to a range, and sees both in the graph and the tables', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    const inPage = workbench.webview();
    await focusChart();
    await page.keyboard.press('r');
    await inPage.locator('.chip', { hasText: /^Range/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('serveCustomers');
    await inPage.locator('.search-found', { hasText: /^1 method/ }).waitFor();
    await palette('BTrace: Show Methods');
    await inPage.locator('#view-methods .table-row').first().waitFor();
    await palette('BTrace: Show Flame Graph');
    await inPage.locator('#view-flameGraph g.frame').first().waitFor();
    await workbench.screenshot('keyboard-2-flame-graph');
  });

  it('is as it was after a reload of the window', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    const loaded = page.waitForEvent('load');
    await palette('Developer: Reload Window');
    await loaded;
    await workbench.ready();
    const inPage = workbench.webview();
    await inPage.locator('#view-flameGraph g.frame').first().waitFor();
    await inPage.locator('.chip', { hasText: /^Range/ }).waitFor();
    await inPage.locator('.search-found', { hasText: /^1 method/ }).waitFor();
    await workbench.screenshot('keyboard-3-reloaded');
    assert.deepEqual(workbench.cspViolations(), []);
  });

  /** With the focus in it: what is typed before goes to the page, whose keys are letters. */
  function quickInput(): Locator {
    return vscode.workbench.page.locator('.quick-input-widget:not(.hidden) input[type="text"]:focus').first();
  }

  /** What Enter would take: the list follows the typing a moment later. */
  function focusedChoice(text: string | RegExp): Locator {
    return vscode.workbench
      .choices()
      .and(vscode.workbench.page.locator('.focused'))
      .filter({ hasText: text })
      .first();
  }

  async function noQuickInput(): Promise<void> {
    const shown = vscode.workbench.page.locator('.quick-input-widget:not(.hidden)');
    await shown.first().waitFor({ state: 'hidden' });
  }

  /** Tab by Tab, as without a mouse, until the chart has the focus. */
  async function focusChart(): Promise<void> {
    const { page } = vscode.workbench;
    const frame = vscode.workbench.webview();
    for (let stops = 0; stops < 40; stops++) {
      if ((await frame.locator('.chart:focus, .chart :focus').count()) > 0) return;
      await page.keyboard.press('Tab');
    }
    assert.fail('Tab does not reach the chart');
  }

  async function goTo(line: number): Promise<void> {
    const { page } = vscode.workbench;
    await noQuickInput();
    await page.keyboard.press('Control+G');
    await quickInput().waitFor();
    await page.keyboard.type(String(line));
    await page.keyboard.press('Enter');
    await vscode.workbench.cursorAt('Shop.java', line);
  }
});

/** From 1. */
function lineOf(text: string): number {
  const lines = readFileSync(path.join(workspace, 'src/com/example/shop/Shop.java'), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}
