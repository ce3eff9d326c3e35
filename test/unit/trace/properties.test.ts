/** The engine against the slow reference on random recordings: hundreds in `npm test`, thousands in `npm run test:all`. A failure names its seed. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { Random } from '../../../src/trace/synth/random.js';
import { allocatedBytesOf } from '../../../src/trace/measure/allocated-bytes.js';
import { lineFigures } from '../../../src/trace/measure/lines.js';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { threadTimesIn } from '../../../src/trace/measure/thread-times.js';
import { callees, callers, flame, matched, neighbours } from '../../../src/trace/measure/trees.js';
import { CounterBit } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { scale } from '../../rigs/scale.js';
import { randomRecording, type RandomRecording, usualShape } from './random-recording.js';
import { decoded } from './recordings.js';
import { callsOf, type Interval, intervalsOf, sumWhere, weightNames } from './reference.js';
import { lasts } from '../../rigs/until.js';

const recordings = 100 * scale;

function close(actual: number, expected: number, what: string): void {
  const tolerance = 1e-9 * Math.max(Math.abs(expected), 1);
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} instead of ${expected}`);
}

/** The methods of a path, from the root, as the reference numbers them. */
function stackOf(trace: Trace, path: number): number[] {
  const stack: number[] = [];
  for (let at = path; at !== 0; at = trace.paths.parent[at]!)
    stack.unshift(numberOf(trace, trace.paths.method[at]!));
  return stack;
}

/** Methods are called m0, m1 …: the reference's number is in the name. */
const numberOf = (trace: Trace, method: number): number => Number(trace.methods.name(method).slice(1));

function methodNamed(trace: Trace, number: number): number {
  for (let method = 0; method < trace.methods.count; method++)
    if (numberOf(trace, method) === number) return method;
  throw new Error(`there is no method m${number}`);
}

const expectedIntervals = (recording: RandomRecording): Interval[][] =>
  recording.threads.map(({ samples }) => intervalsOf(samples, recording.vouchNs, recording.vouchNs / 2));

const lineKey = (method: number, line: number): number => 1000 * (method + 1) + line;

/** The same with the lines of their frames instead of their methods; −1 where a line is not known. */
function onLines(trace: Trace, thread: number, intervals: readonly Interval[]): Interval[] {
  const { nodes, paths, methods } = trace;
  const copies = intervals.map((interval, row) => {
    const stack: number[] = [];
    for (let at = trace.threads[thread]!.intervals.node[row]!; at !== 0; at = nodes!.parent[at]!) {
      const method = paths.method[nodes!.path[at]!]!;
      const line = nodes!.position[at] === 0 ? 0 : methods.lineAt(method, nodes!.position[at]! - 1);
      stack.unshift(line === 0 ? -1 : lineKey(method, line));
    }
    return { ...interval, stack };
  });
  for (const copy of copies) {
    const other = copy.countsWith === undefined ? -1 : intervals.indexOf(copy.countsWith);
    if (other >= 0) copy.countsWith = copies[other]!;
  }
  return copies;
}

