/** Zoomed in twice and four times: all that is there can be seen and pressed, in every view. And nothing moves for whom wants less motion. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { pageViews } from '../../src/protocol/messages.js';
import { giveBaseline } from './baseline.js';
import { bytesOf } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { coveredControls, layoutFaults } from './layout.js';
import { PageRig } from './page-rig.js';
import type { OpenOptions, PageUnderTest } from './page-rig.js';

const content: GeneratedOptions = { samples: 1500, threads: 4, depth: 16, methods: 300, seed: 5 };
const settings = { myPackages: ['com.acme'] };
const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

async function opened(options: OpenOptions): Promise<PageUnderTest> {
  const rig = await PageRig.start('test/page/generated-worker.ts');
  const open = await rig.opened(bytesOf(content), { settings, ...options });
  await giveBaseline(open, bytesOf({ ...content, seed: 6 }));
  await open.page.locator('.chart').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'r']) await open.page.keyboard.press(key);
  await open.page.locator('.chip').waitFor();
  return open;
}

async function* views(open: PageUnderTest): AsyncGenerator<string> {
  for (const [at, view] of pageViews.entries()) {
    await open.page.keyboard.press(at === 0 ? 'v' : String(at));
    const shown = open.page.locator(`#view-${view}`);
    if (view !== 'messages') await shown.locator('.table-row, g.frame, .chart, .card-row').first().waitFor();
    await open.page.locator('.details-actions').waitFor({ state: 'attached' });
    await open.painted();
    yield view;
  }
}

/** Of what scrolls the page as a whole. */
const scrolled = (page: Page): Promise<number> =>
  page.locator('#btrace').evaluate((one) => one.scrollHeight - one.clientHeight);

describe('the page zoomed in', function () {
  before(() => {
    mkdirSync(path.join(root, 'artefacts'), { recursive: true });
  });

  for (const [share, width, height, scale] of [
    ['not', 1280, 800, 1],
    ['twice', 640, 400, 2],
    ['four times', 320, 256, 4],
    ['in a narrow pane', 320, 640, 1],
  ] as const) {
    it(`${share} has each view whole: nothing beside it, cut off or covered`, async () => {
      const open = await opened({ width, height, scale });
      const { page } = open;
      for await (const view of views(open)) {
        assert.deepEqual(await layoutFaults(page), [], view);
        assert.deepEqual(await coveredControls(page), [], view);
        if (scale > 1)
          await page.screenshot({ path: path.join(root, `artefacts/page-zoomed-${scale}-${view}.png`) });
        // One scrolls to the rest only where a window is too low for it.
        assert.equal((await scrolled(page)) > 0, scale === 4, view);
      }
      await page.keyboard.press('?');
      assert.deepEqual(await layoutFaults(page), [], 'help');
      await page.keyboard.press('Escape');
      await open.close();
    });
  }

  it('has the names, the chart and the details of a call within reach at four times', async () => {
    const open = await opened({ width: 320, height: 256, scale: 4 });
    const { page } = open;
    for (const selector of ['.thread-filter', '.ruler', '.chart', '.details-figures']) {
      await page.locator(selector).scrollIntoViewIfNeeded();
      const box = (await page.locator(selector).boundingBox())!;
      assert.ok(box.y >= -1 && box.y < 256 - 20, `${selector}: ${JSON.stringify(box)}`);
    }
    assert.ok((await page.locator('.chart').boundingBox())!.height > 100);
    await open.close();
  });

  it('starts no animation for whom wants less motion, whatever is pressed', async () => {
    const open = await opened({});
    const { page } = open;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const watched = await page.evaluateHandle(() => {
      const seen: string[] = [];
      for (const type of ['animationstart', 'transitionrun'])
        document.addEventListener(
          type,
          (event) => seen.push(`${type} ${(event.target as Element).className}`),
          true,
        );
      return seen;
    });
    const moving = (): Promise<number> => page.evaluate(() => document.getAnimations().length);
    for await (const view of views(open)) {
      for (const key of ['ArrowDown', 'ArrowRight', 'f', 'w', '+', '0', 'i', 'i']) {
        await page.keyboard.press(key);
        assert.equal(await moving(), 0, `${view}, ${key}`);
      }
    }
    await page.locator('.my-code').click();
    await page.locator('vscode-dropdown.weight').click();
    assert.equal(await moving(), 0);
    await open.painted();
    assert.deepEqual(await watched.jsonValue(), []);
    await open.close();
  });
});
