import assert from 'node:assert/strict';
import { weights } from '../../../src/trace/measure/weights.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { FigureDesk } from '../../../src/webview/worker/figure-desk.js';
import type { Answers } from '../../../src/webview/worker/messages.js';
import { decoded, synthetic } from '../trace/recordings.js';

/** The same, but nobody may ask what was counted. */
function uncounted(trace: Trace): Trace {
  const never = (): never => assert.fail('nobody looks at what was counted');
  const columns = ['allocations', 'allocatedBytes', 'faults', 'switches', 'samples'];
  const threads = trace.threads.map((thread) => {
    const intervals = Object.create(thread.intervals) as typeof thread.intervals;
    for (const column of columns) Object.defineProperty(intervals, column, { get: never });
    return Object.create(thread, { intervals: { value: intervals } }) as typeof thread;
  });
  return { ...trace, threads };
}

const scope = { threads: [], beginNs: -Infinity, endNs: Infinity };

describe('the desk of figures', () => {
  it('computes figures only when a view asks for them', async () => {
    const { bytes } = await synthetic({ samples: 20_000, threads: 3, methods: 200 });
    const trace = decoded(bytes);
    const all = new FigureDesk().answer(trace, { kind: 'methods', scope }) as Answers['methods'];
    for (const weight of weights) assert.ok(all.sum[weight] > 0, `${weight} was recorded`);
    const desk = new FigureDesk();
    const without = uncounted(trace);
    for (const weight of ['wall', 'cpu', 'wait'] as const) {
      const times = desk.answer(without, { kind: 'methods', scope, weight }) as Answers['methods'];
      assert.deepEqual(times.self[weight], all.self[weight]);
      assert.deepEqual(times.total[weight], all.total[weight]);
      assert.deepEqual(times.calls, all.calls);
      desk.answer(without, { kind: 'flame', scope, weight, least: 0, path: [] });
    }
    for (const weight of ['allocations', 'faults'] as const)
      assert.throws(() => desk.answer(without, { kind: 'methods', scope, weight }), /counted/);
    assert.throws(() => desk.answer(without, { kind: 'methods', scope }), /counted/);
  });
});
