/** The lag stack: at each level the callee that took longest, its calls summed, down to the planted method. */
import assert from 'node:assert/strict';
import { TraceReader, type Trace } from '../../../src/trace/index.js';
import { lagStack } from '../../../src/trace/measure/lag-stack.js';

interface Call {
  readonly name: string;
  readonly ms: number;
  readonly calls?: readonly Call[];
}

/** The calls one after the other, as a Chrome trace has them. */
function traceOf(calls: readonly Call[]): Trace {
  const traceEvents: object[] = [];
  const add = ({ name, ms, calls: inner = [] }: Call, from: number): void => {
    traceEvents.push({ ph: 'X', pid: 1, tid: 1, name, ts: from * 1e3, dur: ms * 1e3 });
    let at = from;
    for (const one of inner) {
      add(one, at);
      at += one.ms;
    }
  };
  let at = 0;
  for (const one of calls) {
    add(one, at);
    at += one.ms;
  }
  const reader = new TraceReader();
  reader.append(Buffer.from(JSON.stringify({ traceEvents })));
  reader.finish();
  return reader.trace();
}

function stackOf(trace: Trace, beginNs = trace.beginNs, endNs = trace.endNs): string[] {
  const [thread] = trace.threads;
  return lagStack(trace, thread!.index, beginNs, endNs, (endNs - beginNs) / 10).map(
    ({ method, ns }) => `${trace.methods.name(method)} ${ns / 1e6}`,
  );
}

describe('the lag stack', () => {
  it('ends in one deep cause, and where no callee is long', () => {
    const short = { name: 'log', ms: 4 };
    const load = { name: 'load', ms: 80, calls: [short, { name: 'parse', ms: 70, calls: [short] }] };
    const trace = traceOf([{ name: 'handle', ms: 100, calls: [{ name: 'draw', ms: 15 }, load] }]);
    assert.deepEqual(stackOf(trace), ['handle 100', 'load 80', 'parse 70']);
  });

  it('goes into the longer one of two siblings', () => {
    const calls = [
      { name: 'left', ms: 45, calls: [{ name: 'wrong', ms: 45 }] },
      { name: 'right', ms: 55, calls: [{ name: 'cause', ms: 50 }] },
    ];
    assert.deepEqual(stackOf(traceOf([{ name: 'handle', ms: 100, calls }])), [
      'handle 100',
      'right 55',
      'cause 50',
    ]);
  });

  it('sums many short calls of one method', () => {
    const bind = { name: 'bind', ms: 3, calls: [{ name: 'inflate', ms: 2 }] };
    const one = { name: 'once', ms: 40 };
    const calls = [...Array.from({ length: 20 }, () => bind), one];
    assert.deepEqual(stackOf(traceOf([{ name: 'handle', ms: 100, calls }])), [
      'handle 100',
      'bind 60',
      'inflate 40',
    ]);
  });

  it('looks at the range alone', () => {
    const trace = traceOf([
      { name: 'before', ms: 100 },
      { name: 'after', ms: 20 },
    ]);
    assert.deepEqual(stackOf(trace, trace.beginNs + 90e6, trace.endNs), ['after 20']);
    assert.deepEqual(stackOf(trace, trace.beginNs + 50e6, trace.endNs), ['before 50']);
  });
});
