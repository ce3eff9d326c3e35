/** Lock contention of an Android system trace: who held the main thread up, with both places. */
import assert from 'node:assert/strict';
import { contentionText } from '../unit/formats/contention-traces.js';
import { PageRig } from './page-rig.js';

describe('a system trace with lock contention', () => {
  it('says on the overview who held up the main thread, and in the details of a wait where both were', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(Buffer.from(contentionText()), { isFirst: true, name: 'shop.systrace' });
    const { page } = open;
    const rows = page.locator('[aria-labelledby="overview-locks"] .card-row');
    await rows.first().waitFor();
    const shown = await rows.allInnerTexts();
    assert.match(shown[0]!, /atcher-worker-3\s[^]*31\.0 ms[^]*Cart\.find[^]*lock taken in Cart\.update/);
    assert.match(shown[1]!, /pool-1: InternTable lock\s[^]*20\.0 ms/);
    await rows.first().click();
    const details = page.locator('.details');
    await details.getByText('Lock taken in').waitFor();
    assert.match(
      await details.innerText(),
      /Waits in\s+com\.example\.Cart\.find, line 66\s+Lock taken in\s+com\.example\.Cart\.update, line 30[^]*Held by atcher-worker-3[^]*Woken by atcher-worker-3/,
    );
    // The scheduler is there as in a recording: the cores, and what it says of a call.
    await page.getByText('2 cores', { exact: true }).waitFor();
    await page.getByText('frequency of core 0', { exact: true }).waitFor();
    const head = (await page.locator('.track-head', { hasText: '.example.s' }).boundingBox())!;
    const chart = (await page.locator('.chart').boundingBox())!;
    await page.mouse.click(chart.x + 30, head.y + 40);
    await details.getByText('On cores').waitFor();
    assert.match(
      await details.innerText(),
      /doFrame[^]*CPU time\s+30\.0 ms[^]*On cores\s+0 \(30\.0 ms\)\s+Core frequency\s+1\.50 GHz on average/,
    );
    assert.doesNotMatch(
      await details.innerText(),
      /CPU time by the scheduler/,
      'The CPU time stands there twice',
    );
    if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
    assert.deepEqual(open.errors, []);
    await open.close();
  });
});
