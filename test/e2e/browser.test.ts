// Without a computer behind it, as on vscode.dev: the package in a VS Code that is a page alone shows recordings and opens their sources.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../scripts/package.mjs';
import { root } from '../../scripts/setup.mjs';
import { BrowserVSCode, openFolder } from '../rigs/vscode/browser-only.js';
import { withWindow } from '../rigs/vscode/with-vscode.js';
import { inOrder } from '../rigs/kinds.js';
import { until } from '../rigs/until.js';

const sample = path.join(root, 'media/sample');
const workspace = path.join(root, 'build/e2e/browser-workspace');

describe('In a browser alone', function () {
  inOrder(this);
  before(() => {
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(workspace, { recursive: true });
    cpSync(path.join(sample, 'shop.btrace'), path.join(workspace, 'shop.btrace'));
    writeFileSync(
      path.join(workspace, 'other.collapsed'),
      'Shop.main;Search.find 30\nShop.main;Basket.add 10\n',
    );
    cpSync(path.join(sample, 'com'), path.join(workspace, 'src/com'), { recursive: true });
  });

  const vscode = withWindow(() => BrowserVSCode.start({ workspace, extension: packageFile() }), {
    begin: openFolder,
  });

  it('draws a recording of the folder that is open', async () => {
    const { workbench } = vscode;
    await workbench.openFile('shop.btrace');
    await workbench.webview().locator('#view-overview .card-row').first().waitFor();
    await workbench.screenshot('browser-1-overview');
    const chart = await workbench.timeline();
    await chart.locator('[role="treeitem"]', { hasText: 'Shop.main' }).first().waitFor({ state: 'attached' });
    await workbench.screenshot('browser-2-chart');
    assert.deepEqual(workbench.cspViolations(), []);
  });

  it('goes from a call in the chart to its line', async () => {
    const { workbench } = vscode;
    await workbench.clickCall('Shop.main', 'Control');
    await workbench.cursorAt('Shop.java', lineOf('System.in.read()'));
    await workbench.screenshot('browser-3-line');
  });

  it('exports what it shows as a page that stands alone', async () => {
    const { workbench } = vscode;
    await workbench.showTab('shop.btrace');
    await workbench.run('BTrace: Export as HTML Page…');
    const told = workbench.notification('shop.html written');
    await told.waitFor();
    assert.deepEqual(await told.locator('.monaco-button').allTextContents(), [], 'nothing opens it here');
    const [begin, pieces] = await workbench.page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const text = await (await (await folder.getFileHandle('shop.html')).getFile()).text();
      return [text.slice(0, 15), text.split('class="btrace-data"').length - 1] as const;
    });
    assert.deepEqual([begin, pieces], ['<!DOCTYPE html>', 1]);
  });

  it('opens what another tool wrote', async () => {
    const { workbench } = vscode;
    await workbench.openFile('other.collapsed');
    await workbench.press('other.collapsed is a trace or profile', 'Open with BTrace');
    await workbench
      .webview()
      .locator('#view-overview .card-row', { hasText: 'Search.find' })
      .first()
      .waitFor();
  });

  it('opens the sample, whose sources come with it', async () => {
    const { workbench } = vscode;
    await workbench.run('View: Close All Editors');
    await workbench.run('BTrace: Open the Sample');
    await workbench.webview().locator('#view-overview .card-row').first().waitFor();
    await workbench.timeline();
    await workbench.clickCall('Shop.main', 'Control');
    await workbench.tab('Shop.java').waitFor();
  });

  it('offers nothing that needs a computer', async () => {
    const { workbench } = vscode;
    await workbench.run('View: Close All Editors');
    await workbench.showView('BTrace');
    await workbench.page
      .locator('.welcome-view-content', { hasText: 'Recordings and traces open here' })
      .waitFor();
    await workbench.screenshot('browser-4-view');
    await workbench.page.keyboard.press('F1');
    await workbench.page.keyboard.type('BTrace: ');
    const all = [
      'Compare With…',
      'Focus on Recordings View',
      'Forget Remembered Source Files',
      'Open a Trace or Profile…',
      'Open the Sample',
      'Show Log',
    ];
    await workbench.choices().filter({ hasText: 'BTrace: Show Log' }).waitFor();
    const offered = await workbench.choices().locator('.label-name').allTextContents();
    assert.deepEqual(
      offered.filter((one) => one.startsWith('BTrace: ')).sort(),
      all.map((one) => `BTrace: ${one}`),
    );
    await workbench.page.keyboard.press('Escape');
  });

  it('says so where it is asked for it all the same, as by a key of other windows', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.run('Preferences: Open Keyboard Shortcuts (JSON)');
    await workbench.tab('keybindings.json').waitFor();
    await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('[{ "key": "ctrl+alt+r", "command": "btrace.record" }]');
    await workbench.run('File: Save');
    await page.locator('.tab.active:not(.dirty)', { hasText: 'keybindings.json' }).waitFor();
    const said = workbench.notification('“Record…” needs VS Code on a computer');
    // Keys are read anew a while after they are saved.
    await until(
      'the key is known',
      async () => {
        await page.keyboard.press('Control+Alt+R');
        return await said.isVisible();
      },
      500,
    );
    await workbench.screenshot('browser-5-refused');
  });
});

/** From 1. */
function lineOf(text: string): number {
  const lines = readFileSync(path.join(sample, 'com/example/shop/Shop.java'), 'utf8').split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}
