/** What the kernel's scheduler did, beside the calls: a strip for each thread, rows of cores. */
import assert from 'node:assert/strict';
import { decodeRecording, methodFigures, sumScope, wholeTrace } from '../../src/trace/index.js';
import { statesOf, stretchScheduling } from '../../src/trace/measure/scheduling.js';
import { SchedState } from '../../src/trace/system/kernel-sink.js';
import { formatNs } from '../../src/trace/measure/quantities.js';
import { seriousViolations } from '../rigs/axe.js';
import { aloneRecording, scheduledRecording } from '../unit/trace/scheduled-recording.js';
import type { Span } from '../../src/webview/geometry/time-scale.js';
import { type PageUnderTest, PageRig } from './page-rig.js';
import type { ThemeName } from './themes.js';

const named: Readonly<Record<number, (core: number) => string>> = {
  [SchedState.Running]: (core) => `running on core ${core}`,
  [SchedState.Runnable]: () => 'waiting for a core',
  [SchedState.Sleeping]: () => 'sleeping',
  [SchedState.Io]: () => 'waiting for input or output',
};

describe('a recording with the kernel’s scheduler', function () {
  let bytes: Buffer;
  let open: PageUnderTest;

  const program = { samples: 2000, threads: 3, depth: 6, methods: 100 };

  before(async () => {
    const made = await scheduledRecording(4000, program);
    bytes = made.scheduled;
  });

  async function opened(theme: ThemeName = 'dark', recording = bytes): Promise<void> {
    const rig = await PageRig.start('src/webview/engine-worker.ts');
    open = await rig.opened(recording, { theme });
    await open.page.getByText('4 cores').waitFor();
  }

  afterEach(async () => {
    assert.deepEqual(open.errors, []);
    await open.close();
  });

  const keptViewport = async (): Promise<Span> => {
    const kept = await open.page.waitForFunction(() => {
      const [state] = Object.values((history.state ?? {}) as Record<string, { viewport?: Span }>);
      return state?.viewport;
    });
    return (await kept.jsonValue())!;
  };

  /** The colour of the chart at a place in CSS pixels. */
  const colourAt = (x: number, y: number): Promise<string> =>
    open.page.evaluate(
      ([left, top]) => {
        const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!;
        const ratio = canvas.width / canvas.clientWidth;
        const context = canvas.getContext('2d', { alpha: false })!;
        const [red, green, blue] = context.getImageData(left * ratio, top * ratio, 1, 1).data;
        return `rgb(${red}, ${green}, ${blue})`;
      },
      [x, y] as const,
    );

  const colourOf = (variable: string): Promise<string> =>
    open.page.evaluate((name) => {
      const probe = document.createElement('i');
      probe.style.color = `var(${name})`;
      document.querySelector('.details')!.append(probe);
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    }, variable);

  it('draws the state of a thread at a time, and names it under the pointer', async () => {
    await opened();
    const trace = decodeRecording(bytes).trace();
    const main = trace.threads.find(({ isMain }) => isMain)!;
    const states = statesOf(trace.system!, trace).get(main.tid)!;
    const head = (await open.page.locator('.track-head', { hasText: 'main' }).boundingBox())!;
    const chart = (await open.page.locator('.chart').boundingBox())!;
    // Near the lower edge of the strip, which ends 29 px below the track's top.
    const y = head.y - chart.y + 27;
    await open.page.mouse.move(chart.x + chart.width / 2, chart.y + y);
    await open.page.keyboard.down('Control');
    for (let step = 0; step < 7; step++) await open.page.mouse.wheel(0, -300);
    await open.page.keyboard.up('Control');
    const viewport = await keptViewport();
    const colours = {
      running: await colourOf('--sched-running'),
      ready: await colourOf('--sched-waits-for-core'),
    };
    const tooltip = open.page.locator('.tooltip:not([hidden])');
    const seen = new Set<number>();
    for (let x = 20; x < chart.width; x += 20) {
      const timeNs = viewport.beginNs + ((viewport.endNs - viewport.beginNs) * x) / chart.width;
      const row = states.firstAfter(timeNs);
      const state = states.state[row]!;
      const [begin, end] = [states.begin[row]!, states.end[row]!];
      const toEdge =
        Math.min(timeNs - begin, end - timeNs) * (chart.width / (viewport.endNs - viewport.beginNs));
      if (toEdge < 4 || !(state in named)) continue;
      await open.page.mouse.move(chart.x + x, chart.y + y);
      await tooltip.getByText(named[state]!(states.core[row]!), { exact: true }).waitFor();
      await tooltip.getByText(formatNs(end - begin), { exact: true }).waitFor();
      if (state === SchedState.Running) assert.equal(await colourAt(x, y), colours.running);
      if (state === SchedState.Runnable) assert.equal(await colourAt(x, y), colours.ready);
      seen.add(state);
    }
    for (const state of [SchedState.Running, SchedState.Runnable, SchedState.Sleeping])
      assert.ok(seen.has(state), `state ${state} was met`);
  });

  it('shows sections of the system’s trace between a thread’s states and its calls', async () => {
    const { scheduled } = await scheduledRecording(4000, program, ['Choreographer#doFrame 7', 'draw']);
    await opened('dark', scheduled);
    const { page } = open;
    const trace = decodeRecording(scheduled).trace();
    const main = trace.threads.find(({ isMain }) => isMain)!;
    const length = formatNs(trace.endNs - trace.beginNs - 2);
    const head = (await page.locator('.track-head', { hasText: 'main' }).boundingBox())!;
    const chart = (await page.locator('.chart').boundingBox())!;
    const tooltip = page.locator('.tooltip:not([hidden])');
    const x = chart.width / 2;
    // Strips are 32 px high, a row of sections 14.
    const told: string[] = [];
    for (const row of [0, 1]) {
      const y = head.y - chart.y + 32 + 14 * row + 7;
      await page.mouse.move(chart.x + x, chart.y + y);
      await tooltip.getByText('section of the system’s trace', { exact: true }).waitFor();
      told.push((await tooltip.innerText()).split('\n')[0]!);
      assert.equal(await colourAt(x, y - 5), await colourOf('--sched-other'));
    }
    assert.deepEqual(told, ['Choreographer#doFrame 7', 'draw']);
    await tooltip.getByText(length, { exact: true }).waitFor();
    // Below them the calls begin.
    const [first] = main.calls.method;
    await page.mouse.move(chart.x + x, head.y + 32 + 28 + 9);
    await tooltip.getByText(trace.methods.name(first!)).first().waitFor();
    // Those who hear the page meet them with a call.
    const details = page.locator('.details');
    await details.getByText('above calls: sections of the system’s trace', { exact: true }).waitFor();
    await page.locator('.chart').focus();
    await page.keyboard.press('ArrowDown');
    await details.getByText('In sections', { exact: true }).waitFor();
    await details.getByText('Choreographer#doFrame 7 › draw', { exact: true }).waitFor();
  });

  it('shows who ran on each core when the cores are expanded', async () => {
    await opened();
    const { page } = open;
    assert.equal(await page.getByText('Core 3', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Show who ran on each core' }).click();
    await page.getByText('Core 3', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Collapse the cores' }).waitFor();
    const legend = page.locator('.details');
    await legend.getByText('ready, and waiting for a core').waitFor();
    assert.equal(await legend.getByText('sections of the system’s trace').count(), 0);
  });

  it('says nothing of others where only the program’s own switches are known', async () => {
    await opened('dark', await aloneRecording(4000, program));
    const { page } = open;
    await page.getByText('switches of this program only', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show who ran on each core' }).click();
    await page.getByText('Core 3', { exact: true }).waitFor();
    const legend = page.locator('.details');
    await legend.getByText('sleeping, up to when it ran again', { exact: true }).waitFor();
    assert.equal(await legend.getByText('another program ran').count(), 0);
    const chart = (await page.locator('.chart').boundingBox())!;
    const head = (await page.locator('.track-head', { hasText: 'Core 3' }).boundingBox())!;
    const tooltip = page.locator('.tooltip:not([hidden])');
    const said = new Set<string>();
    for (let x = 20; x < chart.width; x += 10) {
      await page.mouse.move(chart.x + x, head.y + head.height / 2);
      for (const text of await tooltip.allInnerTexts()) said.add(text.split('\n')[0]!);
    }
    // Names of its threads, its share where a pixel has many stretches, and nothing between.
    assert.ok(said.size > 1, [...said].join());
    for (const text of said) assert.doesNotMatch(text, /idle|other|compiler|browser/);
  });

  for (const weight of ['coreWait', 'schedulerCpu'] as const)
    it(`weighs by ${weight}, as the engine does`, async () => {
      await opened();
      const { page } = open;
      const trace = decodeRecording(bytes).trace();
      const sums = sumScope(trace, wholeTrace);
      const figures = methodFigures(sums, trace.methods.count);
      const [most] = [...figures.total[weight]].sort((a, b) => b - a);
      await open.post({ type: 'command', command: 'methods' });
      await page.locator('.weight, [aria-label="Weight of all figures"]').first().waitFor();
      await page.evaluate((value) => {
        const select = document.querySelector<HTMLElement & { value: string }>(
          '[aria-label="Weight of all figures"]',
        )!;
        select.value = value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }, weight);
      await page.locator('#view-methods').getByText(formatNs(most!)).first().waitFor();
    });

  it('tells the CPU time of a call by the scheduler, and who ended its sleeps', async () => {
    await opened();
    const { page } = open;
    const trace = decodeRecording(bytes).trace();
    const main = trace.threads.find(({ isMain }) => isMain)!;
    const head = (await page.locator('.track-head', { hasText: 'main' }).boundingBox())!;
    const chart = (await page.locator('.chart').boundingBox())!;
    // The outermost call of the main thread, right below the strips.
    await page.mouse.click(chart.x + 60, head.y + 40);
    const { calls } = main;
    const outermost = Array.from({ length: calls.count }, (_, row) => row).find(
      (row) => calls.depth[row] === 0,
    )!;
    const found = stretchScheduling(trace, main.index, calls.begin[outermost]!, calls.end[outermost]!)!;
    const details = page.locator('.details');
    await details.getByText('CPU time (scheduler)', { exact: true }).waitFor();
    await details.getByText(formatNs(found.runningNs), { exact: true }).first().waitFor();
    assert.match(await details.innerText(), /Woken by\s+.+ \(\d+×\)/);
  });

  for (const theme of ['dark', 'light'] as const)
    it(`is for everybody in ${theme}`, async () => {
      await opened(theme);
      await open.page.getByRole('button', { name: 'Show who ran on each core' }).click();
      assert.deepEqual(await seriousViolations(open.page, theme), []);
    });
});
