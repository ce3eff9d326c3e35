/** By Tab alone through the whole page and back: every control is come to, is seen to have the keyboard, and has a name. */
import assert from 'node:assert/strict';
import { pageViews } from '../../src/protocol/messages.js';
import { giveBaseline } from './baseline.js';
import { bytesOf } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import { PixelEye } from './pixels.js';
import { addEnds, notReached, walk } from './tab-walk.js';
import type { ThemeName } from './themes.js';

const content: GeneratedOptions = { samples: 1500, threads: 4, depth: 16, methods: 300, seed: 5 };
const settings = { myPackages: ['com.acme'] };

/** What each view is to have of its own between the toolbar and the details. */
const own: Readonly<Record<(typeof pageViews)[number], readonly RegExp[]>> = {
  timeline: [/^vscode-text-field\.thread-filter/, /^div\.chart/],
  flameGraph: [/^button\.link-button "all"/, /^div\.flame-graph/],
  callTree: [/^div\.table/],
  bottomUp: [/^div\.table/],
  methods: [/^button.*"Choose columns"/, /^div\.table/, /"Method"/, /self"/, /total"/],
  callers: [/^div\.table/, /^button\.link-button callers-name/, /^div\.table/],
  messages: [],
  compare: [
    /^vscode-checkbox/,
    /^vscode-checkbox/,
    /^vscode-checkbox/,
    /^vscode-checkbox/,
    /^vscode-button/,
    /^vscode-button/,
    /^div\.table/,
  ],
};

describe('the page by Tab', function () {
  this.timeout(180_000);

  for (const look of ['dark', 'light', 'highContrast', 'the system’s colours'] as const) {
    it(`comes to each control of each view, and shows where it is, in ${look}`, async () => {
      const rig = await PageRig.start('test/page/generated-worker.ts');
      const theme: ThemeName = look === 'the system’s colours' ? 'highContrast' : look;
      const open = await rig.opened(bytesOf(content), { theme, settings, width: 1440 });
      if (look !== theme) await open.page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
      const eye = await PixelEye.of(rig.browser);
      const { page } = open;
      await giveBaseline(open, bytesOf({ ...content, seed: 6 }));
      await addEnds(page);
      await chooseMuch(open);
      const looked = new Set<string>();
      for (const [at, view] of pageViews.entries()) {
        await page.locator('#after-page').focus();
        await page.keyboard.press(String(at + 1));
        await settle(open, view);
        // Themes differ in how it looks only.
        if (theme !== 'dark' && !['timeline', 'flameGraph', 'methods', 'compare'].includes(view)) continue;
        const back = await walk(page, 'Shift+Tab', async ({ what, clip }) => {
          if (looked.has(what)) return;
          looked.add(what);
          await assertSeen(open, eye, what, clip);
        });
        if (theme !== 'dark') continue;
        const forth = await walk(page, 'Tab');
        assert.deepEqual(await notReached(page), [], `${view}: where Tab does not come`);
        const whats = forth.map(({ what }) => what);
        assert.deepEqual(back.map(({ what }) => what).reverse(), whats, view);
        assert.deepEqual(
          forth
            .filter(({ name, role }) => name === '' || /^(generic|none)?$/.test(role))
            .map(({ what }) => what),
          [],
          `${view}: without a name`,
        );
        // In this order, one stop each.
        const begin = whats.findIndex((what) => what.startsWith('button.chip'));
        const end = whats.findIndex((what) => /^vscode-button\. "Go to Source/.test(what));
        const between = whats.slice(begin + 1, end);
        assert.equal(between.length, own[view].length, `${view}: ${between.join(', ')}`);
        for (const [which, wanted] of own[view].entries())
          assert.match(between[which]!, wanted, `${view}: ${between.join(', ')}`);
      }
      assert.ok(theme !== 'dark' || looked.size > 25, [...looked].join('\n'));
      await eye.close();
      await open.close();
    });
  }

  it('sorts by a column and chooses columns by keys, and stays where it was', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    const open = await rig.opened(bytesOf(content), { settings });
    const { page } = open;
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => {
        const { activeElement } = document;
        return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent;
      });
    const sorted = (): Promise<string | null> =>
      page.locator('#view-methods [aria-sort=ascending], #view-methods [aria-sort=descending]').innerText();
    await page.keyboard.press('5');
    await page.locator('#view-methods .table-row').first().waitFor();
    assert.equal(await sorted(), 'Wall time, self');
    for (let step = 0; step < 3; step++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await sorted(), 'Wall time, total');
    assert.equal(await focused(), 'Wall time, total');
    assert.deepEqual(
      (await open.said()).filter(({ type }) => type === 'openSource'),
      [],
    );
    for (let step = 0; step < 4; step++) await page.keyboard.press('Shift+Tab');
    assert.equal(await focused(), 'Choose columns');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.getByRole('columnheader', { name: 'Calls' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.column-list').waitFor({ state: 'hidden' });
    assert.equal(await focused(), 'Choose columns');
    await open.close();
  });

  it('has the keys listed, and gives the keyboard back to where it was', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    const open = await rig.opened(bytesOf(content), { settings });
    const { page } = open;
    await page.locator('vscode-button[aria-label^="All keys"]').focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    const places = new Set<string>();
    for (let step = 0; step < 4; step++) {
      places.add(await page.evaluate(() => document.activeElement!.className));
      await page.keyboard.press('Tab');
    }
    assert.ok(places.has('icon-button') && places.has('help-body'), [...places].join());
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement!.localName), 'vscode-button');
    await open.close();
  });
});

/** A call, a range, a zoomed flame graph: most of what the page can have is there. */
async function chooseMuch({ page }: PageUnderTest): Promise<void> {
  await page.locator('.chart').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'r', 'w']) await page.keyboard.press(key);
  await page.locator('.chip').waitFor();
  await page.keyboard.press('2');
  await page.locator('g.frame').nth(3).waitFor();
  for (const key of ['ArrowDown', 'f']) await page.keyboard.press(key);
  await page.locator('#view-flameGraph .flame-crumbs button').waitFor();
}

async function settle(open: PageUnderTest, view: string): Promise<void> {
  const { page } = open;
  const shown = page.locator(`#view-${view}`);
  if (view !== 'messages') await shown.locator('.table-row, g.frame, .chart').first().waitFor();
  await page.locator('.details-actions').waitFor();
  await open.painted();
}

/** The picture of a control with the keyboard is another than without it, clearly, and for more than a dot. */
async function assertSeen(
  open: PageUnderTest,
  eye: PixelEye,
  what: string,
  clip: { x: number; y: number; width: number; height: number },
): Promise<void> {
  const { page } = open;
  const withFocus = await page.screenshot({ clip });
  // Not by a key: that would be shown elsewhere, too. The keyboard comes back after it.
  await page.evaluate(() => {
    Object.assign(window, { focused: document.activeElement });
    document.getElementById('after-page')!.focus();
  });
  const without = await page.screenshot({ clip });
  const change = await eye.compare(without, withFocus);
  await page.evaluate(() => (window as unknown as { focused: HTMLElement }).focused.focus());
  const least = Math.min(clip.width, clip.height) - 6;
  assert.ok(change.clear >= least, `${what}: ${JSON.stringify(change)}`);
}
