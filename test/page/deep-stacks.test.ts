/** Stacks as frameworks make them, 60 to 120 calls deep: names stay readable in trees, and the flame graph shows where one is. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { PageRig, type PageUnderTest } from './page-rig.js';

const depth = 120;
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `step${at}`);
/** Every call has one callee. */
const chain = `${names(depth).join(';')} 90\n${names(depth - 1).join(';')} 10\n`;
/** Every call has two callees. */
const branches = names(depth)
  .map((_, at) => `${names(at + 1).join(';')};leaf${at} 1\n`)
  .join('');

describe('deep stacks', () => {
  let open: PageUnderTest;
  afterEach(() => open.close());

  async function opened(stacks: string, key: string): Promise<PageUnderTest['page']> {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    open = await rig.opened(Buffer.from(stacks), { name: 'deep.collapsed' });
    await open.page.keyboard.press(key);
    await open.page.locator('[role=tabpanel]:not([hidden]) :is(.table-row, g.frame)').first().waitFor();
    return open.page;
  }

  const left = (row: Locator): Promise<number> =>
    row.locator('.twisty').evaluate((one) => one.getBoundingClientRect().left);

  it('of calls with one callee each open at once in the call tree, and stand in no further', async () => {
    const page = await opened(chain, '3');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    const table = page.locator('#view-callTree .table');
    await page.waitForFunction(() => document.querySelectorAll('#view-callTree .table-row').length === 1);
    await page.keyboard.press('ArrowRight');
    await page.locator('#view-callTree .table[aria-rowcount="121"]').waitFor();
    const first = await left(table.locator('.table-row').first());
    await page.keyboard.press('End');
    const last = table.locator('.table-row', { hasText: /^step119/ });
    await last.waitFor();
    assert.equal(await last.getAttribute('aria-level'), '120');
    assert.equal(await left(last), first);
    await table.locator('.table-row:nth-child(2) .is-chained').waitFor();
    // The way back by keys is as long as the chain: to the caller.
    await page.keyboard.press('ArrowLeft');
    await table.locator('.is-selected', { hasText: /^step118/ }).waitFor();
  });

  it('that branch at each call have names in most of the column', async () => {
    const page = await opened(branches, '3');
    await page.keyboard.press('End');
    // A stretch of it has opened by itself.
    const rows = page.locator('#view-callTree .table-row');
    await page.waitForFunction(() =>
      Array.from(document.querySelectorAll('#view-callTree .table-row')).some(
        (row) => Number(row.getAttribute('aria-level')) > 30,
      ),
    );
    const rooms = await rows.evaluateAll((all) =>
      all.map((row) => {
        const cell = row.querySelector('.is-name')!.getBoundingClientRect();
        const name = row.querySelector('.cell-text')!.getBoundingClientRect();
        return [(cell.right - name.left) / cell.width, name.right - cell.right];
      }),
    );
    assert.ok(rooms.length > 10);
    for (const [share, beyond] of rooms) assert.ok(share! > 0.5 && beyond! <= 0, `${share} ${beyond}`);
  });

  it('have names at the left edge of a narrow window, and columns as wide as one wants', async () => {
    const page = await opened(chain, '3');
    await page.setViewportSize({ width: 400, height: 600 });
    const table = page.locator('#view-callTree .table');
    await page.waitForFunction(() => {
      const one = document.querySelector('#view-callTree .table')!;
      one.scrollLeft = 1000;
      return one.scrollLeft > 20;
    });
    // Rows may be made anew meanwhile: asked of those that are there.
    await page.waitForFunction(() => {
      const one = document.querySelector('#view-callTree .table')!;
      const edge = one.getBoundingClientRect().left + one.clientLeft;
      const names = Array.from(one.querySelectorAll('.table-row .is-name, .table-head-cell:first-child'));
      return names.length > 10 && names.every((name) => name.getBoundingClientRect().left === edge);
    });
    await table.evaluate((one) => (one.scrollLeft = 0));
    await page.setViewportSize({ width: 1200, height: 600 });
    const head = table.locator('.table-head-cell').nth(1);
    const width = (): Promise<number> => head.evaluate((one) => one.getBoundingClientRect().width);
    const was = await width();
    const edge = (await head.locator('.table-edge').boundingBox())!;
    await page.mouse.move(edge.x + 3, edge.y + 5);
    await page.mouse.down();
    await page.mouse.move(edge.x - 47, edge.y + 5, { steps: 3 });
    await page.mouse.up();
    assert.equal(Math.round((await width()) - was), 50);
    await head.locator('.table-edge').dblclick();
    assert.equal(await width(), was);
    await table.focus();
    await page.keyboard.press('Shift+ArrowLeft');
    assert.ok((await width()) > was);
    await page.keyboard.press('Shift+ArrowRight');
    assert.equal(Math.round(await width()), was);
  });

  it('are walked and zoomed in the flame graph with the frame in sight', async () => {
    const page = await opened(chain, '2');
    const canvas = page.locator('#view-flameGraph .flame-graph');
    await canvas.focus();
    const isInSight = (words: string): Promise<boolean> =>
      canvas.evaluate((one, name) => {
        const frame = Array.from(one.querySelectorAll('g.frame')).find(
          (it) => it.getAttribute('name') === name,
        );
        const [box, room] = [frame!.getBoundingClientRect(), one.getBoundingClientRect()];
        return box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
      }, words);
    for (let step = 0; step < 100; step++) await page.keyboard.press('ArrowDown');
    await canvas.locator('.is-current[name="step98"], .is-current[name="step99"]').waitFor();
    const current = (await canvas.locator('.is-current').getAttribute('name'))!;
    assert.ok(await isInSight(current));
    await page.keyboard.press('f');
    await page.locator('.flame-crumbs', { hasText: current }).waitFor();
    await open.painted();
    // Its callers are above it, what it calls is below.
    assert.ok(await isInSight(current));
    assert.ok(await isInSight(`step${Number(current.slice(4)) + 5}`));
    await page.keyboard.press('0');
    await page.locator('.flame-crumbs').waitFor({ state: 'hidden' });
  });
});
