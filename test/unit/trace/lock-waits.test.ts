/** Threads that still wait for a lock when a recording ends: made by hand, so that every circle is known. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { reportJson } from '../../../src/cli/report/json.js';
import { measure } from '../../../src/cli/report/measure.js';
import { printReport } from '../../../src/cli/report/print.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { lockWaitsAtEnd } from '../../../src/trace/measure/lock-waits.js';
import { SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { IntervalState, type Trace } from '../../../src/trace/model/trace.js';
import { endNs, lockedRecording, second, type Waiting } from './locked-recording.js';

function recorded(waiting: readonly Waiting[], inside?: string): Trace {
  const decoder = new RecordingDecoder();
  decoder.append(lockedRecording(waiting, inside));
  decoder.finish();
  const trace = decoder.trace();
  assert.deepEqual(trace.problems, []);
  return trace;
}

const circlesOf = (trace: Trace): number[][] =>
  lockWaitsAtEnd(trace).deadlocks.map((circle) => circle.map(({ thread }) => thread));
const othersOf = (trace: Trace): number[] => lockWaitsAtEnd(trace).others.map(({ thread }) => thread);

const request = { top: 5, sort: undefined, fromNs: undefined, toNs: undefined, perThread: false };

function printed(trace: Trace): string {
  const output = new PassThrough();
  printReport(measure(trace, [], request), new Terminal(output, output, {}));
  return String(output.read());
}

describe('waits for a lock that have not ended', () => {
  it('last to the end of the recording and have no waker', () => {
    const { threads } = recorded([{ owner: 2 }, { owner: 1 }]);
    const { waits, intervals } = threads[0]!;
    assert.deepEqual([waits.count, waits.begin[0], waits.end[0]], [1, second, endNs]);
    assert.equal(waits.link[0], -1);
    const last = intervals.count - 1;
    assert.deepEqual([intervals.end[last], intervals.state[last]], [endNs, IntervalState.Wait]);
    for (let row = 0; row <= last; row++) {
      if (intervals.begin[row]! >= second) assert.equal(intervals.state[row], IntervalState.Wait);
    }
  });

  it('are a deadlock where they make a circle, and others wait behind it', () => {
    const two = recorded([{ owner: 2 }, { owner: 1 }]);
    assert.deepEqual(circlesOf(two), [[1, 2]]);
    assert.deepEqual(othersOf(two), []);
    // 4 waits behind 1 → 2 → 3 → 1, 6 behind 5, which runs into nobody's lock; two circles besides.
    const many = recorded([
      { owner: 2 },
      { owner: 3 },
      { owner: 1 },
      { owner: 1, beginNs: endNs - 1000 },
      { owner: 9 },
      { owner: 5, beginNs: 2 * second },
      { owner: 8 },
      { owner: 7 },
    ]);
    assert.deepEqual(circlesOf(many), [
      [1, 2, 3],
      [7, 8],
    ]);
    assert.deepEqual(othersOf(many), [5, 6, 4]);
  });

  it('are none where a wait has ended, is for no lock, or short and behind nothing', () => {
    assert.deepEqual(circlesOf(recorded([{ owner: 2, flags: 0 }, { owner: 1 }])), []);
    const none = recorded([
      { owner: 0, kind: SampleKind.Park },
      { owner: 0, kind: SampleKind.Wait },
      { owner: 2, beginNs: endNs - second / 2 },
    ]);
    assert.deepEqual(circlesOf(none), []);
    assert.deepEqual(othersOf(none), []);
    assert.deepEqual(othersOf(recorded([{ owner: 0 }])), [1]);
  });

  it('say where, by the method that is not the platform’s', () => {
    for (const kind of [SampleKind.Monitor, SampleKind.Park]) {
      const trace = recorded([
        { owner: 2, kind },
        { owner: 1, kind },
      ]);
      const [wait] = lockWaitsAtEnd(trace).deadlocks[0]!;
      assert.equal(trace.methods.qualifiedName(wait!.method), 'Bank.transfer');
      assert.equal(wait!.line, 12);
    }
  });

  const parkedIn = (inside: string): string => {
    const parks = [2, 1].map((owner) => ({ owner, kind: SampleKind.Park }));
    const trace = recorded(parks, inside);
    return trace.methods.qualifiedName(lockWaitsAtEnd(trace).deadlocks[0]![0]!.method);
  };

  for (const inside of [
    'java.util.concurrent.locks.ReentrantLock',
    'android.os.MessageQueue',
    'androidx.room.RoomDatabase',
    'com.android.internal.os.ZygoteInit',
    'com.android.okhttp.ConnectionPool',
    'dalvik.system.VMRuntime',
    'libcore.io.Linux',
  ])
    it(`say where in the program, not in ${inside}`, () => assert.equal(parkedIn(inside), 'Bank.transfer'));

  for (const inside of ['com.android.phone.PhoneApp', 'androidy.App', 'javafx.App', 'kotlin.App'])
    it(`say where in the program, also in ${inside}`, () => assert.equal(parkedIn(inside), `${inside}.park`));

  it('are the first thing that a report says', () => {
    const before = SampleFlag.OpenWait | SampleFlag.FromBefore;
    const trace = recorded([
      { owner: 2 },
      { owner: 1, flags: SampleFlag.OpenWait | SampleFlag.OwnerEstimated },
      { owner: 1, flags: before },
    ]);
    const text = printed(trace);
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith('Deadlock'));
    assert.deepEqual(lines.slice(at, at + 5), [
      'Deadlock: 2 threads wait for each other',
      '  "t1" waits for a java.lang.Object that "t2" has, in Bank.transfer (Bank.java:12)',
      '  "t2" waits for a java.lang.Object that "t1" had when that began, in Bank.transfer (Bank.java:12)',
      'Waiting for a lock when the recording ended',
      '  "t3" waits for a java.lang.Object that "t1" has, in Bank.transfer (Bank.java:12), for 9.00 s and from before',
    ]);
    assert.ok(at > 0 && at < text.indexOf('Hottest'));
    assert.match(text, /lock, to the end/);
    const json = JSON.parse(JSON.stringify(reportJson('x', measure(trace, [], request)))) as {
      deadlocks: { thread: string; owner: string; kind: string; line: number; waitedNs: number }[][];
      lockWaitsAtEnd: { isFromBefore: boolean }[];
    };
    const [circle] = json.deadlocks;
    assert.deepEqual(
      circle!.map(({ thread, owner, kind, line, waitedNs }) => [thread, owner, kind, line, waitedNs]),
      [
        ['t1', 't2', 'lock', 12, 9 * second],
        ['t2', 't1', 'lock', 12, 9 * second],
      ],
    );
    assert.deepEqual(
      json.lockWaitsAtEnd.map(({ isFromBefore }) => isFromBefore),
      [true],
    );
    assert.doesNotMatch(
      printed(recorded([{ owner: 0, kind: SampleKind.Sleep }])),
      /Deadlock|Waiting for a lock/,
    );
  });
});
