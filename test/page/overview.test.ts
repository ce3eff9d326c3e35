/** What a person meets first: lines that answer, each of which leads to what it tells of. */
import assert from 'node:assert/strict';
import { formatNs } from '../../src/trace/measure/quantities.js';
import { hotMethods, sumScope } from '../../src/trace/index.js';
import { seriousViolations } from '../rigs/axe.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import { workedBytes } from '../unit/trace/worked-recording.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import { shortName } from './shown.js';

const content = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };
const settings = { myPackages: ['com.acme'] };

describe('the overview', function () {
  let rig: PageRig;
  let page: PageUnderTest;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  beforeEach(async () => {
    page = await rig.opened(bytesOf(content), { settings, isFirst: true });
    await page.page.locator('#view-overview .card-row').first().waitFor();
  });
  afterEach(() => page.close());

  it('is what opens first, and has the CPU time of one’s own code, as the engine sums it', async () => {
    const trace = generateTrace(content);
    const isMyCode = Uint8Array.from({ length: trace.methods.count }, (_, method) =>
      trace.methods.className(method).startsWith('com.acme') ? 1 : 0,
    );
    const hot = hotMethods(
      trace,
      sumScope(trace, { threads: [], beginNs: 0, endNs: Infinity }),
      'cpu',
      isMyCode,
      6,
    );
    const rows = page.page
      .locator('[aria-labelledby="overview-work"] .card-rows')
      .first()
      .locator('.card-row');
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [
        row.querySelector('.card-name')!.textContent,
        row.querySelector('.card-figure')!.textContent.split(' · ')[0],
      ]),
    );
    assert.deepEqual(
      shown,
      hot.rows.map(({ method, value }) => [shortName(trace, method), formatNs(value)]),
    );
    assert.deepEqual(await seriousViolations(page.page), []);
  });

  it('shows only trust facts that change a conclusion; the others are a click away', async () => {
    const facts = page.page.locator('.facts');
    assert.match(await facts.innerText(), /12 lost/);
    assert.doesNotMatch(await facts.innerText(), /sampled at points|allocations estimated/);
    await page.page.getByRole('button', { name: 'How it was recorded' }).click();
    assert.match(await facts.innerText(), /sampled at points every 1\.00 ms[^]*12 lost/);
  });

  it('leads to the source of a method, and to a wait in the timeline', async () => {
    await page.page.locator('[aria-labelledby="overview-work"] .card-row').first().click();
    const { key } = await page.hear('openSource');
    assert.notEqual(key.method, '');
    await page.page.locator('[aria-labelledby="overview-waits"] .card-row').first().click();
    await page.page.locator('#view-timeline:visible').waitFor();
    assert.match(await page.page.locator('.details').innerText(), /lock|parked|sleeps|input/);
    await page.page.keyboard.press('Backspace');
    await page.page.locator('#view-overview:visible').waitFor();
  });

  it('keeps the keyboard on the line it was on while figures are drawn anew', async () => {
    const rows = page.page.locator('[aria-labelledby="overview-threads"] .card-row');
    // By its name: what is still read when the page has opened can give it another place.
    const name = (await rows.first().getAttribute('title'))!;
    const row = page.page.locator(`[aria-labelledby="overview-threads"] .card-row[title="${name}"]`);
    await row.focus();
    const before = await row.elementHandle();
    // A press that does not take the keyboard along.
    await page.page.locator('.my-code').evaluate((button: HTMLElement) => button.click());
    await page.page.waitForFunction((old) => !old.isConnected, before);
    assert.equal(await page.page.evaluate(() => (document.activeElement as HTMLElement).title), name);
  });

  it('is by CPU time, as all views then are, until a person chooses', async () => {
    await page.page.keyboard.press('5');
    await page.page.getByRole('columnheader', { name: 'CPU time, self' }).waitFor();
    assert.ok(await page.page.getByRole('button', { name: /^Back/ }).isVisible());
  });

  it('tells who held up the main thread, and what they did meanwhile', async () => {
    const pieces = [
      { in: 'Shop.run', ms: 20 },
      { in: 'Shop.book', ms: 50, wait: SampleKind.Monitor, owner: 2 },
    ];
    const recording = workedBytes(
      [
        { name: 'main', isMain: true, pieces },
        { name: 'settler', pieces: [{ in: 'Till.settle', ms: 70 }] },
      ],
      70,
    );
    const own = await PageRig.start('src/webview/engine-worker.ts');
    const shown = await own.opened(recording, { settings, isFirst: true });
    const rows = shown.page.locator('[aria-labelledby="overview-locks"] .card-row');
    await rows.first().waitFor();
    assert.match(
      (await rows.allInnerTexts()).join(),
      /^settler\s+50\.0 ms\s+in Shop\.book · meanwhile in Till\.settle · once$/,
    );
    await rows.first().click();
    await shown.page.locator('#view-timeline:visible').waitFor();
    assert.match(await shown.page.locator('.details').innerText(), /lock/);
    await shown.close();
  });

  it('shows slow calls of the main thread, and the busiest threads; a row leads to the call', async () => {
    const recording = workedBytes(
      [
        {
          ...{ name: 'main', isMain: true },
          pieces: [
            { in: 'Loop.run > Shop.open > Shop.read', ms: 60, cpu: 0.5 },
            { in: 'Loop.run > Shop.draw', ms: 10 },
            { in: 'Loop.run > Loop.next', ms: 90, wait: SampleKind.Poll },
            { in: 'Loop.run > Shop.open > Shop.read', ms: 30, cpu: 0.5 },
            { in: 'Loop.run', ms: 10 },
          ],
        },
        { name: 'packer', pieces: [{ in: 'Pack.run', ms: 200 }] },
        { name: 'sorter', pieces: [{ in: 'Sort.run', ms: 200, cpu: 0.25 }] },
      ],
      200,
    );
    const own = await PageRig.start('src/webview/engine-worker.ts');
    const shown = await own.opened(recording, { settings, isFirst: true });
    const rows = shown.page.locator('[aria-labelledby="overview-slow"] .card-row');
    await rows.first().waitFor();
    assert.match(
      (await rows.allInnerTexts()).join(),
      /^Shop\.read\s+60\.0 ms\s+2×, 90\.0 ms together · 45\.0 ms of CPU time$/,
    );
    const threads = shown.page.locator('[aria-labelledby="overview-threads"] .card-row .card-name');
    assert.deepEqual(await threads.allInnerTexts(), ['main', 'packer', 'sorter']);
    await rows.first().click();
    await shown.page.locator('#view-timeline:visible').waitFor();
    assert.match(await shown.page.locator('.details').innerText(), /Shop\.read/);
    await shown.close();
  });
});
