/** Virtual threads on the page: a list under their own name, and whose a call is. */
import assert from 'node:assert/strict';
import { seriousViolations } from '../rigs/axe.js';
import { carrierRecording } from '../unit/trace/carrier-recording.js';
import { PageRig } from './page-rig.js';

describe('the virtual threads of a recording', function () {
  this.timeout(60_000);

  it('are listed by what they took, under their own name', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(
      carrierRecording([
        { id: 31, samples: 3 },
        { id: 40, samples: 2 },
        { id: 31, samples: 4 },
      ]),
    );
    const { page } = open;
    await page.getByRole('tab', { name: 'Virtual Threads' }).click();
    const rows = page.locator('#view-messages .table-row');
    await rows.nth(1).waitFor();
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => Array.from(row.querySelectorAll('.table-cell'), (cell) => cell.textContent)),
    );
    assert.deepEqual(
      shown.map((cells) => [cells[0], cells[1], cells[3]]),
      [
        ['Till.workshop', '#31', '6.00 ms'],
        ['Till.workshop', '#40', '2.00 ms'],
      ],
    );
    assert.equal(await page.getByRole('tab', { name: 'Messages' }).count(), 0);
    assert.equal(await page.getByRole('grid', { name: 'Virtual Threads' }).count(), 1);
    assert.deepEqual(await seriousViolations(page), []);
    await open.close();
  });

  it('are told with a call', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(carrierRecording([{ id: 31, samples: 8 }]));
    const { page } = open;
    await page.locator('.chart').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('.details-facts', { hasText: /Virtual thread\s*#31/ }).waitFor();
    assert.equal(await page.getByText('Message', { exact: true }).count(), 0);
    await open.close();
  });
});
