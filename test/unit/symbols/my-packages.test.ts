import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findMyPackages } from '../../../src/symbols/my-packages.js';

function packages(...names: string[]): readonly string[] {
  return findMyPackages(names.map((packageName) => ({ packageName, baseNames: ['A.java'] })));
}

describe('the packages of a workspace', () => {
  it('are the outermost ones', () => {
    assert.deepEqual(packages('com.shop.till', 'com.shop', 'com.shop.till.ui', 'com.shopping', 'org.other'), [
      'com.shop',
      'com.shopping',
      'org.other',
    ]);
  });

  it('are classes where there is no package', () => {
    assert.deepEqual(findMyPackages([{ packageName: '', baseNames: ['Main.java', 'tools.kt'] }]), [
      'Main',
      'ToolsKt',
      'tools',
    ]);
  });

  it('are none where there are no sources', () => {
    assert.deepEqual(findMyPackages([]), []);
  });
});
