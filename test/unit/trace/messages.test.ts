/** Figures of messages: from where one begins to where the loop waits again. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { messageFigures } from '../../../src/trace/measure/messages.js';
import { messageRecording } from './message-recording.js';
import { randomRecording } from './random-recording.js';
import { decoded } from './recordings.js';

describe('the messages of a loop', () => {
  const trace = decoded(
    messageRecording([
      { does: 0, workMs: 5, idleMs: 11 },
      { does: 1, workMs: 20, lockMs: 10, idleMs: 300 },
      { does: 0, workMs: 4, idleMs: 0 },
    ]),
  );

  it('are told without the wait for the next one, whatever that takes', () => {
    const { count, thread, id, begin, end, cpu, wait, gap, method } = messageFigures(trace);
    const row = (at: number): unknown[] => [
      thread[at],
      id[at],
      begin[at]! / 1e6,
      end[at]! / 1e6,
      cpu[at]! / 1e6,
      wait[at]! / 1e6,
      gap[at],
      method[at]! < 0 ? '' : trace.methods.name(method[at]!),
    ];
    assert.deepEqual([...Array(count).keys()].map(row), [
      [1, 1, 0, 5, 2.5, 0, 0, 'draw'],
      [1, 2, 16, 46, 10, 10, 0, 'load'],
      [1, 3, 346, 350, 2, 0, 0, 'draw'],
    ]);
  });

  it('are those of the threads that are asked for', () => {
    assert.equal(messageFigures(trace, [1]).count, 3);
    assert.equal(messageFigures(trace, [2]).count, 0);
  });

  it('hold no more than their thread did, and follow each other', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const some = decoded(randomRecording(seed).bytes);
      const { count, thread, begin, end, cpu, wait, gap } = messageFigures(some);
      for (let at = 0; at < count; at++) {
        assert.ok(begin[at]! < end[at]!);
        assert.ok(wait[at]! + gap[at]! <= end[at]! - begin[at]! + 1e-6);
        assert.ok(cpu[at]! >= 0);
        if (at > 0 && thread[at] === thread[at - 1])
          assert.ok(begin[at]! >= end[at - 1]!, `seed ${String(seed)}`);
      }
    }
  });
});
