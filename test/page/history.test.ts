/** The way back: each change of what is shown is a step, by key and by button, and a reload keeps them. */
import assert from 'node:assert/strict';
import { bytesOf } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

const bytes = bytesOf({ samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 });

describe('the way back', function () {
  let rig: PageRig;
  let open: PageUnderTest;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  beforeEach(async () => {
    open = await rig.opened(bytes, { settings: { myPackages: ['com.acme'] } });
    await open.page.locator('.chart').focus();
    await atTime(0);
  });
  afterEach(() => open.close());

  /** How long there is between two presses is not left to how busy the machine is. */
  const atTime = (milliseconds: number): Promise<void> =>
    open.page.evaluate((now) => void (performance.now = () => now), milliseconds);

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await open.page.keyboard.press(key);
    await open.painted();
  };

  const button = (name: 'Back' | 'Forward') => open.page.locator(`vscode-button[aria-label^="${name}"]`);

  const can = async (): Promise<string> => {
    const disabled = (['Back', 'Forward'] as const).map((name) => button(name).getAttribute('disabled'));
    const [back, forward] = await Promise.all(disabled);
    return [back === null ? 'back' : '', forward === null ? 'forward' : ''].filter(Boolean).join();
  };

  /** What a person sees of what was chosen. */
  const look = () =>
    open.page.evaluate(() => ({
      view: document.querySelector('.tab[aria-selected="true"]')?.textContent,
      lens: Math.round(document.querySelector<HTMLElement>('.lens')!.getBoundingClientRect().width),
      chips: Array.from(document.querySelectorAll('.chip'), (chip) => chip.textContent),
      threads: Array.from(document.querySelectorAll('.thread-name'), (name) => name.textContent).sort(),
      search: document.querySelector<HTMLElement & { value: string }>('.search-field')!.value,
      myCode: document.querySelector('.my-code')!.getAttribute('aria-pressed'),
    }));

  it('is empty at first, leads through every change, and forward again', async () => {
    const seen = [await look()];
    assert.equal(await can(), '');
    const steps: (() => Promise<void>)[] = [
      () => press('ArrowDown', 'ArrowDown', 'f'),
      () => press('r'),
      () => press('0'),
      () => press('h'),
      () => press('ArrowDown', 'o'),
      () => open.page.locator('.my-code').click(),
      () => press('5'),
      () => press('/', 'c', 'a', 'c', 'h', 'e'),
      // The view and the search at once.
      async () => {
        await open.page.locator('#view-methods .table-row').first().click();
        await open.page.locator('.details vscode-button', { hasText: 'Flame Graph' }).click();
      },
    ];
    for (const step of steps) {
      await step();
      await open.painted();
      seen.push(await look());
    }
    assert.equal(await can(), 'back');
    for (const was of seen.slice(0, -1).reverse()) {
      await press('Backspace');
      assert.deepEqual(await look(), was);
    }
    assert.equal(await can(), 'forward');
    for (const is of seen.slice(1)) {
      await press('Shift+Backspace');
      assert.deepEqual(await look(), is);
    }
    assert.equal(await can(), 'back');
  });

  it('counts one zoom gesture as one step, and drops the way forward after a new step', async () => {
    const { lens } = await look();
    await press('w', 'w', 'w', 'w');
    const zoomed = (await look()).lens;
    assert.ok(zoomed < lens / 2);
    await atTime(1000);
    await press('w');
    await press('Backspace');
    assert.equal((await look()).lens, zoomed);
    await button('Back').click();
    await open.painted();
    assert.equal((await look()).lens, lens);
    assert.equal(await can(), 'forward');
    await press('2');
    assert.equal(await can(), 'back');
  });

  it('brings back where the threads were scrolled to', async () => {
    await open.page.setViewportSize({ width: 1280, height: 260 });
    const scroller = open.page.locator('.tl-scroller');
    await scroller.evaluate((it) => (it.scrollTop = 150));
    await open.painted();
    await press('5');
    await press('Backspace', 'w');
    await scroller.evaluate((it) => (it.scrollTop = 0));
    await open.painted();
    await press('Backspace');
    assert.equal(await scroller.evaluate((it) => it.scrollTop), 150);
  });

  it('leads back through the flame graph, and through callers', async () => {
    await press('2');
    const frames = open.page.locator('g.frame', { has: open.page.locator('foreignObject div:visible') });
    await frames.first().waitFor();
    await frames.nth(6).dblclick();
    const crumbs = open.page.locator('.flame-crumbs');
    await crumbs.filter({ visible: true }).waitFor();
    await press('Backspace');
    await crumbs.waitFor({ state: 'hidden' });
    await press('Shift+Backspace');
    await crumbs.filter({ visible: true }).waitFor();
    await press('6');
    const shown = open.page.locator('.callers-name');
    const first = await shown.innerText();
    await open.page.locator('#view-callers .table').nth(0).locator('.table-row').first().dblclick();
    await shown.filter({ hasNotText: first }).waitFor();
    await press('Backspace');
    await shown.filter({ hasText: first }).waitFor();
    assert.equal((await look()).view, 'Callers');
  });

  it('is kept over a reload with the rows of the call tree that are open, and those that are not', async () => {
    await press('3');
    const names = open.page.locator('#view-callTree .table-row .is-name');
    const rows = () =>
      open.page
        .locator('#view-callTree .table-row')
        .evaluateAll((all) =>
          all.map((row) => [row.getAttribute('aria-level'), row.getAttribute('aria-expanded')].join()),
        );
    await names.first().waitFor();
    const kept = () =>
      open.page.evaluate(() => JSON.stringify(history.state).match(/"openRows":\{"c[^}]*/)?.[0]);
    await open.page.waitForFunction(() =>
      JSON.stringify(history.state).includes('"openRows":{"callTree":["'),
    );
    const keptFirst = (await kept())!;
    // The way that opened by itself is closed at its second call, and another of the first one's is opened.
    await press('Home', 'ArrowDown', 'ArrowLeft', 'ArrowDown', 'ArrowRight');
    const count = (text: string) => text.split(',').length;
    for (let now = keptFirst; now === keptFirst || count(now) !== count(keptFirst); now = (await kept())!)
      await open.painted();
    const left = await rows();
    await open.page.reload();
    await open.open(bytes);
    await open.hear('opened');
    await names.first().waitFor();
    await open.painted();
    assert.deepEqual(await rows(), left);
    assert.ok(left.filter((row) => row.endsWith('true')).length > 1, left.join(' '));
  });

  it('is kept over a reload, with the zoom of the flame graph', async () => {
    await press('ArrowDown', 'r', '2');
    const frames = open.page.locator('g.frame', { has: open.page.locator('foreignObject div:visible') });
    await frames.first().waitFor();
    await frames.nth(6).dblclick();
    const crumbs = open.page.locator('.flame-crumbs');
    await crumbs.filter({ visible: true }).waitFor();
    const zoomed = await crumbs.innerText();
    await open.page.waitForFunction(() => /"flamePath":\[-?\d/.test(JSON.stringify(history.state)));
    await open.page.reload();
    await open.open(bytes);
    await open.hear('opened');
    await crumbs.filter({ visible: true }).waitFor();
    assert.equal(await crumbs.innerText(), zoomed);
    await press('Backspace');
    await crumbs.waitFor({ state: 'hidden' });
    await press('Backspace');
    assert.equal((await look()).view, 'Timeline');
    assert.equal((await look()).chips.length, 1);
    await press('Backspace');
    assert.deepEqual((await look()).chips, []);
    assert.equal(await can(), 'forward');
  });
});
