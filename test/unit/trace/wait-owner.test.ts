/** One thread held up others longest in one wait, another one for most of the time. */
import assert from 'node:assert/strict';
import { measure } from '../../../src/cli/report/measure.js';
import { findingsIn, findingText } from '../../../src/trace/findings/registry.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { mainLocks } from '../../../src/trace/measure/main-locks.js';
import { methodWaits } from '../../../src/trace/measure/method-waits.js';
import { overviewOf } from '../../../src/trace/measure/overview.js';
import { type Scope, wholeTrace } from '../../../src/trace/measure/scope.js';
import { Owners } from '../../../src/trace/measure/wait-owner.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { workedTrace } from './worked-recording.js';

describe('the owner that is told of several waits', () => {
  const [settler, auditor] = [2, 3];
  const waitFor = (owner: number, ms: number) => ({ in: 'Shop.total', ms, wait: SampleKind.Monitor, owner });
  const lengthMs = 200;
  const trace = workedTrace(
    [
      {
        name: 'main',
        isMain: true,
        pieces: [waitFor(settler, 40), waitFor(auditor, 80), waitFor(settler, 30), waitFor(settler, 50)],
      },
      {
        name: 'settler',
        pieces: [
          { in: 'Shop.count', ms: 150 },
          { in: 'Shop.settle', ms: 50 },
        ],
      },
      { name: 'auditor', pieces: [{ in: 'Shop.audit', ms: lengthMs }] },
    ],
    lengthMs,
  );
  const [main] = trace.threads;

  it('is the one of most of the time, in the finding, the overview and of a method', () => {
    const found = findingsIn(trace).find(({ id }) => id === 'lockContention');
    assert.match(findingText(found!.explanation), /^Threads waited 4 times, .* the longest 80\.0 ms\./);
    assert.match(findingText(found!.explanation), /the owner, "settler", ran Shop\.settle\.$/);
    const isMyCode = new Uint8Array(trace.methods.count).fill(1);
    const options = { isMyCode, mostRows: 5, points: 40 };
    const { waits } = overviewOf(trace, wholeTrace, sumScope(trace, wholeTrace, 'times'), options);
    assert.deepEqual(
      waits.map(({ owner }) => owner),
      [settler],
    );
    const method = trace.paths.method[main!.waits.path[0]!]!;
    assert.equal(methodWaits(trace, wholeTrace, method)[0]!.owner, settler);
  });

  it('comes with the longest wait for it as evidence', () => {
    const found = findingsIn(trace).find(({ id }) => id === 'lockContention');
    const [wait, held] = found!.evidence;
    assert.equal(wait!.thread, main!.index);
    assert.deepEqual([held!.thread, held!.beginNs, held!.endNs], [settler, wait!.beginNs, wait!.endNs]);
    assert.equal(Math.round((wait!.endNs! - wait!.beginNs!) / 1e6), 50);
  });
});

describe('threads that wait in a row for one lock', () => {
  const [main, next, last, holder] = [1, 2, 3, 4];
  const lengthMs = 200;
  const pieces = (waitMs: number, owner: number) => [
    { in: 'Shop.total', ms: waitMs, wait: SampleKind.Monitor, owner },
    { in: 'Shop.pay', ms: lengthMs - waitMs },
  ];
  const trace = workedTrace(
    [
      { name: 'main', isMain: true, pieces: pieces(100, next) },
      { name: 'next', pieces: pieces(90, last) },
      { name: 'last', pieces: pieces(80, holder) },
      { name: 'holder', pieces: [{ in: 'Shop.settle', ms: lengthMs }] },
    ],
    lengthMs,
  );
  for (const { waits } of trace.threads) waits.object.fill(7);
  const parts = (): number[][] => {
    const found: number[][] = [];
    new Owners(trace).eachOf(trace.threads[0]!.waits, 0, (owner, fromNs, toNs) =>
      found.push([owner, Math.round((toNs - fromNs) / 1e6)]),
    );
    return found;
  };

  it('held it for the part after their own wait alone', () => {
    assert.deepEqual(parts(), [
      [next, 10],
      [last, 10],
      [holder, 80],
    ]);
    const found = findingsIn(trace).find(({ id }) => id === 'lockContention');
    assert.match(findingText(found!.explanation), /the owner, "holder", ran Shop\.settle\.$/);
    const request = { top: 5, sort: undefined, fromNs: undefined, toNs: undefined, perThread: false };
    const { waits } = measure(trace, [main], request);
    assert.deepEqual(
      waits.map(({ by }) => by),
      ['holder'],
    );
  });

  it('held up the main thread for that part alone, in a range, too', () => {
    const locks = (scope: Scope): [number, number, string][] =>
      mainLocks(trace, scope).map(({ owner, totalNs, ownerMethod }) => [
        owner,
        Math.round(totalNs / 1e6),
        trace.methods.qualifiedName(ownerMethod),
      ]);
    assert.deepEqual(locks(wholeTrace), [
      [holder, 80, 'Shop.settle'],
      [next, 10, 'Shop.pay'],
      [last, 10, 'Shop.pay'],
    ]);
    const end = trace.threads[0]!.waits.end[0]!;
    assert.deepEqual(locks({ threads: [], beginNs: end - 15e6, endNs: end - 5e6 }), [
      [next, 5, 'Shop.pay'],
      [last, 5, 'Shop.pay'],
    ]);
  });

  it('may be asked of each other without an end, and are for two locks held for all of it', () => {
    trace.threads[last - 1]!.waits.owner[0] = main;
    assert.deepEqual(parts().slice(0, 2), [
      [next, 10],
      [last, 10],
    ]);
    for (const { index, waits } of trace.threads) waits.object.fill(index);
    assert.deepEqual(parts(), [[next, 100]]);
  });

  it('are told part by part, none twice, where ends of waits are not in order', () => {
    const { waits } = trace.threads[0]!;
    const [from, to] = [waits.begin[0]!, waits.end[0]!];
    for (const { waits: own } of trace.threads) own.object.fill(7);
    trace.threads[last - 1]!.waits.owner[0] = holder;
    // A wait for another lock, within one that ends later.
    const nested = { ...trace.threads[next - 1]!.waits, count: 2 };
    nested.begin = Float64Array.of(from, from);
    nested.end = Float64Array.of(to + 50e6, to - 10e6);
    nested.object = Float64Array.of(7, 8);
    nested.kind = Uint8Array.of(SampleKind.Monitor, SampleKind.Monitor);
    nested.owner = Uint32Array.of(last, last);
    nested.link = Int32Array.of(-1, -1);
    const threads = trace.threads.map((one) => (one.index === next ? { ...one, waits: nested } : one));
    let at = to;
    new Owners({ ...trace, threads }).eachOf(waits, 0, (_, fromNs, toNs) => {
      assert.equal(toNs, at);
      assert.ok(fromNs < toNs);
      at = fromNs;
    });
    assert.equal(at, from);
  });
});
