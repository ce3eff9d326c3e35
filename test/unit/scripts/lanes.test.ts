import assert from 'node:assert/strict';
import { prefixed, runLanes, shares } from '../../../scripts/test/lanes.mjs';

describe('lanes of suites', () => {
  /** Starts lanes whose items end when they are told to. */
  function started(lanes: Record<string, string[]>) {
    const ends = new Map<string, () => void>();
    const order: string[] = [];
    const over = runLanes(lanes, (item, lane) => {
      order.push(`${lane}: ${item}`);
      return new Promise((resolve) => ends.set(item, resolve));
    });
    const end = async (item: string) => {
      ends.get(item)!();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { order, over, end };
  }

  it('run side by side, each in its order', async () => {
    const { order, over, end } = started({ works: ['a', 'b'], waits: ['c', 'd'] });
    assert.deepEqual(order, ['works: a', 'waits: c']);
    for (const item of ['c', 'a', 'b', 'd']) await end(item);
    assert.deepEqual(order, ['works: a', 'waits: c', 'waits: d', 'works: b']);
    await over;
  });

  it('help each other from behind, and end when everything has run once', async () => {
    const { order, over, end } = started({ works: ['a', 'b', 'c'], waits: [] });
    assert.deepEqual(order, ['works: a', 'waits: c']);
    await end('c');
    assert.deepEqual(order.slice(2), ['waits: b']);
    for (const item of ['b', 'a']) await end(item);
    await over;
    assert.equal(order.length, 3);
  });

  it('help the one that has most left', async () => {
    const { order, over, end } = started({ works: ['a', 'b'], waits: ['c'], devices: ['d', 'e', 'f'] });
    await end('c');
    assert.deepEqual(order.slice(3), ['waits: f']);
    for (const item of ['f', 'a', 'd', 'b', 'e']) await end(item);
    await over;
    assert.equal(order.length, 6);
  });

  it('take large suites in shares, with each file in one of them', () => {
    assert.deepEqual(shares(['a', 'b', 'c', 'd', 'e'], 2), [
      ['a', 'c', 'e'],
      ['b', 'd'],
    ]);
    assert.deepEqual(shares(['a'], 3), [['a']]);
    assert.deepEqual(shares([], 2), [[]]);
  });

  it('print whole lines, each behind the name of its suite', () => {
    let text = '';
    const one = prefixed('unit', (part) => (text += part));
    one.write('  first\n\n  sec');
    one.write('ond\n  last');
    one.end();
    assert.equal(text, 'unit        │   first\n\nunit        │   second\nunit        │   last\n');
  });
});
