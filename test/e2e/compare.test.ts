// A recording beside the one from before: chosen from the list of recordings, told by method, a row leads to the source; kept over a reload.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../scripts/package.mjs';
import { root } from '../../scripts/setup.mjs';
import { tillMethods, writeRecording } from '../exthost/recordings.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';

describe('A recording beside the one from before', () => {
  const vscode = withVSCode(() => ({
    workspace: path.join(root, 'test/exthost/workspace'),
    extensions: [packageFile()],
    settings: { 'btrace.recording.folder': 'recordings' },
  }));

  it('shows what became slower, opens its source, and survives a reload', async function () {
    const { workbench, server } = vscode;
    const folder = path.join(server.workspace, 'recordings');
    mkdirSync(folder);
    const write = (name: string, stacks: number[][]): Promise<void> =>
      writeRecording(path.join(folder, name), { methods: tillMethods, stacks, samples: 4000 });
    await write('before.btrace', [[0, 1], [2]]);
    await write('after.btrace', [[0, 1], [0, 1], [0, 1], [2]]);
    await workbench.openFile('after.btrace');
    const page = workbench.webview();
    await page.locator('#view-overview .card-row').first().waitFor();
    await workbench.run('BTrace: Compare With…');
    await workbench.choose('before');
    const rows = page.locator('#view-compare .table-row');
    await rows.nth(1).waitFor();
    const texts = async (): Promise<string[]> =>
      (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, ' '));
    const told = await texts();
    assert.match(told[0] ?? '', /^Till\.count.* 1\.00 s 1\.50 s \+500 ms \+50\.0 %$/);
    assert.match(told[1] ?? '', /^Till\.idle.* 1\.00 s 500 ms −500 ms −50\.0 %$/);
    await workbench.screenshot('compare-1');
    await workbench.setTheme('vs');
    await workbench.screenshot('compare-2-light');
    await workbench.reload();
    await rows.nth(1).waitFor();
    assert.deepEqual(await texts(), told);
    await rows.first().click({ modifiers: ['Control'] });
    await workbench.cursorAt('Till.java', 12);
    assert.deepEqual(workbench.cspViolations(), []);
  });
});
