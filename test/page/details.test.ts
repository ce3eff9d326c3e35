/** The pane beside the views: what colours mean, what is selected, what it waited for, and the keys a person chose. */
import assert from 'node:assert/strict';
import { sumScope } from '../../src/trace/index.js';
import { callFigures, type CallFigures } from '../../src/trace/measure/calls.js';
import type { Weight } from '../../src/trace/measure/weights.js';
import { methodWaits } from '../../src/trace/measure/method-waits.js';
import { wholeTrace } from '../../src/trace/measure/scope.js';
import { formatNs, formatShare } from '../../src/trace/measure/quantities.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import type { Span } from '../../src/webview/geometry/time-scale.js';
import type { CallKey } from '../../src/webview/store.js';
import type { GeneratedOptions } from './generated-trace.js';
import { legendRestMs } from '../../src/webview/panes/legend.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import { shortName, shownWeights } from './shown.js';

const small: GeneratedOptions = { samples: 900, threads: 3, depth: 12, methods: 120, seed: 9 };

describe('the details', function () {
  let rig: PageRig;
  let page: PageUnderTest;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  beforeEach(async () => {
    page = await rig.opened(bytesOf(small), { settings: { myPackages: ['com.acme'] } });
  });
  afterEach(() => page.close());

  it('say what each colour stands for, and find what has it', async () => {
    const rows = page.page.locator('button.legend-row');
    await rows.first().waitFor();
    const states = page.page.locator('.legend-rows').last().locator('.legend-name');
    assert.deepEqual(await states.allTextContents(), [
      'held up: a lock, input or output, GC',
      'resting: asleep, parked, nothing to do',
      'off the CPU, not told what for',
      'no evidence of what it did',
    ]);
    const names = await rows.locator('.legend-name').allTextContents();
    const trace = generateTrace(small);
    const packages = new Set<string>();
    for (let method = 0; method < trace.methods.count; method++) {
      const className = trace.methods.className(method);
      if (className.startsWith('com.acme')) packages.add(className.slice(0, className.lastIndexOf('.')));
    }
    for (const name of names) assert.ok(packages.has(name), name);
    assert.equal(new Set(names).size, names.length);
    await rows.first().click();
    await page.page.locator('.search-found', { hasText: /\d methods? · / }).waitFor();
    await page.page.keyboard.press('5');
    const found = page.page.locator('#view-methods .is-match .cell-detail');
    await found.first().waitFor();
    for (const detail of await found.allTextContents()) assert.equal(detail, names[0]);
  });

  it('say whose the time is when all names are there, and not before', async () => {
    await page.close();
    // The worker's last word on a large recording is kept back until somebody lets it through.
    page = await rig.page({
      first: () => {
        const own = Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage')!;
        Object.defineProperty(Worker.prototype, 'onmessage', {
          set(this: Worker, hear: (event: MessageEvent) => void) {
            own.set!.call(this, (event: MessageEvent<{ type: string }>) => {
              if (event.data.type !== 'rest') hear.call(this, event);
              else Object.assign(window, { letRest: () => hear.call(this, event) });
            });
          },
        });
      },
    });
    const large = { ...small, methods: 3000, samples: 9000 };
    await page.open(bytesOf(large), { settings: { myPackages: ['com.acme'] } });
    await page.page.waitForFunction(() => 'letRest' in window);
    // The legend asks a moment after the snapshot: a timer that begins later ends later, and what is asked then is answered later.
    await page.page.locator('.details-facts').waitFor();
    await page.afterTimersOf(legendRestMs);
    await page.page.keyboard.press('5');
    await page.page.locator('#view-methods .table-row').first().waitFor();
    assert.equal(await page.page.locator('.legend-row').count(), 0);
    await page.page.evaluate(() => (window as unknown as { letRest(): void }).letRest());
    await page.page.locator('button.legend-row').first().waitFor();
    const rows = await page.page.locator('button.legend-row').allTextContents();
    assert.ok(rows.length > 3, rows.join());
  });

  it('show all their text in a small window, as the search field does', async () => {
    await page.page.setViewportSize({ width: 800, height: 600 });
    await page.page.locator('.legend-row').last().waitFor();
    const cut = await page.page
      .locator('.legend-name')
      .evaluateAll((names) =>
        names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent),
      );
    assert.deepEqual(cut, []);
    const { room, needed } = await page.page.locator('.search-field').evaluate((field) => {
      const input = field.shadowRoot!.querySelector('input')!;
      const { font, paddingLeft, paddingRight } = getComputedStyle(input);
      const pen = document.createElement('canvas').getContext('2d')!;
      pen.font = font;
      return {
        room: input.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
        needed: pen.measureText(field.getAttribute('placeholder')!).width,
      };
    });
    assert.ok(room >= needed, `${needed} px of text in ${room}`);
  });

  /** Clicks *Why?*: the part of the recording that the overview is of then. */
  async function askedWhy(): Promise<{ soloThread: number; range: Span }> {
    await page.page.locator('.details vscode-button', { hasText: 'Why?' }).click();
    const kept = await page.page.waitForFunction(() => {
      type Kept = Record<string, { view?: string; soloThread: number; range: Span }>;
      const [state] = Object.values((history.state ?? {}) as Kept);
      return state?.view === 'overview' && state;
    });
    const { soloThread, range } = (await kept.jsonValue()) as { soloThread: number; range: Span };
    return { soloThread, range };
  }

  it('of a call tell what it waited for, and lead to the wait and to why it took that long', async () => {
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('ArrowDown');
    const waits = page.page.locator('.wait-row');
    await waits.first().waitFor();
    const trace = generateTrace(small);
    const thread = trace.threads[0]!;
    const selected = await page.page.locator('[role=treeitem][aria-selected=true]').getAttribute('id');
    assert.match(selected ?? '', /^call-1-0-/);
    assert.match(await waits.first().innerText(), /ReentrantLock/);
    await waits.first().click();
    // One of the thread's own waits, and the longest that is called so in this call.
    await page.page.locator('.details-title', { hasText: 'ReentrantLock' }).waitFor();
    const length = await page.page.locator('.details-facts dd').nth(2).innerText();
    const lengths = [...thread.waits.begin.keys()].map((row) =>
      formatNs(thread.waits.end[row]! - thread.waits.begin[row]!),
    );
    assert.ok(lengths.includes(length), length);
    const { soloThread, range } = await askedWhy();
    assert.equal(soloThread, thread.index);
    assert.equal(formatNs(range.endNs - range.beginNs), length);
    assert.ok(thread.waits.begin.includes(range.beginNs));
  });

  it('of a call have its share of what its thread did', async () => {
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('ArrowDown');
    const share = page.page.locator('.details-figures tbody tr').first().locator('.figure-share');
    assert.match(await share.innerText(), /^(> )?\d+(\.\d)? %$/);
  });

  /** Selects by keys what is four calls deep, as the page keeps it. */
  async function fourthCall(): Promise<CallKey> {
    await page.page.locator('.chart').focus();
    for (let depth = 0; depth < 4; depth++) await page.page.keyboard.press('ArrowDown');
    const kept = await page.page.waitForFunction(() => {
      const [state] = Object.values((history.state ?? {}) as Record<string, { selection?: CallKey }>);
      return state?.selection?.depth === 3 && state.selection;
    });
    return (await kept.jsonValue()) as CallKey;
  }

  /** The table has all weights of the call, and their shares of the thread's sums. */
  async function hasFigures({ total, self }: CallFigures, sums: Record<Weight, number>): Promise<void> {
    const rows = await page.page
      .locator('.details-figures tbody tr')
      .evaluateAll((all) => all.map((row) => Array.from(row.children, (cell) => cell.textContent)));
    assert.deepEqual(
      rows,
      shownWeights.map(({ weight, name, format }) => {
        const [of, own] = [total[weight], self[weight]];
        return [name, format(of), of === 0 ? '' : formatShare(of / sums[weight]), format(own)];
      }),
    );
  }

  it('of a call have the engine’s figures by every weight, and its place in the source', async () => {
    const trace = generateTrace(small);
    const call = await fourthCall();
    const figures = callFigures(trace, call)!;
    const { methods } = trace;
    const title = page.page.locator('.details-title', { hasText: shortName(trace, figures.method) });
    await title.waitFor();
    assert.equal(
      await page.page.locator('.details-place').innerText(),
      `${methods.file(figures.method)}:${methods.firstLine(figures.method)}`,
    );
    const sums = sumScope(trace, { threads: [call.thread], beginNs: -Infinity, endNs: Infinity }, 'all').sum;
    await hasFigures(figures, sums);
    assert.ok(figures.total.cpu > 0 && figures.total.allocations > 0, 'there is something to tell');
  });

  it('of a call are those of its part in the range, and say so', async () => {
    const trace = generateTrace(small);
    const inner = await fourthCall();
    const { total, gapNs } = callFigures(trace, inner)!;
    const range = { beginNs: inner.beginNs, endNs: inner.beginNs + total.wall + gapNs };
    await page.page.keyboard.press('r');
    await page.page.locator('.chip', { hasText: /^Range/ }).waitFor();
    for (let depth = 3; depth > 0; depth--) await page.page.keyboard.press('ArrowUp');
    const kept = await page.page.waitForFunction(() => {
      const [state] = Object.values((history.state ?? {}) as Record<string, { selection?: CallKey }>);
      return state?.selection?.depth === 0 && state.selection;
    });
    const outer = (await kept.jsonValue()) as CallKey;
    const whole = callFigures(trace, outer)!;
    const part = callFigures(trace, outer, range)!;
    assert.ok(part.total.wall < whole.total.wall, 'the range has a part of the call');
    const length = formatNs(range.endNs - range.beginNs);
    await page.page
      .locator('.details-hint', { hasText: `Figures of the ${length} of it within the range` })
      .waitFor();
    const sums = sumScope(trace, { threads: [outer.thread], ...range }, 'all').sum;
    await hasFigures(part, sums);
  });

  it('of a method tell what all its calls waited for, who had it, and lead to the longest wait', async () => {
    const trace = generateTrace(small);
    const { method } = callFigures(trace, await fourthCall())!;
    const told = methodWaits(trace, wholeTrace, method);
    assert.ok(told.length > 0 && told[0]!.owner > 0, 'it waited for something that a thread had');
    await page.page.locator('.details-actions vscode-button', { hasText: /^\s*Methods\s*$/ }).click();
    await page.page.locator('.details-facts', { hasText: 'at least' }).waitFor();
    const rows = page.page.locator('.wait-row');
    assert.equal(await rows.count(), Math.min(4, told.length));
    const first = await rows.first().innerText();
    assert.ok(first.includes(formatNs(told[0]!.totalNs)), first);
    const owner = trace.threads.find(({ index }) => index === told[0]!.owner)!;
    assert.match(first, new RegExp(`(held by|woken by) .*${owner.name}`));
    await rows.first().click();
    const begins = formatNs(told[0]!.beginNs);
    await page.page.locator('.details-facts dd', { hasText: begins }).first().waitFor();
  });

  it('lead to the source, into the call, to the clipboard and to each view', async () => {
    const press = (name: string): Promise<void> =>
      page.page
        .locator('.details-actions vscode-button', { hasText: new RegExp(`^\\s*${name}\\s*$`) })
        .click();
    const { beginNs } = await fourthCall();
    const name = await page.page.locator('.details-title').innerText();
    await press('Go to Source');
    const { key, how } = await page.hear('openSource');
    assert.deepEqual([`${key.className.split('.').at(-1)}.${key.method}`, how], [name, 'go']);
    await page.page
      .locator('.details-actions vscode-button', { hasText: 'Go to Source' })
      .click({ modifiers: ['Control'] });
    assert.equal((await page.hear('openSource', 2)).how, 'replace');
    await press('Copy Name');
    assert.equal((await page.hear('copy')).text, `${key.className}.${key.method}`);
    await press('Zoom to It');
    await page.page.waitForFunction((at) => {
      const [kept] = Object.values((history.state ?? {}) as Record<string, { viewport?: Span }>);
      const { beginNs: from, endNs: to } = kept?.viewport ?? { beginNs: 0, endNs: 0 };
      return from <= at && to > at;
    }, beginNs);
    await press('Methods');
    const row = page.page.locator('#view-methods .table-row[aria-selected=true]');
    await row.filter({ hasText: name }).waitFor();
    await press('Callers');
    await page.page.locator('.callers-middle', { hasText: name }).waitFor();
    await press('Flame Graph');
    await page.page.locator('#view-flameGraph g.frame').first().waitFor();
    assert.equal(
      await page.page.locator('.search-field').evaluate((field: HTMLInputElement) => field.value),
      `${key.className}.${key.method}`,
    );
    await press('Timeline');
    await page.page.locator('#view-timeline .box-selected').waitFor();
    await page.page.locator('.details-title', { hasText: name }).waitFor();
  });

  it('ask the overview why the time of a call was taken', async () => {
    const call = await fourthCall();
    const { total, gapNs } = callFigures(generateTrace(small), call)!;
    const { thread, beginNs } = call;
    const range = { beginNs, endNs: beginNs + total.wall + gapNs };
    assert.deepEqual(await askedWhy(), { soloThread: thread, range });
  });

  it('keep each figure and its unit on one line, however little room there is', async () => {
    const figures = page.page.locator('.details-figures td');
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('ArrowDown');
    await figures.first().waitFor();
    await page.page.locator('.details-figures').evaluateAll((tables) => {
      for (const table of tables as HTMLElement[]) table.style.width = '1px';
    });
    const lines = await figures.evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set(Array.from(range.getClientRects(), ({ bottom }) => bottom)).size;
      }),
    );
    assert.ok(lines.length > 3, `${lines.length} figures`);
    for (const count of lines) assert.ok(count <= 1, `one is on ${count} lines`);
  });

  it('have room for the longest figures beside each other', async () => {
    await page.page.locator('.chart').focus();
    await page.page.keyboard.press('ArrowDown');
    await page.page.locator('.details-figures td').first().waitFor();
    const table = page.page.locator('.details-figures');
    await table.locator('tbody td').evaluateAll((cells) => {
      for (const cell of cells)
        cell.textContent = cell.classList.contains('figure-share') ? '> 99.9 %' : '9,999,999';
    });
    const cut = await page.page
      .locator('.details')
      .evaluate((pane: HTMLElement) => pane.scrollWidth - pane.clientWidth);
    assert.equal(cut, 0);
  });
});

describe('chosen keys', function () {
  it('work, are listed, and take the place of the page’s own', async () => {
    const rig = await PageRig.start('test/page/generated-worker.ts');
    const page = await rig.opened(bytesOf(small), { settings: { keys: { methods: ['k'], zoomIn: [] } } });
    await page.page.keyboard.press('5');
    assert.equal(await page.page.locator('#view-timeline').isVisible(), true);
    await page.page.keyboard.press('k');
    await page.page.locator('#view-methods').waitFor();
    await page.page.keyboard.press('?');
    const row = page.page.locator('dialog tr', { hasText: 'Methods' });
    assert.equal(await row.locator('kbd').innerText(), 'K');
    assert.equal(await page.page.locator('dialog tr', { hasText: 'Zoom in' }).count(), 0);
    await page.page.keyboard.press('Escape');
    await page.close();
  });
});
