/** What the worker makes of a thread's intervals for the page, against the intervals themselves. */
import assert from 'node:assert/strict';
import fc from '../../rigs/properties.js';
import { waitTime, callFigures } from '../../../src/trace/index.js';
import type { Intervals } from '../../../src/trace/index.js';
import { activityColumns, missedFrameColumns } from '../../../src/webview/worker/thread-columns.js';
import type { ActivityColumns } from '../../../src/webview/worker/messages.js';
import { restOf, takeSnapshot } from '../../../src/webview/worker/snapshot.js';
import { generateTrace } from '../../page/generated-trace.js';
import { messageRecording } from '../trace/message-recording.js';
import { decoded } from '../trace/recordings.js';

function intervalsOf(rows: readonly { skip: number; length: number; cpu: number }[]): Intervals {
  let now = 100;
  const placed = rows.map(({ skip, length, cpu }) => {
    const begin = now + skip;
    now = begin + length;
    return { begin, end: now, cpu: cpu * length };
  });
  return {
    count: placed.length,
    begin: Float64Array.from(placed, (row) => row.begin),
    end: Float64Array.from(placed, (row) => row.end),
    cpu: Float64Array.from(placed, (row) => row.cpu),
  } as unknown as Intervals;
}

function usedAt({ time, cpu, count }: ActivityColumns, at: number): number {
  for (let point = 1; point < count; point++) {
    if (time[point]! < at) continue;
    const length = time[point]! - time[point - 1]!;
    const share = length > 0 ? (at - time[point - 1]!) / length : 1;
    return cpu[point - 1]! + (cpu[point]! - cpu[point - 1]!) * share;
  }
  return cpu[count - 1] ?? 0;
}

describe('a snapshot of many threads', () => {
  it('has columns without rows once, however many threads have none', () => {
    const options = { samples: 400, threads: 40, depth: 4, methods: 20, seed: 1 };
    const { threads } = takeSnapshot(generateTrace(options), { live: false });
    assert.ok(threads.every(({ markers }) => markers.count === 0));
    assert.equal(new Set(threads.map(({ markers }) => markers)).size, 1);
    assert.equal(new Set(threads.map(({ missedFrames }) => missedFrames)).size, 1);
    // What has rows is each thread's own.
    assert.equal(new Set(threads.map(({ activity }) => activity)).size, 40);
  });
});

describe('activity', () => {
  it('tells the CPU used up to the end of every interval, within what can be seen', () => {
    const row = fc.record({
      skip: fc.constantFrom(0, 0, 0, 50),
      length: fc.integer({ min: 1, max: 400 }),
      cpu: fc.constantFrom(0, 0.01, 0.5, 0.99, 1),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 50 }), (rows) => {
        const intervals = intervalsOf(rows);
        const activity = activityColumns(intervals);
        let used = 0;
        for (let at = 0; at < intervals.count; at++) {
          used += intervals.cpu[at]!;
          const length = intervals.end[at]! - intervals.begin[at]!;
          const off = Math.abs(usedAt(activity, intervals.end[at]!) - used);
          assert.ok(off <= 0.021 * length + 1e-6, `off by ${off} of ${length}`);
        }
        for (let point = 1; point < activity.count; point++) {
          assert.ok(activity.time[point]! >= activity.time[point - 1]!);
        }
      }),
    );
  });

  it('of a thread that works without pause is a line, not a point for each sample', () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => ({ skip: 0, length: 900 + (at % 200), cpu: 1 }));
    assert.equal(activityColumns(intervalsOf(rows)).count, 2);
  });
});

