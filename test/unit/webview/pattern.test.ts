import assert from 'node:assert/strict';
import fc from '../../rigs/properties.js';
import { Pattern } from '../../../src/webview/search/pattern.js';
import { cpuMs } from '../cpu-time.js';

describe('a search pattern', () => {
  const cases: readonly [string, string, boolean][] = [
    ['cart', 'com.acme.Cart.add', true],
    ['^com\\..*add$', 'com.acme.Cart.add', true],
    ['^acme', 'com.acme.Cart.add', false],
    ['(put|get)All', 'map.getAll', true],
    ['x{2,3}y', 'axxy', true],
    ['x{2,3}y', 'axy', false],
    ['x{2}y', 'axxxy', true],
    ['[^a-c]z', 'bz', false],
    ['[^a-c]z', 'dz', true],
    ['[]x]q', ']q', true],
    ['\\d+', 'lambda$3', true],
    ['\\w\\s\\w', 'a b', true],
    ['a|', 'zzz', true],
    ['lambda\\$', 'Main.lambda$0', true],
    ['[A-Z]', 'lower', true],
  ];
  for (const [source, name, found] of cases) {
    it(`${source} ${found ? 'finds' : 'does not find'} ${name}`, () => {
      assert.equal(new Pattern(source).test(name), found);
    });
  }

  it('refuses what it does not know instead of guessing', () => {
    for (const source of [
      '(',
      '[a',
      '*a',
      'a)',
      '\\b',
      '(?=a)',
      '\\1',
      'a{200}',
      '((((a{90}){90}){90}){90})',
      // Nothing, repeated often, is still nothing, and took minutes to be put together.
      '(((((){90}){90}){90}){90}){90}',
      'a'.repeat(1001),
    ]) {
      assert.throws(() => new Pattern(source), { name: 'PatternError' }, source);
    }
  });

  it('takes linear time where the browser would take for ever', () => {
    const pattern = new Pattern('^(a+)+(a|a)*$');
    const started = cpuMs();
    assert.equal(pattern.test(`${'a'.repeat(1000)}!`), false);
    assert.ok(cpuMs() - started < 1000);
  });

  it('takes a look a letter for sets of states that came up before, however many there are', () => {
    const name = 'ab'.repeat(500);
    const random = Array.from({ length: 1000 }, (_, at) => ((at * at * 7919) % 13 < 6 ? 'a' : 'b')).join('');
    // More sets than are kept, some for letters beyond ASCII, too.
    const pattern = new Pattern('(a|b)*a(a|b){12}é$');
    for (const subject of [name, random, `${random}É`, `${random}è`]) {
      assert.equal(pattern.test(subject), subject.endsWith('É') && random.at(-13) === 'a', subject.slice(-3));
    }
    const started = cpuMs();
    const common = new Pattern('((a+)+)+=');
    for (let more = 0; more < 20_000; more++) assert.equal(common.test('a'.repeat(500)), false);
    assert.ok(cpuMs() - started < 5000, `${cpuMs() - started} ms`);
  });

  it('agrees with RegExp on what both know', () => {
    const letter = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\d', '^', '$');
    const piece = fc
      .tuple(letter, fc.constantFrom('', '', '*', '+', '?', '{1,2}'))
      .map(([one, sign]) => (one === '^' || one === '$' ? one : one + sign));
    const source = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .chain((pieces) =>
        fc.constantFrom(
          pieces.join(''),
          `(${pieces.join('')})`,
          pieces.join('|'),
          `(?:${pieces.join('')})*c`,
        ),
      );
    const name = fc
      .array(fc.constantFrom('a', 'b', 'c', '1', 'B'), { maxLength: 8 })
      .map((letters) => letters.join(''));
    fc.assert(
      fc.property(source, name, (pattern, subject) => {
        assert.equal(new Pattern(pattern).test(subject), new RegExp(pattern, 'i').test(subject));
      }),
      { numRuns: 3000 },
    );
  });
});
