/** For everybody: axe finds nothing serious, the chart can be heard as it is seen, keys do all, state survives. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { seriousViolations } from '../rigs/axe.js';
import { keyTable } from '../../src/webview/keys.js';
import { bytesOf } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import type { ThemeName } from './themes.js';
import { wide } from '../rigs/scale.js';

const small: GeneratedOptions = { samples: 1500, threads: 4, depth: 16, methods: 300, seed: 5 };
/** axe looks at each frame of the flame graph; these are alike. */
const few: GeneratedOptions = { ...small, samples: 300 };
const settings = { myPackages: ['com.acme'] };
const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

describe('the page for everybody', function () {
  let rig: PageRig;
  let open: PageUnderTest | undefined;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
    mkdirSync(path.join(root, 'artefacts'), { recursive: true });
  });
  afterEach(async () => {
    const done = open;
    open = undefined;
    await done?.close();
  });

  const themes: readonly ThemeName[] = wide ? ['dark', 'light', 'highContrast'] : ['dark', 'highContrast'];
  for (const theme of themes) {
    it(`axe finds nothing serious in ${theme}, in any view`, async () => {
      open = await rig.opened(bytesOf(few), { theme, settings });
      const chart = (await open.page.locator('.chart').boundingBox())!;
      await open.page.mouse.click(chart.x + 300, chart.y + 100);
      await open.page.mouse.move(chart.x + 300, chart.y + 700);
      await open.page.locator('.details-figures').waitFor();
      await open.page.screenshot({ path: path.join(root, `artefacts/page-timeline-${theme}.png`) });
      const views = {
        timeline: '1',
        flameGraph: '2',
        callTree: '3',
        bottomUp: '4',
        methods: '5',
        callers: '6',
      };
      for (const [view, key] of Object.entries(views)) {
        await open.page.keyboard.press(key);
        await open.page.locator(`#view-${view}`).locator('.table-row, g.frame, .chart').first().waitFor();
        await open.painted();
        // The structure is the same in every theme; colours are those of a few elements.
        if (theme === 'dark' || view === 'timeline' || view === 'methods') {
          assert.deepEqual(await seriousViolations(open.page, theme), [], view);
        }
        if (view === 'flameGraph' || view === 'methods') {
          await open.page.screenshot({ path: path.join(root, `artefacts/page-${view}-${theme}.png`) });
        }
      }
      await open.page.keyboard.press('?');
      assert.deepEqual(await seriousViolations(open.page, theme), [], 'help');
    });
  }

  it('tells tabs, colours and rows apart where the system chooses the colours', async () => {
    open = await rig.opened(bytesOf(small), { settings });
    await open.page.emulateMedia({ forcedColors: 'active' });
    const look = (selector: string, property: string): Promise<string[]> =>
      open!.page
        .locator(selector)
        .evaluateAll((all, name) => all.map((one) => getComputedStyle(one).getPropertyValue(name)), property);
    const [shown] = await look('.tab[aria-selected=true]', 'border-bottom-color');
    const others = await look('.tab[aria-selected=false]', 'border-bottom-color');
    assert.equal(new Set(others).size, 1);
    assert.notEqual(shown, others[0]);
    await open.page.locator('.legend-row').last().waitFor();
    assert.ok(new Set(await look('.legend-row .hue-dot', 'background-color')).size > 3);
    await open.page.keyboard.press('5');
    await open.page.locator('#view-methods .table-row').first().waitFor();
    await open.page.locator('#view-methods .table').focus();
    await open.page.keyboard.press('ArrowDown');
    await open.page.locator('.table-row.is-selected').waitFor();
    assert.deepEqual(await look('.table-row.is-selected', 'outline-style'), ['solid']);
    assert.equal(new Set(await look('.table-row', 'outline-style')).size, 2);
  });

  it('the accessible tree holds the boxes that carry labels, and the selected one is active', async () => {
    open = await rig.opened(bytesOf(small), { settings });
    await open.page.locator('.chart').focus();
    await open.page.keyboard.press('ArrowDown');
    await open.page.keyboard.press('ArrowDown');
    // The tree follows the chart a moment later: between the two keys it may have had the caller.
    const selected = open.page.locator('.chart [role=treeitem][aria-selected=true][aria-level="2"]');
    await selected.waitFor({ state: 'attached' });
    const items = open.page.locator('.chart [role=treeitem]');
    assert.ok((await items.count()) > 20);
    const active = await open.page.locator('.chart').getAttribute('aria-activedescendant');
    assert.equal(await selected.getAttribute('id'), active);
    assert.match((await selected.textContent()) ?? '', /Wall .* CPU .* main/);
    // Zoomed in, there are fewer boxes: the tree follows.
    const before = await items.count();
    for (let step = 0; step < 6; step++) await open.page.keyboard.press('w');
    await open.page.waitForFunction(
      (count) => document.querySelectorAll('.chart [role=treeitem]').length < count,
      before,
    );
  });

  it('lists every key of the table', async () => {
    open = await rig.opened(bytesOf(small), { settings });
    await open.page.keyboard.press('?');
    const listed = await open.page.locator('dialog table:not(.help-views) kbd').count();
    assert.equal(
      listed,
      keyTable.reduce((sum, binding) => sum + binding.keys.length, 0),
    );
    // What tables and the flame graph do with keys of their own is listed, too.
    const others = await open.page.locator('dialog .help-views tr').allInnerTexts();
    for (const key of ['Page Down', 'Home', 'Space', 'Ctrl+Enter', '←'])
      assert.ok(
        others.some((row) => row.includes(key)),
        `${key}: ${others.join('; ')}`,
      );
    await open.page.keyboard.press('Escape');
    assert.equal(await open.page.locator('dialog[open]').count(), 0);
  });

  it('goes through page, toolbar and chart by Tab, one stop each', async () => {
    open = await rig.opened(bytesOf(small), { settings });
    const stops: string[] = [];
    for (let step = 0; step < 30 && !stops.some((stop) => stop.startsWith('body')); step++) {
      await open.page.keyboard.press('Tab');
      stops.push(
        await open.page.evaluate(() => {
          const focused = document.activeElement;
          return focused === null ? '' : `${focused.tagName.toLowerCase()}.${focused.className}`;
        }),
      );
    }
    assert.equal(stops.filter((stop) => stop.startsWith('button.tab')).length, 1, stops.join(' '));
    assert.equal(stops.filter((stop) => stop.includes('chart')).length, 1, stops.join(' '));
  });

  it('has a name of its own for each control', async () => {
    open = await rig.opened(bytesOf(small), { settings });
    const names = async (role: 'textbox' | 'combobox' | 'button'): Promise<string[]> => {
      const tree = await open!.page.locator('#btrace').ariaSnapshot();
      return [...tree.matchAll(new RegExp(`^ *- ${role} "([^"]*)"`, 'gm'))].map(([, name]) => name!);
    };
    assert.deepEqual(await names('textbox'), ['Search methods in all views', 'Filter threads']);
    assert.deepEqual(await names('combobox'), ['Weight of all figures']);
    const buttons = await names('button');
    for (const name of ['Next match (n)', 'My code']) assert.ok(buttons.includes(name), buttons.join());
    assert.ok(!buttons.includes('Icon Button'), buttons.join());
    for (const name of ['My code', 'Use a regular expression']) {
      const button = (pressed: boolean): Locator => open!.page.getByRole('button', { name, pressed });
      await button(false).click();
      await button(true).waitFor();
    }
  });

  it('moves nothing for whom wants less motion, within its controls either', async () => {
    open = await rig.opened(bytesOf(small), { settings });
    const { page } = open;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    for (const key of ['2', '?']) {
      await page.keyboard.press(key);
      const moving = await page.evaluate(() => {
        const found: string[] = [];
        const look = (root: Document | ShadowRoot): void => {
          for (const element of Array.from(root.querySelectorAll('*'))) {
            const { animationName, transitionDuration } = getComputedStyle(element);
            if (animationName !== 'none' || /[1-9]/.test(transitionDuration))
              found.push(`${element.localName}.${element.getAttribute('class') ?? ''}`);
            if (element.shadowRoot !== null) look(element.shadowRoot);
          }
        };
        look(document);
        return found;
      });
      assert.deepEqual(moving, []);
    }
  });

  it('comes back after a reload as it was left', async () => {
    const page = await rig.opened(bytesOf(small), { settings });
    open = page;
    await page.page.locator('.chart').focus();
    for (const key of ['w', 'w', 'd', 'ArrowDown', 'ArrowDown', 'r']) await page.page.keyboard.press(key);
    await page.page.keyboard.press('/');
    await page.page.keyboard.type('pool');
    await page.painted();
    const look = (): Promise<unknown> =>
      page.page.evaluate(() => ({
        lens: Math.round(document.querySelector<HTMLElement>('.lens')!.getBoundingClientRect().left),
        chip: document.querySelector('.chip')?.textContent,
        details: document.querySelector('.details-title')?.textContent,
        search: document.querySelector<HTMLElement & { value: string }>('.search-field')!.value,
      }));
    const before = await look();
    // What is kept is kept a moment later.
    await page.page.waitForFunction(() => JSON.stringify(history.state).includes('pool'));
    await page.page.reload();
    await page.open(bytesOf(small), { settings });
    await page.hear('opened');
    await page.painted();
    assert.deepEqual(await look(), before);
  });
});
