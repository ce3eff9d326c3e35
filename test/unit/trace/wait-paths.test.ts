/** How long paths waited, held up or at rest, and what the flame graph makes of that. */
import assert from 'node:assert/strict';
import { flame, FlameWait } from '../../../src/trace/measure/trees.js';
import type { Scope } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { waitPaths } from '../../../src/trace/measure/wait-paths.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { workedTrace } from './worked-recording.js';

const { Monitor, Park, Sleep } = SampleKind;

const trace = workedTrace(
  [
    {
      name: 'main',
      pieces: [
        { in: 'Shop.run > Shop.lock', ms: 40, wait: Monitor, owner: 2 },
        { in: 'Shop.run > Shop.work', ms: 10 },
        { in: 'Shop.run > Shop.pause', ms: 20, wait: Sleep },
        { in: 'Shop.run > Shop.take', ms: 6, wait: Park },
        { in: 'Shop.run > Shop.take', ms: 4, wait: Park, owner: 2 },
        { in: 'Shop.run > Shop.nothing', ms: 20, cpu: 0 },
      ],
    },
    { name: 'pool-1', pieces: [{ in: 'Pool.serve > Shop.lock', ms: 8, wait: Monitor, owner: 1 }] },
  ],
  200,
);

/** By the path's methods: ms held up and at rest, of paths that waited. */
function waited(of: Trace, scope: Partial<Scope> = {}): Record<string, readonly [number, number]> {
  const { held, rest } = waitPaths(of, { threads: [], beginNs: -Infinity, endNs: Infinity, ...scope });
  const { parent, method, count } = of.paths;
  const names = [''];
  const found: Record<string, readonly [number, number]> = {};
  for (let path = 1; path < count; path++) {
    const name = `${names[parent[path]!]}/${of.methods.name(method[path]!)}`;
    names.push(name);
    if (held[path]! + rest[path]! > 0) found[name] = [held[path]! / 1e6, rest[path]! / 1e6];
  }
  return found;
}

describe('the waits of paths', () => {
  it('are summed by whether they held the thread up, of all threads', () => {
    assert.deepEqual(waited(trace), {
      '/run/lock': [40, 0],
      '/run/pause': [0, 20],
      '/run/take': [4, 6],
      '/serve/lock': [8, 0],
    });
  });

  it('are those of the threads and the range that are asked for, waits on its edges in part', () => {
    const { begin, end } = trace.threads[0]!.waits;
    const scope = { threads: [1], beginNs: begin[0]! + 30e6, endNs: end[1]! - 15e6 };
    assert.deepEqual(waited(trace, scope), { '/run/lock': [10, 0], '/run/pause': [0, 5] });
  });

  it('are the kinds of the flame graph’s nodes: most of what most of a node is', () => {
    const scope = { threads: [1], beginNs: -Infinity, endNs: Infinity };
    const { count, method, wait } = flame(sumScope(trace, scope), 'wall', 0, [], waitPaths(trace, scope));
    const kinds = Array.from({ length: count - 1 }, (_, at) => [
      trace.methods.name(method[at + 1]!),
      wait[at + 1],
    ]);
    assert.deepEqual(Object.fromEntries(kinds), {
      run: FlameWait.None,
      lock: FlameWait.HeldUp,
      work: FlameWait.None,
      pause: FlameWait.Resting,
      take: FlameWait.Resting,
      nothing: FlameWait.Inferred,
    });
  });
});
