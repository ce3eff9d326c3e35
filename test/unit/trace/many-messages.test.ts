/** A main thread with very many short loop messages: told if they leave no time, and not if they do or one is long. */
import assert from 'node:assert/strict';
import { TraceReader, type Trace } from '../../../src/trace/index.js';
import { findingsIn, findingText } from '../../../src/trace/findings/registry.js';

/** Main thread, one message after the other, each of `ms` and `everyMs` after the one before. */
function traceOf(count: number, ms: number, everyMs: number): Trace {
  const traceEvents = Array.from({ length: count }, (_, at) => ({
    ...{ ph: 'X', pid: 1, tid: 1, name: 'Feed.refresh' },
    ...{ ts: at * everyMs * 1e3, dur: ms * 1e3 },
  }));
  const reader = new TraceReader();
  reader.append(Buffer.from(JSON.stringify({ traceEvents })));
  reader.finish();
  const trace = reader.trace();
  const threads = trace.threads.map((thread) => {
    const { intervals, calls, waits, events } = thread;
    const message = Uint32Array.from({ length: intervals.count }, (_, at) => at + 1);
    return { ...thread, intervals, calls, waits, events, message, isMain: true };
  });
  return new Proxy(trace, {
    get: (of, key) => (key === 'threads' ? threads : (Reflect.get(of, key, of) as unknown)),
  });
}

const told = (trace: Trace): string[] =>
  findingsIn(trace)
    .filter(({ id }) => id === 'manyMessages')
    .map(({ title, explanation }) => `${findingText(title)}. ${findingText(explanation)}`);

describe('many small messages', () => {
  it('are told with their rate and their longest', () => {
    const [found, ...others] = told(traceOf(400, 2, 2.5));
    assert.deepEqual(others, []);
    assert.match(found!, /handles 40\d messages a second/);
    assert.match(found!, /400 messages took 800 ms, 80\.\d % of the time\. None was longer than 2\.00 ms\./);
  });

  it('are nothing where they leave time, are few, or one is long', () => {
    assert.deepEqual(told(traceOf(400, 1, 2.5)), []);
    assert.deepEqual(told(traceOf(80, 10, 12.5)), []);
    assert.deepEqual(told(traceOf(20, 45, 50)), []);
  });
});
