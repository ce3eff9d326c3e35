// A workspace that a person does not trust: what the views say there, and the way out of it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { packageFile } from '../../scripts/package.mjs';
import { root } from '../../scripts/setup.mjs';
import { withVSCode } from '../rigs/vscode/with-vscode.js';

const workspace = path.join(root, 'test/exthost/workspace');

describe('a workspace that is not trusted', () => {
  const vscode = withVSCode(() => ({ workspace, extensions: [packageFile()], trust: 'restricted' }));

  it('says in the view of targets what is possible there, and leads to trusting it', async () => {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.showView('BTrace');
    const said = 'Recordings can be opened in Restricted Mode. To record a program, trust this workspace.';
    await page.locator('.welcome-view-content', { hasText: said }).waitFor();
    const none = page.locator('.welcome-view-content', { hasText: 'No recordings yet.' });
    await none.waitFor();
    assert.deepEqual(await none.locator('.monaco-button').allTextContents(), [
      'Open a Trace or Profile…',
      'Open the Sample',
    ]);
    await workbench.screenshot('restricted-1-views');
    await workbench.click('.pane-body .monaco-button', 'Manage Workspace Trust');
    await page.locator('.workspace-trust-editor', { hasText: 'You are in Restricted Mode' }).waitFor();
  });
});
