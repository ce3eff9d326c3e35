/** What a person reads: figures, names, texts, and what is kept of a state. */
import assert from 'node:assert/strict';
import { pageHtml, standAloneHtml } from '../../../src/protocol/page-html.js';
import { formatBytes, formatNs, formatShare, formatTick } from '../../../src/webview/figures.js';
import { keyTable } from '../../../src/webview/keys.js';
import { NameIndex, libraryHue, nativeHue, ownHues, plainText } from '../../../src/webview/names.js';
import { searchMethods } from '../../../src/webview/search/method-search.js';
import { initialState, restoreState } from '../../../src/webview/store.js';
import { englishTexts, setTexts, text } from '../../../src/webview/texts.js';
import { contrast, oklch, parseColour } from '../../../src/webview/timeline/colour.js';
import { tickStep } from '../../../src/webview/timeline/ruler.js';

describe('figures', () => {
  it('have three digits and a unit', () => {
    assert.equal(formatNs(0), '0');
    assert.equal(formatNs(999), '999 ns');
    assert.equal(formatNs(1234), '1.23 µs');
    assert.equal(formatNs(999_999), '1.00 ms');
    assert.equal(formatNs(45_600_000), '45.6 ms');
    assert.equal(formatNs(12_345_678_901), '12.3 s');
    assert.equal(formatBytes(1_234_000), '1.23 MB');
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
    assert.ok(names.hue(1) < ownHues);
    assert.equal(names.hue(2), libraryHue);
    assert.equal(names.hue(3), nativeHue);
  });

  it('cannot pass for something else', () => {
    assert.equal(plainText('a\u202eb'), 'a\ufffdb');
    assert.equal(plainText('a\nb\tc\u0000'), 'a\ufffdb\ufffdc\ufffd');
    assert.equal(plainText('x'.repeat(1e6)).length, 401);
    assert.equal(plainText('größe.日本'), 'größe.日本');
  });

  it('are found by words, by patterns, and not by broken ones', () => {
    assert.deepEqual([...searchMethods(names, { text: 'cart ADD', regex: false }).matches!], [0, 1, 0, 0]);
    assert.equal(searchMethods(names, { text: '^java\\.', regex: true }).count, 1);
    assert.equal(searchMethods(names, { text: '(', regex: true }).isBad, true);
    assert.equal(searchMethods(names, { text: '(', regex: false }).isBad, false);
    assert.equal(searchMethods(names, { text: '  ', regex: false }).matches, undefined);
    assert.deepEqual(names.find('com.acme.Shop$Cart', 'add'), [1]);
    assert.deepEqual(names.find('com.acme.Shop', 'add'), []);
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
    assert.equal(text('thread.fold', { name: '{tid} $& <b>' }), 'Fold thread {tid} $& <b>');
  });

  it('are never empty', () => {
    for (const [key, value] of Object.entries(englishTexts)) assert.ok(value.trim() !== '', key);
  });
});

describe('the key table', () => {
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
    const kept = { ...initialState, view: 'methods', range: { beginNs: 1, endNs: 2 }, onlyMine: true };
    const restored = { ...initialState, ...restoreState(JSON.parse(JSON.stringify(kept))) };
    assert.deepEqual(restored, kept);
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
        onlyMine: true,
      }),
      { onlyMine: true },
    );
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

  it('keep labels readable on every hue', () => {
    for (let hue = 0; hue < 360; hue += 15) {
      assert.ok(contrast(oklch(0.44, 0.08, hue), { r: 204, g: 204, b: 204 }) >= 4.5, `dark ${hue}`);
      assert.ok(contrast(oklch(0.86, 0.075, hue), { r: 59, g: 59, b: 59 }) >= 4.5, `light ${hue}`);
    }
  });
});

describe('the HTML around the page', () => {
  it('allows nothing but what it carries', () => {
    const html = pageHtml({ scriptUri: 'x://p.js', workerUri: 'x://w.js', nonce: 'abc', cspSource: 'x:' });
    assert.match(html, /default-src &#39;none&#39;; script-src &#39;nonce-abc&#39;/);
    assert.doesNotMatch(html, /unsafe/);
  });

  it('cannot be left by a name or by data', async () => {
    const options = {
      name: '</script><script>alert(1)</script>',
      script: 'const a = "</script>";',
      worker: '"<!-- <script>"',
      nonce: 'abc',
      settings: { myPackages: ['</script>'], texts: {} },
      data: ['AAAA'],
    };
    let html = '';
    for await (const part of standAloneHtml(options)) html += part;
    assert.equal(html.match(/<script/g)!.length, 4);
    assert.equal(html.match(/<\/script>/g)!.length, 4);
  });
});
