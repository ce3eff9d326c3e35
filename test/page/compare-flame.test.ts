/** Two recordings in one flame graph: as wide as the larger, red and ▲ more, blue, striped and ▼ less; zoomed, walked, searched. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import { seriousViolations } from '../rigs/axe.js';
import { giveBaseline } from './baseline.js';
import { layoutFaults } from './layout.js';
import { PageRig, type OpenOptions, type PageUnderTest } from './page-rig.js';
import { PixelEye } from './pixels.js';
import type { ThemeName } from './themes.js';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const stacksBefore =
  'main;shop.Cart.add 4000\nmain;shop.Cart.pay;shop.Tax.of 1000\nmain;shop.Old.go 900\nmain;shop.Same.go 700\n';
const stacksAfter =
  'main;shop.Cart.add 4020\nmain;shop.Cart.pay;shop.Tax.of 1900\nmain;shop.New.go 470\nmain;shop.Same.go 700\n';

interface Shown {
  readonly title: string;
  readonly width: number;
  readonly fill: string;
}

async function compared(options: OpenOptions = {}): Promise<PageUnderTest> {
  const rig = await PageRig.start('src/webview/engine-worker.ts');
  const open = await rig.opened(Buffer.from(stacksAfter), { name: 'after.txt', ...options });
  await giveBaseline(open, Buffer.from(stacksBefore), 'before.txt');
  await open.page.keyboard.press('8');
  await open.page.getByRole('checkbox', { name: 'Flame graph' }).click();
  await open.page.locator('#view-compare g.frame').nth(5).waitFor();
  await open.painted();
  return open;
}

/** By name, sign included. */
async function frames({ page }: PageUnderTest): Promise<Map<string, Shown>> {
  const all = await page.locator('#view-compare g.frame').evaluateAll((found) =>
    found.map((one) => ({
      title: one.querySelector('title')!.textContent,
      width: one.querySelector('rect')!.getBoundingClientRect().width,
      fill: one.querySelector('rect')!.getAttribute('fill')!,
    })),
  );
  return new Map(all.map((one) => [one.title.split(' · ')[0]!, one]));
}

