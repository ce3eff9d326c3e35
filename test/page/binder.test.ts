/** Calls to other processes of an Android system trace, on the overview and in the timeline. */
import assert from 'node:assert/strict';
import { kernel, text } from '../unit/formats/binder-traces.js';
import { PageRig } from './page-rig.js';

describe('a system trace with calls to other processes', () => {
  it('names callee and server where the program waited, and leads to the wait', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(text(kernel), { isFirst: true, name: 'shop.systrace' });
    const { page } = open;
    const row = page.locator('[aria-labelledby="overview-waits"] .card-row').first();
    await row.waitFor();
    assert.match(
      await row.innerText(),
      /binder call\s[^]*getProcesses[^]*350 µs[^]*in doFrame · held by Binder:500_1/,
    );
    await row.click();
    const details = page.locator('.details');
    await details.getByText('Waits for', { exact: true }).waitFor();
    assert.match(
      await details.innerText(),
      /held by Binder:500_1[^]*Waits for\s+IActivityManager\.getProcesses/,
    );
    if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
    assert.deepEqual(open.errors, []);
    await open.close();
  });
});
