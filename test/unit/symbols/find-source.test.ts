import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { bySuffix, findSource, type SourceIndex } from '../../../src/symbols/find-source.js';
import { wantedSource } from '../../../src/symbols/wanted-source.js';

const files: Readonly<Record<string, string>> = {
  'file:///w/app/src/com/shop/Till.java': 'package com.shop;',
  'file:///w/app/src/com/other/Till.java': 'package com.other;',
  'file:///w/lib/Till.kt': '/* c */ @file:X\npackage com.shop.lib\n',
  'file:///w/a%20b/com/shop/Space.java': 'package com.shop;',
  'file:///w/one/com/shop/Twice.java': 'package com.shop;',
  'file:///w/two/com/shop/Twice.java': 'package com.shop;',
  'file:///w/Root.java': '',
  'file:///w/native/a.cc':
    'namespace shop {\nvoid grind(int n) {}\nvoid grind(int n, int m) {}\n}\nvoid other() { grind(1); }',
  'file:///w/native/b.cc': 'void grind(int n) {}',
  'file:///w/native/c.cc':
    'namespace shop { struct Till {\noperator const char*() const { return ""; }\nbool operator ==(const Till& other) const { return true; }\n}; }',
};

const index: SourceIndex = {
  filesNamed: (name) => Promise.resolve(Object.keys(files).filter((file) => file.endsWith(`/${name}`))),
  head: (file) => Promise.resolve(files[file] ?? ''),
  text: (file) => Promise.resolve(files[file] ?? ''),
  natives: () => Promise.resolve(Object.keys(files).filter((file) => file.endsWith('.cc'))),
  symbols: (name) =>
    Promise.resolve(
      name === 'Renamed' ? [{ file: 'file:///w/app/src/com/shop/Elsewhere.java', line: 3 }] : [],
    ),
};

async function places(className: string, file: string, line = 5): Promise<string[]> {
  const frame = { className, method: 'm', signature: '', file, line };
  const search = await findSource(frame, index, new AbortController().signal);
  return search.places.map((place) => `${place.file.replace('file:///w/', '')}:${String(place.line)}`);
}

