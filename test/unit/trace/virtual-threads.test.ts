/** Virtual threads on their carriers: whose a sample is, where stacks are equal, and what they used unseen. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callFigures } from '../../../src/trace/measure/calls.js';
import { messageFigures } from '../../../src/trace/measure/messages.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import {
  isCarrier,
  mostVirtualThreads,
  virtualThreadFigures,
} from '../../../src/trace/measure/virtual-threads.js';
import { ThreadKind } from '../../../src/trace/model/kinds.js';
import { randomRecording } from './random-recording.js';
import { decoded } from './recordings.js';
import { carrierRecording, lastId } from './carrier-recording.js';

const ms = 1e6;

describe('virtual threads on a carrier', () => {
  // The same stack all the time; the carrier is by itself for a moment.
  const trace = decoded(
    carrierRecording([
      { id: 31, samples: 3 },
      { id: lastId, samples: 2 },
      { id: 0, samples: 1 },
      { id: 31, samples: 1 },
    ]),
  );
  const carrier = trace.threads[0]!;

  it('are known by the kind of their thread', () => {
    assert.equal(carrier.kind, ThreadKind.Carrier);
    assert.equal(trace.threads[1]!.kind, ThreadKind.Platform);
    assert.deepEqual(trace.problems, []);
  });

  it('cut calls, however equal their stacks are', () => {
    const { calls } = carrier;
    const outermost = [...Array(calls.count).keys()].filter((row) => calls.depth[row] === 0);
    // The first sample says nothing of the time before it.
    assert.deepEqual(
      outermost.map((row) => [calls.begin[row]! / ms, calls.end[row]! / ms]),
      [
        [0, 2],
        [2, 4],
        [4, 5],
        [5, 6],
      ],
    );
    const place = { thread: carrier.index, depth: 0, beginNs: 2 * ms };
    assert.equal(callFigures(trace, place)?.message, lastId);
  });

  it('have the time of all their stretches, and none of another one’s', () => {
    const { all, count, id, wall, cpu, begin, end, method } = virtualThreadFigures(trace, wholeTrace);
    assert.equal(all, 2);
    assert.deepEqual(
      [...Array(count).keys()].map((row) => [id[row], wall[row]! / ms, cpu[row]! / ms]),
      [
        [31, 3, 3],
        [lastId, 2, 2],
      ],
    );
    assert.deepEqual([begin[0]! / ms, end[0]! / ms], [0, 6]);
    assert.equal(trace.methods.name(method[0]!), 'work');
  });

  it('are of the time and the threads that are asked for', () => {
    const early = virtualThreadFigures(trace, { threads: [], beginNs: 0, endNs: 1.5 * ms });
    assert.deepEqual([...early.id], [31]);
    assert.deepEqual([...early.wall], [1.5 * ms]);
    assert.equal(virtualThreadFigures(trace, { ...wholeTrace, threads: [2] }).all, 0);
  });

  it('are no messages', () => {
    assert.equal(messageFigures(trace).count, 0);
  });

  it('are told to a bound, all are counted', () => {
    const many = Array.from({ length: mostVirtualThreads + 50 }, (_, at) => ({ id: at + 1, samples: 1 }));
    const { all, count, id } = virtualThreadFigures(decoded(carrierRecording(many)), wholeTrace);
    assert.deepEqual([all, count], [mostVirtualThreads + 50, mostVirtualThreads]);
    assert.equal(id.length, count);
  });

  it('have what an interrupt stands for, as methods have', () => {
    // 31 waits four times and is never interrupted there, 32 is: what was used before counts with it.
    const unseen = decoded(
      carrierRecording([
        { id: 31, samples: 4, isUnseen: true },
        { id: 32, samples: 1 },
      ]),
    );
    const { id, cpu } = virtualThreadFigures(unseen, wholeTrace);
    assert.deepEqual([...id], [32, 31]);
    // But for what it used within its waits.
    const all = sumScope(unseen, wholeTrace).sum.cpu;
    assert.ok(cpu[0]! > 0.95 * all, `${cpu[0]} of ${all} ns`);
    assert.equal(cpu[0]! + cpu[1]!, all);
  });

  it('never have more than their carriers', () => {
    let seen = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const some = decoded(randomRecording(seed).bytes);
      const carriers = some.threads.filter(isCarrier).map(({ index }) => index);
      const { count, cpu, wall, wait } = virtualThreadFigures(some, wholeTrace);
      seen += count;
      let [allCpu, allWall] = [0, 0];
      for (let row = 0; row < count; row++) {
        assert.ok(wait[row]! <= wall[row]! + 1e-6, `seed ${seed}`);
        allCpu += cpu[row]!;
        allWall += wall[row]!;
      }
      const { sum, gap } = sumScope(some, { ...wholeTrace, threads: [-1, ...carriers] });
      assert.ok(allWall <= sum.wall - gap.wall + 1, `seed ${seed}`);
      assert.ok(allCpu <= sum.cpu - gap.cpu + 1, `seed ${seed}`);
    }
    assert.ok(seen > 30, String(seen));
  });
});
