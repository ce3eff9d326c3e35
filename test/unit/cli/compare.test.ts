import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'mocha';
import { differencesJson } from '../../../src/cli/compare/json.js';
import { exemptPattern, parseLimit } from '../../../src/cli/compare/limit.js';
import {
  type CompareRequest,
  type Differences,
  measureDifferences,
} from '../../../src/cli/compare/measure.js';
import { printDifferences } from '../../../src/cli/compare/print.js';
import { sorts } from '../../../src/cli/report/measure.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { type Trace, wholeTrace } from '../../../src/trace/index.js';
import { importWhole } from '../formats/round-trip.js';

const collapsed = (text: string): Trace => importWhole(anyImporter(), Buffer.from(text));
const before = collapsed(
  'main;shop.Cart.add 4000\nmain;shop.Cart.pay;shop.Tax.of 1000\nmain;shop.Old.go 900\n',
);
const after = collapsed(
  'main;shop.Cart.add 4020\nmain;shop.Cart.pay;shop.Tax.of 1900\nmain;shop.New.go 70\n',
);

function compared(change: Partial<CompareRequest> = {}): Differences {
  const request: CompareRequest = {
    top: 20,
    sort: 'self-wall',
    key: sorts.get(change.sort ?? 'self-wall')!,
    isScaled: false,
    all: false,
    limit: undefined,
    exempt: undefined,
    ...change,
  };
  return measureDifferences(
    { trace: before, scope: wholeTrace },
    { trace: after, scope: wholeTrace },
    request,
  );
}

function printed(found: Differences, columns = 0): string {
  const output = Object.assign(new PassThrough(), { isTTY: columns > 0, columns });
  printDifferences(found, new Terminal(output, new PassThrough(), { NO_COLOR: '1' }));
  return String(output.read() ?? '');
}

describe('btrace compare', () => {
  it('tells what differs clearly, the largest first, and what is new and gone', () => {
    const rows = compared().methods.map(({ name, only, isClear }) => [name, only, isClear]);
    assert.deepEqual(rows, [
      ['shop.Tax.of', undefined, true],
      ['shop.Old.go', 'before', true],
      ['shop.New.go', 'after', true],
    ]);
    const text = printed(compared());
    assert.match(text, /1\.00 s +1\.90 s +\+900 ms +±108 ms +\+90\.0 % +shop\.Tax\.of/);
    assert.match(text, /900 ms +0 +−900 ms +±60\.0 ms +gone +shop\.Old\.go/);
    assert.match(text, /new +shop\.New\.go/);
    assert.match(
      text,
      /All wall: 5\.90 s before, 5\.99 s after: \+90\.0 ms \(\+1\.5 %\), which sampling may have made/,
    );
    assert.match(text, /Where it comes from\nDIFFERENCE +CALLS\n[^]*\+900 ms +Cart\.pay › Tax\.of/);
    assert.doesNotMatch(text, /Cart\.add/);
  });

  it('shows what sampling may have made when it is asked for, and says that it may', () => {
    const found = compared({ all: true });
    assert.deepEqual(found.methods.at(-1)?.isClear, false);
    assert.match(printed(found), /4\.00 s +4\.02 s +\+20\.0 ms +±179 ms +\+0\.5 % +\? +shop\.Cart\.add/);
  });

  it('fails above a limit, for what is clear and not exempt', () => {
    const failedBy = (limit: string, exempt?: string): string[] =>
      compared({
        limit: parseLimit(limit, 'wall'),
        exempt: exempt === undefined ? undefined : exemptPattern(exempt),
      }).failed.map(({ name }) => name);
    assert.deepEqual(failedBy('500ms'), ['shop.Tax.of']);
    assert.deepEqual(failedBy('60ms'), ['shop.Tax.of', 'shop.New.go']);
    assert.deepEqual(failedBy('10%'), ['shop.Tax.of']);
    assert.deepEqual(failedBy('20%'), []);
    assert.deepEqual(failedBy('60ms', '# known\nshop.T*.of # see the log\n\n'), ['shop.New.go']);
    // Tax.of is below Cart.pay, whose total is as much more.
    const total = { sort: 'total-wall', key: sorts.get('total-wall')!, limit: parseLimit('500ms', 'wall') };
    assert.deepEqual(
      compared(total).failed.map(({ name }) => name),
      ['shop.Cart.pay', 'shop.Tax.of'],
    );
    assert.match(
      printed(compared({ limit: parseLimit('500ms', 'wall') })),
      /Above the limit of 500ms:\n +\+900 ms/,
    );
    assert.match(
      printed(compared({ limit: parseLimit('20%', 'wall') })),
      /Nothing takes clearly more than 20% longer\./,
    );
  });

  it('reads limits and names as a person writes them', () => {
    assert.throws(() => parseLimit('50', 'wall'), /takes a unit/);
    assert.throws(() => parseLimit('much', 'wall'), /--fail-above takes a time/);
    assert.deepEqual(parseLimit('2MB', 'allocatedBytes').amount, 2 << 20);
    assert.equal(exemptPattern('# nothing\n'), undefined);
    const pattern = exemptPattern('a.B$1.c(d)\r\n*Test.*\n')!;
    assert.deepEqual(
      ['a.B$1.c(d)', 'aXB$1.c(d)', 'my.ShopTest.run', 'my.Shop.run'].map((name) => pattern.test(name)),
      [true, false, true, false],
    );
    const parts = exemptPattern('a*b*b')!;
    assert.deepEqual(
      ['abb', 'a.b.c.b', 'ab', 'b.b', 'abbc'].map((name) => parts.test(name)),
      [true, true, false, false, false],
    );
    // A name of a hostile recording costs one pass.
    assert.equal(exemptPattern('*a'.repeat(8) + '!')!.test('a'.repeat(100_000)), false);
  });

  it('scales BEFORE to the length of AFTER on request', () => {
    const found = compared({ isScaled: true });
    assert.ok(Math.abs(found.comparison.scale - 5990 / 5900) < 1e-9);
    assert.ok(Math.abs(found.sum.before - found.sum.after) < 1);
    assert.match(printed(found), /multiplied by 1\.015/);
  });

  it('fits a narrow terminal, and gives the same to programs', () => {
    const [, table = ''] = printed(compared(), 60).split('Methods that');
    for (const line of table.split('\n').slice(1)) assert.ok(line.length <= 60, line);
    const found = compared({ limit: parseLimit('500ms', 'wall') });
    const json = JSON.parse(JSON.stringify(differencesJson(['a', 'b'], found))) as Record<string, unknown>;
    assert.deepEqual(json['aboveLimit'], [{ name: 'shop.Tax.of', before: 1e9, after: 1.9e9 }]);
    assert.equal((json['methods'] as unknown[]).length, 3);
    assert.deepEqual((json['chains'] as { chain: string[] }[]).at(-1)?.chain.at(-1), 'shop.New.go');
  });

  it('says so where nothing differs', () => {
    const side = { trace: before, scope: wholeTrace };
    const { request } = compared();
    assert.match(printed(measureDifferences(side, side, request)), /No method differs by more than sampling/);
    assert.match(
      printed(measureDifferences(side, side, { ...request, all: true })),
      /No method differs\.\n$/,
    );
  });
});
