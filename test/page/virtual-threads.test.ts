/** Virtual threads on the page: a list under their own name, and whose a call is. */
import assert from 'node:assert/strict';
import { seriousViolations } from '../rigs/axe.js';
import { carrierRecording } from '../unit/trace/carrier-recording.js';
import { PageRig } from './page-rig.js';

describe('the virtual threads of a recording', function () {
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

  it('have waits off their carriers, and places where they waited', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(
      carrierRecording([{ id: 31, samples: 3 }], {
        thread: [1, 1, 1],
        id: [31, 40, 40],
        begin: [0, 0, 20e6],
        duration: [4e6, 12e6, 3e6],
        stack: [2, 2, 0],
      }),
    );
    const { page } = open;
    await page.getByRole('tab', { name: 'Virtual Threads' }).click();
    const cells = async (grid: string): Promise<(string | null)[][]> => {
      const rows = page.getByRole('grid', { name: grid, exact: true }).locator('.table-row');
      await rows.nth(1).waitFor();
      return await rows.evaluateAll((all) =>
        all.map((row) => Array.from(row.querySelectorAll('.table-cell'), (cell) => cell.textContent)),
      );
    };
    await page.getByRole('columnheader', { name: 'Waited off carriers' }).first().click();
    assert.deepEqual(
      (await cells('Virtual Threads')).map((row) => [row[1], ...row.slice(-2)]),
      [
        ['#40', '15.0 ms2×', '12.0 ms'],
        ['#31', '4.00 ms1×', '4.00 ms'],
      ],
    );
    await page.getByText('Not seen: who ended these waits').waitFor();
    assert.deepEqual(await cells('Where virtual threads waited off their carriers'), [
      ['Till.workshop', 'waits for lock', '16.0 ms2×', '12.0 ms'],
      ['not known', 'not known', '3.00 ms1×', '3.00 ms'],
    ]);
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
    await page.keyboard.press('h');
    await page.getByRole('tab', { name: 'Virtual Threads' }).click();
    await page.getByText('The threads in scope carried no virtual threads.').waitFor();
    await open.close();
  });
});
