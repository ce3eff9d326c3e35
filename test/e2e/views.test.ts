// What stands beside a chart, as a person sees it: the views in a side bar of the usual width, what tells of a recording that goes on, and
// the lens with its hover, each in a dark, a light and a high-contrast theme.
import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { root } from '../../scripts/setup.mjs';
import { packageFile } from '../../scripts/package.mjs';
import { tillMethods, writeRecording } from '../exthost/recordings.js';
import { JavaProgram } from '../rigs/jvm/programs.js';
import type { Workbench } from '../rigs/vscode/workbench.js';
import { withVSCode } from '../rigs/vscode/with-vscode.js';
import { inOrder } from '../rigs/kinds.js';
import { until } from '../rigs/until.js';

const themes = [
  { name: 'dark', kind: 'vs-dark' },
  { name: 'light', kind: 'vs' },
  { name: 'contrast', kind: 'hc-black' },
] as const;

describe('Beside the chart', function () {
  inOrder(this);
  let shop: JavaProgram | undefined;

  before(async function () {
    shop = await JavaProgram.start('shop');
  });
  after(async () => {
    await shop?.end();
  });

  const vscode = withVSCode(() => ({
    workspace: path.join(root, 'test/exthost/workspace'),
    extensions: [packageFile()],
    settings: { 'btrace.recording.folder': 'recordings' },
  }));

  it('tells recordings of one program apart by when they were and how long they are', async function () {
    const { workbench, server } = vscode;
    await workbench.showView('BTrace');
    await workbench.page.locator('.welcome-view-content', { hasText: 'No recordings yet' }).waitFor();
    await workbench.screenshot('views-0-welcome');
    const folder = path.join(server.workspace, 'recordings');
    mkdirSync(folder);
    /** `cutBytes`: of its end. Not seen before it is as it is to be. */
    const write = async (name: string, when: Date, samples: number, cutBytes = 0): Promise<void> => {
      const file = path.join(server.workspace, `${name}.btrace`);
      // Its sources were written by then.
      const startedMs = Date.now() + 60_000;
      await writeRecording(file, { methods: tillMethods, stacks: [[0, 1], [0, 1], [2]], samples, startedMs });
      truncateSync(file, statSync(file).size - cutBytes);
      utimesSync(file, when, when);
      renameSync(file, path.join(folder, path.basename(file)));
    };
    const today = (second: number): Date => new Date(new Date().setHours(0, 0, second, 0));
    const recorded = (second: number): string =>
      `com.example.shop.Shop 2024-02-03 04.05.${String(second).padStart(2, '0')}`;
    await write('no cache', new Date(2024, 1, 2, 4, 5, 6), 12_300);
    await write(recorded(6), new Date(2024, 1, 3, 4, 5, 6), 900);
    await write(recorded(7), today(7), 2100);
    await write(recorded(17), today(17), 12_300, 40);
    await write(recorded(28), today(28), 83_000);
    const rows = [
      '12:00:28 AM Shop|83.0 s · 811 KB',
      '12:00:17 AM Shop|cut off · 121 KB',
      '12:00:07 AM Shop|2.10 s · 21.0 KB',
      'Feb 3, 2024 Shop|900 ms · 9.25 KB',
      'no cache|Feb 2, 2024 · 12.3 s · 121 KB',
    ];
    await settled(() => recordings().evaluateAll(shownTexts), rows);
    assert.equal((await workbench.page.locator('.sidebar').boundingBox())?.width, 300);
    await workbench.screenshot('views-1-recordings');
  });

  it('shows a recording that goes on in each theme', async function () {
    const { workbench } = vscode;
    await record(workbench);
    await recordings()
      .filter({ hasText: /^0:\d\d Shoprecording… · [\d.]+ KB$/ })
      .waitFor();
    for (const { name, kind } of themes) {
      await workbench.setTheme(kind);
      await workbench.screenshot(`views-2-recording-${name}`);
    }
    await workbench.stopAndOpen();
    await workbench.tab(/Shop .*\.btrace/).waitFor();
    await workbench.run('View: Close All Editors');
  });

  it('shows the lens and its hover in each theme', async function () {
    const { workbench } = vscode;
    const { page } = workbench;
    await workbench.click('.pane-body .monaco-list-row', 'no cache');
    await workbench.webview().locator('#view-overview .card-row').first().waitFor();
    for (const { name, kind } of themes) {
      await workbench.setTheme(kind);
      await workbench.openFile('Till.java', 1);
      await workbench.lens(/^CPU .* · wall /).waitFor();
      const hover = await workbench.hover('count(', 'count', 'Called by');
      // It comes out of nothing.
      await hover.evaluate((shown) => Promise.all(shown.getAnimations().map(({ finished }) => finished)));
      await workbench.screenshot(`views-3-hover-${name}`);
      await page.keyboard.press('Escape');
    }
  });

  it('draws times at the ends of lines and their heat in the gutter, and less where a person asks for less', async function () {
    const { workbench, server } = vscode;
    const show = (what: string): void =>
      writeFileSync(
        path.join(server.workspace, '.vscode/settings.json'),
        JSON.stringify({ 'btrace.figures.show': what }),
      );
    mkdirSync(path.join(server.workspace, '.vscode'));
    await workbench.openFile('Till.java', 1);
    await workbench.lens(/^CPU .* · wall /).waitFor();
    const drawn = async () => ({
      ends: await lineEnds(workbench.page),
      bars: await heatBars(workbench.page),
    });
    const all = ['8: 4.10 s (66.7 %)', '12: 4.10 s (66.7 %)', '16: 2.05 s (33.3 %)'];
    for (const [what, ends, bars] of [
      ['', all, 3],
      ['lensAndHeat', [], 3],
      ['lensAndLines', all, 0],
      ['lens', [], 0],
    ] as const) {
      if (what !== '') show(what);
      await settled(drawn, { ends, bars });
      if (what !== '') continue;
      for (const { name, kind } of themes) {
        await workbench.setTheme(kind);
        await workbench.screenshot(`views-4-lines-${name}`);
      }
    }
    await workbench.run('View: Close All Editors');
  });

  it('shows names that look like markup, links or commands as text in the hover', async function () {
    const { workbench, server } = vscode;
    const { page } = workbench;
    const names = [
      '<img src=x onerror="window.hacked=1">',
      '[run](command:workbench.action.closeWindow)',
      '**bold** `code` $(trash)',
      '# title\n- item\u202e',
      '![](x.png) <a href="command:quit">x</a>',
    ];
    const callers = names.map((_, at) => [tillMethods.length + at, 1]);
    await writeRecording(path.join(server.workspace, 'hostile.btrace'), {
      methods: [
        ...tillMethods,
        ...names.map((name) => ({ className: '', name, signature: '', file: '', line: 0 })),
      ],
      stacks: [...callers, ...callers.map((stack) => stack.toReversed())],
      samples: 400,
      startedMs: Date.now() + 60_000,
    });
    await workbench.openFile('hostile.btrace');
    await workbench.webview().locator('#view-overview .card-row').first().waitFor();
    await workbench.openFile('Till.java', 1);
    await workbench.lens(/^CPU 200 ms \(100 %\)/).waitFor(); // those of this recording
    const hover = await workbench.hover('count(', 'count', 'closeWindow');
    await workbench.screenshot('views-3-hover-hostile');
    const text = (await hover.innerText()).replaceAll('\u00a0', ' ');
    for (const name of names) {
      const shown = name.replace(/[\n\u202e]/g, '\ufffd');
      assert.equal(text.split(shown).length - 1, 2, `${shown} as a caller and as a callee:\n${text}`);
    }
    assert.equal(await hover.locator('img, em, code, h1, .codicon-trash').count(), 0);
    assert.deepEqual(await hover.locator('strong').allTextContents(), ['Called by', 'Calls', 'Lines']);
    assert.deepEqual(await hover.locator('a').allTextContents(), ['Show in the recording']);
    assert.equal(await page.evaluate(() => 'hacked' in window), false);
    await page.keyboard.press('Escape');
    await workbench.run('View: Close All Editors');
  });

  it('throws a recording away by Cancel, and has it back by Undo', async function () {
    const { workbench, server } = vscode;
    const folder = path.join(server.workspace, 'recordings');
    mkdirSync(folder, { recursive: true });
    const files = () => readdirSync(folder).sort();
    const before = files();
    const progress = workbench.notification(/Recording .*samples/);
    await record(workbench);
    assert.equal(files().length, before.length + 1);
    assert.deepEqual(await progress.locator('.monaco-button').allTextContents(), ['Stop and Open']);
    await workbench.press(/Recording .*samples/, 'Cancel');
    const cancelled = /The recording of .* was cancelled/;
    await workbench.notification(cancelled).waitFor();
    await workbench.screenshot('views-5-cancelled');
    await recordings().filter({ hasText: 'recording…' }).waitFor({ state: 'detached' });
    assert.deepEqual(files(), before);
    await workbench.press(cancelled, 'Undo');
    await workbench.tab(/Shop .*\.btrace/).waitFor();
    assert.equal(files().length, before.length + 1);
    await workbench.run('View: Close All Editors');
  });

  it('is shown around by its walkthrough', async function () {
    const { workbench } = vscode;
    const toggleSideBar = (): Promise<void> => workbench.run('View: Toggle Primary Side Bar Visibility');
    await toggleSideBar(); // what is beside the steps has no room else
    await workbench.run('Welcome: Open Walkthrough...');
    await workbench.choose('Get Started with BTrace');
    const steps = workbench.page.locator('.getting-started-step');
    const beside = workbench.webview();
    for (const [step, button, said] of [
      ['Look at a sample recording', 'Open the Sample', 'come with the extension'],
      ['Record a running program', 'Record…', 'Stop and Open'],
      ['See where the time went', 'Open a Trace or Profile…', 'searches in all views'],
      ['Read the cost in your code', 'Settings', 'CPU 128 ms'],
      ['Record an Android app', 'Settings', 'btrace.adb.server'],
    ] as const) {
      await workbench.click('.getting-started-step', step);
      await steps.filter({ hasText: step }).locator('.monaco-button', { hasText: button }).waitFor();
      await beside.getByText(said).first().waitFor();
      await workbench.screenshot(`views-6-walkthrough-${step.replaceAll(' ', '-')}`);
    }
    await workbench.click('.getting-started-step', 'Record a running program');
    await workbench.click('.getting-started-step .monaco-button', 'Record…');
    await workbench.page.getByPlaceholder('Which program?').waitFor();
    await workbench.page.keyboard.press('Escape');
    await workbench.run('View: Close All Editors');
    await toggleSideBar();
  });

  it('keeps what was recorded in a window that is closed meanwhile', async function () {
    const { workbench } = vscode;
    await workbench.run('BTrace: Focus on Recordings View');
    const before = readdirSync(path.join(vscode.server.workspace, 'recordings')).length;
    await settled(() => recordings().count(), before);
    const other = await workbench.another();
    await record(other);
    const going = recordings().filter({ hasText: /^0:\d\d Shoprecording… · / });
    await going.waitFor();
    await other.closeByPerson();
    await going.waitFor({ state: 'detached' });
    await settled(() => recordings().count(), before + 1);
    const newest = recordings()
      .filter({ hasText: /M Shop/ })
      .first();
    assert.match(await newest.innerText(), /M Shop[\s\S]*\d m?s · [\d.]+ KB/, 'with an end');
  });

  async function record(window: Workbench): Promise<void> {
    assert.ok(shop);
    await window.run('BTrace: Record…');
    const mine = new RegExp(`(?<!\\d)${shop.pid} · `);
    await window.choices().filter({ hasText: mine }).first().waitFor();
    await window.choose(mine);
    await window.choose('Balanced');
    await window.notification(/Recording .*samples/).waitFor();
  }

  function recordings(): Locator {
    const { page } = vscode.workbench;
    const view = page.locator('.pane', { has: page.locator('.pane-header', { hasText: 'Recordings' }) });
    return view.locator('.monaco-list-row');
  }
});

