/** Recordings of every sort through the real decoder: whole, torn, growing, empty, foreign, none at all. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { standAloneHtml, standAlonePieceBytes } from '../../src/protocol/page-html.js';
import { writeChrome } from '../../src/trace/formats/chrome-export.js';
import { synthesize } from '../../src/trace/index.js';
import { written } from '../unit/formats/round-trip.js';
import { randomTrace } from '../unit/formats/sample-traces.js';
import { seriousViolations } from '../rigs/axe.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

async function recording(samples: number, methods = 300): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const sink = { write: (bytes: Uint8Array) => Promise.resolve(void parts.push(bytes.slice())) };
  await synthesize(sink, { samples, threads: 3, methods, depth: 12 });
  return Buffer.concat(parts);
}

/** The times that are said, in ms. */
function times(said: string): number[] {
  return [...said.matchAll(/([\d.,]+) (m?s)/g)].map(
    ([, number, unit]) => Number(number!.replace(',', '')) * (unit === 's' ? 1000 : 1),
  );
}

describe('a recording on the page', function () {
  let rig: PageRig;
  let whole: Buffer;
  let open: PageUnderTest | undefined;

  before(async () => {
    rig = await PageRig.start('src/webview/engine-worker.ts');
    whole = await recording(4000);
  });
  afterEach(async () => {
    const done = open;
    open = undefined;
    await done?.close();
  });

  it('is decoded and shown', async () => {
    open = await rig.opened(whole);
    const { threads, samples, problems } = await open.hear('opened');
    assert.equal(threads, 3);
    assert.ok(samples >= 4000, `${samples} samples`);
    assert.equal(problems, 0);
  });

  it('is drawn by code that was warmed up with an invisible made-up recording', async () => {
    open = await rig.page({
      first: () => {
        Object.assign(window, { removed: [] });
        const isChart = (node: Node): boolean =>
          node instanceof Element && node.querySelector('.timeline') !== null;
        new MutationObserver((records) => {
          const { removed } = window as unknown as { removed: string[] };
          for (const record of records)
            for (const node of Array.from(record.removedNodes).filter(isChart))
              removed.push(...Array.from((node as Element).querySelectorAll('.thread-name'), String));
        }).observe(document, { childList: true, subtree: true });
      },
    });
    const { page } = open;
    await page.waitForFunction(() => (window as unknown as { removed: string[] }).removed.length > 0);
    assert.equal(await page.locator('.timeline').count(), 1);
    assert.equal(await page.locator('.thread-name, [role="treeitem"]').count(), 0);
    assert.match(await page.locator('.notice').innerText(), /Waiting/);
    await open.open(whole);
    assert.equal((await open.hear('opened')).threads, 3);
  });

  it('with many methods has all their names, though not all at once', async () => {
    open = await rig.opened(await recording(6000, 5000));
    await open.page.keyboard.press('/');
    await open.page.keyboard.type('com.example');
    await open.page.waitForFunction(
      () =>
        Number.parseInt(document.querySelector('.search-found')?.textContent.replace(',', '') ?? '0') > 4000,
    );
    await open.page.getByRole('tab', { name: 'Methods' }).click();
    await open.page.locator('#view-methods .table-row').first().waitFor();
    const names = await open.page.locator('#view-methods .is-name .cell-text').allInnerTexts();
    assert.deepEqual(
      names.filter((name) => /unknown|lost/.test(name)),
      [],
    );
  });

  it('with many samples has the charts of the threads that are not in sight, too, a little later', async () => {
    open = await rig.opened(await recording(30_000), { height: 260 });
    const { page } = open;
    const scroller = page.locator('.tl-scroller');
    await scroller.evaluate((it) => (it.scrollTop = it.scrollHeight));
    const last = page.locator('.track-head').last();
    await last.locator('.thread-name', { hasText: 'worker' }).waitFor();
    const name = await last.locator('.thread-name').innerText();
    // Its outermost calls, which are long enough to be told.
    const top = await last.evaluate((head: HTMLElement) => head.offsetTop);
    await scroller.evaluate((it, to) => (it.scrollTop = to), top);
    await page.locator('[role="treeitem"]', { hasText: name }).first().waitFor({ state: 'attached' });
  });

  it('says of threads whose charts are to come that they are', async () => {
    open = await rig.page({
      height: 260,
      first: () => {
        window.Worker = class extends Worker {
          constructor(url: string | URL, options?: WorkerOptions) {
            super(url, options);
            this.addEventListener('message', (event: MessageEvent<{ type: string }>) => {
              if (event.data.type === 'rest') event.stopImmediatePropagation();
            });
          }
        };
        const said: string[] = [];
        Object.assign(window, { written: said });
        const pens = CanvasRenderingContext2D.prototype;
        const fillText = new Proxy(Reflect.get(pens, 'fillText') as () => void, {
          apply: (write, pen, given: unknown[]) => {
            said.push(String(given[0]));
            Reflect.apply(write, pen, given);
          },
        });
        Object.assign(pens, { fillText });
      },
    });
    const { page } = open;
    await open.open(await recording(30_000));
    await open.hear('opened');
    const written = (): Promise<boolean> =>
      page.evaluate(() =>
        (window as unknown as { written: string[] }).written.includes('calls are being laid out…'),
      );
    assert.equal(await written(), false);
    await page.locator('.tl-scroller').evaluate((it) => (it.scrollTop = it.scrollHeight));
    await page.waitForFunction(() =>
      (window as unknown as { written: string[] }).written.includes('calls are being laid out…'),
    );
  });

  it('that is too large for the memory it may take is shown a part at a time', async () => {
    const large = await recording(30_000);
    const settings = { memoryBytes: 1_500_000 };
    open = await rig.opened(large, { settings });
    const { page } = open;
    const said = page.locator('.trust-line .fact').first();
    const feedAgain = async (ready: number): Promise<number> => {
      await open!.hear('ready', ready);
      await open!.open(large, { settings });
      const { samples } = await open!.hear('opened', ready);
      await open!.painted();
      return samples;
    };
    const first = await open.hear('opened');
    assert.match(await said.innerText(), /Only the first \S+ m?s of \S+ m?s are shown/);
    assert.deepEqual(await seriousViolations(page), []);
    const counts = [first.samples];
    while ((await page.getByRole('button', { name: 'Show what follows' }).count()) > 0) {
      await page.getByRole('button', { name: 'Show what follows' }).click();
      counts.push(await feedAgain(counts.length + 1));
      assert.match(await said.innerText(), /Only \S+ m?s to \S+ m?s of \S+ m?s are shown/);
    }
    assert.ok(counts.length > 1, 'one part');
    // Times count from where the recording begins, in each part.
    const [begin] = times(await said.innerText());
    await page.locator('.chart').focus();
    await page.keyboard.press('ArrowDown');
    const [begins] = times(await page.locator('.details-facts dd').nth(1).innerText());
    assert.ok(begin! > 1 && begins! >= begin! * 0.99, `${begins} ms in a part from ${begin} ms on`);
    await page.getByRole('button', { name: 'Show what came before' }).click();
    assert.equal(await feedAgain(counts.length + 1), counts.at(-2));
    const all = await rig.opened(large);
    const { samples } = await all.hear('opened');
    await all.close();
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      samples,
    );
  });

  it('of another tool that is too large shows what there is room for', async () => {
    const foreign = written(writeChrome, randomTrace(3, 8000));
    open = await rig.opened(foreign, { settings: { memoryBytes: 200_000 } });
    assert.ok((await open.hear('opened')).threads > 0);
    assert.match(
      await open.page.locator('.trust-line .fact').first().innerText(),
      /Only the first \S+ % of the file are shown/,
    );
  });

  it('that was cut off shows what is left and says so', async () => {
    open = await rig.opened(whole.subarray(0, Math.floor(whole.length * 0.6)));
    assert.ok((await open.hear('opened')).samples > 1000);
    assert.match(await open.page.locator('.facts').innerText(), /cut off before its end/);
  });

  it('with damage inside lists what could not be read', async () => {
    const hurt = Buffer.from(whole);
    for (let at = 0; at < 40; at++) hurt[Math.floor(hurt.length / 2) + at] = 0x55;
    open = await rig.opened(hurt);
    assert.ok((await open.hear('opened')).problems > 0);
    assert.match(await open.page.locator('.banner').innerText(), /could not be read/);
  });

  it('being written is drawn as it grows, and is final at the end', async () => {
    const live = await rig.page();
    open = live;
    const half = Math.floor(whole.length / 2);
    await live.open(whole.subarray(0, half), { live: true });
    await live.page.getByText('Recording…').waitFor();
    const end = (): Promise<string> => live.page.locator('.details-facts').innerText();
    const before = await end();
    await live.more(whole.subarray(half), half);
    await live.post({ type: 'end' });
    await live.hear('opened');
    await live.painted();
    assert.notEqual(await end(), before);
    assert.equal(await live.page.getByText('Recording…').count(), 0);
  });

  it('with nothing in it says so', async () => {
    open = await rig.opened(await recording(0));
    assert.match(await open.page.locator('.notice').innerText(), /No thread was seen at work/);
    assert.deepEqual(await open.page.locator('.details-facts dt').allTextContents(), ['Program', 'Threads']);
  });

  it('of another tool is recognised by its content', async () => {
    open = await rig.opened(Buffer.from('main;Shop.run;Cart.add 30\nmain;Shop.run;Cart.remove 12\n'), {
      name: 'stacks.bin',
    });
    await open.page.keyboard.press('5');
    await open.page.locator('#view-methods .table-row').first().waitFor();
    assert.deepEqual(
      (await open.page.locator('#view-methods .is-name .cell-text').allInnerTexts()).sort(),
      ['Cart.add', 'Cart.remove', 'Shop.run', 'main'].sort(),
    );
    for (const [method, said] of [
      ['main', 'Called by nobody that was seen'],
      ['Cart.add', 'Calls nothing that was seen'],
    ] as const) {
      await open.page.keyboard.press('5');
      await open.page.locator('#view-methods .table-row', { hasText: method }).click();
      await open.page.keyboard.press('6');
      await open.page.locator('.view-title', { hasText: said }).waitFor();
    }
  });

  it('that is no trace is named for what it is', async () => {
    const page = await rig.page();
    open = page;
    await page.open(Buffer.from('PK\u0003\u0004 this is an archive, and no trace of anything'), {});
    const { what } = await page.hear('notTrace');
    assert.match(what, /zip/i);
    assert.match(await page.page.locator('.notice').innerText(), /not a trace/);
    assert.equal(
      await page.page.locator('#view-timeline canvas:visible').count(),
      0,
      'nothing else is shown',
    );
  });

  it('that is no trace is refused by its first bytes, before a large file has come', async () => {
    open = await rig.page();
    await open.hear('ready');
    await open.post({
      type: 'open',
      name: 'test.btrace',
      totalBytes: 2 ** 31,
      live: false,
      settings: { myPackages: [], texts: {} },
    });
    await open.painted();
    const [left, ground] = await open.page.evaluate(() => {
      const colours = Array.from(document.querySelectorAll('#view-timeline canvas')).map((canvas) =>
        (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(1, 1, 1, 1).data.join(),
      );
      const probe = document.createElement('canvas').getContext('2d')!;
      probe.fillStyle = getComputedStyle(document.body).backgroundColor;
      probe.fillRect(0, 0, 1, 1);
      return [[...new Set(colours)], probe.getImageData(0, 0, 1, 1).data.join()];
    });
    assert.deepEqual(left, [ground]);
    assert.equal(await open.page.locator('.lens:visible, .ruler-range:visible').count(), 0);
    await open.more(new Uint8Array(2 ** 17), 0);
    assert.match((await open.hear('notTrace')).what, /binary file/);
  });

  it('that could not be read shows only the message, and is shown when it can be read', async () => {
    open = await rig.page();
    await open.hear('ready');
    await open.post({ type: 'problem', message: 'test.btrace is not there any more.' });
    await open.page.getByText('is not there any more').waitFor();
    const canvases = open.page.locator('#view-timeline canvas:visible');
    assert.equal(await canvases.count(), 0);
    await open.open(await recording(1000));
    await open.hear('opened');
    assert.ok((await canvases.count()) > 0);
  });

  it('stands alone in one HTML file with its data', async () => {
    const pieces: string[] = [];
    for (let at = 0; at < whole.length; at += standAlonePieceBytes) {
      pieces.push(whole.subarray(at, at + standAlonePieceBytes).toString('base64'));
    }
    const { script, worker } = rig;
    const settings = { myPackages: [], texts: { 'view.methods': 'Methoden' } };
    const parts = standAloneHtml({
      name: 'shop </title><script>.btrace',
      script,
      worker,
      nonce: 'bm9uY2U',
      language: 'de',
      settings,
      withoutScript: 'Bitte das Skript erlauben.',
      data: pieces,
    });
    let html = '';
    for await (const part of parts) html += part;
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      open = await rig.page({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
      await open.page.locator('.thread-name', { hasText: 'main' }).waitFor();
      await open.page.getByRole('tab', { name: 'Methoden' }).click();
      await open.page.locator('#view-methods .table-row').first().waitFor();
      await open.page.locator('#view-methods .table-row').first().click();
      await open.page.keyboard.press('6');
      // There is no source to open: nothing that looks like a way to it.
      await open.page.locator('span.callers-name').waitFor();
      assert.equal(await open.page.getByText('Bitte das Skript erlauben.').isVisible(), false);
      const strict = await rig.browser.newPage({ javaScriptEnabled: false });
      await strict.goto(open.page.url());
      assert.equal(await strict.locator('body').innerText(), 'Bitte das Skript erlauben.');
      await strict.close();
    } finally {
      server.close();
    }
  });

  it('begins as an HTML file with view, weight and filters that were shown when it was exported', async () => {
    const shown = await rig.opened(whole);
    const { page } = shown;
    await page.keyboard.press('5');
    await page.locator('#view-methods .table-row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('load');
    await page.locator('.search-found', { hasText: /method/ }).waitFor();
    await page.locator('vscode-dropdown').click();
    await page.locator('vscode-option', { hasText: 'CPU time' }).click();
    await page.getByRole('columnheader', { name: 'CPU time, self' }).waitFor();
    const rows = await page.locator('#view-methods .table-row').allInnerTexts();
    await shown.post({ type: 'command', command: 'exportHtml' });
    await shown.hear('exportHtml');
    const { state } = await shown.hear('kept');
    await shown.close();
    const { script, worker } = rig;
    let html = '';
    for await (const part of standAloneHtml({
      name: 'shop.btrace',
      script,
      worker,
      nonce: 'bm9uY2U',
      settings: { myPackages: [], texts: {} },
      state,
      withoutScript: '',
      data: [whole.toString('base64')],
    }))
      html += part;
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const { port } = server.address() as AddressInfo;
      open = await rig.page({ address: `http://127.0.0.1:${port}#first` });
      await open.page.locator('#view-methods .table-row').first().waitFor();
      assert.deepEqual(await open.page.locator('#view-methods .table-row').allInnerTexts(), rows);
      await open.page.getByRole('columnheader', { name: 'CPU time, self' }).waitFor();
      assert.equal(
        await open.page.getByRole('tab', { name: 'Methods' }).getAttribute('aria-selected'),
        'true',
      );
    } finally {
      server.close();
    }
  });
});
