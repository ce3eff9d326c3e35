/** What a person reads: figures, names, texts, and what is kept of a state. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pageHtml, standAloneHtml } from '../../../src/protocol/page-html.js';
import {
  formatBytes,
  formatCount,
  formatLength,
  formatNs,
  formatShare,
  formatTick,
} from '../../../src/trace/measure/quantities.js';
import { bindingFor, bindings, keyTable, useKeys } from '../../../src/webview/keys.js';
import { NameIndex, libraryHue, nativeHue, myHues, plainText } from '../../../src/webview/names.js';
import { searchMethods, searchUntil } from '../../../src/webview/search/method-search.js';
import { exportedState, initialState, restoreState } from '../../../src/webview/store.js';
import { englishTexts, setTexts, text } from '../../../src/webview/texts.js';
import { parseColour } from '../../../src/webview/timeline/colour.js';
import { labelLeft, tickStep } from '../../../src/webview/timeline/ruler.js';

describe('figures', () => {
  it('have three digits and a unit', () => {
    assert.equal(formatNs(0), '0');
    assert.equal(formatNs(999), '999 ns');
    assert.equal(formatNs(1234), '1.23 µs');
    assert.equal(formatNs(999_999), '1.00 ms');
    assert.equal(formatNs(45_600_000), '45.6 ms');
    assert.equal(formatNs(12_345_678_901), '12.3 s');
    assert.equal(formatNs(9_996_000), '10.0 ms');
    assert.equal(formatNs(99_960_000), '100 ms');
    assert.equal(formatBytes(0), '0 B');
    assert.equal(formatBytes(1000), '1,000 B');
    assert.equal(formatBytes(2048), '2.00 KB');
    assert.equal(formatBytes(5.5 * 2 ** 20), '5.50 MB');
    assert.equal(formatCount(1_234_567), '1,234,567');
    assert.equal(formatCount(12_345_678), '12.3 M');
    // What lies across the edge of a range counts in part: nobody wants the half of a thousand.
    assert.equal(formatCount(2.5), '2.5');
    assert.equal(formatCount(164_875.5), '164,876');
  });

  it('say how long a recording is in minutes and hours', () => {
    const lengths: [number, string][] = [
      [0, '0'],
      [12.34, '12.3 s'],
      [119.4, '119 s'],
      [119.5, '2 min 0 s'],
      [871.2, '14 min 31 s'],
      [3599.4, '59 min 59 s'],
      [3599.5, '1 h 0 min'],
      [7229, '2 h 0 min'],
      [7231, '2 h 1 min'],
      [1e7, '2,777 h 47 min'],
    ];
    for (const [seconds, text] of lengths) assert.equal(formatLength(seconds * 1e9), text);
  });

  it('never round a little to nothing, or nearly all to all', () => {
    assert.equal(formatShare(0), '0 %');
    assert.equal(formatShare(0.0001), '< 0.1 %');
    assert.equal(formatShare(0.1234), '12.3 %');
    assert.equal(formatShare(0.99999), '> 99.9 %');
    assert.equal(formatShare(1), '100 %');
    assert.equal(formatShare(Number.NaN), '–');
  });

  it('step in ones, twos and fives', () => {
    assert.deepEqual([1, 3, 7, 12, 40, 70].map(tickStep), [1, 5, 10, 20, 50, 100]);
    assert.equal(formatTick(1.25e9, 5e7), '1.25 s');
    assert.equal(formatTick(0, 1e6), '0 ms');
  });
});

describe('names', () => {
  const names = new NameIndex(
    {
      count: 4,
      classNames: ['', 'com.acme.Shop$Cart', 'java.util.List'],
      classOf: Uint32Array.of(0, 1, 2, 0),
      names: ['', 'add', 'get', 'memcpy'],
      written: new Map(),
    },
    ['com.acme'],
  );

  it('are short where they are shown, whole where they are copied', () => {
    assert.equal(names.short(1), 'Shop$Cart.add');
    assert.equal(names.qualified(1), 'com.acme.Shop$Cart.add');
    assert.equal(names.packageName(1), 'com.acme');
    assert.equal(names.short(3), 'memcpy');
    assert.match(names.short(0), /unknown method 0/);
  });

  it('have a hue of their package, none for library code, one of their own for native code', () => {
    assert.ok(names.hue(1) < myHues);
    assert.equal(names.hue(2), libraryHue);
    assert.equal(names.hue(3), nativeHue);
  });

  it('of one package have a hue for each class, of several one for each package', () => {
    const index = (classNames: string[]): NameIndex =>
      new NameIndex(
        {
          count: classNames.length,
          classNames,
          classOf: Uint32Array.from(classNames.keys()),
          names: classNames.map(() => 'run'),
          written: new Map(),
        },
        ['com.acme'],
      );
    const one = index(['', 'com.acme.Shop', 'com.acme.Shop$Cart', 'com.acme.Till', 'java.util.List']);
    assert.equal(one.coloursBy, 'class');
    assert.deepEqual(
      [one.group(1), one.group(2), one.group(3)],
      ['com.acme.Shop', 'com.acme.Shop', 'com.acme.Till'],
    );
    assert.equal(one.group(4), '');
    assert.notEqual(one.hueOfGroup('com.acme.Shop'), one.hueOfGroup('com.acme.Till'));
    // As many packages as there are hues: each has one to itself.
    const packages = Array.from({ length: 12 }, (_, at) => `com.acme.p${at}`);
    const many = index(['', ...packages.map((name) => `${name}.Shop`)]);
    assert.equal(many.coloursBy, 'package');
    assert.equal(new Set(packages.map((name) => many.hueOfGroup(name))).size, 12);
    for (let method = 1; method <= 12; method++) {
      assert.ok(Math.abs(many.hue(method) - many.hueOfGroup(packages[method - 1]!)) <= 1);
    }
  });

  it('cannot pass for something else', () => {
    assert.equal(plainText('a\u202eb'), 'a\ufffdb');
    assert.equal(plainText('a\nb\tc\u0000'), 'a\ufffdb\ufffdc\ufffd');
    assert.equal(plainText('x'.repeat(1e6)).length, 401);
    assert.equal(plainText('größe.日本'), 'größe.日本');
  });

  it('are found by words, by patterns, and not by broken ones', () => {
    const found = (text: string, regex: boolean) =>
      searchUntil(searchMethods(names, { text, regex }), Infinity)!;
    assert.deepEqual([...found('cart ADD', false).matches!], [0, 1, 0, 0]);
    assert.equal(found('^java\\.', true).count, 1);
    assert.equal(found('(', true).problem, 'bad');
    assert.equal(found('x'.repeat(1001), true).problem, 'tooLong');
    assert.equal(found('(', false).problem, undefined);
    assert.equal(found('  ', false).matches, undefined);
    assert.deepEqual(names.find('com.acme.Shop$Cart', 'add'), [1]);
    assert.deepEqual(names.find('com.acme.Shop', 'add'), []);
  });

  it('of a megabyte are found by what of them is searched', () => {
    const columns = { count: 1, classNames: [''], classOf: new Uint32Array(1), written: new Map() };
    const long = new NameIndex({ ...columns, names: ['x'.repeat(1 << 20)] }, []);
    const text = long.qualified(0);
    assert.equal(searchUntil(searchMethods(long, { text, regex: false }), Infinity)?.count, 1);
  });
});

describe('texts', () => {
  afterEach(() => setTexts({}));

  it('can be said in another language, key by key', () => {
    setTexts({ 'view.methods': 'Methoden' });
    assert.equal(text('view.methods'), 'Methoden');
    assert.equal(text('view.callers'), englishTexts['view.callers']);
  });

  it('fill in what they are given, as text', () => {
    assert.equal(text('thread.collapse', { name: '{tid} $& <b>' }), 'Collapse thread {tid} $& <b>');
  });

  it('speak of one thing as one', () => {
    assert.equal(text('scope.hidden', { count: 1 }), '1 thread hidden');
    assert.equal(text('scope.hidden', { count: 2 }), '2 threads hidden');
    assert.equal(text('search.found', { count: '1', share: '3 %' }), '1 method · 3 %');
    setTexts({ 'scope.hidden.one': '1 Thread verborgen' });
    assert.equal(text('scope.hidden', { count: 1 }), '1 Thread verborgen');
  });

  it('are never empty', () => {
    for (const [key, value] of Object.entries(englishTexts)) assert.ok(value.trim() !== '', key);
  });
});

describe('the key table', () => {
  afterEach(() => useKeys({}));

  it('gives a command the keys that a person chose, and no other', () => {
    useKeys({ zoomIn: ['k'], help: [] });
    assert.equal(bindingFor('k')?.command, 'zoomIn');
    assert.equal(bindingFor('w'), undefined);
    assert.equal(bindingFor('?'), undefined);
    assert.equal(bindingFor('s')?.command, 'zoomOut');
  });

  it('has the commands that the setting offers', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: {
        configuration: { properties: Record<string, { propertyNames?: { enum: string[] } }> }[];
      };
    };
    const settings = manifest.contributes.configuration.map(
      ({ properties }) => properties['btrace.chart.keys'],
    );
    const offered = settings.find((one) => one !== undefined)?.propertyNames?.enum;
    assert.deepEqual(
      offered,
      keyTable.map(({ command }) => command),
    );
  });

  it('lets a chosen key win over the command that had it', () => {
    useKeys({ nextMatch: ['d'] });
    assert.equal(bindingFor('d')?.command, 'nextMatch');
    assert.deepEqual(bindings().find(({ command }) => command === 'panRight')?.keys, []);
  });

  it('gives no key two meanings in the same place', () => {
    const seen = new Set<string>();
    for (const { keys, where } of keyTable) {
      for (const key of keys) {
        const places =
          where === undefined
            ? ['timeline', 'chart', '']
            : where === 'timeline'
              ? ['timeline', 'chart']
              : ['chart'];
        for (const place of places) {
          const meaning = `${place} ${key}`;
          assert.ok(!seen.has(meaning), `${key} means two things (${place})`);
          seen.add(meaning);
        }
      }
    }
  });
});

describe('a kept state', () => {
  it('comes back as it was', () => {
    const kept = { ...initialState, view: 'methods', range: { beginNs: 1, endNs: 2 }, myCode: true };
    const restored = { ...initialState, ...restoreState(JSON.parse(JSON.stringify(kept))) };
    assert.deepEqual(restored, kept);
  });

  it('of an exported page has nothing of what the recording was compared with', () => {
    const compared = {
      ...initialState,
      view: 'compare' as const,
      weight: 'cpu' as const,
      comparing: ['scaled'],
      comparedWith: 'before.btrace',
      comparePath: [1],
    };
    assert.deepEqual(exportedState(compared), { ...initialState, weight: 'cpu' });
  });

  it('of the wrong shape is left out, field by field', () => {
    assert.deepEqual(restoreState('nonsense'), {});
    assert.deepEqual(
      restoreState({
        view: 'evil',
        range: { beginNs: 5, endNs: 1 },
        hidden: ['a'],
        weight: 'gold',
        search: 7,
        myCode: true,
      }),
      { myCode: true },
    );
  });
});

describe('labels of the ruler', () => {
  it('stand right of their ticks, and left of them where they would be cut off', () => {
    assert.equal(labelLeft(100, 40, 600, 1), 104);
    assert.equal(labelLeft(556, 40, 600, 1), 560);
    assert.equal(labelLeft(557, 40, 600, 1), 513);
    assert.equal(labelLeft(1190, 80, 1200, 2), 1102);
  });
});

describe('colours', () => {
  it('are read as themes write them', () => {
    const black = { r: 0, g: 0, b: 0 };
    assert.deepEqual(parseColour('#fff', black), { r: 255, g: 255, b: 255 });
    assert.deepEqual(parseColour('#ff000080', black), { r: 128, g: 0, b: 0 });
    assert.deepEqual(parseColour(' rgba(90, 93, 94, 0.5)', black), { r: 45, g: 47, b: 47 });
    assert.equal(parseColour('', black), undefined);
  });
});

describe('the HTML around the page', () => {
  it('allows nothing but what it carries', () => {
    const html = pageHtml({ scriptUri: 'x://p.js', workerUri: 'x://w.js', nonce: 'abc', cspSource: 'x:' });
    assert.match(html, /default-src &#39;none&#39;; script-src &#39;nonce-abc&#39;/);
    assert.match(html, /base-uri &#39;none&#39;; form-action &#39;none&#39;/);
    assert.doesNotMatch(html, /unsafe/);
  });

  it('cannot be left by a name or by data', async () => {
    const options = {
      name: '</script><script>alert(1)</script>',
      script: 'const a = "</script>";',
      worker: '"<!-- <script>"',
      nonce: 'abc',
      settings: { myPackages: ['</script>'], texts: {} },
      withoutScript: 'Allow </noscript><script>.',
      data: ['AAAA'],
    };
    let html = '';
    for await (const part of standAloneHtml(options)) html += part;
    assert.equal(html.match(/<script/g)!.length, 4);
    assert.equal(html.match(/<\/script>/g)!.length, 4);
  });
});
