/** Threads are collapsed, pinned, hidden, filtered by name; figures are of those in sight. */
import assert from 'node:assert/strict';
import { methodFigures, sumScope } from '../../src/trace/index.js';
import { formatNs } from '../../src/trace/measure/quantities.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

const small: GeneratedOptions = { samples: 600, threads: 3, depth: 12, methods: 200, seed: 3 };

describe('threads on the timeline', function () {
  let rig: PageRig;
  let open: PageUnderTest | undefined;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  afterEach(async () => {
    const done = open;
    open = undefined;
    await done?.close();
  });

  async function show(options: GeneratedOptions): Promise<PageUnderTest> {
    open = await rig.opened(bytesOf(options));
    return open;
  }

  it('walks past collapsed threads by arrow keys, says that they are, and expands them', async () => {
    const shown = await show({ ...small, threads: 12 });
    const { page } = shown;
    const said = page.locator('.announcement');
    const heads = await page.locator('.thread-name').allTextContents();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('t');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(
      (name) => document.querySelector('.details-facts dd')?.textContent === name,
      heads[1],
    );
    await page.keyboard.press('ArrowUp');
    assert.match((await said.textContent()) ?? '', /main, collapsed$/);
    await shown.painted();
    const head = page.locator('.track-head', { hasText: 'main' });
    const strip = (await head.boundingBox())!;
    const box = (await page.locator('.box-selected').boundingBox())!;
    assert.ok(box.y >= strip.y && box.y + box.height <= strip.y + strip.height, 'it is in the strip');
    await page.keyboard.press('t');
    await page.getByRole('button', { name: 'Collapse thread main' }).waitFor();
    // To one that nobody has expanded yet.
    const rows = small.depth + 1;
    for (let at = 0; at < 8 * rows; at++) {
      await page.keyboard.press('ArrowDown');
      if (/collapsed$/.test((await said.textContent()) ?? '')) break;
    }
    const [, ninth] = /, ([^,]+), collapsed$/.exec((await said.textContent()) ?? '') ?? [];
    await page.getByRole('button', { name: `Expand thread ${ninth}` }).waitFor();
    await page.keyboard.press('t');
    await page.getByRole('button', { name: `Collapse thread ${ninth}`, exact: true }).waitFor();
  });

  it('collapses, pins and hides threads, and remembers it', async () => {
    const page = await show(small);
    const names = (): Promise<string[]> => page.page.locator('.thread-name').allTextContents();
    const last = (await names()).at(-1)!;
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('ArrowDown');
    const height = (): Promise<number> =>
      page.page.locator('.tl-content').evaluate((content: HTMLElement) => content.offsetHeight);
    const before = await height();
    await page.page.keyboard.press('t');
    await page.painted();
    assert.ok((await height()) < before);
    const head = page.page.locator('.thread-head', { hasText: last });
    await head.hover();
    await head.getByRole('button', { name: `Pin thread ${last}` }).click();
    await page.painted();
    const tops = await page.page
      .locator('.track-head:not(.is-counter)')
      .evaluateAll((heads: HTMLElement[]) => heads.map((one) => [one.textContent, one.offsetTop] as const));
    assert.ok(tops.sort((one, other) => one[1] - other[1])[0]![0].includes(last));
    await page.page.keyboard.press('h');
    await page.painted();
    assert.equal((await names()).includes('main'), false);
    await page.page.getByRole('button', { name: /1 threads? hidden/ }).click();
    await page.painted();
    assert.equal((await names()).includes('main'), true);
  });

  it('are filtered by name, and every figure is of those that are left', async () => {
    const options = { ...small, threads: 6 };
    const { page } = await show(options);
    const names = (): Promise<string[]> => page.locator('.thread-name').allTextContents();
    const trace = generateTrace(options);
    const busiest = (threads: number[]): string => {
      const sums = sumScope(trace, { threads, beginNs: -Infinity, endNs: Infinity });
      const figures = methodFigures(sums, trace.methods.count);
      return formatNs(Math.max(...figures.self.wall));
    };
    const first = page.locator('#view-methods .table-row .table-cell:nth-child(2) .cell-text').first();
    const field = page.getByRole('textbox', { name: 'Filter threads' });
    await field.fill('OKHTTP');
    const chip = page.getByRole('button', { name: 'Remove: 2 of 6 threads: OKHTTP' });
    await chip.waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.thread-name').length === 2);
    assert.ok((await names()).every((name) => name.startsWith('OkHttp')));
    await field.press('Enter');
    assert.ok(await page.locator('.chart').evaluate((chart) => chart === document.activeElement));
    await page.keyboard.press('5');
    const left = trace.threads.filter(({ name }) => name.startsWith('OkHttp')).map(({ index }) => index);
    await first.filter({ hasText: busiest(left) }).waitFor();
    // The way back, forward, and a reload know it, too.
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await chip.waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+Backspace');
    await chip.waitFor();
    // What is kept names it among the steps back and forward all the while.
    await page.waitForFunction(() => {
      const states = (history.state ?? {}) as Record<string, { threadFilter?: string; view?: string }>;
      return Object.values(states).some(
        ({ threadFilter, view }) => threadFilter === 'OKHTTP' && view === 'timeline',
      );
    });
    await page.reload();
    await open!.open(bytesOf(options));
    await open!.hear('opened');
    await page.waitForFunction(() => document.querySelectorAll('.thread-name').length === 2);
    assert.equal(await field.inputValue(), 'OKHTTP');
    await field.press('Escape');
    await chip.waitFor({ state: 'detached' });
    await page.locator('.thread-name', { hasText: 'main' }).waitFor();
  });

  it('that are all filtered out leave no figures, rather than those of all', async () => {
    const { page } = await show(small);
    await page.getByRole('textbox', { name: 'Filter threads' }).fill('no such thread');
    await page.getByText('0 of 3 threads: no such thread').waitFor();
    await page.getByRole('tab', { name: 'Methods' }).click();
    await page.getByText('Nothing of this weight in this range and these threads.').waitFor();
    assert.equal(await page.locator('#view-methods .table-row').count(), 0);
  });
});