describe('finding a source', () => {
  it('takes the file in the folders of its package', async () => {
    assert.deepEqual(await places('com.shop.Till', 'Till.java'), ['app/src/com/shop/Till.java:5']);
    assert.deepEqual(await places('com.shop.Till$Drawer$1', 'Till.java'), ['app/src/com/shop/Till.java:5']);
    assert.deepEqual(await places('com.shop.Space', 'Space.java'), ['a%20b/com/shop/Space.java:5']);
    assert.deepEqual(await places('Root', 'Root.java'), ['Root.java:5']);
  });

  it('takes the file that says it is in the package, where folders do not', async () => {
    assert.deepEqual(await places('com.shop.lib.Till', 'Till.kt'), ['lib/Till.kt:5']);
    assert.deepEqual(await places('com.shop.lib.TillKt', ''), ['lib/Till.kt:5']);
  });

  it('gives all that fit equally, and none that say otherwise', async () => {
    assert.equal((await places('com.shop.Twice', 'Twice.java')).length, 2);
    assert.deepEqual(await places('com.nowhere.Till', 'Till.java'), []);
  });

  it('goes by the symbol where no file fits, and tells what was looked for', async () => {
    assert.deepEqual(await places('com.shop.Renamed', 'SourceFile', 0), [
      'app/src/com/shop/Elsewhere.java:3',
    ]);
    const none = await findSource(
      { className: 'com.x.Gone', method: 'm', signature: '', file: 'Gone.kt', line: 1 },
      index,
      new AbortController().signal,
    );
    assert.deepEqual(none.lookedFor, ['com/x/Gone.kt', 'Gone']);
  });

  it('goes by what C++ texts have a body for, where a native function has no file', async () => {
    const native = async (
      method: string,
      symbols: SourceIndex['symbols'] = () => Promise.resolve([]),
    ): Promise<string[]> => {
      const frame = { className: '', method, signature: '', file: '', line: 0 };
      const search = await findSource(frame, { ...index, symbols }, new AbortController().signal);
      return search.places.map(({ file, line }) => `${file.replace('file:///w/', '')}:${String(line)}`);
    };
    assert.deepEqual(await native('shop::grind(int) (libwork.so)'), ['native/a.cc:2']);
    assert.deepEqual(await native('shop::grind(int, int)'), ['native/a.cc:3']);
    assert.deepEqual(await native('shop::grind(int, int, int)'), ['native/a.cc:2', 'native/a.cc:3']);
    assert.deepEqual(await native('grind'), ['native/b.cc:1']);
    assert.deepEqual(await native('gone(int)'), []);
    assert.deepEqual(await native('shop::Till::operator char const*() const (libwork.so)'), [
      'native/c.cc:2',
    ]);
    assert.deepEqual(await native('shop::Till::operator==(shop::Till const&) const'), ['native/c.cc:3']);
    // An editor that knows the language is asked first, by the name alone.
    const asked: string[] = [];
    const place = { file: 'file:///w/known.cc', line: 9 };
    const knows = (name: string) => Promise.resolve((asked.push(name), [place]));
    assert.deepEqual(await native('shop::grind(int) (libwork.so)', knows), ['known.cc:9']);
    assert.deepEqual(asked, ['grind']);
  });

  it('finds what was built on Windows, and what lies there', async () => {
    const native = (file: string) => ({ className: '', method: 'walk', signature: '', file, line: 7 });
    const given = wantedSource(native('D:\\build\\engine\\core\\walk.cc'));
    assert.deepEqual([given.baseNames, given.path], [['walk.cc'], 'D:/build/engine/core/walk.cc']);
    const drive = 'file:///c%3A/Users/me/a%20b';
    const onWindows: SourceIndex = {
      filesNamed: (name) =>
        Promise.resolve([`${drive}/core/${name}`, `${drive}/other/${name}`, `${drive}/com/shop/${name}`]),
      head: () => Promise.resolve(''),
      text: () => Promise.resolve(''),
      symbols: () => Promise.resolve([]),
      natives: () => Promise.resolve([]),
    };
    const found = async (frame: ReturnType<typeof native>) =>
      (await findSource(frame, onWindows, new AbortController().signal)).places.map(({ file }) => file);
    // Built on Linux or macOS, or on Windows: the same file.
    assert.deepEqual(await found(native('D:\\build\\engine\\core\\walk.cc')), [`${drive}/core/walk.cc`]);
    assert.deepEqual(await found(native('/Users/ci/engine/core/walk.cc')), [`${drive}/core/walk.cc`]);
    const till = { className: 'com.shop.Till', method: 'm', signature: '', file: 'Till.java', line: 7 };
    assert.deepEqual(await found(till), [`${drive}/com/shop/Till.java`]);
  });

  it('takes nothing for a file name that is more than one', () => {
    for (const file of [
      '../x',
      'a/b.java',
      'C:\\x\\y.java',
      '**.java',
      'a\nb.java',
      '.',
      '',
      'x'.repeat(300),
    ]) {
      const { baseNames } = wantedSource({ className: 'p.C', method: 'm', signature: '', file, line: 1 });
      for (const name of baseNames) assert.doesNotMatch(name, /[/\\*\n]|^\.+$/, file);
    }
  });

  it('follows native debug data by the most folders in common', () => {
    const there = ['file:///w/src/core/gate.cc', 'file:///w/test/core/gate.cc', 'file:///w/gate.cc'];
    assert.deepEqual(bySuffix(there, '/build/machine/src/core/gate.cc'), ['file:///w/src/core/gate.cc']);
    assert.deepEqual(bySuffix(there, 'C:/x/core/gate.cc'), there.slice(0, 2));
  });
});
