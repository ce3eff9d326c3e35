/** The strips of threads and cores, as they are drawn: their sums against a walk over all stretches. */
import assert from 'node:assert/strict';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { SchedState } from '../../../src/trace/system/kernel-sink.js';
import {
  CoreUse,
  stretchAt,
  type StripColumns,
  stripKinds,
  stripOfThread,
  stripsOfCores,
  timesIn,
  unknownKind,
} from '../../../src/trace/system/strip.js';
import { ThreadStates } from '../../../src/trace/system/thread-states.js';
import { Random } from '../../../src/trace/synth/random.js';

/** Stretches of random lengths and states, with a hole now and then. */
function states(rows: number, seed: number): ThreadStates {
  const random = new Random(seed);
  const made = new ThreadStates();
  let time = 1000;
  for (let row = 0; row < rows; row++) {
    if (random.below(10) === 0) time += 1 + random.below(50);
    const end = time + 1 + random.below(100);
    made.push(time, end, random.below(6), row % 4, 0);
    time = end;
  }
  return made;
}

function walked(strip: StripColumns, from: number, to: number): number[] {
  const sums = new Array<number>(stripKinds).fill(0);
  for (let row = 0; row < strip.count; row++) {
    const ns = Math.min(to, strip.begin[row + 1]!) - Math.max(from, strip.begin[row]!);
    if (ns > 0) sums[strip.kind[row]!] = sums[strip.kind[row]!]! + ns;
  }
  return sums;
}

describe('a strip of stretches', () => {
  it('sums every range as a walk over all stretches does', () => {
    for (const rows of [1, 2, 31, 32, 33, 64, 500]) {
      const strip = stripOfThread(states(rows, rows));
      const random = new Random(rows);
      const end = strip.begin[strip.count]!;
      const into = new Float64Array(stripKinds);
      for (let round = 0; round < 200; round++) {
        const from = random.below(end + 500);
        const to = from + random.below(round < 100 ? 40 : end);
        timesIn(strip, from, to, into);
        assert.deepEqual([...into], walked(strip, from, to), `${rows} rows, [${from}, ${to})`);
      }
    }
  });

  it('names the stretch at a time, and fills holes with unknown ones', () => {
    const made = new ThreadStates();
    made.push(10, 20, SchedState.Running, 3, 0);
    made.push(30, 40, SchedState.Sleeping, -1, 0);
    const strip = stripOfThread(made);
    assert.deepEqual([...strip.begin], [10, 20, 30, 40]);
    assert.deepEqual([...strip.kind], [SchedState.Running, unknownKind, SchedState.Sleeping]);
    assert.deepEqual(
      [9, 10, 19, 20, 39, 40].map((time) => stretchAt(strip, time)),
      [-1, 0, 0, 1, 2, 3],
    );
  });

  it('of a thread that the kernel did not see is empty', () => {
    const strip = stripOfThread(new ThreadStates());
    const into = new Float64Array(stripKinds);
    timesIn(strip, 0, 100, into);
    assert.deepEqual([strip.count, stretchAt(strip, 5), into.every((ns) => ns === 0)], [0, -1, true]);
  });
});

describe('the strips of cores', () => {
  it('tell the program from others and from idle, and leave out what was lost', () => {
    const events = new KernelEvents();
    events.switched(0, 0, SchedState.Runnable, 7, 1);
    events.switched(10, 7, SchedState.Sleeping, 9, 1);
    events.switched(30, 9, SchedState.Sleeping, 0, 1);
    events.switched(35, 0, SchedState.Runnable, 7, 1);
    // Between these two events were lost: 8 was never switched to.
    events.switched(50, 8, SchedState.Sleeping, 7, 1);
    events.switched(60, 7, SchedState.Sleeping, 0, 1);
    events.switched(5, 0, SchedState.Runnable, 0, 0);
    const [first, second] = stripsOfCores(events.switches, new Set([7]));
    assert.deepEqual([first!.core, first!.strip.count, second!.core], [0, 0, 1]);
    const { strip } = second!;
    const rows = Array.from({ length: strip.count }, (_, row) => [
      strip.begin[row],
      strip.kind[row],
      strip.detail[row],
    ]);
    assert.deepEqual(rows, [
      [0, CoreUse.Program, 7],
      [10, CoreUse.Other, 9],
      [30, CoreUse.Idle, 0],
      [35, unknownKind, 0],
      [50, CoreUse.Program, 7],
    ]);
  });
});
