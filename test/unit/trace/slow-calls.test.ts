/** Slow calls and locks of the main thread, as `btrace report --slow --locks` tells them. */
import assert from 'node:assert/strict';
import { RecordingDecoder, TraceReader, wholeTrace, type Trace } from '../../../src/trace/index.js';
import { mainLocks } from '../../../src/trace/measure/main-locks.js';
import { slowCalls, slowMainCalls } from '../../../src/trace/measure/slow-calls.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { lockedRecording, second } from './locked-recording.js';
import { workedTrace } from './worked-recording.js';

const call = (name: string, ts: number, ms: number): object => ({
  ...{ ph: 'X', pid: 1, tid: 1, name },
  ...{ ts: ts * 1e3, dur: ms * 1e3 },
});

function traceOf(traceEvents: readonly object[]): Trace {
  const reader = new TraceReader();
  reader.append(Buffer.from(JSON.stringify({ traceEvents })));
  reader.finish();
  return reader.trace();
}

describe('slow calls', () => {
  const trace = traceOf([
    ...[call('run', 0, 100), call('load', 2, 96), call('parse', 3, 40), call('parse', 50, 30)],
    call('log', 90, 5),
  ]);
  const told = (leastMs: number, scope = wholeTrace): string[] =>
    slowCalls(trace, scope, leastMs * 1e6).map(
      ({ method, count, longestNs, totalNs }) =>
        `${trace.methods.name(method)} ${count} ${longestNs / 1e6} ${totalNs / 1e6}`,
    );

  it('are those that no callee explains, by method', () => {
    assert.deepEqual(told(20), ['load 1 96 96', 'parse 2 40 70']);
    assert.deepEqual(told(35), ['load 1 96 96', 'parse 1 40 40']);
    assert.deepEqual(told(200), []);
  });

  it('are as long as they are in the range', () => {
    const scope = { threads: [], beginNs: trace.beginNs + 40e6, endNs: trace.beginNs + 95e6 };
    assert.deepEqual(told(20, scope), ['load 1 55 55', 'parse 1 30 30']);
  });
});

describe('slow calls of the main thread', () => {
  const worked = (isMain: boolean): Trace => {
    const pieces = [
      { in: 'Loop.run > Shop.open', ms: 40 },
      { in: 'Loop.run > Shop.draw', ms: 10 },
      { in: 'Loop.run > Loop.next', ms: 60, wait: SampleKind.Poll },
      { in: 'Loop.run > Shop.book', ms: 30, wait: SampleKind.Monitor, owner: 2 },
    ];
    const threads = [
      { name: 'main', isMain, pieces },
      { name: 'settler', pieces: [{ in: 'Till.settle', ms: 140 }] },
    ];
    return workedTrace(threads, 140);
  };
  const told = (trace: Trace, most = Infinity): string[] =>
    slowMainCalls(trace, wholeTrace, most).map(
      ({ method, longestNs }) => `${trace.methods.name(method)} ${longestNs / 1e6}`,
    );

  it('are neither its loop nor its rest', () => {
    assert.deepEqual(told(worked(true)), ['open 40', 'book 30']);
    assert.deepEqual(told(worked(true), 1), ['open 40']);
    assert.deepEqual(told(worked(false)), []);
  });
});

describe('locks of the main thread', () => {
  function waiting(isMain: boolean): Trace {
    const decoder = new RecordingDecoder();
    decoder.append(
      lockedRecording([
        { owner: 2, flags: 0 },
        { owner: 0, flags: 0, beginNs: 9.99 * second },
      ]),
    );
    decoder.finish();
    const trace = decoder.trace();
    const threads = trace.threads.map((thread, at) => ({ ...thread, isMain: isMain && at === 0 }));
    return new Proxy(trace, {
      get: (of, key) => (key === 'threads' ? threads : (Reflect.get(of, key, of) as unknown)),
    });
  }

  it('are told by owner, with both places', () => {
    const trace = waiting(true);
    const [lock, ...others] = mainLocks(trace, wholeTrace);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [lock!.type, lock!.owner, lock!.count, lock!.totalNs, lock!.line],
      ['java.lang.Object', 2, 1, 9 * second, 12],
    );
    assert.equal(trace.methods.name(lock!.method), 'transfer');
    assert.equal(trace.methods.name(lock!.ownerMethod), 'transfer');
  });

  it('are none of other threads', () => {
    assert.deepEqual(mainLocks(waiting(false), wholeTrace), []);
  });
});
