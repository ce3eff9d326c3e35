/** What is drawn and told against the engine's own columns: every weight, a range in graph and tree, the lens, pixels. */
import assert from 'node:assert/strict';
import { methodFigures, sumScope } from '../../src/trace/index.js';
import { formatNs } from '../../src/trace/measure/quantities.js';
import { callees, flame } from '../../src/trace/measure/trees.js';
import { IntervalState } from '../../src/trace/model/trace.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import { shortName, shownWeights } from './shown.js';
import type { PageUnderTest } from './page-rig.js';

const small: GeneratedOptions = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };

describe('the figures on the page', function () {
  let rig: PageRig;
  let open: PageUnderTest;
  let trace: Trace;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
    trace = generateTrace(small);
  });
  beforeEach(async () => {
    open = await rig.opened(bytesOf(small));
  });
  afterEach(() => open.close());

  /** Rows of the table in sight: name, then figures. */
  async function rows(view: string): Promise<string[][]> {
    await open.page.locator(`#view-${view} .table-row`).first().waitFor();
    await open.painted();
    return open.page
      .locator(`#view-${view} .table-row`)
      .evaluateAll((all) =>
        all.map((row) =>
          Array.from(row.querySelectorAll('.table-cell .cell-text'), (cell) => cell.textContent),
        ),
      );
  }

  /** Of the ruler's pixels 200 to 500. */
  async function dragRange(): Promise<{ beginNs: number; endNs: number }> {
    const ruler = (await open.page.locator('.ruler').boundingBox())!;
    await open.page.mouse.move(ruler.x + 200, ruler.y + 10);
    await open.page.mouse.down();
    await open.page.mouse.move(ruler.x + 500, ruler.y + 10, { steps: 4 });
    await open.page.mouse.up();
    return { beginNs: (trace.endNs * 200) / ruler.width, endNs: (trace.endNs * 500) / ruler.width };
  }

  it('are the engine’s by every weight, in the table of methods and in the call tree', async () => {
    const sums = sumScope(trace, { threads: [], beginNs: -Infinity, endNs: Infinity }, 'all');
    const figures = methodFigures(sums, trace.methods.count);
    for (const { weight, name, format } of shownWeights) {
      const values = figures.self[weight];
      const best = Math.max(...values);
      assert.ok(best > 0, `the trace has ${weight}`);
      await open.page.locator('vscode-dropdown').click();
      await open.page.locator('vscode-option', { hasText: new RegExp(`^\\s*${name}\\s*$`) }).click();
      await open.page.keyboard.press('Escape');
      await open.page.locator('#tab-methods').click();
      await open.page.getByRole('columnheader', { name: `${name}, self` }).waitFor();
      await open.page
        .locator('#view-methods .table-row')
        .first()
        .filter({ hasText: shortName(trace, figures.method[values.indexOf(best)]!) })
        .waitFor();
      const shown = await rows('methods');
      const told = shown.slice(0, 8).map((row) => row[1]);
      assert.deepEqual(
        told,
        [...values]
          .sort((one, other) => other - one)
          .slice(0, 8)
          .map(format),
        weight,
      );
      await open.page.locator('#tab-callTree').click();
      await open.page.getByRole('columnheader', { name: `${name}, total` }).waitFor();
      const tree = callees(sums, weight, []);
      const [first] = await rows('callTree');
      assert.deepEqual(
        first!.slice(0, 3),
        [shortName(trace, tree.method[0]!), format(tree.total[0]!), format(tree.self[0]!)],
        `${weight} in the tree`,
      );
    }
  });

  it('are the engine’s of a range, in the flame graph and in the call tree', async () => {
    const range = await dragRange();
    const sums = sumScope(trace, { threads: [], ...range });
    const whole = sumScope(trace, { threads: [], beginNs: -Infinity, endNs: Infinity });
    await open.page.locator('#tab-flameGraph').click();
    await open.page.locator('g.frame').first().waitFor();
    const frames = await open.page.locator('g.frame').evaluateAll((all) =>
      all.map((frame) => {
        const { data, depth } = (
          frame as unknown as { __data__: { data: { method: number; total: number }; depth: number } }
        ).__data__;
        return { method: data.method, total: data.total, depth, width: frame.getBoundingClientRect().width };
      }),
    );
    const nodes = flame(sums, 'wall', 0, []);
    const outer = (of: typeof nodes) =>
      [...of.method.keys()]
        .filter((row) => row > 0 && of.parent[row] === 0)
        .map((row) => [of.method[row]!, Math.round(of.total[row]!)]);
    const byMethod = (list: number[][]) => list.sort(([one], [other]) => one! - other!);
    const drawn = frames.filter(({ depth, method }) => depth === 1 && method >= 0);
    assert.deepEqual(
      byMethod(drawn.map(({ method, total }) => [method, Math.round(total)])),
      byMethod(outer(nodes)).filter(([, total]) => total! > 0),
    );
    assert.notDeepEqual(byMethod(outer(nodes)), byMethod(outer(flame(whole, 'wall', 0, []))));
    const [one, other] = drawn.toSorted((a, b) => b.total - a.total);
    if (one !== undefined && other !== undefined)
      assert.ok(Math.abs(other.width / one.width - other.total / one.total) < 0.02, 'as wide as it took');
    await open.page.locator('#tab-callTree').click();
    const shown = await rows('callTree');
    const tree = callees(sums, 'wall', []);
    assert.deepEqual(shown[0]!.slice(0, 3), [
      shortName(trace, tree.method[0]!),
      formatNs(tree.total[0]!),
      formatNs(tree.self[0]!),
    ]);
    const below = callees(sums, 'wall', [tree.method[0]!]);
    assert.deepEqual(shown[1]!.slice(0, 3), [
      shortName(trace, below.method[0]!),
      formatNs(below.total[0]!),
      formatNs(below.self[0]!),
    ]);
  });

  /** Once what was done is shown. */
  const lensBox = async () => {
    await open.painted();
    return (await open.page.locator('.lens').boundingBox())!;
  };

  async function drag(fromX: number, toX: number, y: number): Promise<void> {
    await open.page.mouse.move(fromX, y);
    await open.page.mouse.down();
    await open.page.mouse.move(toX, y, { steps: 4 });
    await open.page.mouse.up();
    await open.painted(); // another may begin where this one has ended
  }

  it('follow the lens: moved, resized, drawn anew, clicked, and cleared by a double-click', async () => {
    const all = await lensBox();
    const y = all.y + all.height / 2;
    const is = async (left: number, width: number, what: string): Promise<void> => {
      const now = await lensBox();
      assert.ok(Math.abs(now.x - left) < 2, `${what}: begins at ${now.x} px, not ${left}`);
      assert.ok(Math.abs(now.width - width) < 3, `${what}: ${now.width} px wide, not ${width}`);
    };
    await drag(all.x + 200, all.x + 400, y);
    await is(all.x + 200, 200, 'made anew');
    const cursors: string[] = [];
    for (const x of [100, 201, 300, 399, 500]) {
      await open.page.mouse.move(all.x + x, y);
      cursors.push(await open.page.locator('.minimap').evaluate((map) => getComputedStyle(map).cursor));
    }
    assert.deepEqual(cursors, ['crosshair', 'ew-resize', 'grab', 'ew-resize', 'crosshair']);
    await drag(all.x + 300, all.x + 390, y);
    await is(all.x + 290, 200, 'moved');
    await drag(all.x + 491, all.x + 591, y);
    await is(all.x + 290, 300, 'by its end');
    await drag(all.x + 289, all.x + 239, y);
    await is(all.x + 239, 351, 'by its begin');
    // No further than to the end of the recording, as wide as it was.
    await drag(all.x + 400, all.x + all.width + 300, y);
    await is(all.x + all.width - 351, 351, 'moved to the end');
    await drag(all.x + 60, all.x + 20, y);
    await is(all.x + 20, 40, 'made anew, from right to left');
    await open.page.mouse.click(all.x + 300, y);
    await is(all.x + 280, 40, 'by a click beside it, with the hand quite still');
    await drag(all.x + 100, all.x + 102, y);
    await is(all.x + 80, 40, 'by a click beside it');
    await open.page.mouse.click(all.x + all.width - 5, y);
    await is(all.x + all.width - 40, 40, 'no further than to the end');
    await open.page.mouse.click(all.x + all.width - 20, y);
    await is(all.x + all.width - 40, 40, 'a click in it moves nothing');
    await drag(all.x + 600, all.x + 606, y);
    await drag(all.x + 603, all.x + 203, y);
    await is(all.x + 200, 6, 'moved, as narrow as it is');
    await drag(all.x + 60, all.x + 20, y);
    // The chart shows just that.
    await open.page.waitForFunction((perPixel) => {
      const state = (history.state as Record<string, { viewport?: { beginNs: number } }> | null)?.[
        'btrace.state'
      ];
      const beginNs = state?.viewport?.beginNs ?? NaN;
      return Math.abs(beginNs - 20 * perPixel) < 2 * perPixel;
    }, trace.endNs / all.width);
    await open.page.mouse.dblclick(all.x + 500, y);
    await is(all.x, all.width, 'all');
  });

  /** The chart's pixels: of `width` from x, `height` from y, in the page's coordinates; "r,g,b" row by row. */
  function pixels(x: number, y: number, width: number, height: number): Promise<string[][]> {
    return open.page.locator('.chart canvas').evaluate(
      (canvas: HTMLCanvasElement, box) => {
        const at = canvas.getBoundingClientRect();
        const { data } = canvas
          .getContext('2d')!
          .getImageData(Math.round(box.x - at.x), Math.round(box.y - at.y), box.width, box.height);
        return Array.from({ length: box.height }, (_, row) =>
          Array.from({ length: box.width }, (_unused, column) =>
            data.slice((row * box.width + column) * 4, (row * box.width + column) * 4 + 3).join(),
          ),
        );
      },
      { x, y, width, height },
    );
  }

  /** Zoomed to a time of the first thread, and where that is then; `y` of its row of depth 0. */
  async function zoomTo(beginNs: number, endNs: number): Promise<{ left: number; right: number; y: number }> {
    const chart = (await open.page.locator('.chart').boundingBox())!;
    const middle = (beginNs + endNs) / 2;
    await open.page.mouse.move(chart.x + (middle / trace.endNs) * chart.width, chart.y + 60);
    await open.page.keyboard.down('Control');
    for (let notch = 0; notch < 40; notch++) {
      const lens = await lensBox();
      const map = (await open.page.locator('.minimap').boundingBox())!;
      if ((endNs - beginNs) / trace.endNs > 0.25 * (lens.width / map.width)) break;
      await open.page.mouse.wheel(0, -60);
      await open.painted();
    }
    await open.page.keyboard.up('Control');
    await open.page.mouse.move(chart.x + 5, chart.y - 60);
    await open.painted();
    const [from, length] = await open.page
      .locator('.lens')
      .evaluate((lens: HTMLElement) => [
        parseFloat(lens.style.left) / 100,
        parseFloat(lens.style.width) / 100,
      ]);
    const place = (time: number): number => chart.x + ((time / trace.endNs - from) / length) * chart.width;
    const head = open.page.locator('.track-head:not(.is-counter)').first();
    const top = await head.evaluate((it: HTMLElement) => it.offsetTop);
    return { left: place(beginNs), right: place(endNs), y: chart.y + top + 24 };
  }

  it('has gaps hatched, in stripes that go down to the right', async () => {
    const { intervals } = trace.threads[0]!;
    const depthOf = (row: number): number => trace.paths.depth[intervals.path[row]!]!;
    const row = [...intervals.state.keys()].find((at) => intervals.state[at] === IntervalState.Gap)!;
    assert.ok(row >= 0, 'the main thread has a gap');
    const place = await zoomTo(intervals.begin[row]!, intervals.end[row]!);
    const { right } = place;
    const y = place.y + depthOf(row) * 18;
    const size = 15;
    const drawn = await pixels(right - size - 6, y + 1, size, size);
    const seen = new Map<string, number>();
    for (const pixel of drawn.flat()) seen.set(pixel, (seen.get(pixel) ?? 0) + 1);
    const [commonest] = [...seen].sort(([, one], [, other]) => other - one)[0]!;
    assert.equal(commonest, '31,31,31', 'on the background');
    assert.ok(seen.size > 1, 'something is drawn on it');
    const isStripe = (x: number, row_: number): boolean => drawn[row_]![x] !== commonest;
    let along = 0;
    let across = 0;
    let all = 0;
    for (let at = 0; at < size - 1; at++)
      for (let x = 0; x < size - 1; x++) {
        if (!isStripe(x, at)) continue;
        all++;
        if (drawn[at + 1]![x + 1] === drawn[at]![x]) along++;
        if (x > 0 && drawn[at + 1]![x - 1] === drawn[at]![x]) across++;
      }
    assert.ok(all > size, `${all} pixels of stripes`);
    assert.ok(along > 0.9 * all, `${along} of ${all} go on down to the right`);
    assert.ok(across < 0.5 * all, `${across} of ${all} go on down to the left`);
  });

  it('has the share of CPU as a line below each call, as long as it is', async () => {
    const { calls } = trace.threads[0]!;
    const wall = (row: number): number => calls.end[row]! - calls.begin[row]!;
    const share = (row: number): number => calls.cpu[row]! / wall(row);
    const found = [...calls.begin.keys()]
      .filter((row) => calls.depth[row]! <= 3 && share(row) > 0.3 && share(row) < 0.8)
      .sort((one, other) => wall(other) - wall(one))
      .slice(0, 3);
    assert.equal(found.length, 3);
    for (const row of found) {
      const { left, right, y } = await zoomTo(calls.begin[row]!, calls.end[row]!);
      const width = Math.round(right - left);
      assert.ok(width > 60, `${width} px`);
      const [line] = await pixels(Math.round(left), y + calls.depth[row]! * 18 + 16, width, 1);
      const colour = line![2];
      const end = line!.findIndex((pixel, at) => at > 2 && pixel !== colour);
      assert.ok(
        Math.abs(end - share(row) * width) < 3,
        `${end} px of ${width}, where its share is ${share(row).toFixed(2)}`,
      );
      await open.page.locator('.chart').focus();
      await open.page.keyboard.press('0');
      await open.painted();
    }
  });
});
