// The same way without a mouse: a program recorded from its first moment, the chart, the line, the lens, and back.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { packageFile } from '../../scripts/package.mjs';
import { compile, mainClasses, mainJdk } from '../rigs/jvm/programs.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';

const workspace = path.join(root, 'build/e2e/keyboard-workspace');

describe('Record by keyboard alone', () => {
  let classes = '';

  before(function () {
    this.timeout(60_000);
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(path.join(workspace, 'src'), { recursive: true });
    cpSync(path.join(root, 'test/rigs/jvm/shop'), path.join(workspace, 'src'), { recursive: true });
    classes = compile('shop');
  });

  const vscode = withVSCode(() => ({ workspace, extensions: [packageFile()] }));

  /** Types a command's title into the palette. */
  async function palette(title: string): Promise<void> {
    const { page } = vscode.workbench;
    const row = vscode.workbench.choices().filter({ hasText: title }).first();
    for (let tries = 0; ; tries++) {
      await page.keyboard.press('F1');
      await page.locator('.quick-input-widget:not(.hidden) input[type="text"]').first().waitFor();
      await page.keyboard.type(title);
      try {
        await row.waitFor({ timeout: 3000 });
        break;
      } catch (error) {
        if (tries > 8) throw error; // the palette's list is fixed when it opens
        await page.keyboard.press('Escape');
      }
    }
    await page.keyboard.press('Enter');
  }

  it('records a program from its first moment, until it ends', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await palette('BTrace: Record a Program from Its Start');
    await page.locator('.quick-input-title', { hasText: 'from Its Start' }).waitFor();
    await page.keyboard.type(`${mainJdk().home}/bin/java -cp ${classes} ${mainClasses.shop} 1.5`);
    await page.keyboard.press('Enter');
    await workbench.choices().filter({ hasText: 'Balanced' }).first().waitFor();
    await page.keyboard.press('Enter');
    await workbench.statusBarItem(/0:0\d/).waitFor();
    await workbench.screenshot('keyboard-1-from-start');
    await workbench.tab(/com\.example\.shop\.Shop .*\.btrace/).waitFor();
    await workbench
      .webview()
      .locator('[role="treeitem"]', { hasText: 'Shop.main' })
      .first()
      .waitFor({ state: 'attached' });
    await workbench.screenshot('keyboard-2-chart');
    assert.deepEqual(workbench.cspViolations(), []);
  });
});
