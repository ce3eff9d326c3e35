/** The flame graph: what a search found stands out, waits look as in the timeline, and the legend has both. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import { wide } from '../rigs/scale.js';
import { lockedRecording } from '../unit/trace/locked-recording.js';
import { PixelEye } from './pixels.js';
import { PageRig, type PageUnderTest } from './page-rig.js';
import { themeColours } from './themes.js';
import type { ThemeName } from './themes.js';
import { paletteOf } from '../../src/webview/timeline/palette.js';

const sample = readFileSync('media/sample/shop.btrace');

async function opened(bytes: Uint8Array, theme: ThemeName): Promise<PageUnderTest> {
  const rig = await PageRig.start('src/webview/engine-worker.ts');
  return rig.opened(bytes, { theme, settings: { myPackages: ['com.example'] } });
}

/** Fill and colour of the words of the widest frame whose name begins so. */
const lookOf = (open: PageUnderTest, name: string): Promise<[string | null, string]> =>
  open.page.locator(`#view-flameGraph g.frame[name^="${name}"]`).evaluateAll((frames) => {
    const width = (frame: Element): number => Number(frame.getAttribute('width'));
    const [widest] = frames.sort((one, other) => width(other) - width(one));
    return [
      widest!.querySelector('rect')!.getAttribute('fill'),
      getComputedStyle(widest!.querySelector('.d3-flame-graph-label')!).color,
    ];
  });

describe('the flame graph', () => {
  const themes = [
    'dark',
    'highContrast',
    ...(wide ? (['light', 'highContrastLight'] as const) : []),
  ] as const;
  for (const theme of themes) {
    it(`shows what was found, and waits as the timeline does, in ${theme}`, async () => {
      const palette = paletteOf({ ...themeColours(theme), fontFamily: '' });
      const open = await opened(sample, theme);
      const { page } = open;
      const plain = (css: string): string => css.replace(/,(?! )/g, ', ');
      await page.keyboard.press('2');
      await page.locator('#view-flameGraph g.frame[name="Thread.sleep"]').first().waitFor();
      assert.equal((await lookOf(open, 'Thread.sleep'))[0], 'url(#wait-resting)');
      assert.equal((await lookOf(open, 'PriceList.'))[0], 'url(#wait-held-up)');
      const [fill, words] = await lookOf(open, 'Shop.main');
      assert.match(fill!, /^var\(--hue-\d+\)$/);
      assert.equal(words, plain(palette.onFill));
      const legend = page.locator('.legend');
      await legend.getByText('held up: a lock').waitFor();
      assert.equal(await legend.getByText('found by the search').count(), 0);

      await page.keyboard.press('/');
      await page.keyboard.type('PriceList');
      await page.locator('.is-match').first().waitFor();
      assert.deepEqual(await lookOf(open, 'PriceList.'), ['var(--match)', plain(palette.onMatch)]);
      assert.match((await lookOf(open, 'Shop.main'))[0]!, /-dim\)$/);
      await legend.getByText('found by the search').waitFor();

      // A frame that is selected leaves the legend where it is.
      await page.locator('#view-flameGraph g.frame[name="Shop.pause"]').first().dispatchEvent('click');
      await page.locator('.details-title').getByText('Shop.pause').waitFor();
      await legend.getByText('held up: a lock').waitFor();
      await open.close();
    });
  }

  it('has waits of one colour and an edge in the timeline, at every zoom', async () => {
    const open = await opened(lockedRecording([{ owner: 2 }, { owner: 1 }]), 'dark');
    const { page } = open;
    await page.getByRole('button', { name: 'Deadlock: 2 threads wait for each other' }).click();
    const eye = await PixelEye.of(page.context().browser()!);
    const seen: number[] = [];
    for (const keys of [['0'], ['+', '+', '+', '+']]) {
      await page.locator('.chart').focus();
      for (const key of keys) await page.keyboard.press(key);
      await open.painted();
      const box = (await page.locator('.box-selected').boundingBox())!;
      const right = Math.min(box.x + box.width, 980);
      const clip = { x: right - 60, y: box.y + 3, width: 30, height: box.height - 5 };
      seen.push(await eye.coloursOf(await page.screenshot({ clip })));
    }
    await eye.close();
    assert.deepEqual(seen, [2, 2]);
    await open.close();
  });
});
