/** Decoded figures against what a made-up program really did. Tolerances are stated beside each. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { virtualThreadFigures } from '../../../src/trace/measure/virtual-threads.js';
import { synthesize, type SynthTruth } from '../../../src/trace/synth/synth.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { decoded, synthetic } from './recordings.js';

/** Share of each method in a total, by qualified name. */
function shares(names: readonly string[], values: Float64Array, sum: number): Map<string, number> {
  const result = new Map<string, number>();
  names.forEach((name, at) => result.set(name, (result.get(name) ?? 0) + values[at]! / sum));
  return result;
}

function compare(
  trace: Trace,
  truth: SynthTruth,
): { self: number; total: number; cpu: number; bytes: number } {
  const sums = sumScope(trace, wholeTrace);
  const figures = methodFigures(sums, trace.methods.count);
  const names = Array.from(figures.method, (method) => trace.methods.qualifiedName(method));
  const wall = truth.threadWall.reduce((a, b) => a + b, 0);
  const cpu = truth.selfCpu.reduce((a, b) => a + b, 0);
  const worst = (seen: Map<string, number>, real: Map<string, number>): number => {
    let most = 0;
    for (const [name, share] of real) most = Math.max(most, Math.abs(share - (seen.get(name) ?? 0)));
    return most;
  };
  const seenWall = figures.sum.wall - figures.gap.wall;
  const seenCpu = figures.sum.cpu - figures.gap.cpu;
  const seenBytes = figures.sum.allocatedBytes - figures.gap.allocatedBytes;
  const allocated = truth.selfBytes.reduce((a, b) => a + b, 0);
  return {
    self: worst(shares(names, figures.self.wall, seenWall), shares(truth.names, truth.selfWall, wall)),
    total: worst(shares(names, figures.total.wall, seenWall), shares(truth.names, truth.totalWall, wall)),
    cpu: worst(shares(names, figures.self.cpu, seenCpu), shares(truth.names, truth.selfCpu, cpu)),
    bytes: worst(
      shares(names, figures.self.allocatedBytes, seenBytes),
      shares(truth.names, truth.selfBytes, allocated),
    ),
  };
}

describe('decoded figures against the truth', () => {
  it('are within 0.2 points of every method of a program of 60 methods', async () => {
    const { bytes, truth } = await synthetic({
      seed: 7,
      samples: 60_000,
      threads: 4,
      depth: 12,
      methods: 60,
    });
    const worst = compare(decoded(bytes), truth);
    assert.ok(worst.self < 0.002, `self wall is off by ${worst.self}`);
    assert.ok(worst.total < 0.002, `total wall is off by ${worst.total}`);
    assert.ok(worst.cpu < 0.002, `self CPU is off by ${worst.cpu}`);
    assert.ok(worst.bytes < 0.002, `allocated bytes are off by ${worst.bytes}`);
  });

  it('stay within 2.5 points when one sample in twenty is missed, and the rest is called a gap', async () => {
    const { bytes, truth } = await synthetic({
      seed: 8,
      samples: 60_000,
      threads: 4,
      depth: 12,
      methods: 60,
      missEvery: 20,
    });
    const trace = decoded(bytes);
    const { gap, sum } = methodFigures(sumScope(trace, wholeTrace), trace.methods.count);
    assert.ok(gap.wall / sum.wall > 0.1, `gaps are only ${gap.wall / sum.wall} of the time`);
    const worst = compare(trace, truth);
    assert.ok(worst.self < 0.025, `self wall is off by ${worst.self}`);
    assert.ok(worst.total < 0.025, `total wall is off by ${worst.total}`);
  });

  it('sum up to the times of the threads', async () => {
    const { bytes, truth } = await synthetic({
      seed: 9,
      samples: 20_000,
      threads: 3,
      depth: 10,
      methods: 40,
    });
    const trace = decoded(bytes);
    trace.threads.forEach((thread, at) => {
      const sums = sumScope(trace, { ...wholeTrace, threads: [thread.index] });
      const self = sums.self.wall.reduce((a, b) => a + b, 0);
      const { begin, end, count } = thread.intervals;
      const seen = end[count - 1]! - begin[0]!;
      assert.ok(Math.abs(self + sums.gap.wall - seen) < 1e-6 * seen);
      // Two sample intervals at the ends are not seen.
      assert.ok(Math.abs(seen - truth.threadWall[at]!) < 30e6, `${seen} of ${truth.threadWall[at]}`);
    });
  });

  it('tell how long virtual threads ran on their carriers, and how long they waited off them', async () => {
    const { bytes, truth } = await synthetic({
      seed: 10,
      samples: 40_000,
      threads: 3,
      depth: 10,
      methods: 40,
      virtualThreads: 12,
      waiting: 0.05,
      blocking: 1,
    });
    const trace = decoded(bytes);
    const { count, id, wall, cpu, waited, waits } = virtualThreadFigures(trace, wholeTrace);
    const all = truth.virtualThreads.reduce((sum, thread) => sum + thread.wall, 0);
    assert.deepEqual([...id].sort(), truth.virtualThreads.map((thread) => thread.id).sort());
    for (let row = 0; row < count; row++) {
      const real = truth.virtualThreads.find((thread) => thread.id === id[row])!;
      assert.deepEqual([waited[row], waits[row]], [real.waited, real.waits], `waits of #${real.id}`);
      const off = Math.max(Math.abs(wall[row]! - real.wall), Math.abs(cpu[row]! - real.cpu)) / all;
      assert.ok(off < 0.005, `#${real.id} is off by ${off} of all`);
    }
  });

  it('take no more memory for many threads', async () => {
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const sink = {
      write: (): Promise<void> => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        return Promise.resolve();
      },
    };
    // With times of its own for each context, a thread would take 0.5 MB.
    const truth = await synthesize(sink, { samples: 2000, threads: 2000, depth: 10, methods: 4000 });
    assert.equal(truth.threadWall.length, 2000);
    assert.ok(most < 100e6, `${most} bytes`);
  });

  it('are the same for the same seed', async () => {
    const once = await synthetic({ seed: 3, samples: 2000, threads: 2, depth: 8, methods: 30 });
    const again = await synthetic({ seed: 3, samples: 2000, threads: 2, depth: 8, methods: 30 });
    assert.deepEqual(once.bytes, again.bytes);
    const other = await synthetic({ seed: 4, samples: 2000, threads: 2, depth: 8, methods: 30 });
    assert.notDeepEqual(once.bytes, other.bytes);
  });
});
