/** A recording beside an earlier one: what takes more, what less, what chance may have made. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { seriousViolations } from '../rigs/axe.js';
import { messageRecording } from '../unit/trace/message-recording.js';
import { giveBaseline as giveBytes } from './baseline.js';
import { PageRig, type PageUnderTest } from './page-rig.js';
import type { ThemeName } from './themes.js';

const before =
  'main;shop.Cart.add 4000\nmain;shop.Cart.pay;shop.Tax.of 1000\nmain;shop.Old.go 900\nmain;shop.Same.go 700\n';
const after =
  'main;shop.Cart.add 4020\nmain;shop.Cart.pay;shop.Tax.of 1900\nmain;shop.New.go 70\nmain;shop.Same.go 700\n';

async function compared(theme: ThemeName = 'dark', width = 1280): Promise<PageUnderTest> {
  const rig = await PageRig.start('src/webview/engine-worker.ts');
  const open = await rig.opened(Buffer.from(after), { theme, width, name: 'after.txt' });
  await open.page.keyboard.press('8');
  return open;
}

const giveBaseline = (open: PageUnderTest, text: string, name = 'before.txt'): Promise<void> =>
  giveBytes(open, Buffer.from(text), name);

const shownRows = (open: PageUnderTest): Promise<(string | null)[][]> =>
  open.page
    .locator('#view-compare .table-row')
    .evaluateAll((all) =>
      all.map((row) => Array.from(row.querySelectorAll('.table-cell'), (cell) => cell.textContent)),
    );

describe('a recording beside an earlier one', function () {
  it('asks for one, and tells what takes more, and less, the largest differences first', async () => {
    const open = await compared();
    const { page } = open;
    await page.getByText('Choose another recording').waitFor();
    await page.getByRole('button', { name: 'Compare With…' }).click();
    assert.equal((await open.hear('compareWith')).another, true);
    await giveBaseline(open, before);
    await page.locator('#view-compare .table-row').nth(2).waitFor();
    assert.deepEqual(await shownRows(open), [
      ['Tax.ofshop', '1.00 s', '1.90 s', '+900 ms+90.0 %'],
      ['shop.Old.go', '900 ms', '0', '−900 msgone'],
      ['New.goshop', '0', '70.0 ms', '+70.0 msnew'],
    ]);
    await page
      .getByText(
        'Wall time: 6.60 s in before.txt (6.60 s), 6.69 s here (6.69 s): +90.0 ms (+1.4 %), which sampling may have made',
      )
      .waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await open.close();
  });

  it('shows totals, equal lengths and noise on request, and remembers the choice', async () => {
    const open = await compared();
    const { page } = open;
    await giveBaseline(open, before);
    await page.locator('#view-compare .table-row').nth(2).waitFor();
    await page.getByRole('checkbox', { name: 'With callees' }).click();
    await page.locator('#view-compare .table-row', { hasText: 'Cart.pay' }).waitFor();
    await page.getByRole('checkbox', { name: 'Small differences, too' }).click();
    await page.locator('#view-compare .table-row', { hasText: '+20.0 mschance?' }).waitFor();
    assert.equal(await page.locator('#view-compare .table-row', { hasText: 'Same.go' }).count(), 0);
    await page.getByRole('checkbox', { name: 'Same length' }).click();
    await page.locator('#view-compare .table-row', { hasText: 'Same.go' }).waitFor();
    await page
      .getByText(
        '6.69 s in before.txt (6.60 s), and as much here (6.69 s). Figures of before.txt are scaled to the length of this one.',
      )
      .waitFor();
    await page.waitForFunction(() => JSON.stringify(history.state).includes('"scaled"'));
    await open.close();
  });

  it('begins with the same length where lengths differ, says so, and keeps what a person chose', async () => {
    const open = await compared();
    const { page } = open;
    const long = before.replace(/\d+$/gm, (value) => String(Number(value) * 6));
    await giveBaseline(open, long, 'long.txt');
    await page.getByRole('columnheader', { name: 'Before (scaled)' }).waitFor();
    await page.getByText('Figures of long.txt are scaled to the length of this one.').waitFor();
    const scaled = page.getByRole('checkbox', { name: 'Same length' });
    assert.equal(await scaled.getAttribute('aria-checked'), 'true');
    const row = page.locator('#view-compare .table-row');
    await row.filter({ hasText: '+886 ms' }).waitFor();
    const colour = (tone: string): Promise<string> =>
      page
        .locator(`#view-compare .cell-bar.is-${tone}`)
        .first()
        .evaluate((bar) => getComputedStyle(bar).backgroundColor);
    assert.notEqual(await colour('more'), await colour('less'));
    // What was chosen for this one stays when it is read again.
    await scaled.click();
    await page.getByRole('columnheader', { name: 'Before', exact: true }).waitFor();
    await giveBaseline(open, long, 'long.txt');
    await page.getByText(' in long.txt (').waitFor();
    assert.equal(await scaled.getAttribute('aria-checked'), 'false');
    // Another one is a new question.
    await giveBaseline(open, long, 'longer.txt');
    await page.getByRole('columnheader', { name: 'Before (scaled)' }).waitFor();
    await giveBaseline(open, before, 'before.txt');
    await page.getByRole('columnheader', { name: 'Before', exact: true }).waitFor();
    await open.close();
  });

  it('is walked by keys: a row is the method of all views, search and threads scope it', async () => {
    const open = await compared();
    const { page } = open;
    await giveBaseline(open, before);
    await page.locator('#view-compare .table-row').nth(2).waitFor();
    await page.locator('#view-compare .table').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal((await open.hear('openSource')).key.method, 'of');
    await page.keyboard.press('/');
    await page.keyboard.type('New');
    await page.waitForFunction(() => document.querySelectorAll('#view-compare .table-row').length === 1);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelectorAll('#view-compare .table-row').length === 3);
    // Also what is here no more.
    await page.keyboard.press('/');
    await page.keyboard.type('shop old');
    await page.waitForFunction(() => document.querySelectorAll('#view-compare .table-row').length === 1);
    assert.equal((await shownRows(open))[0]![0], 'shop.Old.go');
    assert.equal(await page.locator('.search-found').textContent(), 'No match here');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelectorAll('#view-compare .table-row').length === 3);
    // A range is one of this recording alone.
    await page.keyboard.press('1');
    const ruler = (await page.locator('.ruler').boundingBox())!;
    await page.mouse.move(ruler.x + 100, ruler.y + 10);
    await page.mouse.down();
    await page.mouse.move(ruler.x + 300, ruler.y + 10, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.press('8');
    await page.getByText('which sampling may have made. The selected range does not count here.').waitFor();
    await page.locator('.chip').click();
    await page.getByText(/which sampling may have made$/).waitFor();
    await open.close();
  });

  it('says what is wrong with the other one, and the recording stays', async () => {
    const open = await compared();
    const { page } = open;
    await giveBaseline(open, 'To whom it may concern.\n', 'letter.txt');
    await page.getByText('This recording cannot be compared with letter.txt: ').waitFor();
    await open.post({ type: 'noBaseline', name: 'gone.btrace', why: 'It is gone.' });
    await page.getByText('This recording cannot be compared with gone.btrace: It is gone.').waitFor();
    await giveBaseline(open, after, 'same.txt');
    await page.getByText('6.69 s in same.txt (6.69 s), and as much here').waitFor();
    await page.getByText('No method differs by more than sampling may have made.').waitFor();
    await page.getByRole('button', { name: 'Stop Comparing' }).click();
    assert.equal((await open.hear('compareWith')).another, false);
    await open.post({ type: 'noBaseline', name: '', why: '' });
    await page.getByText('Choose another recording').waitFor();
    await page.keyboard.press('5');
    await page.locator('#view-methods .table-row').first().waitFor();
    // Of no use any more: its tab goes, and arrows pass it over.
    await page.getByRole('tab', { name: 'Compare' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('v');
    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('[role=tab][aria-selected=true]', { hasText: 'Callers' }).waitFor();
    await open.close();
  });

  it('says that the baseline lacks a weight, and compares the others', async () => {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(messageRecording([{ does: 0, workMs: 5, idleMs: 11 }]));
    const { page } = open;
    await page.keyboard.press('8');
    await giveBaseline(open, before);
    await page.locator('#view-compare .table-row').first().waitFor();
    await page.evaluate(() => {
      const list = document.querySelector('vscode-dropdown.weight') as HTMLElement & { value: string };
      list.value = 'cpu';
      list.dispatchEvent(new Event('change'));
    });
    await page.getByText('before.txt has no CPU').waitFor();
    await open.close();
  });

  for (const theme of ['light', 'highContrast'] satisfies ThemeName[]) {
    it(`is for everybody in ${theme}, too, also on a narrow page`, async () => {
      const open = await compared(theme, 640);
      await giveBaseline(open, before);
      await open.page.locator('#view-compare .table-row').nth(2).waitFor();
      assert.deepEqual(await seriousViolations(open.page), []);
      await open.close();
    });
  }
});
