/** Messages of a loop: a list, the longest first, each a range on the timeline. */
import assert from 'node:assert/strict';
import { seriousViolations } from '../rigs/axe.js';
import { messageRecording } from '../unit/trace/message-recording.js';
import { bytesOf } from './generated-trace.js';
import { layoutFaults } from './layout.js';
import { PageRig } from './page-rig.js';
import type { ThemeName } from './themes.js';

describe('the messages of a recording', function () {
  it('are listed by their length, with what was missed, and lead to the timeline, by keys too', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(
      messageRecording([
        { does: 0, workMs: 5, idleMs: 11 },
        { does: 1, workMs: 20, lockMs: 10, idleMs: 30 },
        { does: 0, workMs: 4, lockMs: 800, idleMs: 5 },
      ]),
    );
    const { page } = open;
    await page.keyboard.press('7');
    const rows = page.locator('#view-messages .table-row');
    await rows.nth(2).waitFor();
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => Array.from(row.querySelectorAll('.table-cell'), (cell) => cell.textContent)),
    );
    assert.deepEqual(
      shown.map((cells) => [cells[0], cells[2]]),
      [
        ['Screen.drawshop', '804 mshang'],
        ['Screen.loadshop', '30.0 msmissed a frame'],
        ['Screen.drawshop', '5.00 ms'],
      ],
    );
    assert.deepEqual(shown[1]!.slice(3), ['10.0 ms33.3 %', '10.0 ms33.3 %']);
    assert.deepEqual(await seriousViolations(page), []);
    // The list stays as it is while one walks it; each message is the range of all other views.
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.locator('.chip', { hasText: 'Range 30.0 ms' }).waitFor();
    assert.equal(await rows.count(), 3);
    await page.getByRole('columnheader', { name: 'Begins at' }).click();
    await page.locator('#view-messages .table-row[data-row="1"][aria-selected=true]').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#view-timeline').waitFor();
    await page.keyboard.press('5');
    await page.locator('#view-methods .table-row').first().waitFor();
    const names = await page.locator('#view-methods .is-name .cell-text').allInnerTexts();
    assert.deepEqual(names.sort(), ['Looper.loop', 'Screen.load']);
    await open.close();
  });

  for (const theme of ['light', 'highContrast'] satisfies ThemeName[]) {
    it(`are for everybody in ${theme}, too`, async () => {
      const rig = await PageRig.start('src/webview/engine-worker.ts');
      const messages = [
        { does: 0, workMs: 5, lockMs: 800, idleMs: 11 },
        { does: 1, workMs: 20, idleMs: 30 },
      ];
      const open = await rig.opened(messageRecording(messages), { theme });
      await open.page.keyboard.press('7');
      await open.page.locator('#view-messages .table-row').nth(1).waitFor();
      assert.deepEqual(await seriousViolations(open.page, theme), []);
      await open.page.keyboard.press('Home');
      await open.page.locator('#view-messages .table-row[aria-selected=true]').waitFor();
      await open.painted();
      assert.deepEqual(await seriousViolations(open.page, theme), [], 'one selected');
      await open.close();
    });
  }

  it('are whole on a narrow page: its tabs wrap, and what has no room is scrolled to', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const bytes = messageRecording([{ does: 0, workMs: 5, lockMs: 800, idleMs: 11 }]);
    const open = await rig.opened(bytes, { width: 480, height: 700 });
    const { page } = open;
    const right = (await page.getByRole('tab', { name: 'Messages' }).boundingBox())!;
    assert.ok(right.x + right.width <= 480, `the last tab ends at ${right.x + right.width}`);
    await page.keyboard.press('7');
    const lastColumn = (): Promise<unknown> =>
      page.waitForFunction(() =>
        ['.table-head-cell:last-child', '.table-row .table-cell:last-child'].every(
          (last) => document.querySelector(`#view-messages ${last}`)!.getBoundingClientRect().right <= 480,
        ),
      );
    const table = page.locator('#view-messages .table');
    await page.locator('#view-messages .table-row').first().hover();
    await page.mouse.wheel(600, 0);
    await lastColumn();
    await table.focus();
    for (let press = 0; press < 8; press++) await page.keyboard.press('ArrowLeft');
    assert.equal(await table.evaluate((it) => it.scrollLeft), 0);
    for (let press = 0; press < 8; press++) await page.keyboard.press('ArrowRight');
    await lastColumn();
    await open.close();
  });

  it('are told with a call that belongs to one', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(messageRecording([{ does: 1, workMs: 30, idleMs: 11 }]));
    const { page } = open;
    await page.locator('.chart').focus();
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await page.locator('.details-title', { hasText: 'load' }).waitFor();
    const facts = page.locator('.details-facts').filter({ hasText: 'Message' });
    await facts.waitFor();
    assert.match(await facts.innerText(), /Message\s+1$/m);
    await open.close();
  });

  it('are said to be missing where there are none', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    const open = await rig.opened(bytesOf({ samples: 300, threads: 2, depth: 6, methods: 30, seed: 3 }));
    await open.page.keyboard.press('7');
    await open.page.getByText('This recording tells no messages apart').waitFor();
    assert.equal(await open.page.locator('#view-messages .table').isVisible(), false);
    await open.close();
  });

  it('leave the controls in one row, in a window with a side bar and without', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(messageRecording([{ does: 0, workMs: 5, idleMs: 11 }]));
    const { page } = open;
    await page.locator('#tab-messages:visible').waitFor();
    for (const width of [1400, 1310, 1222, 1190, 1090, 1000, 922]) {
      await page.setViewportSize({ width, height: 700 });
      await page.waitForFunction((wanted) => innerWidth === wanted, width);
      const height = await page.locator('.toolbar').evaluate((bar: HTMLElement) => bar.offsetHeight);
      assert.ok(height < 40, `${height} px high in ${width} px`);
      assert.deepEqual(await layoutFaults(page), [], `in ${width} px`);
    }
    await open.close();
  });
});
