/** Comparing two traces: matched by name, added up as ever, and chance told from change. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { compareTraces, type Comparison, lengthRatio } from '../../../src/trace/compare/comparison.js';
import { differenceTree, isClear, methodDifferences } from '../../../src/trace/compare/differences.js';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { samplingVariance } from '../../../src/trace/measure/sampling-variance.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import type { Methods, Trace } from '../../../src/trace/model/trace.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { scale } from '../../rigs/scale.js';
import { importWhole } from '../formats/round-trip.js';
import { randomRecording } from './random-recording.js';
import { decoded, synthetic } from './recordings.js';

const compared = (before: Trace, after: Trace, scale = 1): Comparison =>
  compareTraces({ trace: before, scope: wholeTrace }, { trace: after, scope: wholeTrace }, scale);

/** Of collapsed stacks a sample is one. */
const ms = 1e6;

const collapsed = (text: string): Trace => importWhole(anyImporter(), Buffer.from(text));

function close(actual: number, expected: number, what: string): void {
  const tolerance = 1e-9 * Math.max(Math.abs(expected), 1);
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} instead of ${expected}`);
}

/** Figures of one trace by name: what the comparison must have on its side. */
function byName(trace: Trace, by: 'self' | 'total', weight: 'wall' | 'cpu' | 'allocatedBytes') {
  const figures = methodFigures(sumScope(trace, wholeTrace), trace.methods.count);
  const values = new Map<string, number>();
  for (let row = 0; row < figures.count; row++) {
    const name = trace.methods.qualifiedName(figures.method[row]!);
    values.set(name, (values.get(name) ?? 0) + figures[by][weight][row]!);
  }
  return values;
}

function namesOf({ methods }: Comparison): string[] {
  return Array.from({ length: methods.count }, (_, at) => {
    const [of, method] = methods.of(at);
    return of.qualifiedName(method);
  });
}

/** Of a trace's methods, with other signatures or class names. */
function renamed(trace: Trace, change: Partial<Methods>): Trace {
  const methods = new Proxy(trace.methods, {
    get: (of, key): unknown => {
      const value: unknown = change[key as keyof Methods] ?? Reflect.get(of, key, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
  return { ...trace, methods };
}

describe('comparing two traces', () => {
  it('has the figures of both, by name, on pairs of random recordings', () => {
    for (let seed = 1; seed <= 10 * scale; seed++) {
      const [before, after] = [
        decoded(randomRecording(seed).bytes),
        decoded(randomRecording(seed + 7000).bytes),
      ];
      const comparison = compared(before, after);
      const names = namesOf(comparison);
      assert.equal(new Set(names).size, names.length, `seed ${seed}: each method once`);
      for (const weight of ['wall', 'cpu', 'allocatedBytes'] as const) {
        for (const by of ['self', 'total'] as const) {
          const found = methodDifferences(comparison, by, weight);
          for (const [side, trace] of [
            ['before', before],
            ['after', after],
          ] as const) {
            const expected = byName(trace, by, weight);
            for (const [at, name] of names.entries())
              close(
                found[side][at]!,
                expected.get(name) ?? 0,
                `seed ${seed}, ${side} ${by} ${weight} of ${name}`,
              );
          }
        }
        for (const [side, trace] of [
          ['before', before],
          ['after', after],
        ] as const)
          close(
            comparison[side].sums.sum[weight],
            sumScope(trace, wholeTrace).sum[weight],
            `seed ${seed}, sum`,
          );
      }
    }
  });

  it('finds no difference between a trace and itself, by whatever numbers it goes', async () => {
    const { bytes } = await synthetic({ samples: 5_000, methods: 40, threads: 3, depth: 8 });
    const trace = decoded(bytes);
    const { before, after, noise } = methodDifferences(compared(trace, trace), 'total', 'wall');
    assert.deepEqual(after, before);
    assert.ok(noise.some((one) => one > 0));
    const [one, other] = [collapsed('main;a;b 5\nmain;c 7\n'), collapsed('main;c 7\nmain;a;b 5\n')];
    const found = methodDifferences(compared(one, other), 'self', 'wall');
    assert.deepEqual(found.after, found.before);
    assert.deepEqual([...found.after].sort(), [0, 0, 5 * ms, 7 * ms]);
  });

  it('matches a method whose signature has changed, and keeps overloads apart', () => {
    const text = 'com.a.A.main;com.a.A.pay;com.a.A.pay2 5\n';
    const before = renamed(collapsed(text), { signature: () => '(I)V' });
    const after = renamed(collapsed(text), { signature: () => '(J)V' });
    assert.equal(compared(before, after).methods.count, 3);
    const overloads = (one: string, other: string): Trace =>
      renamed(collapsed(text), {
        name(method) {
          return this.name!(method).replace('2', '');
        },
        signature: (method) => (method === 2 ? other : one),
      });
    const same = compared(overloads('(I)V', '(J)V'), overloads('(I)V', '(J)V'));
    assert.equal(same.methods.count, 3);
    // One overload has come: which of them is the old one with another signature nobody knows.
    const other = compared(overloads('(I)V', '(J)V'), overloads('(F)V', '(D)V'));
    const ofPay = Array.from({ length: other.methods.count }, (_, at) => at).filter(
      (at) => other.methods.isIn('before', at) !== other.methods.isIn('after', at),
    );
    assert.equal(ofPay.length, 4);
  });

  it('matches classes that the runtime numbers anew in each run', () => {
    const run = (lambda: number, proxy: number): Trace =>
      collapsed(`com.a.A.main;com.a.A$$Lambda$${lambda}.run;com.sun.proxy.$Proxy${proxy}.call 5\n`);
    assert.equal(compared(run(14, 3), run(27, 4)).methods.count, 3);
    // As JDK 17, 21 and profilers of them have hidden classes.
    for (const [one, other] of [
      ['A$$Lambda$14/0x00007f01ac3d5c00.run', 'A$$Lambda$9/0x00007f7bd02a1258.run'],
      ['A$$Lambda.0x00007f01ac3d5c00.run', 'A$$Lambda.0x00007f7bd02a1258.run'],
      ['LambdaForm$MH/0x0000000800c03000.invoke', 'LambdaForm$MH/0x0000000800c0a400.invoke'],
      ['jdk.proxy2.$Proxy7.call', 'jdk.proxy3.$Proxy12.call'],
      ['GeneratedMethodAccessor4.invoke', 'GeneratedMethodAccessor11.invoke'],
      ['A$$TypeSwitch/0x00007f01ac3d5c00.typeSwitch', 'A$$TypeSwitch/0x00007f7bd02a1258.typeSwitch'],
      ['A$$InjectedInvoker.0x00007f01ac3d5c00.of', 'A$$InjectedInvoker.0x00007f7bd02a1258.of'],
      ['A$HibernateProxy$kA6dG4Pq.get', 'A$HibernateProxy$Zz81hLmn.get'],
      ['A$MockitoMock$162517.get', 'A$MockitoMock$88123.get'],
      ['price.part.0', 'price.part.1'],
      ['price.constprop.1.isra.0', 'price'],
      ['price.llvm.8123981', 'price.llvm.77'],
      ['shop::price(int) [clone .constprop.0] [clone .cold]', 'shop::price(int) [clone .part.3]'],
    ] as const)
      assert.equal(
        compared(collapsed(`main;${one} 5\n`), collapsed(`main;${other} 5\n`)).methods.count,
        2,
        one,
      );
    for (const [one, other] of [
      ['A$1.run', 'A$2.run'],
      ['PriceAccessor1.get', 'PriceAccessor2.get'],
      ['A$Proxy.call', 'A$Proxy2.call'],
      ['A.part', 'A.llvm'],
      ['libshop.so/0x1234', 'libshop.so/0x5678'],
    ] as const)
      assert.equal(
        compared(collapsed(`main;${one} 5\n`), collapsed(`main;${other} 5\n`)).methods.count,
        3,
        one,
      );
  });

  it('takes the trace before as if it were as long as the one after', () => {
    const [before, after] = [collapsed('main;a 10\n'), collapsed('main;a 20\nmain;b 20\n')];
    const ratio = lengthRatio({ trace: before, scope: wholeTrace }, { trace: after, scope: wholeTrace });
    assert.equal(ratio, 4);
    const found = methodDifferences(compared(before, after, ratio), 'self', 'wall');
    assert.deepEqual([Math.max(...found.before), Math.max(...found.after)], [40 * ms, 20 * ms]);
  });

  it('tells where in the call tree it comes from, also where two calls outweigh each other', () => {
    const before = collapsed('main;loop;pay;tax 100\nmain;loop;draw 100\nmain;loop;same 50\n');
    const after = collapsed('main;loop;pay;tax 160\nmain;loop;draw 40\nmain;loop;same 51\n');
    const comparison = compared(before, after);
    const names = namesOf(comparison);
    const told = differenceTree(comparison, 'wall', 10 * ms, 10).map(
      ({ depth, chain, before: was, after: is }) => [
        depth,
        chain.map((at) => names[at]).join('>'),
        (is - was) / ms,
      ],
    );
    assert.deepEqual(told, [
      [0, 'main>loop', 1],
      [1, 'pay>tax', 60],
      [1, 'draw', -60],
    ]);
    assert.equal(differenceTree(comparison, 'wall', 10 * ms, 2).length, 2);
    assert.deepEqual(differenceTree(compared(before, before), 'wall', 10 * ms, 10), []);
  });

  it('knows how far samples may be off: the truth lies within the noise for 9 of 10 methods and more', async () => {
    for (const stretch of [0.5, 3, 20]) {
      const { bytes, truth } = await synthetic({
        seed: 11,
        samples: 40_000,
        threads: 4,
        depth: 12,
        methods: 300,
        waiting: 0,
        stretch,
      });
      const trace = decoded(bytes);
      const seen = byName(trace, 'self', 'cpu');
      const variance = samplingVariance(trace, wholeTrace);
      const spread = new Map<string, number>();
      for (let path = 1; path < trace.paths.count; path++) {
        const name = trace.methods.qualifiedName(trace.paths.method[path]!);
        spread.set(name, (spread.get(name) ?? 0) + variance.self.cpu[path]!);
      }
      let within = 0;
      let narrow = 0;
      truth.names.forEach((name, at) => {
        const off = Math.abs((seen.get(name) ?? 0) - truth.selfCpu[at]!);
        const noise = 2 * Math.sqrt(spread.get(name) ?? 0);
        if (off <= noise) within++;
        if (noise < 0.5 * (seen.get(name) ?? 0)) narrow++;
      });
      const of = truth.names.length;

      assert.ok(within >= 0.9 * of, `stretch ${stretch}: ${within} of ${of}`);
      // Noise that is larger than any figure would hold that, too.
      assert.ok(narrow >= 0.5 * of, `stretch ${stretch}: only ${narrow} of ${of} are told from nothing`);
    }
  });

  it('knows that exact events have no noise, and that counts of samples have', () => {
    const events = (milliseconds: number): Trace =>
      importWhole(
        anyImporter(),
        Buffer.from(
          JSON.stringify([{ name: 'a', ph: 'X', pid: 1, tid: 1, ts: 0, dur: 1000 * milliseconds }]),
        ),
      );
    const exact = methodDifferences(compared(events(10), events(11)), 'self', 'wall');
    assert.deepEqual([...exact.noise], [0]);
    assert.ok(isClear(exact.after[0]! - exact.before[0]!, exact.noise[0]!));
    const counts = methodDifferences(
      compared(collapsed('main;a 100\n'), collapsed('main;a 125\n')),
      'self',
      'wall',
    );
    // Two standard deviations of a difference of 100 and 125 samples: 30.
    const noise = Math.max(...counts.noise);
    close(noise / ms, 30, 'noise');
    assert.ok(!isClear(25 * ms, noise) && isClear(-31 * ms, noise));
    assert.ok(!isClear(0, 0));
  });
});
