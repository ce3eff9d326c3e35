/** A counter of the recorded program: drawn over time, and a weight of every view. */
import assert from 'node:assert/strict';
import { workedBytes } from '../unit/trace/worked-recording.js';
import { PageRig } from './page-rig.js';

describe('a counter of the program', () => {
  it('is a weight by its name, of the methods that raised it', async () => {
    const says = (value: number): { text: string; value: number } => ({ text: 'orders', value });
    const recording = workedBytes(
      [
        {
          ...{ name: 'main', isMain: true },
          pieces: [
            { in: 'Shop.run > Shop.open', ms: 20, says: says(0) },
            { in: 'Shop.run > Shop.sell', ms: 20, says: says(3) },
            { in: 'Shop.run > Shop.import', ms: 20, says: says(13) },
            { in: 'Shop.run > Shop.sell', ms: 20, says: says(4) },
          ],
        },
      ],
      80,
    );
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    const open = await rig.opened(recording, { settings: { myPackages: [] } });
    const { page } = open;
    await open.post({ type: 'command', command: 'methods' });
    await page.locator('vscode-dropdown').click();
    await page.getByRole('option', { name: 'Rise of orders' }).click();
    await page.getByRole('columnheader', { name: 'Rise of a counter, self' }).waitFor();
    const rows = page.locator('#view-methods .table-row');
    await rows.first().filter({ hasText: '76.9' }).waitFor();
    const shown = await rows.evaluateAll((all) =>
      all.map((row) =>
        Array.from(row.querySelectorAll('.table-cell .cell-text'), (cell) => cell.textContent),
      ),
    );
    assert.deepEqual(
      shown.slice(0, 2).map(([name, self]) => [name, self]),
      [
        ['Shop.import', '10'],
        ['Shop.sell', '3'],
      ],
    );
    if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
    await open.close();
  });
});
