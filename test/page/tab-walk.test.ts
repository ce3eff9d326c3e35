/** By Tab alone through the whole page and back: every control is come to, is seen to have the keyboard, and has a name. */
import assert from 'node:assert/strict';
import type { CDPSession } from 'playwright-core';
import { pageViews } from '../../src/protocol/messages.js';
import { legendRestMs } from '../../src/webview/panes/legend.js';
import { giveBaseline } from './baseline.js';
import { bytesOf } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import { PixelEye } from './pixels.js';
import { addEnds, notReached, walk } from './tab-walk.js';
import type { Stop } from './tab-walk.js';
import type { ThemeName } from './themes.js';
import { wide } from '../rigs/scale.js';

const content: GeneratedOptions = { samples: 1500, threads: 4, depth: 16, methods: 300, seed: 5 };
const settings = { myPackages: ['com.acme'] };

/** What each view is to have of its own between the toolbar and the details. */
const own: Readonly<Record<(typeof pageViews)[number], readonly RegExp[]>> = {
  // Each line leads somewhere.
  overview: [/^div\.overview/, ...Array<RegExp>(35).fill(/^button\.(link-button|card-row)/)],
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
  const looks = ['dark', 'light', 'highContrast', 'the system’s colours'] as const;
  for (const look of wide ? looks : (['dark', 'the system’s colours'] as const)) {
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
      // No picture is to differ by a caret.
      await page.evaluate(() => (document.documentElement.style.caretColor = 'transparent'));
      const looked = new Set<string>();
      for (const [at, view] of pageViews.entries()) {
        await page.locator('#after-page').focus();
        await page.keyboard.press(at === 0 ? 'v' : String(at));
        await settle(open, view);
        // Themes differ in how it looks only.
        if (theme !== 'dark' && !['timeline', 'flameGraph', 'methods', 'compare'].includes(view)) continue;
        const known: Stop[] = [];
        const seen = async (stop: Stop, session: CDPSession): Promise<void> => {
          if (looked.has(stop.what)) return;
          looked.add(stop.what);
          await assertSeen(open, eye, stop, session);
        };
        const back = await walk(page, 'Shift+Tab', seen, known);
        if (theme !== 'dark') continue;
        const forth = await walk(page, 'Tab', undefined, known);
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
        // The details: the waits of what is selected, then what can be done with it.
        const end = whats.findIndex((what) => /^(button\.wait-row|vscode-button\. "Go to Source)/.test(what));
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
async function chooseMuch(open: PageUnderTest): Promise<void> {
  const { page } = open;
  await page.locator('.chart').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'r', 'w']) await page.keyboard.press(key);
  await page.locator('.chip').waitFor();
  await page.keyboard.press('2');
  await page.locator('g.frame').nth(3).waitFor();
  for (const key of ['ArrowDown', 'f']) await page.keyboard.press(key);
  await page.locator('#view-flameGraph .flame-crumbs button').waitFor();
  await legendRests(open);
}

/**
 * The legend asks a moment after what it is of has changed. A timer that begins later ends later, and what is asked after that is
 * answered after it.
 */
async function legendRests(open: PageUnderTest): Promise<void> {
  const { page } = open;
  await open.afterTimersOf(legendRestMs);
  await page.keyboard.press('5');
  await page.locator('#view-methods .table-row').first().waitFor();
}

async function settle(open: PageUnderTest, view: string): Promise<void> {
  const { page } = open;
  const shown = page.locator(`#view-${view}`);
  // This recording has no messages: the view says so.
  const content = view === 'messages' ? '.empty-note' : '.table-row, g.frame, .chart, .card-row';
  await shown.locator(content).locator('visible=true').first().waitFor();
  await page.locator('.details-actions').waitFor();
  await open.painted();
}

/** The picture of a control with the keyboard is another than without it, clearly, and for more than a dot. */
async function assertSeen(
  { page }: PageUnderTest,
  eye: PixelEye,
  { what, clip }: Stop,
  session: CDPSession,
): Promise<void> {
  // Half of what Playwright's own pictures cost, which wait for fonts and hide the caret each time.
  const picture = async (): Promise<Buffer> => {
    const { data } = await session.send('Page.captureScreenshot', { clip: { ...clip, scale: 1 } });
    return Buffer.from(data, 'base64');
  };
  const withFocus = await picture();
  // Not by a key: that would be shown elsewhere, too. The keyboard comes back after it.
  await page.evaluate(() => {
    Object.assign(window, { focused: document.activeElement });
    document.getElementById('after-page')!.focus();
  });
  const change = await eye.compare(await picture(), withFocus);
  await page.evaluate(() => (window as unknown as { focused: HTMLElement }).focused.focus());
  const least = Math.min(clip.width, clip.height) - 6;
  assert.ok(change.clear >= least, `${what}: ${JSON.stringify(change)}`);
}
