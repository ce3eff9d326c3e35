/** The timeline in a real browser: it paints, it is sharp, a click opens the source, keys do the same. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { formatNs } from '../../src/trace/measure/quantities.js';
import { giveBaseline } from './baseline.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { layoutFaults } from './layout.js';
import { PageRig } from './page-rig.js';
import type { OpenOptions, PageUnderTest } from './page-rig.js';
import { themeStyle } from './themes.js';

const small: GeneratedOptions = { samples: 600, threads: 3, depth: 12, methods: 200, seed: 3 };

describe('the timeline', function () {
  let rig: PageRig;
  let open: PageUnderTest | undefined;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  afterEach(async () => {
    const done = open;
    open = undefined;
    await done?.close();
  });

  async function show(options: GeneratedOptions, how: OpenOptions = {}): Promise<PageUnderTest> {
    open = await rig.opened(bytesOf(options), how);
    return open;
  }

  /** Where a thread's rows of calls begin on the screen. */
  async function rowsOf(page: PageUnderTest, thread: number): Promise<number> {
    const box = await page.page.locator('.chart').boundingBox();
    const head = page.page.locator('.track-head:not(.is-counter)').nth(thread);
    return box!.y + (await head.evaluate((it: HTMLElement) => it.offsetTop)) + 24;
  }

  /** Middle of a call's box on the screen, from the trace itself. */
  async function placeOf(
    page: PageUnderTest,
    thread: number,
    row: number,
  ): Promise<{ x: number; y: number }> {
    const trace = generateTrace(small);
    const { calls } = trace.threads[thread]!;
    const box = await page.page.locator('.chart').boundingBox();
    const length = trace.endNs - trace.beginNs;
    const middle = (calls.begin[row]! + calls.end[row]!) / 2;
    const top = await rowsOf(page, thread);
    return { x: box!.x + (middle / length) * box!.width, y: top + calls.depth[row]! * 18 + 9 };
  }

  it('shows a stretch of a thread when its host says so, and asks why it took its time', async () => {
    const trace = generateTrace(small);
    const thread = trace.threads[1]!;
    const at = (share: number) => Math.round(trace.beginNs + (trace.endNs - trace.beginNs) * share);
    const page = await show(small, { isFirst: true });
    // It began before all that is kept, as a long lag may.
    const stretch = { thread: thread.index, beginNs: trace.beginNs - 1e9, endNs: at(0.5) };
    await page.post({ type: 'revealStretch', ...stretch });
    await page.page.locator('[role=treeitem][aria-selected=true]').waitFor();
    const selected = await page.page.locator('[role=treeitem][aria-selected=true]').getAttribute('id');
    assert.match(selected ?? '', new RegExp(`^call-${thread.index}-`));
    const kept = await page.page.waitForFunction(() => {
      type Kept = Record<string, { view?: string; soloThread?: number; range?: object; viewport?: object }>;
      const [state] = Object.values((history.state ?? {}) as Kept);
      return state?.view === 'timeline' && state.soloThread !== undefined && state;
    });
    const { soloThread, range, viewport } = (await kept.jsonValue()) as Record<string, unknown>;
    assert.equal(soloThread, thread.index);
    assert.deepEqual(range, { beginNs: trace.beginNs, endNs: at(0.5) });
    assert.deepEqual(viewport, { beginNs: trace.beginNs, endNs: at(0.5) + (at(0.5) - trace.beginNs) / 8 });
  });

  it('leaves the details their room when the window becomes narrower', async () => {
    const { page } = await show(small);
    const right = (selector: string) =>
      page.locator(selector).evaluate((part: HTMLElement) => Math.round(part.getBoundingClientRect().right));
    await page.setViewportSize({ width: 1000, height: 800 });
    await page.waitForFunction(() => innerWidth === 1000);
    assert.equal(await right('.details'), 1000);
    assert.equal(await right('.timeline'), await right('.stage'));
  });

  it('leaves the chart most of a narrow window, and cuts nothing of its controls off', async () => {
    const { page } = await show(small);
    for (const width of [400, 560, 700]) {
      await page.setViewportSize({ width, height: 700 });
      await page.waitForFunction((wanted) => innerWidth === wanted, width);
      const chart = (await page.locator('.chart').boundingBox())!;
      assert.ok(chart.width > width * 0.7, `${chart.width} of ${width} px`);
      const stage = (await page.locator('.stage').boundingBox())!;
      assert.ok(stage.height > 300, `${stage.height} of 700 px high in ${width} px`);
      const controls = page.locator('.tab, .toolbar vscode-button:visible');
      const right = await controls.evaluateAll((all) =>
        Math.max(...all.map((one) => one.getBoundingClientRect().right)),
      );
      assert.ok(right <= width, `a control ends at ${right} px of ${width}`);
      const filter = await page.locator('.thread-filter').evaluate((field) => {
        const input = field.shadowRoot!.querySelector('input')!;
        const { font, paddingLeft, paddingRight } = getComputedStyle(input);
        const context = document.createElement('canvas').getContext('2d')!;
        context.font = font;
        const room = input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
        const right = Math.max(...[field, input].map((one) => one.getBoundingClientRect().right));
        return { right, room, wanted: context.measureText(input.placeholder).width };
      });
      assert.ok(filter.right <= chart.x && filter.wanted <= filter.room, JSON.stringify(filter));
    }
  });

  it('has two rows of controls at 430 px, and names have most of the room in Methods', async () => {
    const { page } = await show(small, { width: 430 });
    const toolbar = (await page.locator('.toolbar').boundingBox())!;
    assert.ok(toolbar.height <= 66, `${toolbar.height} px of toolbar`);
    await page.keyboard.press('5');
    const row = page.locator('#view-methods .table-row').first();
    await row.waitFor();
    const [name, ...figures] = await row
      .locator('.table-cell')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
    assert.ok(name! > 200, `${name} px for the name`);
    assert.ok(
      figures.every((width) => width >= 90 && width <= 100),
      `${figures.join()} px for figures`,
    );
  });

  it('keeps its controls in one row in a window of usual size, with a side bar and without', async () => {
    const shown = await show(small);
    const { page } = shown;
    const height = () => page.locator('.toolbar').evaluate((bar: HTMLElement) => bar.offsetHeight);
    const widths = [1400, 1330, 1310, 1290, 1222, 1190, 1160, 1110, 1090, 1000, 970, 950, 922];
    const everyWidth = async (also: string, all = widths): Promise<void> => {
      for (const width of all) {
        await page.setViewportSize({ width, height: 700 });
        await page.waitForFunction((wanted) => innerWidth === wanted, width);
        assert.ok((await height()) < 40, `${await height()} px high in ${width} px${also}`);
        assert.deepEqual(await layoutFaults(page), [], `in ${width} px${also}`);
      }
      const field = (await page.locator('.search-field').boundingBox())!;
      assert.ok(field.width >= 64, `${field.width} px left to write in${also}`);
    };
    /** Beside its icon, which is always there. */
    const words = page.locator('.my-code-words');
    await everyWidth('');
    assert.ok(await words.isVisible());
    await everyWidth('', [918, 860, 800]);
    await page.keyboard.press('/');
    await page.keyboard.type('a');
    await page.locator('.search-found', { hasText: /^\d+ methods · \d+\.\d %$/ }).waitFor();
    await everyWidth(' with what was found');
    assert.equal(await words.isVisible(), false);
    await page.setViewportSize({ width: 600, height: 700 });
    await words.waitFor();
    assert.deepEqual(await layoutFaults(page), []);
    await page.keyboard.press('Escape');
    await giveBaseline(shown, bytesOf(small));
    await page.locator('#tab-compare:visible').waitFor();
    await everyWidth(' with another recording');
  });

  it('is on paper as it is on the screen, only smaller, in its colours', async () => {
    const { page } = await show(small, { width: 1600, height: 900 });
    const look = () =>
      page.evaluate(() => {
        const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
        return { chart: box('.chart').width, canvas: box('.chart canvas').width, page: box('.page').width };
      });
    const screen = await look();
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.waitForFunction(() => innerWidth === 1000);
    const paper = await look();
    assert.equal(Math.round(paper.page), 960);
    const shrunk = 960 / screen.page;
    for (const part of ['chart', 'canvas'] as const)
      assert.ok(Math.abs(paper[part] - screen[part] * shrunk) < 2, `${part}: ${paper[part]} px`);
    const dot = page.locator('.hue-dot').first();
    assert.equal(await dot.evaluate((it) => getComputedStyle(it).printColorAdjust), 'exact');
  });

  it('takes the colours of another theme at once, on every canvas, as if it had begun with them', async () => {
    const { page } = await show(small, { theme: 'dark' });
    const looks = (one: typeof page): Promise<string[]> =>
      one
        .locator('.timeline canvas')
        .evaluateAll((all) => all.map((canvas) => (canvas as HTMLCanvasElement).toDataURL()));
    const dark = await looks(page);
    assert.ok(dark.length >= 3, `${dark.length} canvases`);
    for (const theme of ['light', 'highContrast', 'dark'] as const) {
      const begun = await rig.opened(bytesOf(small), { theme });
      const wanted = await looks(begun.page);
      await begun.close();
      // As VS Code does it.
      await page.evaluate(([style, kind]) => {
        document.documentElement.style.cssText = style;
        document.body.dataset['vscodeThemeKind'] = kind;
        document.body.className = kind;
      }, themeStyle(theme));
      await page.waitForFunction(
        (images) =>
          Array.from(document.querySelectorAll<HTMLCanvasElement>('.timeline canvas')).every(
            (canvas, at) => canvas.toDataURL() === images[at],
          ),
        wanted,
      );
      assert.equal(isDeepStrictEqual(wanted, dark), theme === 'dark');
    }
  });

  it('paints every thread, main first, and says so', async () => {
    const page = await show(small);
    const heard = await page.hear('opened');
    assert.equal(heard.threads, 3);
    const names = await page.page.locator('.thread-name').allTextContents();
    assert.deepEqual(names.slice(0, 1), ['main']);
    assert.equal(names.length >= 2, true);
    const colours = await page.page.locator('.chart canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set<number>();
      for (let at = 0; at < data.length; at += 4)
        seen.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!);
      return seen.size;
    });
    assert.ok(colours > 12, `only ${colours} colours: nothing was drawn`);
  });

  it('opens the source of a clicked call beside, and goes there with Ctrl', async () => {
    const page = await show(small);
    const trace = generateTrace(small);
    const { calls } = trace.threads[0]!;
    const at = await placeOf(page, 0, 0);
    await page.page.mouse.click(at.x, at.y);
    const heard = await page.hear('openSource');
    const method = calls.method[0]!;
    assert.deepEqual(heard.key, {
      className: trace.methods.className(method),
      method: trace.methods.name(method),
      signature: '()V',
      file: trace.methods.file(method),
      line: trace.methods.firstLine(method),
    });
    assert.equal(heard.how, 'peek');
    await page.page.keyboard.down('Control');
    await page.page.mouse.click(at.x, at.y);
    await page.page.keyboard.up('Control');
    assert.equal((await page.hear('openSource', 2)).how, 'go');
  });

  it('walks calls by arrow keys, says them, and opens on Enter', async () => {
    const page = await show(small);
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('ArrowDown');
    await page.page.keyboard.press('ArrowDown');
    const trace = generateTrace(small);
    const said = await page.page.locator('.announcement').textContent();
    assert.match(said ?? '', /Wall .*CPU .*main/);
    await page.page.keyboard.press('Enter');
    const { key } = await page.hear('openSource');
    const depthOne = [...trace.threads[0]!.calls.depth.keys()].filter(
      (row) => trace.threads[0]!.calls.depth[row] === 1,
    );
    const methods = depthOne.map((row) => trace.methods.name(trace.threads[0]!.calls.method[row]!));
    assert.ok(methods.includes(key.method), `${key.method} is not a call of depth 1`);
  });

  it('zooms by key and wheel, and goes back to all of it by 0', async () => {
    const page = await show(small);
    const lens = page.page.locator('.lens');
    const width = async (): Promise<number> => (await lens.boundingBox())!.width;
    const all = await width();
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('w');
    await page.painted();
    const once = await width();
    assert.ok(once < all * 0.8, `${once} of ${all}`);
    const chart = (await page.page.locator('.chart').boundingBox())!;
    await page.page.mouse.move(chart.x + 300, chart.y + 100);
    await page.page.keyboard.down('Control');
    await page.page.mouse.wheel(0, -200);
    await page.page.keyboard.up('Control');
    await page.painted();
    const twice = await width();
    assert.ok(twice < once * 0.8);
    // Two fingers to the side.
    const left = async (): Promise<number> => (await lens.boundingBox())!.x;
    const before = await left();
    await page.page.mouse.wheel(150, 0);
    await page.painted();
    assert.ok((await left()) > before + 1, 'it went on in time');
    assert.ok(Math.abs((await width()) - twice) < 2);
    await page.page.keyboard.press('0');
    await page.painted();
    assert.ok(Math.abs((await width()) - all) < 2);
  });

  it('follows a theme at once, also on the canvas', async () => {
    const page = await show(small, { theme: 'dark' });
    const corner = (): Promise<number[]> =>
      page.page.locator('.chart canvas').evaluate((canvas: HTMLCanvasElement) => [
        ...canvas
          .getContext('2d')!
          .getImageData(canvas.width - 2, 1, 1, 1)
          .data.slice(0, 3),
      ]);
    assert.deepEqual(await corner(), [31, 31, 31]);
    await page.page.evaluate(() =>
      document.documentElement.style.setProperty('--vscode-editor-background', '#ffffff'),
    );
    await page.painted();
    assert.deepEqual(await corner(), [255, 255, 255]);
  });

  /** Zoomed to a wait of main, whose middle is then under the pointer. */
  async function atWait(
    page: PageUnderTest,
    options: GeneratedOptions,
  ): Promise<{ x: number; y: number; row: number }> {
    const trace = generateTrace(options);
    const { waits } = trace.threads[0]!;
    const row = [...waits.link.keys()].reduce((best, one) =>
      waits.end[one]! - waits.begin[one]! > waits.end[best]! - waits.begin[best]! ? one : best,
    );
    const box = (await page.page.locator('.chart').boundingBox())!;
    const middle = (waits.begin[row]! + waits.end[row]!) / 2;
    const x = box.x + (middle / trace.endNs) * box.width;
    await page.page.mouse.move(x, box.y + 60);
    await page.page.keyboard.down('Control');
    for (let notch = 0; notch < 8; notch++) await page.page.mouse.wheel(0, -150);
    await page.page.keyboard.up('Control');
    await page.painted();
    const depth = trace.paths.depth[waits.path[row]!]!;
    return { x, y: (await rowsOf(page, 0)) + depth * 18 + 9, row };
  }

  it('says what a wait was for, and follows the link to who ended it', async () => {
    const options = { ...small, samples: 1500 };
    const page = await show(options);
    const { x, y, row } = await atWait(page, options);
    await page.page.mouse.click(x, y);
    const trace = generateTrace(options);
    const { links } = trace;
    const link = trace.threads[0]!.waits.link[row]!;
    const waker = trace.threads[links.waker[link]! - 1]!.name;
    const woken = page.page.locator('.waker-link');
    assert.match(await woken.innerText(), new RegExp(`Woken by ${waker}`));
    assert.equal(
      (await page.said()).some((one) => one.type === 'openSource'),
      false,
      'a wait has no source',
    );
    await woken.click();
    await page.page.waitForFunction(
      (name) => document.querySelector('.details-facts dd')?.textContent === name,
      waker,
    );
  });

  it('draws a line from who ended a wait to its end, strong where it is selected', async () => {
    const options = { ...small, samples: 1500 };
    const page = await show(options);
    const { x, y, row } = await atWait(page, options);
    await page.page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!;
      const data = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      Object.assign(window, { unselected: data.data });
    });
    await page.page.mouse.click(x, y);
    await page.page.locator('.waker-link').waitFor();
    await page.painted();
    // Only the line is other pixels: what is selected lies over the canvas.
    const [top, bottom, left, right] = await page.page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!;
      const { data, width } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      const { unselected } = window as unknown as { unselected: Uint8ClampedArray };
      const at = [...data.keys()].filter((byte) => data[byte] !== unselected[byte]).map((byte) => byte >> 2);
      const rows = at.map((pixel) => Math.floor(pixel / width));
      const columns = at.map((pixel) => pixel % width);
      const least = (all: number[]): number => all.reduce((one, other) => Math.min(one, other), Infinity);
      const most = (all: number[]): number => all.reduce((one, other) => Math.max(one, other), -Infinity);
      return [least(rows), most(rows), least(columns), most(columns)] as const;
    });
    const trace = generateTrace(options);
    const { waits } = trace.threads[0]!;
    const box = (await page.page.locator('.chart').boundingBox())!;
    // What is kept is kept a moment later.
    const kept = await page.page.waitForFunction(() => {
      const [state] = Object.values((history.state ?? {}) as Record<string, { selection?: unknown }>);
      return state?.selection === undefined ? undefined : state;
    });
    const { viewport } = (await kept.jsonValue()) as { viewport: { beginNs: number; endNs: number } };
    const [from, to] = [viewport.beginNs, viewport.endNs];
    const place = (ns: number): number => ((ns - from) / (to - from)) * box.width;
    const ends = [waits.end[row]!, trace.links.wakerTime[waits.link[row]!]!].map(place);
    assert.ok(
      Math.abs(left - Math.min(...ends)) < 12,
      `${left} to ${right}, ${top} to ${bottom} for ${ends.join()}`,
    );
    // With a bend to the right.
    assert.ok(right >= Math.max(...ends) && right < Math.max(...ends) + 26, `${right} for ${ends.join()}`);
    // From the wait's row down to the next thread.
    assert.ok(Math.abs(top - (y - box.y)) < 12, `${top} for ${y - box.y}`);
    assert.ok(bottom > top + 18, `${top} to ${bottom}`);
  });

  it('measures with one drag after m, and clears it by Escape', async () => {
    const page = await show(small);
    const box = (await page.page.locator('.chart').boundingBox())!;
    const drag = async (): Promise<void> => {
      await page.page.mouse.move(box.x + 100, box.y + 40);
      await page.page.mouse.down();
      await page.page.mouse.move(box.x + 300, box.y + 40, { steps: 3 });
      await page.page.mouse.up();
      await page.painted();
    };
    await page.page.keyboard.press('m');
    await drag();
    const { endNs } = generateTrace(small);
    const width = await page.page.locator('.chart').evaluate((chart) => chart.clientWidth);
    assert.equal(await page.page.locator('.measure-text').innerText(), formatNs((endNs * 200) / width));
    await page.page.keyboard.press('Escape');
    await page.painted();
    assert.equal(await page.page.locator('.measure').isVisible(), false);
    // A few pixels at the edge have their words, too.
    await page.page.keyboard.press('m');
    await page.page.mouse.move(box.x + 2, box.y + 40);
    await page.page.mouse.down();
    await page.page.mouse.move(box.x + 9, box.y + 40, { steps: 3 });
    await page.page.mouse.up();
    await page.painted();
    const label = (await page.page.locator('.measure-text').boundingBox())!;
    assert.ok(label.x >= box.x && label.height < 24, `${label.x} px, ${label.height} px high`);
  });

  it('has the process above its threads: one counter, and the others when they are asked for', async () => {
    const { page } = await show(small);
    const heads = (): Promise<string[]> => page.locator('.track-head').allTextContents();
    const counters = (): Promise<string[]> => page.locator('.counter-name').allTextContents();
    assert.deepEqual(await counters(), ['heap used']);
    assert.ok((await heads())[0]!.startsWith('heap used'));
    await page.getByRole('button', { name: 'Show all counters of the process' }).click();
    await page.locator('.counter-name', { hasText: 'threads' }).waitFor();
    assert.deepEqual(await counters(), ['heap used', 'threads']);
    const chart = (await page.locator('.chart').boundingBox())!;
    await page.mouse.move(chart.x + 200, chart.y + 60);
    await page.locator('.tooltip', { hasText: /^threads: 1[234]$/ }).waitFor();
    await page.getByRole('button', { name: 'Collapse the counters of the process' }).click();
    await page.locator('.counter-name', { hasText: 'threads' }).waitFor({ state: 'detached' });
  });
});
