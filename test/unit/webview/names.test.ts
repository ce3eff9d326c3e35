/** The hues of methods: by whose code they are. */
import assert from 'node:assert/strict';
import { libraryHue, NameIndex, nativeHue, myHues } from '../../../src/webview/names.js';

const columns = {
  count: 4,
  classNames: ['', 'com.shop.Cart', 'org.lib.Json', 'java.util.HashMap'],
  classOf: Uint32Array.of(1, 2, 3, 0),
  names: ['add', 'parse', 'get', 'memcpy'],
  written: new Map(),
};
const hues = (prefixes: readonly string[]): number[] => {
  const names = new NameIndex(columns, prefixes);
  return [0, 1, 2, 3].map((method) => names.hue(method));
};

describe('the colours of methods', () => {
  it('are grey for libraries where some code is one’s own', () => {
    const [own, library, platform, native] = hues(['com.shop']);
    assert.ok(own! < myHues);
    assert.deepEqual([library, platform, native], [libraryHue, libraryHue, nativeHue]);
  });

  it('are by package where nothing is one’s own: a recording of other code is not all grey', () => {
    const [one, other, third, native] = hues(['de.elsewhere']);
    assert.ok([one, other, third].every((hue) => hue! < myHues));
    assert.equal(new Set([one, other, third].map((hue) => Math.floor(hue! / 3))).size, 3);
    assert.equal(native, nativeHue);
  });
});
