/** A recording of a minified program: the page asks for its mapping and shows what was written, or, on request, what was recorded. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { standAloneHtml } from '../../src/protocol/page-html.js';
import { RetraceMapping } from '../../src/symbols/r8/retrace-mapping.js';
import { mapping, minifiedRecording } from '../unit/symbols/minified-recording.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';

const bytes = minifiedRecording({
  stacks: [
    ['kept.Main.main:1', 'a.b.a:2'],
    ['kept.Main.main:1', 'a.b.a:2'],
    ['kept.Main.main:1', 'a.b.a:5'],
    ['kept.Main.main:1', 'a.b.b:3'],
  ],
});
const file = 'app/build/outputs/mapping/release/mapping.txt';
const written = ['Cart.total', 'Line.price', 'Main.main', 'Till.add', 'Till.open'];
const recorded = ['Main.main', 'b.a', 'b.b'];

describe('a minified program on the page', function () {
  let rig: PageRig;
  let open: PageUnderTest | undefined;

  before(async () => {
    rig = await PageRig.start('src/webview/engine-worker.ts');
  });
  afterEach(async () => {
    const done = open;
    open = undefined;
    await done?.close();
  });

  /** Opened by a host that has the mapping. */
  async function opened(chosen = ''): Promise<PageUnderTest> {
    const page = await rig.page();
    open = page;
    await page.open(bytes, { settings: { mapping: { chosen } } });
    const { classes } = await page.hear('wantRetraceMapping');
    await page.post({ type: 'retraceMapping', file, text: new RetraceMapping(mapping).excerpt(classes) });
    await page.hear('opened');
    return page;
  }

  /** Methods of the table, once it has these and no others. */
  async function methodsAre(page: PageUnderTest, wanted: readonly string[]): Promise<void> {
    await page.page.waitForFunction((names) => {
      const cells = document.querySelectorAll('#view-methods .is-name .cell-text');
      const shown = Array.from(cells, (cell) => cell.textContent).sort();
      return shown.join() === [...names].sort().join();
    }, wanted);
  }

  it('has the names of its source, with a row for what was inlined, and on request those that were recorded', async () => {
    const page = await opened();
    await page.page.keyboard.press('5');
    await methodsAre(page, written);
    await page.page.keyboard.press('/');
    await page.page.keyboard.type('cart');
    await page.page.locator('.search-found', { hasText: /^1 method · / }).waitFor();
    await page.page.keyboard.press('Escape');
    const names = page.page.locator('.names-switch');
    assert.equal(await names.innerText(), 'names by mapping.txt');
    assert.equal(await names.getAttribute('aria-pressed'), 'true');
    assert.match((await names.getAttribute('title'))!, /app\/build\/outputs\/mapping\/release\/mapping\.txt/);
    await names.click();
    await methodsAre(page, recorded);
    assert.equal(await names.innerText(), 'names as recorded');
    assert.equal(await names.getAttribute('aria-pressed'), 'false');
    await names.press('Enter');
    await methodsAre(page, written);
  });

  it('leads to the line as written, and from there back to the method', async () => {
    const page = await opened();
    await page.page.keyboard.press('5');
    await methodsAre(page, written);
    await page.page.locator('#view-methods .table-row', { hasText: 'Line.price' }).click();
    await page.page.keyboard.press('Enter');
    const { key, isRecorded } = await page.hear('openSource');
    assert.deepEqual(key, {
      className: 'shop.Line',
      method: 'price',
      signature: '()I',
      file: 'Lines.java',
      line: 71,
    });
    assert.equal(isRecorded, false);
    await page.page.locator('.names-switch').click();
    await methodsAre(page, recorded);
    await page.page.locator('#view-methods .table-row', { hasText: 'b.b' }).click();
    await page.page.keyboard.press('Enter');
    assert.equal((await page.hear('openSource', 3)).isRecorded, true);
    // The editor speaks of what is written there.
    await page.post({
      type: 'reveal',
      key: { ...key, className: 'shop.Till', method: 'add', signature: '' },
    });
    await page.page.locator('.details-title', { hasText: 'add' }).waitFor();
  });

  it('says that the mapping of its build is not there, or that another was chosen', async () => {
    const page = (open = await rig.page());
    const stacks = [['a.b.a:2'], ['a.b.a:5']];
    await page.open(minifiedRecording({ stacks, file: 'r8-map-id-1234567' }), {
      settings: { mapping: { chosen: '' } },
    });
    const { classes, mapId } = await page.hear('wantRetraceMapping');
    assert.equal(mapId, '1234567');
    await page.post({ type: 'retraceMapping', file: '', text: '' });
    await page.hear('opened');
    const missing = page.page.locator('.fact.is-warning', { hasText: 'minified names' });
    await missing.waitFor();
    assert.match((await missing.getAttribute('title'))!, /the id 1234567/);
    const chosen = { myPackages: [], texts: {}, mapping: { chosen: '/other/mapping.txt' } };
    await page.post({ type: 'settings', settings: chosen });
    await page.hear('wantRetraceMapping', 2);
    const text = new RetraceMapping(mapping).excerpt(classes);
    await page.post({ type: 'retraceMapping', file: 'mapping.txt', text, isOther: true });
    await page.page
      .locator('.fact.is-warning', { hasText: 'names by the mapping of another build' })
      .waitFor();
    assert.equal(await missing.count(), 0);
    await page.page.locator('.names-switch', { hasText: 'names by mapping.txt' }).waitFor();
  });

  it('takes another mapping when another one is chosen, and none when that is of no use', async () => {
    const page = await opened();
    await page.page.keyboard.press('5');
    await methodsAre(page, written);
    const settings = { myPackages: [], texts: {}, mapping: { chosen: '/other/mapping.txt' } };
    await page.post({ type: 'settings', settings });
    await page.hear('wantRetraceMapping', 2);
    await page.post({ type: 'retraceMapping', file: 'other/mapping.txt', text: '' });
    await methodsAre(page, recorded);
    assert.equal(await page.page.locator('.names-switch').count(), 0);
  });

  it('says that its mapping is of a version that it does not know yet', async () => {
    const page = (open = await rig.page());
    const newer = new RetraceMapping(mapping.replace('"version":"2.2"', '"version":"9.1"'));
    await page.open(bytes, { settings: { mapping: { chosen: '' } } });
    const { classes } = await page.hear('wantRetraceMapping');
    await page.post({ type: 'retraceMapping', file, text: newer.excerpt(classes) });
    await page.hear('opened');
    const fact = page.page.locator('.fact.is-warning', { hasText: 'mapping of a newer R8' });
    await fact.waitFor();
    assert.match((await fact.getAttribute('title'))!, /release\/mapping\.txt has version 9\.1/);
  });

  it('stands alone with the names of its source', async () => {
    const { script, worker } = rig;
    const parts = standAloneHtml({
      name: 'shop.btrace',
      script,
      worker,
      nonce: 'bm9uY2U',
      settings: { myPackages: [], texts: {}, mapping: { chosen: '' } },
      withoutScript: '',
      mapping: { file: 'mapping.txt', text: `${mapping}# </script><script>window.hacked = 1</script>\n` },
      data: [Buffer.from(bytes).toString('base64')],
    });
    let html = '';
    for await (const part of parts) html += part;
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const page = await rig.page({
        address: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
      });
      open = page;
      await page.page.getByRole('button', { name: 'names by mapping.txt' }).waitFor();
      await page.page.getByRole('tab', { name: 'Methods' }).click();
      await methodsAre(page, written);
      assert.equal(await page.page.evaluate(() => 'hacked' in window), false);
    } finally {
      server.close();
    }
  });

  it('of a JVM is asked for only where a person chose a mapping', async () => {
    const page = await rig.page();
    open = page;
    const hotspot = minifiedRecording({ runtime: 'HotSpot 17', stacks: [['a.b.a:2'], ['a.b.a:2']] });
    await page.open(hotspot, { settings: { mapping: { chosen: '' } } });
    await page.hear('opened');
    assert.equal((await page.said()).filter((one) => one.type === 'wantRetraceMapping').length, 0);
  });
});
