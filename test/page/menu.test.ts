/** The menu of calls, frames and rows: by right click and by key, what it offers, and that it gives the keyboard back. */
import assert from 'node:assert/strict';
import { seriousViolations } from '../rigs/axe.js';
import type { Locator } from 'playwright-core';
import { bytesOf } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

const small: GeneratedOptions = { samples: 600, threads: 3, depth: 12, methods: 120, seed: 9 };

describe('the menu', function () {
  let rig: PageRig;
  let open: PageUnderTest;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  beforeEach(async () => {
    open = await rig.opened(bytesOf(small), { settings: { myPackages: ['com.acme'] } });
  });
  afterEach(() => open.close());

  const menu = (): Locator => open.page.locator('.context-menu');
  const item = (name: string): Locator => menu().getByRole('menuitem', { name, exact: true });

  async function copied(): Promise<string[]> {
    return (await open.hear('copy')).text.split('\n');
  }

  it('of a call opens its source, copies its stack, hides its thread', async () => {
    const { page } = open;
    await page.locator('.chart').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    const { selection } = await open.kept();
    assert.ok(selection?.kind === 'call');
    // The tree for those who hear the chart follows a moment later.
    const level = selection.depth + 1;
    await page
      .locator(`.chart [role=treeitem][aria-selected=true][aria-level="${level}"]`)
      .waitFor({ state: 'attached' });
    await page.keyboard.press('Shift+F10');
    assert.deepEqual(await seriousViolations(page.mainFrame()), []);
    assert.ok(await item('Go to Source').evaluate((one) => one === document.activeElement));
    await page.keyboard.press('ArrowUp');
    assert.ok(await item('Copy Stack').evaluate((one) => one === document.activeElement));
    await page.keyboard.press('Enter');
    const stack = await copied();
    assert.equal(stack.length, level);
    const name = (await page.locator('.details-title').textContent())!;
    assert.ok(stack[0]!.endsWith(name), `${stack[0]!} is ${name}`);
    assert.ok(await page.locator('.chart').evaluate((chart) => chart === document.activeElement));

    await page.keyboard.press('ContextMenu');
    await page.keyboard.press('g');
    await page.keyboard.press('Enter');
    assert.equal((await open.hear('openSource')).how, 'go');

    const threads = page.locator('.thread-name');
    const before = await threads.count();
    await page.keyboard.press('Shift+F10');
    await item('Hide This Thread').click();
    await page.waitForFunction((count) => document.querySelectorAll('.thread-name').length < count, before);
  });

  it('comes by right click where the click was, and goes by Escape and by a click elsewhere', async () => {
    const { page } = open;
    const box = (await page.locator('.chart').boundingBox())!;
    const thread = (await page.locator('.thread-head:has(.thread-name)').first().boundingBox())!;
    const at = { x: box.x + box.width / 2, y: thread.y + 4 };
    await page.mouse.click(at.x, at.y, { button: 'right' });
    const shown = (await menu().boundingBox())!;
    assert.deepEqual([Math.round(shown.x), Math.round(shown.y)], [Math.round(at.x), Math.round(at.y)]);
    assert.equal(await page.locator('.tooltip:visible').count(), 0);
    await page.keyboard.press('w');
    assert.ok(await menu().isVisible(), 'keys of the chart stay with the menu');
    await page.keyboard.press('Escape');
    assert.ok(await menu().isHidden());
    await page.mouse.click(at.x, at.y, { button: 'right' });
    await page.locator('.facts').click();
    assert.ok(await menu().isHidden());

    await page.locator('.chart').focus();
    await page.mouse.click(at.x, at.y, { button: 'right' });
    const inside = (await menu().boundingBox())!;
    const wheelAt = (x: number, y: number): Promise<unknown> =>
      page.evaluate(
        ([left, top]) => {
          const target = document.elementFromPoint(left, top)!;
          return target.dispatchEvent(new WheelEvent('wheel', { deltaY: 40, bubbles: true, composed: true }));
        },
        [x, y] as const,
      );
    await wheelAt(inside.x + 20, inside.y + 20);
    assert.ok(await menu().isVisible(), 'a menu taller than the window scrolls');
    await wheelAt(at.x - 20, at.y);
    assert.ok(await menu().isHidden());
    assert.ok(await page.locator('.chart').evaluate((chart) => chart === document.activeElement));
  });

  it('of a row leads to other views and to a search, and of a tree copies its stack', async () => {
    const { page } = open;
    await page.keyboard.press('5');
    const row = page.locator('#view-methods .table-row').nth(2);
    await row.click({ button: 'right' });
    assert.equal((await open.said()).filter(({ type }) => type === 'openSource').length, 0);
    assert.deepEqual(await menu().getByRole('menuitem').locator('span:first-child').allTextContents(), [
      'Go to Source',
      'Show in Timeline',
      'Show in Flame Graph',
      'Show in Callers',
      'Search for It',
      'Copy Name',
    ]);
    await item('Search for It').click();
    await page.locator('.search-found', { hasText: /^1 method/ }).waitFor();
    await page.keyboard.press('ContextMenu');
    await item('Show in Callers').click();
    await page.locator('#view-callers .callers-name').waitFor();
    await page.keyboard.press('3');
    const deep = page.locator('#view-callTree .table-row[aria-level="3"]').first();
    await deep.click({ button: 'right' });
    await item('Copy Stack').click();
    assert.equal((await copied()).length, 3);
  });

  it('of a frame zooms to it; figures are beside the pointer, and gone with it', async () => {
    const { page } = open;
    await page.keyboard.press('2');
    const frame = page.locator('g.frame', { has: page.locator('foreignObject div:visible') }).nth(6);
    const tip = page.locator('#view-flameGraph .tooltip');
    await frame.hover();
    await tip.filter({ hasText: /\d %\)$/ }).waitFor();
    assert.equal(
      await page.locator('#view-flameGraph [aria-live]').count(),
      0,
      'the page has the one for all',
    );
    await page.locator('.flame-graph').first().press('ArrowDown');
    await page.locator('.announcement', { hasText: /\d %\)$/ }).waitFor();
    await frame.hover();
    const [pointed, told] = [(await frame.boundingBox())!, (await tip.boundingBox())!];
    assert.ok(Math.abs(told.y - pointed.y) < 60, 'beside the frame');
    await page.locator('.facts').hover();
    await tip.waitFor({ state: 'hidden' });
    await frame.click({ button: 'right' });
    await item('Zoom to It').click();
    await page.locator('.flame-crumbs:visible').waitFor();
  });

  it('offers to hide library frames where the method is none of one’s own', async () => {
    const { page } = open;
    await page.keyboard.press('5');
    const library = page.locator('#view-methods .table-row', { hasText: /java\.|android\./ });
    await library.first().click({ button: 'right' });
    await item('Hide Library Frames').click();
    await page.waitForFunction(() => document.querySelector('.my-code')?.ariaPressed === 'true');
  });
});
