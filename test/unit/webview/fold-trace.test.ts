/** Only my code: what stays keeps all time that passed below it. */
import assert from 'node:assert/strict';
import { methodFigures, sumScope, wholeTrace } from '../../../src/trace/index.js';
import type { Trace } from '../../../src/trace/index.js';
import { isOwnClass } from '../../../src/webview/own-code.js';
import { foldTrace } from '../../../src/webview/worker/fold-trace.js';
import { callsOf, generateTrace } from '../../page/generated-trace.js';

const trace = generateTrace({ samples: 600, threads: 2, depth: 14, methods: 60, seed: 11 });
const keeps = Uint8Array.from({ length: 60 }, (_, method) => (method % 3 === 0 ? 0 : 1));

function totals(of: Trace): Map<number, number> {
  const figures = methodFigures(sumScope(of, wholeTrace), of.methods.count);
  return new Map([...figures.method].map((method, row) => [method, figures.total.wall[row]!]));
}

describe('a folded trace', () => {
  const folded = foldTrace(trace, keeps);

  it('has only methods that stay, each with the total it had', () => {
    const before = totals(trace);
    const after = totals(folded);
    for (const [method, total] of before) {
      if (keeps[method] === 1) assert.ok(Math.abs((after.get(method) ?? 0) - total) < 1, `method ${method}`);
      else assert.equal(after.has(method), false);
    }
  });

  it('loses no time', () => {
    const sum = (of: Trace): number => sumScope(of, wholeTrace).sum.wall;
    assert.equal(sum(folded), sum(trace));
  });

  it('has the calls that its own intervals tell of', () => {
    folded.threads.forEach((thread) => {
      const obvious = callsOf(thread.intervals, folded.paths);
      const { calls } = thread;
      assert.equal(calls.count, obvious.count);
      assert.deepEqual([...calls.begin], [...obvious.begin]);
      assert.deepEqual([...calls.end], [...obvious.end]);
      assert.deepEqual([...calls.depth], [...obvious.depth]);
      assert.deepEqual([...calls.method], [...obvious.method]);
      assert.deepEqual([...calls.parent], [...obvious.parent]);
      assert.equal(thread.calls, calls, 'made once');
    });
  });
});

describe('own code', () => {
  it('is what the packages of the workspace hold, and nothing that only begins alike', () => {
    assert.equal(isOwnClass('com.shop.Cart', ['com.shop']), true);
    assert.equal(isOwnClass('com.shop.Cart$Line', ['com.shop.Cart']), true);
    assert.equal(isOwnClass('com.shopping.Cart', ['com.shop']), false);
    assert.equal(isOwnClass('java.util.List', ['com.shop']), false);
  });

  it('is all but the platform while the workspace says nothing', () => {
    assert.equal(isOwnClass('org.acme.Main', []), true);
    assert.equal(isOwnClass('java.util.ArrayList', []), false);
    assert.equal(isOwnClass('kotlin.collections.CollectionsKt', []), false);
    assert.equal(isOwnClass('', []), false);
  });
});
