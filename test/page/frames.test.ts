/** Late frames of an Android system trace, on the overview. */
import assert from 'node:assert/strict';
import { framePerfetto } from '../unit/formats/frame-traces.js';
import { PageRig } from './page-rig.js';

describe('a system trace with frames', () => {
  it('says on the overview which frames were late, and what held up their threads', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(Buffer.from(framePerfetto()), { isFirst: true, name: 'shop.pftrace' });
    const { page } = open;
    const card = page.locator('[aria-labelledby="overview-frames"]');
    await card.locator('.card-row').first().waitFor();
    const shown = await card.innerText();
    assert.match(shown, /3 of 4 frames were ready after their deadline/);
    assert.match(
      shown,
      /65\.0 ms late\s[^]*81\.0 ms\s[^]*the app was late[^]*waits for lock \(held by atcher-worker-3\), 31\.0 ms, in Cart\.find[^]*RenderThread ran DrawFrames/,
    );
    const findings = await page.locator('[aria-labelledby="overview-findings"]').innerText();
    assert.match(findings, /A thread waited 31\.0 ms\. The owner, "atcher-worker-3", had taken the lock/);
    assert.match(shown, /Missed\s[^]*the compositor was late/);
    if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
    await card.locator('.card-row').first().click();
    await page.locator('#view-timeline:visible').waitFor();
    assert.deepEqual(open.errors, []);
    await open.close();
  });
});
