/** The main thread's waits for I/O, and its sleep within messages: told where they cost time, and nowhere else. */
import assert from 'node:assert/strict';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { findingsIn, findingText } from '../../../src/trace/findings/registry.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { lockedRecording, second } from './locked-recording.js';
import { type Piece, workedTrace } from './worked-recording.js';

/** Two threads that wait for 9 s each; their waits are of `kind`. */
function waiting(kind: number, isMain: boolean, message: number, beginNs = second): Trace {
  const decoder = new RecordingDecoder();
  decoder.append(
    lockedRecording([
      { owner: 0, flags: 0, beginNs },
      { owner: 0, flags: 0, beginNs: 9.99 * second },
    ]),
  );
  decoder.finish();
  const trace = decoder.trace();
  const threads = trace.threads.map((thread, at) => ({
    ...thread,
    isMain: isMain && at === 0,
    intervals: thread.intervals,
    calls: thread.calls,
    message: new Uint32Array(thread.intervals.count).fill(message),
    waits: { ...thread.waits, kind: new Uint8Array(thread.waits.count).fill(kind) },
  }));
  return new Proxy(trace, {
    get: (of, key) => (key === 'threads' ? threads : (Reflect.get(of, key, of) as unknown)),
  });
}

const titles = (trace: Trace): string[] => findingsIn(trace).map(({ title }) => findingText(title));

describe('waits of the main thread', () => {
  it('are told by what they are for, with the longest as evidence', () => {
    const trace = waiting(SampleKind.Io, true, 0);
    const [found, ...others] = findingsIn(trace);
    assert.deepEqual(others, []);
    assert.equal(findingText(found!.title), '"t1" waits 9.00 s for files and sockets in Bank.transfer');
    assert.equal(findingText(found!.explanation), 'It waited once, for 9.00 s.');
    assert.deepEqual(
      [found!.evidence[0]!.thread, found!.evidence[0]!.beginNs, found!.shareOfTime],
      [1, second, 0.9],
    );
    assert.match(titles(waiting(SampleKind.SyncToDisk, true, 0)).join(), /for the disk/);
    assert.match(titles(waiting(SampleKind.Binder, true, 0)).join(), /other processes/);
    assert.match(
      titles(waiting(SampleKind.Sleep, true, 7)).join(),
      /sleeps 9\.00 s while it handles messages/,
    );
  });

  it('are nothing where they are short, of other threads, or rest', () => {
    assert.deepEqual(titles(waiting(SampleKind.Io, false, 0)), []);
    assert.deepEqual(titles(waiting(SampleKind.Io, true, 0, 9.95 * second)), []);
    assert.deepEqual(titles(waiting(SampleKind.Sleep, true, 0)), []);
    assert.deepEqual(titles(waiting(SampleKind.Park, true, 7)), []);
  });

  it('are for the thread that ended most of the waiting, though another one ended the longest wait too early', () => {
    const join = (ms: number, owner: number): Piece => ({
      ...{ in: 'Shop.search > java.lang.Thread.join', ms, owner },
      wait: SampleKind.Wait,
    });
    const pieces = [join(60, 3), ...Array.from({ length: 5 }, () => join(40, 2))];
    const [found] = findingsIn(
      workedTrace(
        [
          { name: 'main', isMain: true, pieces },
          { name: 'indexer', pieces: [{ in: 'Index.read', ms: 260 }] },
          { name: 'settler', pieces: [{ in: 'Ledger.settle', ms: 260 }] },
        ],
        260,
      ),
    );
    assert.equal(findingText(found!.title), '"main" waits 260 ms for another thread in Shop.search');
    assert.equal(
      findingText(found!.explanation),
      'It waited 6 times, the longest 60.0 ms, mostly for "indexer". Meanwhile that thread ran Index.read.',
    );
    assert.deepEqual(found!.evidence.at(-1)?.thread, 2);
  });
});
