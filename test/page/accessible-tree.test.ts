/** The chart's tree is the picture in words: worked out from the trace itself for what is in view, and compared. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { formatNs, formatShare } from '../../src/trace/measure/quantities.js';
import { bytesOf, generateTrace } from './generated-trace.js';
import { PageRig } from './page-rig.js';
import type { PageUnderTest } from './page-rig.js';
import { until } from '../rigs/until.js';

const options = { samples: 1200, threads: 4, depth: 14, methods: 200, seed: 11 };
const trace = generateTrace(options);
const bounds = { beginNs: trace.beginNs, endNs: trace.endNs };
/** Of the sizes of the chart, in CSS pixels; the screen of the tests has as many. */
const sizes = { row: 18, strip: 24, leastLabel: 28, most: 400 };

interface Item {
  readonly level: number;
  readonly said: string;
}

/** Where the chart is: what the person chose, and what lies where on the screen. */
interface Picture {
  readonly beginNs: number;
  readonly endNs: number;
  readonly width: number;
  readonly height: number;
  /** Expanded threads from the top, with where their rows begin in the window. */
  readonly threads: readonly { readonly name: string; readonly top: number }[];
}

const picture = async (open: PageUnderTest): Promise<Picture> => {
  const { viewport = bounds } = await open.kept();
  return await open.page.evaluate(({ beginNs, endNs }) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!;
    const top = document.querySelector('.tl-scroller')!.getBoundingClientRect().top;
    const heads = Array.from(document.querySelectorAll<HTMLElement>('.track-head:not(.is-counter)'));
    const threads = heads
      .filter((head) => head.querySelector('[aria-expanded=true]') !== null)
      .map((head) => ({
        name: head.querySelector('.thread-name')!.textContent,
        top: head.getBoundingClientRect().top - top + 24,
      }))
      .sort((one, other) => one.top - other.top);
    return { beginNs, endNs, width: canvas.width, height: canvas.height, threads };
  }, viewport);
};

/** Every call, one after the other: none of the shortcuts that the chart takes. */
function expected({ beginNs, endNs, width, height, threads }: Picture): Item[] {
  const items: Item[] = [];
  const x = (timeNs: number): number => Math.round(((timeNs - beginNs) / (endNs - beginNs)) * width);
  for (const { name, top } of threads) {
    const { calls } = trace.threads.find((thread) => thread.name === name)!;
    const rows = [...calls.begin.keys()].sort(
      (one, other) => calls.depth[one]! - calls.depth[other]! || calls.begin[one]! - calls.begin[other]!,
    );
    for (const row of rows) {
      const [begin, end, depth] = [calls.begin[row]!, calls.end[row]!, calls.depth[row]!];
      const rowTop = top + depth * sizes.row;
      const isBelow = Math.floor((height - top) / sizes.row) < depth;
      if (end <= beginNs || begin >= endNs || rowTop + sizes.row <= 0 || isBelow) continue;
      if (Math.min(width, x(end)) - Math.max(0, x(begin)) < sizes.leastLabel) continue;
      const method = calls.method[row]!;
      const className = trace.methods.className(method).split('.').at(-1);
      const called = `${className === '' ? '' : `${className}.`}${trace.methods.name(method)}`;
      const share = formatShare(Math.min(1, calls.cpu[row]! / (end - begin)));
      const said = `${called}, Wall ${formatNs(end - begin)}, CPU ${formatNs(calls.cpu[row]!)} (${share}), ${name}`;
      items.push({ level: depth + 1, said });
    }
  }
  return items.slice(0, sizes.most);
}

describe('the tree of the chart, for those who hear it', function () {
  let rig: PageRig;
  let open: PageUnderTest;

  before(async () => {
    rig = await PageRig.start('test/page/generated-worker.ts');
  });
  beforeEach(async () => {
    open = await rig.opened(bytesOf(options), { settings: { myPackages: ['com.acme'] } });
  });
  afterEach(() => open.close());

  const shown = (): Promise<Item[]> =>
    open.page.locator('.chart [role=treeitem]').evaluateAll((items) =>
      items.map((item) => ({
        level: Number(item.getAttribute('aria-level')),
        said: item.textContent,
      })),
    );

  /** It comes to rest after the picture. */
  async function agrees(when: string, before: readonly Item[] = []): Promise<Item[]> {
    let found: Item[] = [];
    let wanted: Item[] = [];
    const isSo = async (): Promise<boolean> => {
      await open.painted();
      found = await shown();
      wanted = expected(await picture(open));
      return isDeepStrictEqual(found, wanted) && !isDeepStrictEqual(found, before);
    };
    await until(() => `${when}: ${JSON.stringify(found)} is to be ${JSON.stringify(wanted)}`, isSo);
    return found;
  }

  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await open.page.keyboard.press(key);
  };

  it('has the calls in view at every zoom and place', async () => {
    const all = await agrees('at first');
    assert.ok(all.length > 50, `${all.length} items`);
    await press('w', 'w');
    const closer = await agrees('closer', all);
    await press('d', 'd');
    const further = await agrees('further on', closer);
    await press('w', 'w', 'w', 'w', 'w', 'w');
    const close = await agrees('very close', further);
    await press('0');
    await agrees('all again', close);
    await open.page.locator('.tl-scroller').evaluate((scroller) => (scroller.scrollTop = 130));
    const scrolled = await agrees('scrolled', all);
    await open.page.setViewportSize({ width: 700, height: 500 });
    await agrees('in a small window', scrolled);
  });

  it('has no call of a thread that is collapsed, hidden or filtered out', async () => {
    const namesIn = (items: readonly Item[]): string[] => [
      ...new Set(items.map(({ said }) => said.split(', ').at(-1)!)),
    ];
    const all = await agrees('at first');
    assert.equal(namesIn(all)[0], 'main');
    await open.page.getByRole('button', { name: 'Collapse thread main' }).click();
    const collapsed = await agrees('without main', all);
    assert.ok(!namesIn(collapsed).includes('main'));
    await open.page.getByRole('button', { name: 'Expand thread main' }).click();
    assert.deepEqual(await agrees('with main', collapsed), all);
    await open.page.locator('.thread-filter').click();
    await open.page.keyboard.type('worker');
    const left = namesIn(await agrees('of workers', all));
    assert.ok(left.length > 0 && left.every((name) => name.startsWith('worker')), left.join());
  });

  it('is the same while a range is chosen or something is searched, which take no call away', async () => {
    const all = await agrees('at first');
    const ruler = (await open.page.locator('.ruler').boundingBox())!;
    await open.page.mouse.move(ruler.x + 100, ruler.y + 8);
    await open.page.mouse.down();
    await open.page.mouse.move(ruler.x + 400, ruler.y + 8, { steps: 4 });
    await open.page.mouse.up();
    await open.page.locator('.chip').first().waitFor();
    assert.deepEqual(await agrees('with a range'), all);
    await press('/');
    await open.page.keyboard.type('cache');
    await open.page.locator('.search-found', { hasText: /methods/ }).waitFor();
    assert.deepEqual(await agrees('while searching'), all);
  });
});
