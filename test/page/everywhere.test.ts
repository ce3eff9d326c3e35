/** One weight, one range and one thread for all views: each has the engine's figures of just that. */
import assert from 'node:assert/strict';
import { methodFigures, sumScope } from '../../src/trace/index.js';
import { callees, callers, flame, neighbours } from '../../src/trace/measure/trees.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import { shortName, shownWeights } from './shown.js';

const small: GeneratedOptions = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };

describe('every view', function () {
  it('follows the chosen weight, range and thread', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    const open = await rig.opened(bytesOf(small));
    const { page } = open;
    const trace = generateTrace(small);
    const firstRow = (view: string, cells: readonly string[]): Promise<unknown> =>
      page.waitForFunction(
        ([wanted, texts]) => {
          const row = document.querySelector(`#view-${wanted} .table-row`);
          const shown = Array.from(row?.querySelectorAll('.cell-text') ?? [], (cell) => cell.textContent);
          return texts.every((text, at) => text === shown[at]);
        },
        [view, cells] as const,
        { timeout: waitLimitMs },
      );
    // The main thread, and pixels 150 to 600 of the ruler.
    const ruler = (await page.locator('.ruler').boundingBox())!;
    await page.mouse.move(ruler.x + 150, ruler.y + 10);
    await page.mouse.down();
    await page.mouse.move(ruler.x + 600, ruler.y + 10, { steps: 4 });
    await page.mouse.up();
    await page.locator('.chart').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'o']) await page.keyboard.press(key);
    await page.locator('.chip').nth(1).waitFor();
    const range = { beginNs: (trace.endNs * 150) / ruler.width, endNs: (trace.endNs * 600) / ruler.width };
    const sums = sumScope(trace, { threads: [1], ...range }, 'all');
    const figures = methodFigures(sums, trace.methods.count);
    for (const { weight, name, format } of shownWeights) {
      await page.locator('vscode-dropdown').click();
      await page.locator('vscode-option', { hasText: new RegExp(`^\\s*${name}\\s*$`) }).click();
      await page.keyboard.press('Escape');
      await page.locator('#tab-methods').click();
      const self = figures.self[weight];
      const best = self.indexOf(Math.max(...self));
      assert.ok(self[best]! > 0, `${weight} is in the range`);
      await firstRow('methods', [shortName(trace, figures.method[best]!), format(self[best]!)]);
      await page.locator('#tab-callTree').click();
      const down = callees(sums, weight, []);
      await firstRow('callTree', [
        shortName(trace, down.method[0]!),
        format(down.total[0]!),
        format(down.self[0]!),
      ]);
      await page.locator('#tab-bottomUp').click();
      const up = callers(sums, weight, []);
      await firstRow('bottomUp', [shortName(trace, up.method[0]!), format(up.total[0]!)]);
      await page.locator('#tab-flameGraph').click();
      const nodes = flame(sums, weight, 0, []);
      const outer = [...nodes.method.keys()].filter((row) => nodes.parent[row] === 0);
      const largest = outer.reduce((most, row) => (nodes.total[row]! > nodes.total[most]! ? row : most));
      const title = `${shortName(trace, nodes.method[largest]!)} · ${format(nodes.total[largest]!)} (`;
      await page.waitForFunction(
        (wanted) =>
          Array.from(document.querySelectorAll('#view-flameGraph g.frame title')).some(({ textContent }) =>
            textContent.startsWith(wanted),
          ),
        title,
        { timeout: waitLimitMs },
      );
      // Of the method that has most of it.
      await page.locator('#tab-methods').click();
      await page.locator('#view-methods .table-row').first().click();
      await page.locator('#tab-callers').click();
      const around = neighbours(sums, weight, figures.method[best]!);
      const said = `Total ${format(around.total)} (`;
      await page.locator('.callers-middle', { hasText: said }).waitFor({ timeout: waitLimitMs });
      await firstRow('callers', [
        shortName(trace, around.callers.method[0]!),
        format(around.callers.total[0]!),
      ]);
    }
    await open.close();
  });
});
