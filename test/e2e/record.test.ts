// The one path that everything serves: record a real Java program with the real agent, see the chart, click, be on the line,
// read the figures above the method.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { root } from '../../scripts/setup.mjs';
import { seriousViolations } from '../rigs/axe.js';
import { JavaProgram, shopSources } from '../rigs/jvm/programs.js';
import type { Workbench } from '../rigs/vscode/workbench.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';
import { packageFile } from '../../scripts/package.mjs';
import { inOrder } from '../rigs/kinds.js';

const workspace = path.join(root, 'build/e2e/shop-workspace');

const recordingRow = '[id="workbench.view.extension.btrace"] .monaco-list-row';

describe('Record', function () {
  inOrder(this);
  let shop: JavaProgram | undefined;

  before(async function () {
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(path.join(workspace, 'src'), { recursive: true });
    cpSync(shopSources, path.join(workspace, 'src/com'), { recursive: true });
    shop = await JavaProgram.start('shop');
  });
  after(async () => {
    await shop?.end();
  });

  const vscode = withVSCode(() => ({ workspace, extensions: [packageFile()] }));

  it('records a Java program of this machine and opens the chart', async function () {
    const { workbench } = vscode;
    await workbench.run('BTrace: Record…');
    assert.ok(shop);
    const mine = new RegExp(`(?<!\\d)${shop.pid} · `); // not one that another run has started
    await workbench.choices().filter({ hasText: mine }).first().waitFor();
    await workbench.screenshot('record-1-target');
    await workbench.choose(mine);
    await workbench.choose('Balanced');
    await workbench.notification(/Recording .*samples/).waitFor();
    // Until there is something to see: two seconds of the program.
    await workbench.statusBarItem(/0:(0[2-9]|[1-5]\d)/).waitFor();
    await workbench.notification(/Recording .*[\d,]{3,} samples/).waitFor();
    await workbench.screenshot('record-2-recording');
    await workbench.stopAndOpen();
    await workbench.tab(/Shop .*\.btrace/).waitFor();
    await chart().locator('#view-overview .card-row').first().waitFor();
    await workbench.screenshot('record-3-overview');
    await workbench.timeline();
    await workbench.notification('Recording').waitFor({ state: 'detached' });
    await chart()
      .locator('[role="treeitem"]', { hasText: 'Shop.main' })
      .first()
      .waitFor({ state: 'attached' });
    await workbench.screenshot('record-4-chart');
    assert.deepEqual(workbench.cspViolations(), []);
    shop.rest();
  });

  it('goes from a call in the chart to its line', async () => {
    const { workbench } = vscode;
    await workbench.clickCall('Shop.main');
    // Beside the recording, which stays in front.
    await workbench.tab('Shop.java').waitFor();
    await workbench.page.locator('.tabs-container .tab.active', { hasText: /Shop .*\.btrace/ }).waitFor();
    await workbench.clickCall('Shop.main', 'Control');
    await workbench.cursorAt('Shop.java', lineOf('Shop.java', 'System.in.read()'));
  });

  it('shows the figures above the methods, and goes from there to the chart', async () => {
    const { workbench } = vscode;
    const lens = workbench.lens(/^CPU .* · wall /);
    await lens.waitFor();
    await workbench.screenshot('record-4-lenses');
    const all = await workbench.page.locator('.codelens-decoration a').allTextContents();
    // main waits for its input all the time; the customers work. Both have a lens, and waiting has no CPU time to speak of.
    assert.ok(all.length >= 3, all.join('\n'));
    // The first line tells the recording.
    assert.match(all[0] ?? '', /com\.example\.shop\.Shop .* · change…$/);
    assert.match(all[1] ?? '', /^CPU (0|\S+ \S+ \(.+ %\)) · wall \S+ s/);
    await workbench.clickLens(/^CPU/);
    await workbench
      .tab(/Shop .*\.btrace/)
      .and(workbench.page.locator('.active'))
      .waitFor();
    await chart()
      .locator('[aria-selected="true"]', { hasText: 'Shop.main' })
      .first()
      .waitFor({ state: 'attached' });
  });

  it('tells callers, callees and lines on hover', async () => {
    const { workbench } = vscode;
    await workbench.openFile('Search.java');
    await workbench.lens(/^CPU/).waitFor();
    const hover = await workbench.hover('private static int distance', 'distance', 'Called by');
    await workbench.screenshot('record-5-hover');
    assert.match(await hover.innerText(), /lambda\$find\$0[\s\S]*Lines[\s\S]*line\s\d+/);
  });

  it('says so when the file was edited, and follows a method that was moved', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.openFile('Search.java', 1);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Enter');
    await workbench.lens(/^CPU .* · before the last edit$/).waitFor();
    const fresh = page
      .locator('.editor-group-container.active .codelens-decoration a')
      .filter({ hasText: /[KM]B$|s$/ });
    assert.equal(await fresh.count(), 0);
    await page.keyboard.press('Control+Z');
    await workbench.lens(/^CPU .*[^t]$/).waitFor();
  });

  it('lists the recording, and opens it beside its source', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.showView('BTrace');
    const row = /Shop\d.*s · .*B/;
    await recordings().filter({ hasText: row }).waitFor();
    await workbench.screenshot('record-6-views');
    await workbench.click(recordingRow, row);
    await workbench.timeline();
    await workbench.clickCall('Shop.main', 'Control');
    await workbench.cursorAt('Shop.java', lineOf('Shop.java', 'System.in.read()'));
    await workbench.lens(/^CPU/).waitFor();
    await page.keyboard.press('Control+B');
    await workbench.screenshot('record-7-beside');
  });

  it('says on the page and in the view that a source was written since', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.openFile('Search.java', 1);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+S');
    await workbench.showTab(/Shop .*\.btrace/);
    await chart().locator('.trust-line', { hasText: '1 source changed since' }).waitFor();
    // Also where the keyboard left the editor before VS Code asked for lenses again.
    await workbench.lens(/^CPU .* · before the last edit$/).waitFor();
    await page.keyboard.press('Control+B');
    await recordings().filter({ hasText: '1 source changed since' }).first().waitFor();
    await page.keyboard.press('Control+B');
  });

  it('searches and takes a range by the mouse, and has both in graph and tables, also after a reload', async function () {
    const { workbench } = vscode;
    const { page } = workbench;
    const view = (name: string): Promise<void> => chart().getByRole('tab', { name, exact: true }).click();
    await view('Timeline');
    const ruler = await chart().locator('.ruler').boundingBox();
    assert.ok(ruler);
    await page.mouse.move(ruler.x + ruler.width * 0.3, ruler.y + 10);
    await page.mouse.down();
    await page.mouse.move(ruler.x + ruler.width * 0.8, ruler.y + 10, { steps: 4 });
    await page.mouse.up();
    const range = chart().locator('.chip', { hasText: /^Range/ });
    await range.waitFor();
    const taken = await range.innerText();
    // What the lens has led to is still searched for. Not by keys: VS Code selects all once more a while after Control+A, and with it what was typed since.
    await chart().locator('.search-field input').fill('serveCustomers');
    const isThere = async (): Promise<void> => {
      await chart()
        .locator('.search-found', { hasText: /^1 method/ })
        .waitFor();
      assert.equal(await range.innerText(), taken);
    };
    await isThere();
    await view('Flame Graph');
    await chart().locator('#view-flameGraph g.frame').first().waitFor();
    await workbench.screenshot('record-7-range-flame-graph');
    for (const [name, id] of [
      ['Call Tree', 'callTree'],
      ['Bottom-Up', 'bottomUp'],
      ['Methods', 'methods'],
    ] as const) {
      await view(name);
      await chart().locator(`#view-${id} .table-row`).first().waitFor();
      await isThere();
    }
    await workbench.screenshot('record-7-range-methods');
    await workbench.run('View: Show Explorer'); // by which a window is known to be there
    await workbench.reload();
    await chart().locator('#view-methods .table-row').first().waitFor();
    await isThere();
    await page.keyboard.press('Control+B');
    assert.deepEqual(workbench.cspViolations(), []);
  });

  it('records in two windows at once, each its own', async function () {
    const one = vscode.workbench;
    const till = await JavaProgram.start('shop');
    let other: Workbench | undefined;
    try {
      const opening = one.another();
      await one.run('View: Close All Editors');
      await record(one, shop!);
      other = await opening;
      await record(other, till);
      for (const window of [one, other]) {
        await window.showView('BTrace');
        // Its own, and the other's: neither is taken for one that was cut off.
        await recordings(window).filter({ hasText: 'recording…' }).nth(1).waitFor();
        assert.equal(await window.statusBarItem(/2 recordings/).count(), 0);
      }
      await other.screenshot('record-8-two-windows');
      await other.stopAndOpen();
      await showsMain(other);
    } finally {
      await other?.closeWindow();
      await till.end();
    }
  });

  it('keeps what was recorded when the window is reloaded meanwhile, and says so', async () => {
    const { workbench } = vscode;
    await workbench.statusBarItem(/\d:\d\d .*Shop/).waitFor();
    await workbench.page.keyboard.press('Control+Shift+E'); // what a window shows when it is ready
    await workbench.reload();
    await workbench.showView('BTrace');
    const told = /The recording of .*Shop ended with its window/;
    await workbench.notification(told).waitFor();
    await workbench.screenshot('record-9-reloaded');
    assert.equal(await workbench.statusBarItem(/\d:\d\d .*Shop/).count(), 0);
    shop!.rest();
    await workbench.press(told, 'Open');
    await showsMain(workbench);
    assert.doesNotMatch(await chart().locator('.trust-line').innerText(), /cut off/);
    await recordings(workbench)
      .filter({ hasText: /recording…|cut off/ })
      .first()
      .waitFor({ state: 'detached' });
  });

  it('is readable in each theme, and axe finds nothing serious', async () => {
    const { workbench } = vscode;
    const themes = [
      { name: 'dark', window: 'vs-dark', page: 'vscode-dark' },
      { name: 'light', window: 'vs', page: 'vscode-light' },
      { name: 'contrast', window: 'hc-black', page: 'vscode-high-contrast' },
    ] as const;
    for (const { name, window, page } of themes) {
      await workbench.setTheme(window);
      await chart().locator(`body.${page}`).waitFor();
      await workbench.screenshot(`theme-${name}`);
      assert.deepEqual(await seriousViolations(await workbench.webviewFrame(), name), [], name);
    }
    assert.deepEqual(workbench.cspViolations(), []);
  });

  /** Begins to record that program, and no other. */
  async function record(window: Workbench, program: JavaProgram): Promise<void> {
    program.goOn();
    await window.run('BTrace: Record…');
    const row = new RegExp(`(?<!\\d)${program.pid} · `);
    await window.choices().filter({ hasText: row }).first().waitFor();
    await window.choose(row);
    await window.choose('Balanced');
    await window.notification(/Recording .*samples/).waitFor();
  }

  /** The program's main method in the chart. */
  async function showsMain(window: Workbench): Promise<void> {
    await (
      await window.timeline()
    )
      .locator('[role="treeitem"]', { hasText: 'Shop.main' })
      .first()
      .waitFor({ state: 'attached' });
  }

  /** The rows of the view. */
  function recordings(window = vscode.workbench): Locator {
    return window.page.locator(recordingRow);
  }

  /** The page's frame. */
  function chart(): ReturnType<typeof vscode.workbench.webview> {
    return vscode.workbench.webview();
  }
});

/** From 1. */
function lineOf(file: string, text: string): number {
  const lines = readFileSync(path.join(workspace, 'src/com/example/shop', file), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}
