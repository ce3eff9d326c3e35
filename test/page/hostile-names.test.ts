/** Names that a recording may have and no page should obey: markup, commands, letters that turn the text around, a million letters. */
import assert from 'node:assert/strict';
import { plainText } from '../../src/webview/names.js';
import { messageRecording } from '../unit/trace/message-recording.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

async function isHarmless(open: PageUnderTest): Promise<void> {
  const found = await open.page.evaluate(() => ({
    hacked: 'hacked' in window,
    images: document.querySelectorAll('img, #btrace script, a[href]').length,
    longest: Math.max(
      ...Array.from(document.querySelectorAll('#btrace *'), (node) =>
        node.childElementCount === 0 ? node.textContent.length : 0,
      ),
    ),
    // What is told rather than shown counts, too.
    told: Array.from(document.querySelectorAll('#btrace [title], #btrace [aria-label]'), (node) =>
      [node.getAttribute('title'), node.getAttribute('aria-label')].join(' '),
    ),
    text: document.body.innerText,
    heard: Array.from(
      document.querySelectorAll('[aria-live], [role=treeitem]'),
      (node) => node.textContent,
    ).join(' '),
  }));
  assert.equal(found.hacked, false);
  assert.equal(found.images, 0);
  assert.ok(found.longest < 5000, `${found.longest} letters in one place`);
  assert.ok(found.told.every((told) => told.length < 5000));
  const all = [found.text, found.heard, ...found.told].join(' ');
  for (const letter of ['\u202e', '\u2066', '\u0000', '\u0007'])
    assert.ok(!all.includes(letter), JSON.stringify(letter));
}

describe('hostile names on the page', function () {
  const long = 'x'.repeat(1 << 20);
  const names = {
    1: '<img src=x onerror="window.hacked=1">',
    2: '[run](command:workbench.action.quit)',
    3: 'safe\u202egnp.exe',
    4: 'two\nlines\u0000and\u0007bell',
    5: long,
    6: '</script><script>window.hacked=1</script>',
    7: 'שלום\u2066עולם\u202e.exe',
  };

  it('are text, and nothing but text, in every view', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    const options = { samples: 400, threads: 2, depth: 8, methods: 8, seed: 4, names };
    const open = await rig.opened(bytesOf(options));
    for (const key of ['1', '2', '3', '4', '5']) {
      await open.page.keyboard.press(key);
      await open.painted();
    }
    await open.page.locator('#view-methods .table-row').first().waitFor();
    await open.page.keyboard.press('Home');
    await open.page.keyboard.press('6');
    await open.painted();
    await isHarmless(open);
    await open.page.keyboard.press('5');
    const shown = await open.page.locator('#view-methods .is-name .cell-text').allInnerTexts();
    assert.ok(
      shown.some((name) => name.includes('<img src=x')),
      shown.join('\n').slice(0, 500),
    );
    assert.ok(shown.every((name) => name.length < 500));
    await open.close();
  });

  it('are plain text in details, tooltips, announcements and search, and whole in a copy', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    const options = { samples: 400, threads: 2, depth: 8, methods: 9, seed: 4, names };
    const trace = generateTrace(options);
    const open = await rig.opened(bytesOf(options));
    const { page } = open;
    for (const method of [1, 2, 3, 4, 5, 6, 7]) {
      const key = { className: trace.methods.className(method), method: trace.methods.name(method) };
      await open.post({ type: 'reveal', key: { ...key, signature: '()V', file: '', line: 0 } });
      const called = plainText(trace.methods.name(method));
      await page.waitForFunction(
        (name) => document.querySelector('h2.details-title')?.textContent.endsWith(name),
        called,
      );
      await page.locator('.details-figures').waitFor();
      await isHarmless(open);
      assert.ok(((await page.locator('.details-title').getAttribute('title')) ?? '').length < 2100);
      // It is searched for now, and found.
      await page.locator('.search-found', { hasText: /^\d+ methods? · / }).waitFor();
      await page.keyboard.press('c');
      const copied = await open.hear('copy', method);
      assert.equal(copied.text, trace.methods.qualifiedName(method));
      const box = page.locator('.box-selected');
      const { x, y, width, height } = (await box.boundingBox())!;
      await page.mouse.move(0, 0);
      await page.mouse.move(x + Math.min(width, 4) / 2, y + height / 2);
      await page.locator('.tooltip:visible').waitFor();
      await isHarmless(open);
      const tooltip = (await page.locator('.tooltip:visible').boundingBox())!;
      assert.ok(tooltip.width <= 1280 && tooltip.height < 400, JSON.stringify(tooltip));
    }
    await open.close();
  });

  it('are text, and nothing but text, in the list of messages', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const messages = [
      { does: 0, workMs: 5, idleMs: 10 },
      { does: 1, workMs: 3, idleMs: 10 },
    ];
    const bytes = messageRecording(messages, {
      draw: `${names[1]}${names[3]}`,
      load: long,
      thread: names[6],
    });
    const open = await rig.opened(bytes);
    await open.page.keyboard.press('7');
    const rows = open.page.locator('#view-messages .table-row');
    await rows.nth(1).waitFor();
    await isHarmless(open);
    assert.match(await rows.nth(0).innerText(), /<img src=x/);
    assert.match(await rows.nth(1).innerText(), /x{20}/);
    // The tooltip names the thread, too.
    const tooltips = await rows
      .locator('.is-name')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('title') ?? ''));
    assert.ok(tooltips.every((tooltip) => tooltip.includes('<script>') && !tooltip.includes('\u202e')));
    assert.ok(tooltips.every((tooltip) => tooltip.length < 5000));
    await open.close();
  });
});