/** Waits until it is as expected, and says how it is where it does not become so. */
async function settled(look: () => Promise<unknown>, expected: unknown): Promise<void> {
  let seen: unknown;
  await until(
    () => `${JSON.stringify(seen)} is to be ${JSON.stringify(expected)}`,
    async () => isDeepStrictEqual((seen = await look()), expected),
    50,
  );
}

/** What is drawn behind the texts of lines, each with its line's number. */
function lineEnds(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const numbers = Array.from(document.querySelectorAll('.editor-instance .line-numbers'), (one) => ({
      number: one.textContent,
      top: Math.round(one.getBoundingClientRect().top),
    }));
    return Array.from(document.querySelectorAll('.editor-instance .view-line span'))
      .map((one) => ({
        text: getComputedStyle(one, '::after').content,
        top: Math.round(one.closest('.view-line')!.getBoundingClientRect().top),
      }))
      .filter(({ text }) => /^".*%\)"$/.test(text))
      .sort((one, other) => one.top - other.top)
      .map(({ text, top }) => {
        const line = numbers.find((one) => Math.abs(one.top - top) < 4);
        return `${line?.number ?? '?'}: ${text.slice(1, -1)}`;
      });
  });
}

/** Bars beside the lines' numbers. */
function heatBars(page: Page): Promise<number> {
  return page
    .locator('.editor-instance .glyph-margin-widgets > div')
    .evaluateAll(
      (marks) => marks.filter((mark) => getComputedStyle(mark).backgroundImage.includes('svg')).length,
    );
}

/** A row's label and description, as far as a person sees them. Runs in the window. */
function shownTexts(rows: readonly Element[]): string[] {
  return rows.map((row) => {
    const cut = row.querySelector('.monaco-icon-label-container');
    const text = ['.label-name', '.label-description'].map((part) => row.querySelector(part)?.textContent);
    return `${text.join('|')}${cut !== null && cut.scrollWidth > cut.clientWidth ? ' (not all of it is seen)' : ''}`;
  });
}