function forEachSeed(from: number, check: (seed: number) => void): void {
  for (let seed = from; seed < from + recordings; seed++) {
    try {
      check(seed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

function checkIntervals(recording: RandomRecording, trace: Trace): void {
  expectedIntervals(recording).forEach((expected, at) => {
    const { intervals, sampleCount } = trace.threads[at]!;
    assert.equal(intervals.count, expected.length, 'number of intervals');
    const captures = expected.reduce((sum, { samples }) => sum + samples, 0);
    assert.equal(sampleCount, captures, 'samples of the thread');
    expected.forEach((interval, row) => {
      const what = `thread ${at + 1}, interval ${row}`;
      close(intervals.begin[row]!, interval.begin, `${what}, begin`);
      close(intervals.end[row]!, interval.end, `${what}, end`);
      assert.deepEqual(stackOf(trace, intervals.path[row]!), interval.stack, `${what}, stack`);
      assert.equal(intervals.node[row], interval.node, `${what}, node`);
      assert.equal(intervals.keep[row], interval.keep, `${what}, keep`);
      assert.equal(intervals.state[row], interval.state, `${what}, state`);
      assert.equal(intervals.samples[row], interval.samples, `${what}, samples`);
      const other = Math.max(intervals.countsWith[row] ?? 0, 0);
      assert.equal(expected[other || -1], interval.countsWith, `${what}, counts with ${other}`);
      for (const name of ['cpu', 'allocations', 'allocatedBytes', 'faults', 'switches'] as const) {
        close(intervals[name][row]!, interval[name], `${what}, ${name}`);
      }
    });
  });
}

function checkCalls(recording: RandomRecording, trace: Trace): void {
  expectedIntervals(recording).forEach((intervals, at) => {
    const expected = callsOf(intervals);
    const { calls } = trace.threads[at]!;
    const rows = new Map(expected.map((call, row) => [call, row]));
    assert.equal(calls.count, expected.length, 'number of calls');
    expected.forEach((call, row) => {
      const what = `thread ${at + 1}, call ${row}`;
      close(calls.begin[row]!, call.begin, `${what}, begin`);
      close(calls.end[row]!, call.end, `${what}, end`);
      close(calls.cpu[row]!, call.cpu, `${what}, cpu`);
      assert.equal(calls.depth[row], call.depth, `${what}, depth`);
      assert.equal(numberOf(trace, calls.method[row]!), call.method, `${what}, method`);
      const parent = call.parent === undefined ? -1 : rows.get(call.parent)!;
      assert.equal(calls.parent[row], parent, `${what}, parent`);
      if (parent >= 0) {
        assert.ok(
          calls.begin[parent]! <= calls.begin[row]! && calls.end[row]! <= calls.end[parent]!,
          `${what} is inside`,
        );
      }
      const { firstInterval, lastInterval } = calls;
      assert.equal(intervals[firstInterval[row]!]!.begin, call.begin, `${what}, first interval`);
      assert.equal(intervals[lastInterval[row]!]!.end, call.end, `${what}, last interval`);
    });
  });
}

describe('the engine agrees with the reference', function () {
  lasts(this, 120_000 * (scale - 1));
  it(`in intervals and calls of ${recordings} recordings`, () => {
    forEachSeed(1, (seed) => {
      const recording = randomRecording(seed);
      const trace = decoded(recording.bytes);
      checkIntervals(recording, trace);
      checkCalls(recording, trace);
    });
  });

  it('in stacks 4,000 deep, tids up to 2^32 and single samples', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const recording = randomRecording(seed, { ...usualShape, deepest: 4000, samples: 30 });
      const trace = decoded(recording.bytes);
      checkIntervals(recording, trace);
      checkCalls(recording, trace);
      assert.deepEqual(
        trace.threads.map(({ tid }) => tid),
        recording.threads.map(({ tid }) => tid),
      );
    }
  });

  it('in long recordings of threads that are met by their CPU clocks above all', () => {
    for (let seed = 70_001; seed <= 70_006; seed++) {
      const recording = randomRecording(seed, { ...usualShape, samples: 4000, interrupted: 1 });
      checkIntervals(recording, decoded(recording.bytes));
    }
  });

  it('in self and total of every method, weight, thread and range', () => {
    forEachSeed(10_001, (seed) => {
      const recording = randomRecording(seed);
      const trace = decoded(recording.bytes);
      const random = new Random(seed);
      const all = expectedIntervals(recording);
      const end = Math.max(...all.flat().map((interval) => interval.end), 1);
      const one = random.next() < 0.5;
      const thread = random.below(all.length);
      const begin = Math.floor(random.next() * end);
      const scope = {
        threads: one ? [thread + 1] : [],
        beginNs: random.next() < 0.3 ? -Infinity : begin,
        endNs: random.next() < 0.3 ? Infinity : begin + Math.floor(random.next() * end),
      };
      const intervals = one ? all[thread]! : all.flat();
      const scopeEnd = scope.endNs >= trace.endNs ? Infinity : scope.endNs;
      const sums = sumScope(trace, scope);
      const figures = methodFigures(sums, trace.methods.count);
      for (const weight of weightNames) {
        const sum = (passes: (stack: readonly number[]) => boolean): number =>
          sumWhere(intervals, scope.beginNs, scopeEnd, weight, passes);
        for (let row = 0; row < figures.count; row++) {
          const method = numberOf(trace, figures.method[row]!);
          close(
            figures.self[weight][row]!,
            sum((stack) => stack.at(-1) === method),
            `self ${weight} of m${method}`,
          );
          close(
            figures.total[weight][row]!,
            sum((stack) => stack.includes(method)),
            `total ${weight} of m${method}`,
          );
        }
        const selves = figures.self[weight].reduce((a, b) => a + b, 0);
        const frameless = sums.self[weight][0]!;
        close(selves + frameless + figures.gap[weight], figures.sum[weight], `Σ self + gaps, ${weight}`);
      }
    });
  });

  it('in the totals of each thread, which are summed without its paths', () => {
    forEachSeed(30_001, (seed) => {
      const recording = randomRecording(seed);
      const random = new Random(seed);
      const end = decoded(recording.bytes).endNs;
      for (const endNs of [Infinity, Math.floor(random.next() * end)]) {
        // What was counted is not read yet: a sum that needs no column must not make one.
        const trace = decoded(recording.bytes);
        for (const thread of trace.threads) {
          const scope = { threads: [thread.index], beginNs: -Infinity, endNs };
          const bytes = allocatedBytesOf(trace, thread, scope);
          const times = threadTimesIn(trace, thread, scope);
          const { sum } = sumScope(trace, scope);
          close(times.wallNs, sum.wall, 'wall');
          close(times.cpuNs, sum.cpu, 'cpu');
          close(times.waitNs, sum.wait, 'wait');
          close(bytes, sum.allocatedBytes, 'allocated bytes');
          close(allocatedBytesOf(trace, thread, scope), sum.allocatedBytes, 'allocated bytes, counted');
        }
      }
    });
  });

  it('in that no method has more CPU than wall time', () => {
    let checked = 0;
    forEachSeed(50_001, (seed) => {
      const recording = randomRecording(seed);
      const trace = decoded(recording.bytes);
      for (const { index, counters, samples } of recording.threads) {
        // A thread that waits uses no CPU time; here some do, where a wait began before the thread was looked at.
        const isTrue = samples.every(({ time }, at) => {
          const before = samples[at - 1];
          return before === undefined || time >= before.time + before.duration;
        });
        if (!isTrue || (counters & CounterBit.Cpu) === 0) continue;
        checked++;
        const sums = sumScope(trace, { ...wholeTrace, threads: [index] });
        const { count, method, self, total } = methodFigures(sums, trace.methods.count);
        for (let row = 0; row < count; row++) {
          for (const { cpu, wall } of [self, total]) {
            const most = wall[row]! * (1 + 1e-9) + 1e-6;
            assert.ok(cpu[row]! <= most, `${trace.methods.name(method[row]!)}: ${cpu[row]} in ${wall[row]}`);
          }
        }
      }
    });
    assert.ok(checked > recordings / 10, String(checked));
  });

  it('in trees, callers, callees and matches', () => {
    forEachSeed(20_001, (seed) => {
      const recording = randomRecording(seed);
      const trace = decoded(recording.bytes);
      const random = new Random(seed);
      const all = expectedIntervals(recording).flat();
      const weight = weightNames[random.below(weightNames.length)]!;
      const sums = sumScope(trace, wholeTrace);
      const sum = (passes: (stack: readonly number[]) => boolean): number =>
        sumWhere(all, -Infinity, Infinity, weight, passes);
      const beginsWith = (stack: readonly number[], chain: readonly number[]): boolean =>
        chain.every((method, at) => stack[at] === method);
      const endsWith = (stack: readonly number[], chain: readonly number[]): boolean =>
        chain.every((method, at) => stack[stack.length - 1 - at] === method);

      const some = all[random.below(all.length)]!.stack;
      const chain = some.slice(0, random.below(some.length + 1));
      const named = chain.map((method) => methodNamed(trace, method));
      const down = callees(sums, weight, named);
      for (let row = 0; row < down.count; row++) {
        const deeper = [...chain, numberOf(trace, down.method[row]!)];
        close(
          down.total[row]!,
          sum((stack) => beginsWith(stack, deeper)),
          'total in the call tree',
        );
        close(
          down.self[row]!,
          sum((stack) => stack.length === deeper.length && beginsWith(stack, deeper)),
          'self in the call tree',
        );
      }
      const upwards = some.slice(some.length - random.below(some.length + 1)).reverse();
      const up = callers(
        sums,
        weight,
        upwards.map((method) => methodNamed(trace, method)),
      );
      for (let row = 0; row < up.count; row++) {
        const further = [...upwards, numberOf(trace, up.method[row]!)];
        close(
          up.total[row]!,
          sum((stack) => endsWith(stack, further)),
          'weight in the bottom-up tree',
        );
      }
      const middle = random.below(trace.methods.count);
      const around = neighbours(sums, weight, middle);
      const hasPair = (stack: readonly number[], caller: number, callee: number): boolean =>
        stack.some((method, at) => method === caller && stack[at + 1] === callee);
      const number = numberOf(trace, middle);
      for (let row = 0; row < around.callers.count; row++) {
        const caller = numberOf(trace, around.callers.method[row]!);
        close(
          around.callers.total[row]!,
          sum((stack) => hasPair(stack, caller, number)),
          `m${number} from m${caller}`,
        );
      }
      for (let row = 0; row < around.callees.count; row++) {
        const callee = numberOf(trace, around.callees.method[row]!);
        close(
          around.callees.total[row]!,
          sum((stack) => hasPair(stack, number, callee)),
          `m${callee} from m${number}`,
        );
      }
      close(
        around.total,
        sum((stack) => stack.includes(number)),
        'total of the middle',
      );
      const wanted = Uint8Array.from({ length: trace.methods.count }, () => random.below(2));
      const hit = matched(sums, weight, wanted);
      close(
        hit.total,
        sum((stack) => stack.some((method) => wanted[methodNamed(trace, method)] === 1)),
        'weight of the matches',
      );
      const chart = flame(sums, weight, 0, []);
      close(
        chart.self.reduce((a, b) => a + b, 0),
        sum((stack) => stack.length > 0),
        'Σ self in the flame graph',
      );
      const outside = chart.outside.reduce((all, { total }) => all + total, 0);
      close(
        outside,
        sum((stack) => stack.length === 0),
        'outside of any method in the flame graph',
      );
      close(chart.total[0]! + chart.gap, sums.sum[weight], 'flame graph and gaps');
    });
  });

  it('in lines, of every thread and range', () => {
    let checked = 0;
    forEachSeed(60_001, (seed) => {
      const recording = randomRecording(seed);
      const trace = decoded(recording.bytes);
      const random = new Random(seed);
      const all = expectedIntervals(recording).map((intervals, at) => onLines(trace, at, intervals));
      const one = random.below(2 * all.length);
      const begin = trace.beginNs + random.next() * (trace.endNs - trace.beginNs);
      const scope = {
        threads: one < all.length ? [one + 1] : [],
        beginNs: random.next() < 0.3 ? -Infinity : begin,
        endNs: random.next() < 0.3 ? Infinity : begin + random.next() * (trace.endNs - begin),
      };
      const end = scope.endNs >= trace.endNs ? Infinity : scope.endNs;
      const intervals = all[one] ?? all.flat();
      const lines = lineFigures(trace, scope);
      for (const [weight, self, total] of [
        ['wall', lines.selfWall, lines.totalWall],
        ['cpu', lines.selfCpu, lines.totalCpu],
        ['allocatedBytes', lines.selfBytes, lines.totalBytes],
      ] as const) {
        const sum = (passes: (stack: readonly number[]) => boolean): number =>
          sumWhere(intervals, scope.beginNs, end, weight, passes);
        for (let row = 0; row < lines.count; row++) {
          const key = lineKey(lines.method[row]!, lines.line[row]!);
          close(
            self[row]!,
            sum((stack) => stack.at(-1) === key),
            `self ${weight} of ${key}`,
          );
          close(
            total[row]!,
            sum((stack) => stack.includes(key)),
            `total ${weight} of ${key}`,
          );
        }
        close(
          self.reduce((a, b) => a + b, 0),
          sum((stack) => (stack.at(-1) ?? 0) > 0),
          `Σ self ${weight}`,
        );
      }
      checked += lines.count;
    });
    assert.ok(checked > recordings, `${checked} lines`);
  });

  it('when ranges are put together', () => {
    forEachSeed(30_001, (seed) => {
      const trace = decoded(randomRecording(seed).bytes);
      const random = new Random(seed);
      const cut = trace.beginNs + random.next() * (trace.endNs - trace.beginNs);
      // The end of the trace belongs to every stretch that reaches it.
      if (cut >= trace.endNs) return;
      const of = (beginNs: number, endNs: number) => sumScope(trace, { threads: [], beginNs, endNs });
      const whole = of(-Infinity, Infinity);
      const first = of(-Infinity, cut);
      const second = of(cut, Infinity);
      for (const weight of weightNames) {
        whole.self[weight].forEach((value, path) => {
          close(first.self[weight][path]! + second.self[weight][path]!, value, `${weight} of path ${path}`);
        });
        close(first.sum[weight] + second.sum[weight], whole.sum[weight], `sum of ${weight}`);
      }
    });
  });

  it('however the bytes are cut', () => {
    forEachSeed(40_001, (seed) => {
      const recording = randomRecording(seed);
      const random = new Random(seed);
      const decoder = new RecordingDecoder();
      for (let at = 0; at < recording.bytes.length;) {
        const size = 1 + random.below(random.next() < 0.5 ? 30 : 3000);
        decoder.append(recording.bytes.slice(at, at + size));
        at += size;
        // Looking in between changes nothing.
        if (random.next() < 0.3)
          methodFigures(sumScope(decoder.trace(), wholeTrace), decoder.trace().methods.count);
      }
      decoder.finish();
      const trace = decoder.trace();
      assert.deepEqual(trace.problems, decoded(recording.bytes).problems);
      checkIntervals(recording, trace);
      checkCalls(recording, trace);
    });
  });

  it('to within rounding, at times beyond 2^53 ns', () => {
    for (let seed = 1; seed <= 20 * scale; seed++) {
      const recording = randomRecording(seed, { ...usualShape, startNs: 2 ** 54 });
      const trace = decoded(recording.bytes);
      expectedIntervals(recording).forEach((expected, at) => {
        const { intervals } = trace.threads[at]!;
        // float64 steps by 4 ns there.
        const { length } = expected;
        assert.ok(Math.abs(intervals.end[intervals.count - 1]! - expected[length - 1]!.end) <= 64 * 4);
        for (let row = 1; row < intervals.count; row++)
          assert.ok(intervals.begin[row]! >= intervals.end[row - 1]!);
      });
    }
  });
});
