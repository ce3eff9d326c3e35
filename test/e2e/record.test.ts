// The one path that everything serves: record a real Java program with the real agent, see the chart, click, be on the line,
// read the figures above the method.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { JavaProgram } from '../rigs/jvm/programs.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';
import { packageFile } from '../../scripts/package.mjs';

const workspace = path.join(root, 'build/e2e/shop-workspace');

describe('Record', () => {
  let shop: JavaProgram | undefined;

  before(async function () {
    this.timeout(60_000);
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(path.join(workspace, 'src'), { recursive: true });
    cpSync(path.join(root, 'test/rigs/jvm/shop'), path.join(workspace, 'src'), { recursive: true });
    shop = await JavaProgram.start('shop');
  });
  after(async () => {
    await shop?.end();
  });

  const vscode = withVSCode(() => ({ workspace, extensions: [packageFile()] }));

  it('records a Java program of this machine and opens the chart', async function () {
    this.timeout(120_000);
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.run('BTrace: Record…');
    await workbench.choices().filter({ hasText: 'Shop' }).first().waitFor();
    await workbench.screenshot('record-1-target');
    await workbench.choose('Shop');
    await workbench.choose('Balanced');
    const notification = workbench.notification(/Recording .*samples/);
    await notification.waitFor();
    await workbench.statusBarItem(/0:0\d/).waitFor();
    // Until there is something to see: two seconds of the program.
    await workbench.notification(/0:0[2-9] · [\d,]{3,} samples/).waitFor();
    await workbench.screenshot('record-2-recording');
    await notification.locator('a', { hasText: 'Stop and Open' }).click();
    await workbench.tab(/Shop .*\.btrace/).waitFor();
    await workbench.webview().locator('canvas').first().waitFor();
    await page.locator('.notification-list-item').first().waitFor({ state: 'detached' });
    await workbench.screenshot('record-3-chart');
    assert.deepEqual(workbench.cspViolations(), []);
  });
});
