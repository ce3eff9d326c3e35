/** Every key of the table does what the list of keys says: each is pressed in a page of its own state, and what changes is looked at. */
import assert from 'node:assert/strict';
import { pageViews } from '../../src/protocol/messages.js';
import type { PageView } from '../../src/protocol/messages.js';
import type { CommandId } from '../../src/webview/keys.js';
import { keyTable } from '../../src/webview/keys.js';
import type { ViewState } from '../../src/webview/store.js';
import { giveBaseline } from './baseline.js';
import { bytesOf } from './generated-trace.js';
import type { GeneratedOptions } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import { until } from '../rigs/until.js';

const small: GeneratedOptions = { samples: 600, threads: 3, depth: 12, methods: 120, seed: 9 };

/** What the page keeps of itself. */
type Kept = Partial<ViewState>;

interface Trial {
  /** Pressed before it. */
  readonly first?: readonly string[];
  prepare?(open: PageUnderTest): Promise<unknown>;
  /** Whether the state changed as it is to. */
  changed?(now: Kept, before: Kept): boolean;
  /** What else is there to see. */
  seen?(open: PageUnderTest): Promise<unknown>;
}

const length = ({ viewport }: Kept): number =>
  viewport === undefined ? Infinity : viewport.endNs - viewport.beginNs;
const begin = ({ viewport }: Kept): number => viewport?.beginNs ?? 0;
const depth = ({ selection }: Kept): number => (selection?.kind === 'call' ? selection.depth : -1);
const at = ({ selection }: Kept): number => (selection?.kind === 'call' ? selection.beginNs : -1);
const thread = ({ selection }: Kept): number =>
  selection === undefined || selection.kind === 'method' ? -1 : selection.thread;
const into = ['w', 'w', 'w'];
const call = ['ArrowDown', 'ArrowDown'];
const found: Trial = {
  first: ['/', 'a', 'd', 'd', 'Tab'],
  prepare: ({ page }) => page.locator('.search-found', { hasText: /methods?/ }).waitFor(),
};

const trials: Readonly<Record<Exclude<CommandId, PageView>, Trial>> = {
  zoomIn: { changed: (now, before) => length(now) < length(before) },
  zoomOut: { first: into, changed: (now, before) => length(now) > length(before) },
  panLeft: { first: into, changed: (now, before) => begin(now) < begin(before) },
  panRight: { first: into, changed: (now, before) => begin(now) > begin(before) },
  zoomAll: { first: into, changed: (now) => now.viewport === undefined || begin(now) === 0 },
  focus: {
    first: [...call, 'ArrowDown', 'ArrowDown', 'ArrowDown'],
    changed: (now, before) => length(now) < length(before),
  },
  caller: { first: call, changed: (now, before) => depth(now) === depth(before) - 1 },
  callee: { first: call, changed: (now, before) => depth(now) === depth(before) + 1 },
  before: { first: [...call, 'ArrowRight'], changed: (now, before) => at(now) < at(before) },
  after: { first: call, changed: (now, before) => at(now) > at(before) },
  openSource: {
    first: call,
    seen: async (open) => assert.equal((await open.hear('openSource')).how, 'go'),
  },
  menu: { first: call, seen: ({ page }) => page.locator('.context-menu .menu-item').first().waitFor() },
  openSourceInPlace: {
    first: call,
    seen: async (open) => assert.equal((await open.hear('openSource')).how, 'replace'),
  },
  range: { first: call, changed: (now) => now.range !== undefined },
  measure: { seen: ({ page }) => page.locator('.chart.is-measuring').waitFor() },
  waker: {
    first: ['ArrowDown'],
    prepare: async ({ page }) => {
      await page.locator('.wait-row', { hasText: 'woken by' }).first().click();
      await page.locator('.waker-link').waitFor();
      await page.locator('.chart').focus();
    },
    changed: (now, before) => thread(now) !== thread(before) && now.selection?.kind === 'call',
  },
  collapse: { first: call, changed: (now) => now.collapsed?.length === 1 },
  pin: { first: call, changed: (now, before) => now.pinned?.[0] === thread(before) },
  hide: { first: call, changed: (now, before) => now.hidden?.[0] === thread(before) },
  solo: { first: call, changed: (now, before) => now.soloThread === thread(before) },
  copyName: { first: call, seen: (open) => open.hear('copy') },
  back: { first: ['5'], changed: (now) => now.view === 'timeline' },
  forward: { first: ['5', 'Backspace'], changed: (now) => now.view === 'methods' },
  find: {
    seen: ({ page }) => page.waitForFunction(() => document.activeElement?.matches('.search-field')),
  },
  nextMatch: { ...found, changed: (now) => now.selection?.kind === 'call' },
  previousMatch: { ...found, changed: (now) => now.selection?.kind === 'call' },
  details: { changed: (now) => now.detailsOpen === false },
  help: { seen: ({ page }) => page.locator('dialog[open]').waitFor() },
  escape: { first: call, changed: (now) => now.selection === undefined },
};

