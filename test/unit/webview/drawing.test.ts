/** What is drawn of a row, and where it lies, against the obvious way. */
import assert from 'node:assert/strict';
import fc from '../../rigs/properties.js';
import type { Intervals, Paths } from '../../../src/trace/index.js';
import { gallop, lowerBound, upperBound } from '../../../src/trace/model/bisect.js';
import { TimeScale, clampSpan, panSpan, zoomSpan } from '../../../src/webview/geometry/time-scale.js';
import {
  callAt,
  callRow,
  callerOf,
  calleesOf,
  neighbourOf,
} from '../../../src/webview/timeline/call-walk.js';
import { visitRow } from '../../../src/webview/timeline/row-boxes.js';
import { visitSpans } from '../../../src/webview/timeline/span-renderer.js';
import { chartColumns } from '../../../src/webview/worker/chart-columns.js';
import type { ChartColumns } from '../../../src/webview/worker/messages.js';

/** Intervals of one thread, nested at random, and the calls they tell of in the order of their begin. */
interface Nested {
  readonly intervals: Intervals;
  readonly paths: Paths;
  readonly calls: readonly { begin: number; end: number; depth: number; parent: number }[];
}

const nested: fc.Arbitrary<Nested> = fc
  .array(fc.record({ keep: fc.nat(6), grow: fc.nat(4), length: fc.integer({ min: 1, max: 500 }) }), {
    minLength: 1,
    maxLength: 60,
  })
  .map((steps) => {
    const calls: { begin: number; end: number; depth: number; parent: number }[] = [];
    const rows: { begin: number; end: number; path: number; keep: number }[] = [];
    let open: number[] = [];
    let now = 0;
    for (const { keep, grow, length } of steps) {
      open = open.slice(0, keep);
      const kept = open.length;
      for (let more = 0; more < grow; more++) {
        const parent = open.at(-1) ?? -1;
        open.push(calls.push({ begin: now, end: now, depth: open.length, parent }) - 1);
      }
      // Each call has a path of its own, numbered as the call is.
      rows.push({ begin: now, end: now + length, path: (open.at(-1) ?? -1) + 1, keep: kept });
      now += length;
      for (const row of open) calls[row]!.end = now;
    }
    const count = rows.length;
    const column = (of: (row: (typeof rows)[number]) => number): Float64Array => Float64Array.from(rows, of);
    const intervals = {
      count,
      begin: column((row) => row.begin),
      end: column((row) => row.end),
      path: Int32Array.from(rows, (row) => row.path),
      keep: Uint16Array.from(rows, (row) => row.keep),
      state: new Uint8Array(count),
      cpu: column((row) => row.end - row.begin),
    } as unknown as Intervals;
    const paths: Paths = {
      count: calls.length + 1,
      parent: Int32Array.from([-1, ...calls.map((call) => call.parent + 1)]),
      method: Uint32Array.from([0, ...calls.keys()]),
      depth: Uint16Array.from([0, ...calls.map((call) => call.depth + 1)]),
      recursive: new Uint8Array(calls.length + 1),
    };
    return { intervals, paths, calls };
  });

/** The engine's row of a row of the chart: methods are numbered so. */
const engineRow = (chart: ChartColumns, row: number): number => chart.method[row]!;

describe('bisection', () => {
  it('agrees with a walk', () => {
    const sorted = fc
      .array(fc.integer({ min: 0, max: 30 }), { maxLength: 40 })
      .map((list) => Float64Array.from(list.sort((a, b) => a - b)));
    fc.assert(
      fc.property(sorted, fc.integer({ min: -1, max: 31 }), fc.nat(40), (list, value, from) => {
        const low = Math.min(from, list.length);
        const first = (test: (at: number) => boolean): number => {
          let at = low;
          while (at < list.length && !test(list[at]!)) at++;
          return at;
        };
        assert.equal(
          lowerBound(list, value, low),
          first((at) => at >= value),
        );
        assert.equal(
          upperBound(list, value, low),
          first((at) => at > value),
        );
        assert.equal(
          gallop(list, value, low, list.length),
          first((at) => at >= value),
        );
      }),
    );
  });
});

