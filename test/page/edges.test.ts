/** Recordings at the edges of what there may be: no evidence, one sample, millions of calls, thousands of threads, stacks without end. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { debuglog } from 'node:util';
import { synthetic } from '../unit/trace/recordings.js';
import { chainRecording } from './chain-recording.js';
import { longestTaskMs } from './long-tasks.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import { wide } from '../rigs/scale.js';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const ms = 1e6;
/**
 * A task of the page's own thread that takes longer grows with the recording, not with what is on the screen. How long they take is shown by
 * NODE_DEBUG=edges: the 50 ms that nobody notices are no limit for a machine that does other things, too.
 */
const mostMs = 1000;
const told = debuglog('edges');

/** Some MiB at a time, as a host sends them. */
const pieceBytes = 8 << 20;

describe('a recording at the edge', function () {
  let rig: PageRig;
  let open: PageUnderTest | undefined;

  before(async () => {
    rig = await PageRig.start('src/webview/engine-worker.ts');
    mkdirSync(path.join(root, 'artefacts'), { recursive: true });
  });
  afterEach(async () => {
    const done = open;
    open = undefined;
    await done?.close();
  });

  /** Opens it, and looks at its picture later. */
  async function show(bytes: Uint8Array, name: string): Promise<PageUnderTest> {
    const page = await rig.page();
    open = page;
    const settings = { myPackages: [], texts: {} };
    await page.hear('ready');
    await page.post({ type: 'open', name, totalBytes: bytes.length, live: false, settings });
    for (let at = 0; at < bytes.length; at += pieceBytes)
      await page.more(bytes.subarray(at, at + pieceBytes), at);
    await holdsNothingUp(page, `${name} opens`, async () => {
      await page.post({ type: 'end' });
      await page.hear('opened');
      // The rest comes a little later, and is taken in.
      await page.page.locator('.legend-row').first().waitFor();
    });
    await page.page.screenshot({ path: path.join(root, `artefacts/page-edge-${name}.png`) });
    return page;
  }

  /** The longest task meanwhile, which is told. */
  async function longestMs(page: PageUnderTest, what: string, act: () => Promise<void>): Promise<number> {
    const took = await longestTaskMs(rig.browser, page.page, async () => {
      await act();
      await page.painted();
    });
    told('%s: %d ms at a time', what, Math.round(took));
    return took;
  }

  async function holdsNothingUp(page: PageUnderTest, what: string, act: () => Promise<void>): Promise<void> {
    const took = await longestMs(page, what, act);
    assert.ok(took < mostMs, `${what}: ${took} ms at a time`);
  }

  /** Presses the view's key, and waits until it has something to show. */
  async function view(page: PageUnderTest, key: string): Promise<void> {
    await page.page.keyboard.press(key);
    await page.page.locator('[role=tabpanel]:not([hidden]) :is(.table-row, g.frame)').first().waitFor();
  }

  it('of gaps only says so on top, and gives no time to any method', async () => {
    const page = await show(chainRecording(3, [1, 2, 3], [0, 5e9, 10e9]), 'gaps');
    await page.page.locator('.fact.is-warning', { hasText: /gaps 10\.0 s \(> 99\.9 %\)/ }).waitFor();
    await view(page, '2');
    const frames = page.page.locator('g.frame');
    const whole = (await frames.nth(0).boundingBox())!.width;
    const named = await frames.evaluateAll((all) =>
      all.map((one) => [one.textContent, one.getBoundingClientRect().width] as const),
    );
    const gap = named.find(([said]) => said.includes('no evidence'));
    assert.ok(gap !== undefined && gap[1] > 0.99 * whole, JSON.stringify(named));
    await view(page, '5');
    const shares = await page.page.locator('#view-methods .cell-detail').allInnerTexts();
    assert.ok(shares.length > 0);
    for (const share of shares) assert.match(share, /^(0 %|< 0\.1 %|native|)$/);
  });

  it('of one single sample says that nothing was seen, once in each view, and shows what there is', async () => {
    const page = await show(chainRecording(3, [3], [ms]), 'one-sample');
    assert.equal((await page.hear('opened')).samples, 1);
    for (const key of ['1', '2', '3', '4', '5', '6', '7']) {
      await page.page.keyboard.press(key);
      await page.painted();
      const said = await page.page.locator(':is(.notice, .empty-note):visible').allInnerTexts();
      assert.equal(said.length, 1, `${key}: ${said.join(' ')}`);
      assert.match(said[0]!, /^No thread was seen at work/);
    }
    await page.page.keyboard.press('1');
    for (let step = 0; step < 3; step++) await page.page.keyboard.press('ArrowDown');
    await page.page.locator('.details-title', { hasText: 'step2' }).waitFor();
  });

  it('of one thread with many calls opens, zooms and is searched without holding the page up', async () => {
    const { bytes } = await synthetic({ samples: wide ? 1_200_000 : 200_000, threads: 1, merge: false });
    const page = await show(bytes, 'many-calls');
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('ArrowDown');
    const acts: Record<string, () => Promise<void>> = {
      zooms: async () => {
        for (let step = 0; step < 20; step++) {
          await page.page.keyboard.press('w');
          await page.painted();
        }
      },
      'is searched': async () => {
        await page.page.keyboard.press('/');
        await page.page.keyboard.type('store7');
        await page.page.waitForFunction(() =>
          /method/.test(document.querySelector('.search-found')!.textContent),
        );
        await page.page.keyboard.press('Enter');
      },
      'finds nothing': async () => {
        await page.page.keyboard.type('nowhere');
        await page.page.waitForFunction(() =>
          /^0|^No/.test(document.querySelector('.search-found')!.textContent),
        );
        await page.page.keyboard.press('Enter');
        await page.page.keyboard.press('Escape');
      },
    };
    for (const key of ['2', '3', '4', '5']) acts[`view ${key}`] = () => view(page, key);
    for (const [name, act] of Object.entries(acts)) {
      await holdsNothingUp(page, name, act);
    }
    const calls = await page.page.locator('#view-methods .table').getAttribute('aria-rowcount');
    assert.ok(Number(calls) > 1000, `${calls} methods`);
  });

  it('of five thousand threads has elements for those in sight, and comes to the last', async () => {
    const { bytes } = await synthetic({ samples: 25_000, threads: 5000, depth: 10, methods: 500 });
    const page = await show(bytes, 'many-threads');
    assert.equal((await page.hear('opened')).threads, 5000);
    const heads = page.page.locator('.track-head');
    assert.ok((await heads.count()) < 40);
    await holdsNothingUp(page, 'comes to the last', async () => {
      await page.page.locator('.tl-scroller').evaluate((one) => (one.scrollTop = one.scrollHeight));
      await page.painted();
    });
    assert.ok((await heads.count()) < 60);
    await page.page.locator('.thread-filter').click();
    await page.page.keyboard.type('worker-4999');
    await page.page.waitForFunction(() => document.querySelectorAll('.track-head').length === 1);
    assert.equal(await page.page.locator('.thread-name').innerText(), 'worker-4999');
  });

  it('of stacks four thousand deep is drawn down to the innermost call', async () => {
    const times = Array.from({ length: 400 }, (_, at) => at * ms);
    const page = await show(
      chainRecording(
        4000,
        times.map((_, at) => (at < 300 ? 4000 : 4000 - (at % 7) * 500)),
        times,
      ),
      'deep',
    );
    const { page: tab } = page;
    const drawn = async (): Promise<void> => {
      await tab.locator('.tl-scroller').evaluate((one) => (one.scrollTop = one.scrollHeight));
      await tab
        .locator('[role=treeitem]', { hasText: /^step3999,/ })
        .first()
        .waitFor({ state: 'attached' });
    };
    await holdsNothingUp(page, 'comes to the innermost', drawn);
    // Each frame is an element, and all are laid out at once.
    await longestMs(page, 'the flame graph', () => view(page, '2'));
    assert.equal(await tab.locator('g.frame').count(), 4001);
    await holdsNothingUp(page, 'the call tree', () => view(page, '3'));
    // Opened a stretch down by itself, and further by keys.
    await tab.keyboard.press('End');
    const selected = tab.locator('.table-row.is-selected .cell-text').first();
    const from = Number((await selected.innerText()).replace('step', ''));
    assert.ok(from >= 30, `step${from}`);
    // Each press opens the calls below that have one callee each.
    for (let reached = from; reached < from + 400;) {
      await holdsNothingUp(page, 'a chain of calls', async () => {
        await tab.keyboard.press('ArrowRight');
        await tab.locator('.table-row', { hasText: `step${reached + 1}` }).waitFor();
        await tab.keyboard.press('End');
      });
      reached = Number((await selected.innerText()).replace('step', ''));
      assert.ok(reached >= from + 200, `step${reached}`);
    }
    await holdsNothingUp(page, 'bottom-up', () => view(page, '4'));
    await holdsNothingUp(page, 'the methods', () => view(page, '5'));
    const rows = await tab.locator('#view-methods .table').getAttribute('aria-rowcount');
    assert.equal(rows, '4001');
  });
});
