/** What all calls of a method waited for: which kinds, for how long, and who had it. */
import assert from 'node:assert/strict';
import { methodWaits } from '../../../src/trace/measure/method-waits.js';
import { wholeTrace, type Scope } from '../../../src/trace/measure/scope.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { workedTrace } from './worked-recording.js';

const { Monitor, Sleep } = SampleKind;

const trace = workedTrace(
  [
    {
      name: 'main',
      pieces: [
        { in: 'Shop.run > Shop.lock', ms: 40, wait: Monitor, owner: 2 },
        { in: 'Shop.run > Shop.work', ms: 10 },
        { in: 'Shop.run > Shop.pause', ms: 20, wait: Sleep },
        { in: 'Shop.run > Shop.lock', ms: 6, wait: Monitor, owner: 3 },
      ],
    },
    { name: 'pool-1', pieces: [{ in: 'Pool.serve > Shop.lock', ms: 50, wait: Monitor, owner: 3 }] },
    { name: 'pool-2', pieces: [{ in: 'Pool.serve > Pool.rest', ms: 9, wait: Sleep }] },
  ],
  200,
);

const methodOf = (name: string): number => {
  for (let method = 0; method < trace.methods.count; method++)
    if (trace.methods.name(method) === name) return method;
  throw new Error(name);
};

function waited(name: string, scope: Partial<Scope> = {}): unknown[] {
  return methodWaits(trace, { ...wholeTrace, ...scope }, methodOf(name)).map((wait) => [
    wait.kind,
    wait.isRest,
    wait.count,
    wait.totalNs / 1e6,
    wait.owner,
    wait.owners,
    wait.thread,
  ]);
}

describe('the waits of a method', () => {
  it('are those of all its calls, whoever called it, with who had it for most of the time', () => {
    assert.deepEqual(waited('lock'), [[Monitor, false, 3, 96, 3, 2, 2]]);
  });

  it('are those of what it called, too, the longest first', () => {
    assert.deepEqual(waited('run'), [
      [Monitor, false, 2, 46, 2, 2, 1],
      [Sleep, true, 1, 20, 0, 0, 1],
    ]);
    assert.deepEqual(waited('work'), []);
  });

  it('are those of the threads and the range that are asked for, waits on its edges in part', () => {
    const { begin } = trace.threads[0]!.waits;
    assert.deepEqual(waited('lock', { threads: [1], endNs: begin[0]! + 15e6 }), [
      [Monitor, false, 1, 15, 2, 1, 1],
    ]);
  });
});
