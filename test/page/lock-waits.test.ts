/** Threads that still waited for a lock when the recording ended: said above the views, and followed from one to the next. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { SampleFlag } from '../../src/trace/model/kinds.js';
import { seriousViolations } from '../rigs/axe.js';
import { lockedRecording, second } from '../unit/trace/locked-recording.js';
import { PageRig } from './page-rig.js';

const deadlocked = lockedRecording([
  { owner: 2 },
  { owner: 1 },
  { owner: 1, beginNs: 8 * second, flags: SampleFlag.OpenWait | SampleFlag.OwnerEstimated },
]);

describe('a deadlock', function () {
  it('is said above the views, and each press selects the next of its waits', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(deadlocked);
    const { page } = open;
    const bar = page.getByRole('note', { name: 'Waits for a lock that had not ended' });
    const deadlock = bar.getByRole('button', { name: 'Deadlock: 2 threads wait for each other' });
    await deadlock.focus();
    const title = page.locator('.details-title');
    const seen: string[] = [];
    for (const at of [1, 2]) {
      await page.keyboard.press('Enter');
      await bar.getByText(`${at} of 2: `).waitFor();
      seen.push(await title.innerText());
      assert.match(
        await bar.innerText(),
        /\d of 2: t\d still waits for Object · held by t\d · in Bank\.transfer, line 12 · 9\.00 s/,
      );
    }
    assert.deepEqual(seen, ['still waits for Object · held by t2', 'still waits for Object · held by t1']);
    await page.keyboard.press('Enter');
    await bar.getByText('1 of 2: ').waitFor();

    // From the details to who has the lock, and around.
    const details = page.locator('.details');
    await details.getByText('It had not ended when the recording did.').waitFor();
    await details.getByRole('button', { name: 'Held by t2 →' }).click();
    await bar.getByText('2 of 2: t2').waitFor();
    const circle = details.locator('.wait-row');
    assert.deepEqual(await circle.allInnerTexts(), [
      't2 still waits for Object · held by t1',
      't1 still waits for Object · held by t2',
    ]);
    await circle.last().click();
    await bar.getByText('1 of 2: t1').waitFor();
    await page.locator('.chart').focus();
    await page.keyboard.press('l');
    await bar.getByText('2 of 2: t2').waitFor();

    await bar.getByRole('button', { name: 'One more still waited for a lock' }).click();
    await bar.getByText('1 of 1: t3 still waits for Object · held by t1 when it began').waitFor();
    assert.equal(await circle.count(), 0);
    await page.keyboard.press('Escape');
    assert.equal(await bar.getByText(' of 1: ').count(), 0);
    await open.close();
  });

  it('is found on a thread that is hidden or collapsed', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(deadlocked);
    const { page } = open;
    const deadlock = page.getByRole('button', { name: 'Deadlock: 2 threads wait for each other' });
    await deadlock.click();
    await page.locator('.chart').focus();
    await page.keyboard.press('h');
    await page.getByText('1 thread hidden').waitFor();
    await deadlock.click();
    await deadlock.click();
    await page.locator('.lock-waits').getByText('1 of 2: t1').waitFor();
    assert.equal(await page.getByText('1 thread hidden').count(), 0);
    await open.close();
  });

  for (const theme of ['dark', 'light', 'highContrast'] as const) {
    it(`is for everybody in ${theme}, too`, async () => {
      const rig = await PageRig.start('src/webview/engine-worker.ts');
      const open = await rig.opened(deadlocked, { theme, width: 900, height: 500 });
      const { page } = open;
      await page.getByRole('button', { name: 'Deadlock: 2 threads wait for each other' }).click();
      await page.locator('.lock-waits').getByText('1 of 2: t1').waitFor();
      await open.painted();
      mkdirSync('artefacts', { recursive: true });
      await page.screenshot({ path: `artefacts/page-deadlock-${theme}.png` });
      assert.deepEqual(await seriousViolations(page, theme), []);
      await open.close();
    });
  }

  it('is not mentioned when there is none', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(lockedRecording([{ owner: 0, beginNs: 9.5 * second }]));
    assert.equal(await open.page.locator('.lock-waits:visible').count(), 0);
    await open.close();
  });
});
