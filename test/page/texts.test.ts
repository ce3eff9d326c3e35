/** Each word of the page has a key, so that it can be said in another language, and there is room for longer words. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { giveBaseline } from './baseline.js';
import { bytesOf } from './generated-trace.js';
import { layoutFaults } from './layout.js';
import type { PageUnderTest } from './page-rig.js';
import { PageRig } from './page-rig.js';
import { outsideTexts, pseudoTexts } from './pseudo-texts.js';

const small = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };
const views = ['v', '1', '2', '3', '4', '5', '6', '7', '8', '?'];
const widths = [1280, 900];

/** A page with a range, a call that is selected, and another recording to compare with. */
async function shown(rig: PageRig): Promise<PageUnderTest> {
  const open = await rig.page();
  const { page } = open;
  // A document in another language waits for its texts.
  await page.route(
    ({ pathname }) => pathname === '/',
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('lang="en"', 'lang="xx"') });
    },
  );
  await page.reload();
  await open.open(bytesOf(small), { settings: { texts: pseudoTexts } });
  await open.hear('opened');
  await giveBaseline(open, bytesOf({ ...small, seed: 4 }));
  await page.locator('.chart').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'r']) await page.keyboard.press(key);
  return open;
}

/** All that a person reads and hears, but for names of keys. */
function wordsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isRead = (one: Element): boolean =>
      one.checkVisibility() && one.closest('kbd, .menu-key, script, style') === null;
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (isRead(node.parentElement!)) found.push(node.textContent ?? '');
    const attributes = ['aria-label', 'placeholder', 'title'];
    for (const one of Array.from(document.querySelectorAll('#btrace *')))
      if (isRead(one)) found.push(...attributes.map((name) => one.getAttribute(name) ?? ''));
    return found;
  });
}

/** Words that are cut off, without the words: controls and table heads, and whatever else the layout hides. */
async function cutOff(page: Page): Promise<string[]> {
  const controls = await page.evaluate(() =>
    Array.from(
      document.querySelectorAll<HTMLElement>(
        '#btrace :is(button, a, label, vscode-button, vscode-checkbox, [role=tab], [role=menuitem], [role=columnheader], .table-head-cell)',
      ),
    )
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest('.sr-only') === null)
      .flatMap((one) => [one, ...Array.from(one.querySelectorAll<HTMLElement>('*'))])
      .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
      .map((one) => `${one.localName}.${one.className} is cut off: ${one.textContent}`),
  );
  return [...controls, ...(await layoutFaults(page))];
}

/** Of the made-up recording. */
const names =
  /\b(?:(?:com|java|kotlin)(?:\.[a-z]+)+|[A-Z]\w+\.[a-z]+\d*(?:\.java:\d+)?|native_step_\d+|main|worker-\d+|OkHttp dispatcher \d+|heap used|before\.btrace)/g;

function wordsWithoutKey(shownWords: readonly string[]): string[] {
  const left = shownWords.map((one) => outsideTexts(one.replace(names, '')).trim());
  return [...new Set(left.filter((one) => /[a-z]{3}/i.test(one)))];
}

describe('the page', function () {
  it('shows only texts that have keys, and has room for longer ones', async () => {
    const open = await shown(await PageRig.start('test/page/generated-worker.ts'));
    const { page } = open;
    const look = async (at: string): Promise<void> => {
      assert.deepEqual(wordsWithoutKey(await wordsOf(page)), [], at);
      assert.deepEqual(await cutOff(page), [], at);
    };
    await page.keyboard.press('Shift+F10');
    await page.locator('.menu-item').first().waitFor();
    await look('the menu');
    await page.keyboard.press('Escape');
    for (const key of views) {
      await page.keyboard.press(key);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await page.waitForFunction((wanted) => innerWidth === wanted, width);
        await open.painted();
        await page.locator('.details-actions').waitFor();
        await look(`view ${key}, ${width} px wide`);
      }
    }
    await page.keyboard.press('Escape');
    await open.close();
  });
});
