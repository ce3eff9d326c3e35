// An app on a device, as a person records it: BTrace: Record, device and app, stop, and the chart is there.
import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { packageFile } from '../../scripts/package.mjs';
import { withPhone } from '../rigs/phone/with-phone.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';

const SHOP = 'com.example.shop';

describe('Record on a device', () => {
  const bench = withPhone();
  let adb: string;
  before(async () => (adb = await bench().server.program()));
  const vscode = withVSCode(() => ({
    workspace: path.join(root, 'test/fixtures/hello-workspace'),
    extensions: [packageFile()],
    settings: {
      'btrace.adb.server': `127.0.0.1:${bench().server.port}`,
      'btrace.adb.path': adb,
      'btrace.agent.folder': bench().agents,
    },
  }));

  it('starts the adb server for whom presses the button', async function () {
    this.timeout(60_000);
    const { workbench } = vscode;
    await bench().server.end();
    await workbench.run('BTrace: Record…');
    await workbench.choose(/No adb server runs on this machine/);
    const notice = workbench.notification(/No adb server runs on this machine/);
    await workbench.press(notice, 'Start the adb Server');
    await bench().server.answering();
  });

  it('lists the device as it comes, records its app and opens the chart', async function () {
    this.timeout(120_000);
    const { workbench } = vscode;
    const { page } = workbench;
    const app = await bench().launched(SHOP);
    await workbench.run('BTrace: Record…');
    await workbench.choices().first().waitFor();
    const row = workbench.choices().filter({ hasText: SHOP });
    assert.equal(await row.count(), 0);
    await bench().connect(); // while the list is open
    await row.filter({ hasText: `Rig Phone (${bench().phone.serial}) · Android 11` }).waitFor();
    await row.filter({ hasText: 'Ładen ☂ 店' }).waitFor(); // its label comes a little later
    await workbench.screenshot('android-1-target');
    await workbench.choose(SHOP);
    await workbench.choose('Balanced');
    await workbench.notification(/Recording .*samples/).waitFor();
    await app.more('frame', 12);
    await workbench
      .notification(/Recording .*samples/)
      .locator('a', { hasText: 'Stop and Open' })
      .click();
    await workbench.tab(/com\.example\.shop .*\.btrace/).waitFor();
    await workbench
      .webview()
      .locator('[role="treeitem"]', { hasText: 'Jank.round' })
      .first()
      .waitFor({ state: 'attached' });
    await workbench.screenshot('android-2-chart');
    await page.locator('.activitybar').getByRole('tab', { name: 'BTrace' }).click();
    const listed = page.locator('[id="workbench.view.extension.btrace"] .monaco-list-row', {
      hasText: 'Rig Phone',
    });
    await listed.waitFor();
    await workbench.screenshot('android-3-view');
    await bench().server.adb('disconnect', bench().phone.serial);
    await listed.waitFor({ state: 'detached' });
    assert.deepEqual(workbench.cspViolations(), []);
  });
});
