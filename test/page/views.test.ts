/** Tables, trees and graphs: they show the engine's figures, of the range and threads that were chosen. */
import assert from 'node:assert/strict';
import { methodFigures, sumScope } from '../../src/trace/index.js';
import { formatNs } from '../../src/trace/measure/quantities.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import { shortName } from './shown.js';
import type { PageUnderTest } from './page-rig.js';

const small: GeneratedOptions = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };

describe('the views', function () {
  let rig: PageRig;
  let page: PageUnderTest;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  beforeEach(async () => {
    page = await rig.opened(bytesOf(small), { settings: { myPackages: ['com.acme'] } });
  });
  afterEach(() => page.close());

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.page.keyboard.press(key);
  };

  /** Rows of the table in sight as they read: name, then figures. */
  async function rows(): Promise<string[][]> {
    await page.page.locator('.figure-view:visible .table-row').first().waitFor();
    return page.page
      .locator('.figure-view:visible .table-row')
      .evaluateAll((all) =>
        all.map((row) =>
          Array.from(row.querySelectorAll('.table-cell .cell-text'), (cell) => cell.textContent),
        ),
      );
  }

  /** What the engine says of the range: self wall by "Class.method", largest first. */
  function expected(beginNs: number, endNs: number, threads: number[] = []): [string, string][] {
    const trace = generateTrace(small);
    const figures = methodFigures(sumScope(trace, { threads, beginNs, endNs }), trace.methods.count);
    return [...figures.method.keys()]
      .sort((one, other) => figures.self.wall[other]! - figures.self.wall[one]!)
      .map((row) => [shortName(trace, figures.method[row]!), formatNs(figures.self.wall[row]!)]);
  }

  it('lists methods with the figures of the engine', async () => {
    await press('5');
    const shown = await rows();
    assert.deepEqual(
      shown.slice(0, 12).map((row) => row.slice(0, 2)),
      expected(-Infinity, Infinity).slice(0, 12),
    );
  });

  it('scopes every figure to the range dragged on the ruler, and goes back', async () => {
    const ruler = (await page.page.locator('.ruler').boundingBox())!;
    await page.page.mouse.move(ruler.x + 200, ruler.y + 10);
    await page.page.mouse.down();
    await page.page.mouse.move(ruler.x + 500, ruler.y + 10, { steps: 4 });
    await page.page.mouse.up();
    const { endNs } = generateTrace(small);
    const width = await page.page.locator('.chart').evaluate((chart) => chart.clientWidth);
    const length = (endNs * 300) / width;
    assert.equal(await page.page.locator('.chip').innerText(), `Range ${formatNs(length)}`);
    await press('5');
    const shown = await rows();
    const from = (endNs * 200) / width;
    assert.deepEqual(
      shown.slice(0, 8).map((row) => row.slice(0, 2)),
      expected(from, from + length).slice(0, 8),
    );
    await page.page.locator('.chip').click();
    await page.page.waitForFunction(
      (first) =>
        document
          .querySelector('#view-methods .table-row .cell-text + *, #view-methods .table-row')
          ?.textContent.includes(first),
      expected(-Infinity, Infinity)[0]![0],
    );
  });

  it('counts the selected thread only, when asked to', async () => {
    await page.page.locator('.chart').focus();
    await press('ArrowDown', 'o', '5');
    const shown = await rows();
    assert.deepEqual(shown[0]!.slice(0, 2), expected(-Infinity, Infinity, [1])[0]);
  });

  it('sorts by a column, and takes and leaves columns', async () => {
    await press('5');
    await rows();
    await page.page.getByRole('columnheader', { name: 'Wall time, total' }).click();
    const totals = (
      await page.page
        .locator('#view-methods .table-row .table-cell:nth-child(3) .cell-detail')
        .allTextContents()
    ).map((share) => Number.parseFloat(share.replace('< ', '')));
    assert.deepEqual(
      totals,
      [...totals].sort((one, other) => other - one),
    );
    await page.page.getByRole('button', { name: 'Choose columns' }).click();
    await page.page.getByLabel('CPU time, self').check();
    assert.equal(await page.page.getByRole('columnheader', { name: 'CPU time, self' }).count(), 1);
  });

  it('weighs by what is chosen', async () => {
    await press('5');
    await rows();
    await page.page.locator('vscode-dropdown').click();
    await page.page.locator('vscode-option', { hasText: 'Allocated bytes' }).click();
    await page.page.getByRole('columnheader', { name: 'Allocated bytes, self' }).waitFor();
    await page.page.waitForFunction(() =>
      /[KM]B/.test(document.querySelector('#view-methods .table-row')?.textContent ?? ''),
    );
  });

  it('opens the call tree by keys, from the outermost calls down', async () => {
    await press('3');
    const before = await rows();
    await press('Home', 'ArrowLeft');
    await page.page.waitForFunction(
      (count) => document.querySelectorAll('#view-callTree .table-row').length < count,
      before.length,
    );
    await press('ArrowRight');
    await page.page.waitForFunction(
      (count) => document.querySelectorAll('#view-callTree .table-row').length >= count,
      4,
    );
    const levels = await page.page
      .locator('#view-callTree .table-row')
      .evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-level'))));
    assert.equal(levels[0], 1);
    assert.equal(levels[1], 2);
  });

  it('turns the tree around: leaves first in bottom-up', async () => {
    await press('4');
    const shown = await rows();
    const [name] = expected(-Infinity, Infinity)[0]!;
    assert.equal(shown[0]![0], name);
  });

  it('shows callers and callees of the selected method, and walks on from there', async () => {
    await press('5');
    const [first] = await rows();
    await press('Home', ' ');
    await page.page.locator('.callers-name').waitFor();
    assert.equal(await page.page.locator('.callers-name').innerText(), first![0]);
    const callee = page.page.locator('#view-callers .table').nth(0).locator('.table-row').first();
    const name = await callee.locator('.cell-text').first().innerText();
    // A click opens its source and stays.
    await callee.click();
    assert.equal((await page.hear('openSource')).how, 'peek');
    assert.equal(await page.page.locator('.callers-name').innerText(), first![0]);
    await callee.dblclick();
    await page.page.waitForFunction(
      (wanted) => document.querySelector('.callers-name')?.textContent === wanted,
      name,
    );
  });

  it('draws the flame graph, zooms into a frame and out again', async () => {
    await press('2');
    await page.page.locator('g.frame').first().waitFor();
    const all = await page.page.locator('g.frame').count();
    assert.ok(all > 20, `${all} frames`);
    // What no method has, has a name as well: nothing below the root is left blank.
    const widths = await page.page.locator('g.frame').evaluateAll((frames) =>
      frames.map((frame) => {
        const { data, depth } = (frame as unknown as { __data__: { data: { name: string }; depth: number } })
          .__data__;
        return { name: data.name, depth, width: frame.getBoundingClientRect().width };
      }),
    );
    assert.ok(widths.some(({ name, depth }) => name === 'no evidence' && depth === 1));
    const below = widths.filter(({ depth }) => depth === 1).reduce((sum, { width }) => sum + width, 0);
    assert.ok(below > 0.98 * widths.find(({ depth }) => depth === 0)!.width, `${below} px below the root`);
    const frame = page.page
      .locator('g.frame', { has: page.page.locator('foreignObject div:visible') })
      .nth(6);
    await frame.click();
    assert.equal((await page.hear('openSource')).how, 'peek');
    assert.ok(!(await page.page.locator('.flame-crumbs').isVisible()), 'a click does not zoom');
    await frame.dblclick();
    await page.page.locator('.flame-crumbs:visible').waitFor();
    await press('0');
    await page.page.locator('.flame-crumbs').waitFor({ state: 'hidden' });
    await page.page.waitForFunction((count) => document.querySelectorAll('g.frame').length === count, all);
    // In and out again before the first has an answer.
    await page.page.locator('.flame-graph').evaluate((graph) => {
      for (const key of ['ArrowDown', 'ArrowDown', 'f', '0'])
        graph.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    });
    await press('5');
    await rows();
    await press('2');
    await page.page.waitForFunction((count) => document.querySelectorAll('g.frame').length === count, all);
    assert.ok(!(await page.page.locator('.flame-crumbs').isVisible()), 'the last key counts');
  });

  it('says above every view how far to trust it: rate, cost, losses, gaps, estimates, hooks that failed', async () => {
    const facts = page.page.locator('.facts');
    for (const key of ['1', '5']) {
      await press(key);
      const said = await facts.innerText();
      for (const fact of [
        /sampled at points every 1\.00 ms/,
        /overhead [\d.]+ % of CPU/,
        /12 lost/,
        /gaps [\d.]+ m?s/,
        /allocations estimated/,
        /hooks not installed: Unsafe\.park/,
      ])
        assert.match(said, fact);
    }
  });

  it('searches in all views at once: how many, how much, next and previous', async () => {
    await press('/');
    await page.page.keyboard.type('cache');
    await page.page.waitForFunction(() =>
      /^\d+ methods · [\d.]+ %$/.test(document.querySelector('.search-found')?.textContent ?? ''),
    );
    await press('Enter');
    const title = page.page.locator('.details-title');
    assert.match(await title.innerText(), /cache/i);
    const first = await page.page.locator('.announcement').textContent();
    await press('Enter');
    assert.notEqual(await page.page.locator('.announcement').textContent(), first);
    await press('Shift+Enter');
    assert.equal(await page.page.locator('.announcement').textContent(), first);
    await page.page.getByRole('tab', { name: 'Methods' }).click();
    for (const [name] of await rows()) assert.match(name!, /cache/i);
    await press('/');
    await page.page.keyboard.press('Control+a');
    await page.page.keyboard.type('(');
    await page.page.locator('vscode-button[aria-label="Use a regular expression"]').click();
    assert.equal(await page.page.locator('.search-found.is-bad').innerText(), 'Not a pattern');
  });

  it('hides library frames', async () => {
    await page.page.locator('.my-code').click();
    await press('5');
    await page.page.locator('#view-methods .table-row').first().waitFor();
    await page.page.waitForFunction(() =>
      Array.from(document.querySelectorAll('#view-methods .table-row .is-name .cell-detail')).every((cell) =>
        cell.textContent.startsWith('com.acme'),
      ),
    );
  });
});
