/** No word of the page is without a key, so that each can be said in another language. */
import assert from 'node:assert/strict';
import { englishTexts } from '../../src/webview/texts.js';
import { giveBaseline } from './baseline.js';
import { bytesOf } from './generated-trace.js';
import { PageRig } from './page-rig.js';

const small = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };

describe('the page', function () {
  this.timeout(60_000);

  it('speaks in texts that have keys alone', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    // Every text is its places for figures and names, in brackets.
    const texts = Object.fromEntries(
      Object.entries(englishTexts).map(([key, text]) => [
        key,
        `⟦${text.match(/\{\w+\}/g)?.join(' ') ?? ''}⟧`,
      ]),
    );
    const open = await rig.page();
    const { page } = open;
    // A document in another language waits for its texts.
    await page.route(`${rig.address}/`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('lang="en"', 'lang="xx"') });
    });
    await page.reload();
    await open.open(bytesOf(small), { settings: { texts } });
    await open.hear('opened');
    await giveBaseline(open, bytesOf({ ...small, seed: 4 }));
    await page.locator('.chart').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'r']) await page.keyboard.press(key);
    for (const key of ['1', '2', '3', '4', '5', '6', '7', '8', '?']) {
      await page.keyboard.press(key);
      await open.painted();
      await page.locator('.details-actions').waitFor();
      const words = await page.evaluate(() => {
        /** Of the recording itself, and of the keyboard. */
        const data =
          '.thread-name, .counter-name, .details-title, .details-package, .details-place, .table-row, kbd, svg, .sr-only, .details-facts dd, .callers-name, .fact, .wait-row, .legend-row, .flame-status';
        const found: string[] = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const parent = node.parentElement!;
          if (!parent.checkVisibility() || parent.closest(data) !== null || parent.closest('script, style'))
            continue;
          found.push(node.textContent ?? '');
        }
        for (const one of Array.from(
          document.querySelectorAll('#btrace [aria-label], #btrace [placeholder]'),
        ))
          if (one.closest(data) === null)
            found.push(one.getAttribute('aria-label') ?? one.getAttribute('placeholder') ?? '');
        return (
          found
            .map((text) => text.replace(/⟦[^⟧]*⟧/g, '').trim())
            // Figures and names of what is recorded may stand beside a text.
            .filter((text) => /[a-z]{3}/i.test(text) && !/\.btrace|com\.acme|Price|Codec/.test(text))
        );
      });
      assert.deepEqual([...new Set(words)], [], `view ${key}`);
    }
    await page.keyboard.press('Escape');
    await open.close();
  });
});
