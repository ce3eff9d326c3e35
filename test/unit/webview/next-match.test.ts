/** Next and previous over all calls, against a list of them in order. */
import assert from 'node:assert/strict';
import { nextMatch } from '../../../src/webview/search/next-match.js';
import type { CallKey } from '../../../src/webview/store.js';
import { chartColumns } from '../../../src/webview/worker/chart-columns.js';
import type { ThreadSnapshot } from '../../../src/webview/worker/messages.js';
import { generateTrace } from '../../page/generated-trace.js';

const trace = generateTrace({ samples: 240, threads: 3, depth: 9, methods: 40, seed: 2 });
const threads = trace.threads.map(
  (thread) =>
    ({
      index: thread.index,
      chart: chartColumns(thread.intervals, trace.paths),
    }) as unknown as ThreadSnapshot,
);
const matches = Uint8Array.from({ length: 40 }, (_, method) => (method % 7 === 3 ? 1 : 0));
const inOrder: CallKey[] = trace.threads.flatMap(({ index, calls }) =>
  [...calls.method.keys()]
    .filter((row) => matches[calls.method[row]!] === 1)
    .map((row): CallKey => ({
      kind: 'call',
      thread: index,
      depth: calls.depth[row]!,
      beginNs: calls.begin[row]!,
    })),
);

describe('the next match', () => {
  it('visits every found call, thread by thread, and starts over', () => {
    assert.ok(inOrder.length > 30);
    let at: CallKey | undefined;
    for (const wanted of [...inOrder, inOrder[0]]) {
      at = nextMatch(threads, matches, at, 1);
      assert.deepEqual(at, wanted);
    }
  });

  it('goes back the same way', () => {
    let at: CallKey | undefined = inOrder[0];
    for (const wanted of [...inOrder].reverse()) {
      at = nextMatch(threads, matches, at, -1);
      assert.deepEqual(at, wanted);
    }
  });

  it('is nothing when nothing was found', () => {
    assert.equal(nextMatch(threads, new Uint8Array(40), undefined, 1), undefined);
    assert.equal(nextMatch([], matches, undefined, 1), undefined);
  });
});
