/** Sets of runs: planted differences are found, and equal sets are told alike. */
import assert from 'node:assert/strict';
import { compareRuns, type RunSets } from '../../../src/trace/compare/run-sets.js';
import { chanceOfMore } from '../../../src/trace/compare/student.js';
import { Random } from '../../../src/trace/synth/random.js';
import type { Trace } from '../../../src/trace/index.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { type KnownCall, traceOf } from '../query/queried.js';
import { decoded } from './recordings.js';
import { type Piece, workedBytes, workedTrace } from './worked-recording.js';

/** Start-up calls of the main thread one after the other, each with a callee, in ms. */
const usual: Readonly<Record<string, number>> = {
  'shop.Config.load': 40,
  'shop.Fonts.read': 12,
  'shop.Cart.open': 60,
  'shop.Sync.now': 25,
  'shop.Ads.prepare': 8,
};

/** `differ`: the standard deviation of a call, of its mean; it has 2 ms at least. */
function run(random: Random, lasts: Readonly<Record<string, number>>, differ: number): Trace {
  const calls: KnownCall[] = [];
  let at = 1;
  for (const [name, mean] of Object.entries(lasts)) {
    // Sums of four equal chances are close to normal.
    const chance = [1, 2, 3, 4].reduce((sum) => sum + random.next() - 0.5, 0) * Math.sqrt(3);
    const ms = Math.round(Math.max(mean + chance * Math.max(2, mean * differ), 0.5) * 1000) / 1000;
    calls.push({ name, at, lasts: ms });
    calls.push({ name: `${name}.inner`, at: at + ms * 0.05, lasts: ms * 0.9 });
    calls.push({ name: 'shop.Worker.run', at, lasts: ms * (1 + random.next()), tid: 101 });
    at += ms * 2.5;
  }
  return traceOf([{ name: 'shop.Main.start', at: 0, lasts: at }, ...calls]);
}

function sets(seed: number, changed: Readonly<Record<string, number>>, runs = 10, differ = 0.04): RunSets {
  const random = new Random(seed);
  const some = (of: Readonly<Record<string, number>>): Trace[] =>
    Array.from({ length: runs }, () => run(random, of, differ));
  return compareRuns(some(usual), some(changed));
}

const told = ({ problems }: RunSets): string[] =>
  problems.map(({ kind, isMain, chain }) => `${kind} ${isMain ? 'main' : 'other'} ${chain.at(-1) ?? ''}`);