describe('the snapshot', () => {
  it('tells of each thread what it waited by the rule of the report', () => {
    const trace = generateTrace({ samples: 2000, threads: 3, methods: 50, depth: 10, seed: 7 });
    const { threads } = takeSnapshot(trace, { live: false });
    const waited = threads.reduce((sum, { waitNs }) => sum + waitNs, 0);
    assert.ok(waited > 0);
    assert.equal(waited, waitTime(trace));
  });

  it('of a large recording has what is in sight at first, and what it left out is the rest', () => {
    const trace = generateTrace({ samples: 30_000, threads: 4, methods: 3000, depth: 10, seed: 7 });
    const whole = takeSnapshot(trace, { live: false });
    assert.equal(whole.toCome, undefined);
    const first = takeSnapshot(trace, { live: false, rowsInSight: 5 });
    const shown = first.threads.filter(({ chart }) => chart.begin.length > 0);
    assert.deepEqual(
      shown.map(({ isMain, chart }) => [isMain, chart]),
      [[true, whole.threads[0]!.chart]],
    );
    const { names, threads } = restOf(trace, first.toCome!);
    assert.deepEqual(names, whole.names);
    const told = first.names.names.flatMap((name, method) => [[method, name] as const]);
    assert.ok(told.length > 0 && told.length < 2000, `${told.length} names`);
    for (const [method, name] of told) assert.equal(name, whole.names.names[method]);
    assert.deepEqual(
      [...threads],
      whole.threads.slice(1).map(({ index, chart, spans, activity }) => [index, { chart, spans, activity }]),
    );
    for (const { spans, activity } of first.threads.slice(1)) assert.equal(spans.count + activity.count, 0);
    // There is room for their calls, and how many there are.
    for (const [at, { chart }] of first.threads.entries()) {
      assert.equal(chart.count, whole.threads[at]!.chart.count);
      assert.equal(chart.depthStart.length, whole.threads[at]!.chart.depthStart.length);
    }
  });
});

describe('missed frames', () => {
  it('are the messages that took longer than a frame', () => {
    const trace = decoded(
      messageRecording([
        { does: 0, workMs: 5, idleMs: 11 },
        { does: 1, workMs: 20, idleMs: 30 },
        { does: 0, workMs: 4, lockMs: 15, idleMs: 5 },
      ]),
    );
    const [main, other] = trace.threads.map((thread) => missedFrameColumns(thread, trace));
    assert.deepEqual(
      [[...main!.begin], [...main!.end]],
      [
        [16e6, 66e6],
        [36e6, 85e6],
      ],
    );
    assert.equal(other!.count, 0);
  });
});

describe('figures of a call', () => {
  it('are those of the intervals from its begin to its end', () => {
    const trace = generateTrace({ samples: 200, threads: 2, depth: 9, methods: 40, seed: 5 });
    for (const { index, calls, intervals } of trace.threads) {
      for (let row = 0; row < calls.count; row++) {
        const depth = calls.depth[row]!;
        const figures = callFigures(trace, { thread: index, depth, beginNs: calls.begin[row]! });
        assert.equal(figures?.method, calls.method[row]);
        let wall = 0;
        for (let at = calls.firstInterval[row]!; at <= calls.lastInterval[row]!; at++) {
          if (intervals.state[at] !== 3) wall += intervals.end[at]! - intervals.begin[at]!;
        }
        assert.equal(figures?.total.wall, wall);
      }
    }
    assert.equal(callFigures(trace, { thread: 1, depth: 99, beginNs: 0 }), undefined);
  });

  it('are those of the call with a length, of several that begin at once', () => {
    const trace = generateTrace({ samples: 20, threads: 1, depth: 3, methods: 4, seed: 1 });
    const [thread] = trace.threads;
    assert.ok(thread);
    const rows = (make: (at: number) => number) => Float64Array.from({ length: 2 }, (_, at) => make(at));
    const intervals = {
      ...thread.intervals,
      count: 2,
      begin: rows(() => 0),
      end: rows((at) => at * 5),
      path: Int32Array.of(1, 2),
      keep: Uint16Array.of(0, 0),
      state: new Uint8Array(2),
    };
    const paths = { ...trace.paths, depth: Uint16Array.of(0, 1, 1), parent: Int32Array.of(0, 0, 0) };
    const one = {
      ...trace,
      paths: { ...paths, method: Uint32Array.of(0, 7, 8) },
      threads: [{ ...thread, intervals }],
    };
    const figures = callFigures(one, { thread: thread.index, depth: 0, beginNs: 0 });
    assert.equal(figures?.method, 8);
    assert.equal(figures.total.wall, 5);
  });
});
