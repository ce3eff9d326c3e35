/** Whoever works by keys stays where they are, whatever is drawn anew around them. */
import assert from 'node:assert/strict';
import { synthesize } from '../../src/trace/index.js';
import { bytesOf } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

const options = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };

describe('the keyboard', function () {
  let open: PageUnderTest | undefined;

  afterEach(async () => {
    const done = open;
    open = undefined;
    await done?.close();
  });

  async function show(): Promise<PageUnderTest['page']> {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    open = await rig.opened(bytesOf(options), { settings: { myPackages: ['com.acme'] } });
    return open.page;
  }

  /** What has the keyboard, by its name. */
  const focused = (page: PageUnderTest['page']): Promise<string> =>
    page.evaluate(() => {
      const one = document.activeElement;
      return one === null || one === document.body
        ? 'nothing'
        : (one.getAttribute('aria-label') ?? one.getAttribute('title') ?? one.textContent);
    });

  it('stays with a thread that is collapsed, expanded or pinned, and goes to the chart from one that is hidden', async () => {
    const page = await show();
    for (const [act, then] of [
      ['Collapse thread main', 'Expand thread main'],
      ['Expand thread main', 'Collapse thread main'],
      ['Pin thread main to the top', 'Unpin thread main'],
    ] as const) {
      await page.getByRole('button', { name: act, exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: then, exact: true }).waitFor();
      assert.equal(await focused(page), then);
    }
    await page.getByRole('button', { name: 'Hide thread main', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.classList.contains('chart') === true);
  });

  it('stays in the details while a recording grows', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const parts: Uint8Array[] = [];
    const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void parts.push(bytes.slice()));
    await synthesize({ write }, { samples: 6000, threads: 3, methods: 300, depth: 12 });
    const whole = Buffer.concat(parts);
    const half = Math.floor(whole.length / 2);
    open = await rig.page();
    const { page } = open;
    await open.open(whole.subarray(0, half), { live: true });
    await page.locator('.thread-name').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('.details-figures').waitFor();
    await page.getByRole('button', { name: 'Callers', exact: true }).focus();
    const length = (): Promise<string> => page.locator('.details-figures').innerText();
    const before = await length();
    await open.more(whole.subarray(half), half);
    await open.post({ type: 'end' });
    await open.hear('opened');
    await page.waitForFunction(
      (old) => document.querySelector<HTMLElement>('.details-figures')?.innerText !== old,
      before,
    );
    assert.equal(await focused(page), 'Callers');
  });

  it('moves to the view from a removed chip, and to the graph from its way back', async () => {
    const page = await show();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('o');
    await page.locator('.chip').focus();
    await page.keyboard.press('Enter');
    await page.locator('.chip').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'chart');
    await page.keyboard.press('2');
    await page.locator('g.frame').first().waitFor();
    for (const key of ['ArrowDown', 'ArrowDown', 'f']) await page.keyboard.press(key);
    const back = page.locator('.flame-crumbs button');
    await back.waitFor(); // a hidden one takes no keys
    await back.focus();
    await page.keyboard.press('Enter');
    await page.locator('.flame-crumbs').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'flame-graph');
  });
});
