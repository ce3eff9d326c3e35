/** My code: what stays keeps all time that passed below it. */
import assert from 'node:assert/strict';
import { methodFigures, sumScope, wholeTrace } from '../../../src/trace/index.js';
import type { Trace } from '../../../src/trace/index.js';
import { isMyClass } from '../../../src/webview/my-code.js';
import { hideLibraryFrames } from '../../../src/webview/worker/hide-library-frames.js';
import { callsOf, generateTrace } from '../../page/generated-trace.js';

const trace = generateTrace({ samples: 600, threads: 2, depth: 14, methods: 60, seed: 11 });
const keeps = Uint8Array.from({ length: 60 }, (_, method) => (method % 3 === 0 ? 0 : 1));

function totals(of: Trace): Map<number, number> {
  const figures = methodFigures(sumScope(of, wholeTrace), of.methods.count);
  return new Map([...figures.method].map((method, row) => [method, figures.total.wall[row]!]));
}

describe('a trace with library frames hidden', () => {
  const hidden = hideLibraryFrames(trace, keeps);

  it('has only methods that stay, each with the total it had', () => {
    const before = totals(trace);
    const after = totals(hidden);
    for (const [method, total] of before) {
      if (keeps[method] === 1) assert.ok(Math.abs((after.get(method) ?? 0) - total) < 1, `method ${method}`);
      else assert.equal(after.has(method), false);
    }
  });

  it('loses no time', () => {
    const sum = (of: Trace): number => sumScope(of, wholeTrace).sum.wall;
    assert.equal(sum(hidden), sum(trace));
  });

  it('has the calls that its own intervals tell of', () => {
    hidden.threads.forEach((thread) => {
      const obvious = callsOf(thread.intervals, hidden.paths);
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

describe('my code', () => {
  it('is what the packages of the workspace hold, and nothing that only begins alike', () => {
    assert.equal(isMyClass('com.shop.Cart', ['com.shop']), true);
    assert.equal(isMyClass('com.shop.Cart$Line', ['com.shop.Cart']), true);
    assert.equal(isMyClass('com.shopping.Cart', ['com.shop']), false);
    assert.equal(isMyClass('java.util.List', ['com.shop']), false);
  });

  it('is all but the platform while the workspace says nothing', () => {
    assert.equal(isMyClass('org.acme.Main', []), true);
    assert.equal(isMyClass('java.util.ArrayList', []), false);
    assert.equal(isMyClass('kotlin.collections.CollectionsKt', []), false);
    assert.equal(isMyClass('', []), false);
  });
});
