import assert from 'node:assert/strict';
import { profileableIn } from '../../../src/targets/android/profileable.js';

describe('what adbd says of apps', () => {
  /** pid 4711 is profileable, 4712 debuggable, 4713 both, with what newer Androids add. */
  const message = Buffer.from([
    ...[10, 14, 8, 0xe7, 0x24, 24, 1, 34, 5, ...Buffer.from('arm64'), 40, 0],
    ...[10, 5, 8, 0xe8, 0x24, 16, 1],
    ...[10, 12, 8, 0xe9, 0x24, 16, 1, 24, 1, 50, 3, ...Buffer.from('a.b')],
  ]);

  it('names the processes that may be profiled', () => {
    assert.deepEqual([...profileableIn(message)], [4711, 4713]);
    assert.deepEqual([...profileableIn(Buffer.alloc(0))], []);
  });

  it('gives fewer where it is damaged', () => {
    for (let size = 0; size < message.length; size++)
      assert.ok(profileableIn(message.subarray(0, size)).size <= 2);
    for (let at = 0; at < message.length; at++)
      for (const byte of [0, 1, 0x7f, 0x80, 0xff]) {
        const damaged = Buffer.from(message);
        damaged[at] = byte;
        assert.ok(profileableIn(damaged).size <= 3);
      }
  });
});