describe('chart columns', () => {
  it('hold every call at its depth, sorted by begin', () => {
    fc.assert(
      fc.property(nested, ({ intervals, paths, calls }) => {
        const chart = chartColumns(intervals, paths);
        assert.equal(chart.count, calls.length);
        for (let depth = 0; depth + 1 < chart.depthStart.length; depth++) {
          for (let row = chart.depthStart[depth]!; row < chart.depthStart[depth + 1]!; row++) {
            const call = calls[engineRow(chart, row)]!;
            assert.equal(call.depth, depth);
            assert.equal(chart.begin[row], call.begin);
            assert.equal(chart.end[row], call.end);
            assert.equal(chart.cpu[row], call.end - call.begin);
            if (row > chart.depthStart[depth]!) assert.ok(chart.begin[row]! >= chart.end[row - 1]!);
          }
        }
      }),
    );
  });

  it('find callers, callees and the call under a time as the engine has them', () => {
    fc.assert(
      fc.property(nested, ({ intervals, paths, calls }) => {
        const chart = chartColumns(intervals, paths);
        for (let depth = 0; depth + 1 < chart.depthStart.length; depth++) {
          for (let row = chart.depthStart[depth]!; row < chart.depthStart[depth + 1]!; row++) {
            const caller = callerOf(chart, depth, row);
            assert.equal(caller < 0 ? -1 : engineRow(chart, caller), calls[engineRow(chart, row)]!.parent);
            const [first, last] = calleesOf(chart, depth, row);
            const expected = calls.filter((one) => one.parent === engineRow(chart, row));
            assert.equal(last - first, expected.length);
            assert.equal(callAt(chart, depth, (chart.begin[row]! + chart.end[row]!) / 2), row);
          }
        }
      }),
    );
  });
});