const isView = (command: CommandId): command is PageView => pageViews.some((view) => view === command);

describe('each key', function () {
  let rig: PageRig;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });

  for (const { command, keys } of keyTable) {
    if (isView(command)) continue;
    it(`${keys.join(', ')}: ${command}`, async () => {
      for (const key of keys) {
        const open = await rig.opened(bytesOf(small), { settings: { myPackages: ['com.acme'] } });
        await tryKey(open, key, trials[command]);
        await open.close();
      }
    });
  }

  it('of a view shows it, from any other', async () => {
    const open = await rig.opened(bytesOf(small));
    await giveBaseline(open, bytesOf({ ...small, seed: 4 }));
    const views = keyTable.filter(({ command }) => isView(command));
    assert.equal(views.length, pageViews.length);
    for (const { command, keys } of [...views.toReversed(), ...views]) {
      await open.page.keyboard.press(keys[0]!);
      await open.page.locator(`#view-${command}`).waitFor();
      assert.equal(await open.page.locator('[role=tabpanel]:not([hidden])').count(), 1);
    }
    await open.close();
  });

  it('Escape takes away one after the other: what is measured, the selection, the search, the range', async () => {
    const open = await rig.opened(bytesOf(small));
    const { page } = open;
    const field = page.locator('.search-field');
    await page.keyboard.press('/');
    await page.keyboard.type('a');
    await page.locator('.search-found', { hasText: /methods?/ }).waitFor();
    await page.locator('.chart').focus();
    for (const key of [...call, 'r', 'm']) await page.keyboard.press(key);
    const chart = (await page.locator('.chart').boundingBox())!;
    await page.mouse.move(chart.x + 100, chart.y + 20);
    await page.mouse.down();
    await page.mouse.move(chart.x + 300, chart.y + 20, { steps: 3 });
    await page.mouse.up();
    const layers = {
      measure: page.locator('.measure:visible'),
      selection: page.locator('.box-selected:visible'),
      range: page.locator('.chip'),
    };
    const left = async (): Promise<string[]> => {
      await open.painted();
      const shown: string[] = [];
      for (const [name, layer] of Object.entries(layers)) if ((await layer.count()) > 0) shown.push(name);
      if ((await field.evaluate((it: HTMLInputElement) => it.value)) !== '') shown.push('search');
      return shown;
    };
    assert.deepEqual(await left(), ['measure', 'selection', 'range', 'search']);
    for (const rest of [['selection', 'range', 'search'], ['range', 'search'], ['range'], []]) {
      await page.keyboard.press('Escape');
      assert.deepEqual(await left(), rest);
    }
    await open.close();
  });

  async function tryKey(open: PageUnderTest, key: string, trial: Trial): Promise<void> {
    const { page } = open;
    await page.locator('.chart').focus();
    for (const one of trial.first ?? []) await page.keyboard.press(one);
    await trial.prepare?.(open);
    const before = await open.kept();
    await page.keyboard.press(key.replace('Mod+', 'Control+'));
    await trial.seen?.(open);
    if (trial.changed === undefined) return;
    let now = before;
    await until(
      () => `${key}: ${JSON.stringify(before)} → ${JSON.stringify(now)}`,
      async () => trial.changed?.((now = await open.kept()), before),
    );
  }
});