describe('two sets of runs', function () {
  it('are alike in 200 pairs of equal ones, of six runs and of three', () => {
    for (let seed = 1; seed <= 200; seed++)
      for (const runs of [6, 3])
        assert.deepEqual(told(sets(seed, usual, runs, 0.2)), [], `seed ${seed}, ${runs} runs`);
  });

  it('are taken for different as often as the chance says', () => {
    const random = new Random(11);
    // Sums of four equal chances are close to normal.
    const three = (): number[] =>
      [1, 2, 3].map(() => random.next() + random.next() + random.next() + random.next());
    const pairs = 20_000;
    let below = 0;
    for (let pair = 0; pair < pairs; pair++) if (chanceOfMore(three(), three()) < 0.01) below++;
    // 200 are expected; 70 more is five standard deviations.
    assert.ok(Math.abs(below - 200) < 70, String(below));
  });

  it('differ where a call takes 10 ms longer, in 19 of 20 pairs and more, and nowhere else', () => {
    let found = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const names = told(sets(seed, { ...usual, 'shop.Config.load': 50 }));
      if (names.some((name) => /^wall main shop\.Config\.load(\.inner)?$/.test(name))) found++;
      // What calls it takes longer, too, which is not told again.
      assert.ok(
        names.every((name) => /Config\.load|Main\.start/.test(name)),
        names.join(),
      );
    }
    assert.ok(found >= 19, `${found} of 20`);
  });

  it('tell new calls of 5 ms and more, the outermost ones', () => {
    const { problems } = sets(7, { ...usual, 'shop.Tips.show': 9, 'shop.Beep.once': 1 });
    const fresh = problems.filter(({ kind }) => kind === 'new');
    assert.deepEqual(
      fresh.map(({ chain }) => chain),
      [['shop.Main.start', 'shop.Tips.show']],
    );
    assert.ok(fresh[0]!.before === 0 && Math.abs(fresh[0]!.after - 9e6) < 3e6);
  });

  it('tell a new call of three runs a set, which no luck makes', () => {
    // Among 500 others: the more calls are compared, the more of them differ by chance.
    const others = Array.from({ length: 500 }, (_, at) => `shop.Part${at}.run`);
    const run = (seed: number, newMs: number): Trace => {
      const random = new Random(seed);
      const calls = others.map((name, at) => ({ name, at: at * 10, lasts: 5 + random.next() }));
      const fresh = newMs > 0 ? [{ name: 'shop.Tips.show', at: 5000, lasts: newMs }] : [];
      return traceOf([{ name: 'shop.Main.start', at: 0, lasts: 8000 }, ...calls, ...fresh]);
    };
    const base = [run(1, 0), run(2, 0), run(3, 0)];
    const sure = compareRuns(base, [run(4, 1880), run(5, 1900), run(6, 1910)]);
    assert.deepEqual([told(sure), sure.undecided], [['new main shop.Tips.show'], []]);
    // What hardly took time before says as little of how long it takes now.
    const grown = compareRuns([run(1, 1), run(2, 1), run(3, 1)], [run(4, 1880), run(5, 1900), run(6, 1910)]);
    assert.deepEqual([told(grown)[0], grown.undecided], ['wall main shop.Tips.show', []]);
    // Runs that differ more may do so by chance: that is not told as nothing.
    const unsure = compareRuns(base, [run(4, 1500), run(5, 1900), run(6, 2300)]);
    assert.deepEqual(told(unsure), []);
    const [call, ...more] = unsure.undecided;
    assert.deepEqual([call!.kind, call!.chain.at(-1), more], ['new', 'shop.Tips.show', []]);
    assert.ok(call!.chance > 0.0005 && call!.runsToTell > 3 && call!.runsToTell <= 8, JSON.stringify(call));
    // As many as it says do tell, where they differ as much.
    const enough = Array.from({ length: call!.runsToTell }, (_, at) => at);
    const wider = compareRuns(
      enough.map((at) => run(10 + at, 0)),
      enough.map((at) => run(30 + at, [1900 - 300, 1900 + 300][at % 2]!)),
    );
    assert.deepEqual([told(wider), wider.undecided], [['new main shop.Tips.show'], []]);
  });

  it('are alike in 200 equal pairs of three runs, whose short calls samples meet by luck', () => {
    const header = { config: { syncIntervalNs: 10e6 } };
    for (let seed = 1; seed <= 200; seed++) {
      const random = new Random(seed);
      const run = (): Trace => {
        // Each call works 10 ms on average, and a sample that meets it stands for 10 ms.
        const pieces = Array.from({ length: 40 }, (_, at) => {
          let met = 0;
          for (let chance = random.next(); chance > Math.exp(-1); chance *= random.next()) met++;
          return { in: `Shop.main > Shop.part${at}`, ms: met * 10 };
        });
        const met = [
          { in: 'Shop.main', ms: 50 + Math.floor(random.next() * 20) },
          ...pieces.filter(({ ms }) => ms > 0),
        ];
        return decoded(workedBytes([{ name: 'main', isMain: true, pieces: met }], 2000, [], header));
      };
      const three = (): Trace[] => [run(), run(), run()];
      const found = told(compareRuns(three(), three())).filter((one) => one.startsWith('new'));
      assert.deepEqual(found, [], `seed ${seed}`);
    }
  });

  it('take a call that a sample or two met for chance, and a wait of that length for new', () => {
    const runs = (...more: Piece[]): Trace[] =>
      Array.from({ length: 6 }, () => {
        const pieces = [{ in: 'Shop.main > Shop.load', ms: 200 }, ...more];
        // A sample stands for 10 ms.
        const header = { config: { syncIntervalNs: 10e6 } };
        return decoded(workedBytes([{ name: 'main', isMain: true, pieces }], 300, [], header));
      });
    const tidy = 'Shop.main > Shop.tidy';
    const isNew = (after: Trace[]): string[] =>
      told(compareRuns(runs(), after)).filter((one) => one.startsWith('new'));
    assert.deepEqual(isNew(runs({ in: tidy, ms: 10 })), []);
    const wait = runs({ in: tidy, ms: 10, wait: SampleKind.Sleep });
    assert.deepEqual(isNew(wait), ['new main Shop.tidy']);
  });

  it('take one sample more in each of three runs for chance, and in each of ten for work', () => {
    const header = { config: { syncIntervalNs: 10e6 } };
    const runs = (count: number, ms: number): Trace[] =>
      Array.from({ length: count }, () => {
        const pieces = [{ in: 'Shop.main > Shop.load', ms }];
        return decoded(workedBytes([{ name: 'main', isMain: true, pieces }], 300, [], header));
      });
    const { problems, undecided } = compareRuns(runs(3, 20), runs(3, 30));
    assert.deepEqual([problems, undecided], [[], []]);
    assert.deepEqual(told(compareRuns(runs(10, 20), runs(10, 30))), ['wall main Shop.load']);
  });

  it('do not take a thread for a new call that a sample happened to meet', () => {
    const runs = (...names: string[]): Trace[] =>
      [1, 2, 3].map((at) => {
        const others = names.map((name) => ({ name, pieces: [{ in: name, ms: 70 + at }] }));
        return workedTrace(
          [{ name: 'main', isMain: true, pieces: [{ in: 'Shop.main', ms: 90 }] }, ...others],
          300,
        );
      });
    assert.deepEqual(told(compareRuns(runs(), runs('[native thread]'))), []);
    assert.deepEqual(told(compareRuns(runs(), runs('Work.run'))), ['new other Work.run']);
  });

  it('match what a runtime numbers anew, and count several of one stem together', () => {
    const some = (names: readonly string[], ms: number): Trace[] =>
      Array.from({ length: 6 }, (_, at) =>
        traceOf([
          { name: 'shop.Main.start', at: 0, lasts: 200 },
          ...names.map((name, nth) => ({ name, at: 1 + nth * 90, lasts: ms + at / 100 })),
        ]),
      );
    const base = some(['shop.A$$Lambda$25.run', 'shop.A$$TypeSwitch/0x00007f01ac3d5c00.of'], 30);
    const equal = some(['shop.A$$Lambda$31.run', 'shop.A$$TypeSwitch/0x00007f7bd02a1258.of'], 30);
    assert.deepEqual(told(compareRuns(base, equal)), []);
    const { problems } = compareRuns(base, some(['shop.A$$Lambda$4.run', 'shop.A$$Lambda$5.run'], 30));
    const [lambda] = problems.filter(({ chain }) => chain.at(-1) !== 'shop.Main.start');
    assert.deepEqual([lambda!.kind, lambda!.chain.at(-1)], ['wall', 'shop.A$$Lambda.run']);
    assert.ok(Math.abs(lambda!.after - 60e6) < 1e6 && Math.abs(lambda!.before - 30e6) < 1e6);
  });

  it('match a method that was renamed, by its caller, its name and what it calls', () => {
    const { 'shop.Cart.open': cart, ...others } = usual;
    const { renames, problems } = sets(3, { ...others, 'shop.Cart.openNow': cart! + 20 });
    assert.ok(
      renames.some(({ before, after }) => before === 'shop.Cart.open' && after === 'shop.Cart.openNow'),
      JSON.stringify(renames),
    );
    const found = problems.filter(({ kind }) => kind === 'wall').map(({ chain }) => chain.at(-1));
    assert.ok(
      found.some((name) => /Cart\.openNow/.test(name ?? '')),
      found.join(),
    );
    assert.ok(problems.every(({ kind }) => kind !== 'new'));
  });

  it('have the chance that a table of the t-distribution gives', () => {
    // 10 and 10 values, pooled: t = 2.101 at 18 degrees of freedom is 0.025 on one side.
    const values = [-1.5, -1.2, -0.9, -0.4, -0.1, 0.1, 0.4, 0.9, 1.2, 1.5];
    const variance = values.reduce((sum, value) => sum + value * value, 0) / 9;
    const more = 2.101 * Math.sqrt((2 * variance) / 10);
    const chance = chanceOfMore(
      values,
      values.map((value) => value + more),
    );
    assert.ok(Math.abs(chance - 0.025) < 0.0002, String(chance));
    assert.equal(chanceOfMore(values, values), 1);
    assert.equal(chanceOfMore([1, 1], [2, 2]), 0);
    assert.equal(chanceOfMore([1], [2]), 1);
  });
});
