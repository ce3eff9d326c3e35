/** The worker's side of comparing: which threads, whose code, and what goes wrong. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { anyImporter } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { Baseline } from '../../../src/webview/worker/baseline.js';
import type { ComparedMethods } from '../../../src/webview/worker/messages.js';
import { TraceReader } from '../../../src/trace/trace-reader.js';
import { importWhole } from '../formats/round-trip.js';

interface Work {
  readonly thread: string;
  readonly method: string;
  readonly ms: number;
}

/** Exact events of named threads. */
function chrome(works: readonly Work[]): Uint8Array {
  const threads = [...new Set(works.map(({ thread }) => thread))];
  const events = works.map(({ thread, method, ms }, at) => ({
    name: method,
    ph: 'X',
    pid: 1,
    tid: threads.indexOf(thread) + 1,
    ts: at * 1e6,
    dur: ms * 1e3,
  }));
  const names = threads.map((name, at) => ({
    name: 'thread_name',
    ph: 'M',
    pid: 1,
    tid: at + 1,
    args: { name },
  }));
  return Buffer.from(JSON.stringify([...names, ...events]));
}

function given(bytes: Uint8Array): Baseline {
  const baseline = new Baseline((part) => new TraceReader(part));
  baseline.take({ type: 'baseline', part: {} });
  baseline.take({ type: 'baselineBytes', data: new Uint8Array(bytes).buffer });
  const told = baseline.take({ type: 'baselineEnd' });
  assert.equal(told?.type === 'baseline' && told.problem, '');
  return baseline;
}

function rows({ methods }: Trace, found: ComparedMethods): Record<string, [number, number]> {
  const entries = Array.from({ length: found.count }, (_, row): [string, [number, number]] => [
    found.names.get(row) ?? methods.qualifiedName(found.method[row]!),
    [found.before[row]! / 1e6, found.after[row]! / 1e6],
  ]);
  return Object.fromEntries(entries);
}

const before = chrome([
  { thread: 'pool', method: 'com.lib.Pool.take', ms: 70 },
  { thread: 'main', method: 'com.mine.Cart.add', ms: 30 },
  { thread: 'old', method: 'com.mine.Old.go', ms: 20 },
]);
const trace = importWhole(
  anyImporter(),
  chrome([
    { thread: 'main', method: 'com.mine.Cart.add', ms: 40 },
    { thread: 'pool', method: 'com.lib.Pool.take', ms: 60 },
  ]),
);
const query = { kind: 'compare', by: 'self', weight: 'wall', isScaled: false } as const;

describe('the recording that one is compared with', () => {
  it('is measured by the names of threads, whatever their numbers are', () => {
    const baseline = given(before);
    const main = trace.threads.find(({ name }) => name === 'main')!.index;
    const all = rows(trace, baseline.compare(trace, { ...query, threads: [] }, undefined));
    assert.deepEqual(all, {
      'com.mine.Cart.add': [30, 40],
      'com.lib.Pool.take': [70, 60],
      'com.mine.Old.go': [20, 0],
    });
    const one = rows(trace, baseline.compare(trace, { ...query, threads: [main] }, undefined));
    assert.deepEqual(one, { 'com.mine.Cart.add': [30, 40] });
    const other = given(chrome([{ thread: 'elsewhere', method: 'a.B.c', ms: 1 }]));
    assert.deepEqual(rows(trace, other.compare(trace, { ...query, threads: [main] }, undefined)), {
      'com.mine.Cart.add': [0, 40],
    });
  });

  it('shows the code that the page shows: only one’s own', () => {
    const found = given(before).compare(trace, { ...query, threads: [] }, ['com.mine']);
    assert.equal(rows(trace, found)['com.mine.Cart.add']?.join(), '30,40');
    // The time of hidden frames has gone to its caller: of an outermost call that is nobody.
    assert.deepEqual(rows(trace, found)['com.mine.Old.go'], [20, 0]);
  });

  it('says what is wrong with it, once, and then there is none', () => {
    const baseline = new Baseline((part) => new TraceReader(part));
    assert.throws(
      () => baseline.compare(trace, { ...query, threads: [] }, undefined),
      /nothing to compare with/,
    );
    baseline.take({ type: 'baseline', part: {} });
    const told = [
      baseline.take({ type: 'baselineBytes', data: new Uint8Array(Buffer.from('To whom it may\n')).buffer }),
      baseline.take({ type: 'baselineEnd' }),
    ].filter((one) => one !== undefined);
    assert.equal(told.length, 1);
    assert.match(told[0]!.type === 'baseline' ? told[0].problem : '', /text/);
    assert.throws(
      () => baseline.compare(trace, { ...query, threads: [] }, undefined),
      /nothing to compare with/,
    );
  });
});
