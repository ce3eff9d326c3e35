import assert from 'node:assert/strict';
import { withoutRoom } from '../../../src/extension/editor/kept-pages.js';

const megabyte = 2 ** 20;
const page = (name: string, megabytes: number, left: number) => ({ name, bytes: megabytes * megabyte, left });
const names = (pages: readonly { readonly name: string }[]): string[] => pages.map(({ name }) => name);

describe('hidden pages', () => {
  it('stay while their recordings are small enough together, those left last first', () => {
    assert.deepEqual(withoutRoom([]), []);
    assert.deepEqual(withoutRoom([page('a', 26, 1)]), []);
    assert.deepEqual(names(withoutRoom([page('a', 26, 1), page('b', 26, 2)])), ['a']);
    assert.deepEqual(names(withoutRoom([page('a', 26, 3), page('b', 26, 2)])), ['b']);
    // A large one keeps no small one from staying.
    assert.deepEqual(names(withoutRoom([page('a', 3, 1), page('large', 400, 2), page('b', 3, 3)])), [
      'large',
    ]);
  });
});