describe('a row of boxes', () => {
  it('covers every call in sight exactly once, wide ones by themselves, in order', () => {
    fc.assert(
      fc.property(
        nested,
        fc.integer({ min: 0, max: 4000 }),
        fc.integer({ min: 20, max: 20_000 }),
        ({ intervals, paths }, from, length) => {
          const chart = chartColumns(intervals, paths);
          const scale = new TimeScale(from, from + length, 200);
          for (let depth = 0; depth + 1 < chart.depthStart.length; depth++) {
            const boxes: { row: number; x: number; width: number; alone: boolean }[] = [];
            visitRow(chart, depth, scale, 2, {
              call: (row, x, width) => boxes.push({ row, x, width, alone: true }),
              density: (row, x, width, coverage) => {
                assert.ok(coverage >= 0 && coverage <= 1);
                boxes.push({ row, x, width, alone: false });
              },
            });
            for (const { x, width } of boxes) {
              assert.ok(x >= 0 && x + width <= 201, `${x} + ${width}`);
              assert.ok(width >= 1 || x >= 199);
            }
            for (let at = 1; at < boxes.length; at++) assert.ok(boxes[at]!.x >= boxes[at - 1]!.x);
            for (let row = chart.depthStart[depth]!; row < chart.depthStart[depth + 1]!; row++) {
              const isInSight = chart.end[row]! > scale.beginNs && chart.begin[row]! < scale.endNs;
              const wide = (chart.end[row]! - chart.begin[row]!) / scale.nsPerPixel >= 2;
              const own = boxes.filter((box) => box.row === row && box.alone);
              assert.equal(own.length, isInSight && wide ? 1 : 0);
              if (!isInSight) continue;
              // Half a pixel of rounding on either side.
              const middle = Math.min(199, Math.max(0, scale.x((chart.begin[row]! + chart.end[row]!) / 2)));
              assert.ok(
                boxes.some((box) => box.x - 1 <= middle && middle <= box.x + box.width + 1),
                `nothing is drawn at ${middle}`,
              );
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('costs what is on the screen, not what is in the recording', () => {
    const count = 1_000_000;
    const chart: ChartColumns = {
      count,
      depthStart: Int32Array.of(0, count),
      begin: Float64Array.from({ length: count }, (_, at) => at * 10),
      end: Float64Array.from({ length: count }, (_, at) => at * 10 + 9),
      method: new Uint32Array(count),
      cpu: new Float32Array(count),
    };
    let boxes = 0;
    visitRow(chart, 0, new TimeScale(0, count * 10, 1000), 2, {
      call: () => boxes++,
      density: () => boxes++,
    });
    assert.ok(boxes <= 502, `${boxes} boxes on 1,000 pixels`);
  });

  it('does not flicker: panning by a pixel keeps the buckets where they are in time', () => {
    const count = 5000;
    const chart: ChartColumns = {
      count,
      depthStart: Int32Array.of(0, count),
      begin: Float64Array.from({ length: count }, (_, at) => at * 7),
      end: Float64Array.from({ length: count }, (_, at) => at * 7 + 5),
      method: new Uint32Array(count),
      cpu: new Float32Array(count),
    };
    const rows = (shift: number): Set<number> => {
      const seen = new Set<number>();
      visitRow(chart, 0, new TimeScale(10_000 + shift, 20_000 + shift, 500), 2, {
        call: (row) => seen.add(row),
        density: (row) => seen.add(row),
      });
      return seen;
    };
    const before = rows(0);
    const after = rows(20);
    const same = [...after].filter((row) => before.has(row)).length;
    assert.ok(same > after.size - 4, `${after.size - same} of ${after.size} boxes changed`);
  });
});

describe('spans that are not work', () => {
  it('are drawn together where they are short, and a long one never as the short one before it', () => {
    const begin = Float64Array.of(0, 1, 2, 3, 1000);
    const end = Float64Array.of(1, 2, 3, 900, 1000.5);
    const drawn: [number, number, number, boolean][] = [];
    visitSpans(begin, end, begin.length, new TimeScale(0, 2000, 200), (...box) => drawn.push(box));
    assert.deepEqual(drawn, [
      [0, 0, 1, false],
      [3, 0, 90, true],
      [4, 100, 1, true],
    ]);
  });
});

describe('the time scale', () => {
  const bounds = { beginNs: 0, endNs: 1e9 };

  it('is exact far from the origin', () => {
    const far = 2 ** 52;
    const scale = new TimeScale(far, far + 1000, 1000);
    assert.equal(scale.x(far + 500), 500);
    assert.equal(scale.time(250), far + 250);
  });

  it('zooms around a point that stays where it is', () => {
    const before = new TimeScale(1e8, 5e8, 800);
    const span = zoomSpan(before, 0.5, 2e8, bounds);
    const after = new TimeScale(span.beginNs, span.endNs, 800);
    assert.ok(Math.abs(after.x(2e8) - before.x(2e8)) < 1e-6);
  });

  it('never leaves the recording', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -2e9, max: 2e9, noNaN: true }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (by, factor) => {
          for (const span of [
            panSpan({ beginNs: 1e8, endNs: 3e8 }, by, bounds),
            zoomSpan({ beginNs: 1e8, endNs: 3e8 }, factor, 2e8 + by / 10, bounds),
            clampSpan({ beginNs: by, endNs: by + 5 }, bounds),
          ]) {
            assert.ok(
              span.beginNs >= 0 && span.endNs <= 1e9 + 1e-3 && span.endNs > span.beginNs,
              JSON.stringify(span),
            );
          }
        },
      ),
    );
  });
});

describe('a call without a length', () => {
  const chart: ChartColumns = {
    count: 3,
    depthStart: Int32Array.of(0, 3),
    begin: Float64Array.of(0, 0, 6),
    end: Float64Array.of(0, 5, 9),
    method: Uint32Array.of(1, 2, 3),
    cpu: new Float32Array(3),
  };

  it('does not cover a call that begins at the same time', () => {
    assert.equal(callRow(chart, 0, 0), 1);
    assert.equal(neighbourOf(chart, 0, 2, -1, 1), 1);
    assert.equal(neighbourOf(chart, 0, 1, -1, 1), -1);
    assert.equal(neighbourOf(chart, 0, 1, 1, 1), 2);
  });
});