describe('two recordings in one flame graph', function () {
  before(() => {
    mkdirSync(path.join(root, 'artefacts'), { recursive: true });
  });

  it('are as wide as the larger of both, and say how each call changed', async () => {
    const open = await compared();
    const found = await frames(open);
    assert.deepEqual([...found.keys()].sort(), [
      'Cart.add',
      'Same.go',
      '▲ Cart.pay',
      '▲ New.go',
      '▲ Tax.of',
      '▲ all',
      '▲ main',
      '▼ Old.go',
    ]);
    // 4020 + 1900 + 900 + 470 + 700 of both together; what is gone keeps its place.
    const whole = found.get('▲ main')!.width;
    for (const [name, of] of [
      ['Cart.add', 4020],
      ['▲ Tax.of', 1900],
      ['▲ New.go', 470],
      ['▼ Old.go', 900],
    ] as const)
      assert.ok(Math.abs(found.get(name)!.width / whole - of / 7990) < 0.003, name);
    assert.equal(found.get('▲ Tax.of')!.title, '▲ Tax.of · 1.00 s before, 1.90 s here: +900 ms (+90.0 %)');
    assert.equal(found.get('▼ Old.go')!.title, '▼ Old.go · 900 ms before, 0 here: −900 ms (−100 %)');
    assert.match(found.get('Cart.add')!.title, /4\.00 s before, 4\.02 s here, by chance or not at all$/);
    assert.equal(found.get('Cart.add')!.fill, 'var(--as-before)');
    assert.match(found.get('▲ Tax.of')!.fill, /^var\(--more-3\)$/);
    assert.match(found.get('▼ Old.go')!.fill, /^url\(#less-3\)$/);
    await open.page.getByText('▲ red takes more here, ▼ blue and striped takes less').waitFor();
    // What is of the table alone is not asked.
    assert.equal(
      await open.page.getByRole('checkbox', { name: 'Small differences, too' }).isVisible(),
      false,
    );
    assert.equal(await open.page.locator('#view-compare .table').isVisible(), false);
    await open.page.waitForFunction(() => JSON.stringify(history.state).includes('"flame"'));
    await open.close();
  });

  it('are zoomed by a click, which selects the method, walked by keys, and left again', async () => {
    const open = await compared();
    const { page } = open;
    const frame = (name: string) => page.locator('#view-compare g.frame', { hasText: name });
    const whole = (await frame('main').boundingBox())!.width;
    await frame('▲ Cart.pay').dblclick();
    await page.locator('.details-title', { hasText: 'Cart.pay' }).waitFor();
    await page.locator('#view-compare .flame-crumbs', { hasText: '› ▲ Cart.pay' }).waitFor();
    await page.waitForFunction(
      (wide) =>
        Array.from(document.querySelectorAll('#view-compare g.frame')).some(
          (one) => one.textContent.includes('Tax.of') && one.getBoundingClientRect().width > wide - 2,
        ),
      whole,
    );
    const graph = page.locator('#view-compare .flame-graph');
    await graph.focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('#view-compare .is-current', { hasText: 'Tax.of' }).waitFor();
    await page.getByText('▲ Tax.of · 1.00 s before, 1.90 s here', { exact: false }).last().waitFor();
    await page.keyboard.press('Enter');
    assert.equal((await open.hear('openSource', 2)).key.method, 'of');
    await page.keyboard.press('0');
    await page.locator('#view-compare .flame-crumbs').waitFor({ state: 'hidden' });
    await frame('Old.go').waitFor();
    // The table comes back as it was.
    await page.getByRole('checkbox', { name: 'Flame graph' }).click();
    await page.locator('#view-compare .table-row').first().waitFor();
    assert.equal(await graph.isVisible(), false);
    await open.close();
  });

  it('are zoomed as before after a reload, and in all of it with another recording', async () => {
    const open = await compared();
    const { page } = open;
    await page.locator('#view-compare g.frame', { hasText: '▲ Cart.pay' }).dblclick();
    const crumbs = page.locator('#view-compare .flame-crumbs');
    await crumbs.filter({ hasText: '› ▲ Cart.pay' }).waitFor();
    await page.waitForFunction(() => /"comparePath":\[\d/.test(JSON.stringify(history.state)));
    await page.reload();
    await open.open(Buffer.from(stacksAfter), { name: 'after.txt' });
    await giveBaseline(open, Buffer.from(stacksBefore), 'before.txt');
    await crumbs.filter({ hasText: '› ▲ Cart.pay' }).waitFor();
    assert.ok(!(await frames(open)).has('▼ Old.go'));
    await page.locator('.chart').waitFor({ state: 'hidden' });
    await page.keyboard.press('Backspace');
    await crumbs.waitFor({ state: 'hidden' });
    await page.keyboard.press('Shift+Backspace');
    await crumbs.waitFor();
    await giveBaseline(open, Buffer.from(stacksAfter), 'other.txt');
    await crumbs.waitFor({ state: 'hidden' });
    await open.close();
  });

  it('are of the same length where that is asked for, and dim what is not searched for', async () => {
    const open = await compared();
    const { page } = open;
    await page.getByRole('checkbox', { name: 'Same length' }).click();
    await page.waitForFunction(() =>
      Array.from(document.querySelectorAll('#view-compare title')).some(
        ({ textContent }) => textContent.startsWith('▲ Tax.of') && !textContent.includes('1.00 s before'),
      ),
    );
    await page.keyboard.press('/');
    await page.keyboard.type('Tax');
    await page.waitForFunction(
      () =>
        document.querySelectorAll('#view-compare g.frame rect[fill^="var(--more"]').length === 1 &&
        document.querySelectorAll('#view-compare g.frame rect[fill^="url(#less"]').length === 0,
    );
    // Also what is here no more.
    await page.keyboard.press('Control+a');
    await page.keyboard.type('old');
    await page.waitForFunction(
      () =>
        document.querySelectorAll('#view-compare g.frame rect[fill^="var(--more"]').length === 0 &&
        document.querySelectorAll('#view-compare g.frame rect[fill^="url(#less"]').length === 1,
    );
    await open.close();
  });

  for (const theme of ['dark', 'light', 'highContrast'] satisfies ThemeName[]) {
    it(`tell more from less without a colour, and have words that can be read, in ${theme}`, async () => {
      const open = await compared({ theme, width: 900 });
      const { page } = open;
      await page.screenshot({ path: path.join(root, `artefacts/page-compare-flame-${theme}.png`) });
      assert.deepEqual(await seriousViolations(page, theme), []);
      assert.deepEqual(await layoutFaults(page), []);
      const eye = await PixelEye.of(open.page.context().browser()!);
      // Only what is less has several colours side by side: stripes.
      const grounds = async (name: string): Promise<number> => {
        const box = (await page.locator('#view-compare g.frame', { hasText: name }).boundingBox())!;
        const clip = { x: box.x + box.width - 24, y: box.y + 3, width: 20, height: 12 };
        return eye.coloursOf(await page.screenshot({ clip }));
      };
      assert.equal(await grounds('Tax.of'), 1);
      assert.ok((await grounds('Old.go')) > 1);
      await eye.close();
      await open.close();
    });
  }
});
