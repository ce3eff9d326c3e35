/** Waits of virtual threads off their carriers: what a chunk of them becomes, whole, cut and damaged. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { virtualThreadFigures } from '../../../src/trace/measure/virtual-threads.js';
import { offCarrierWaitPlaces } from '../../../src/trace/measure/off-carrier-waits.js';
import { SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Classes, Header, Methods } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import {
  encodeOffCarrierWaits,
  type OffCarrierWaitRows,
} from '../../../src/trace/recording/off-carrier-waits.js';
import { Redactor } from '../../../src/targets/session/redact.js';
import { RetraceMapping } from '../../../src/symbols/r8/retrace-mapping.js';
import { retraceTrace } from '../../../src/symbols/r8/retrace-trace.js';
import { hideLibraryFrames } from '../../../src/webview/worker/hide-library-frames.js';
import { carrierRecording } from './carrier-recording.js';
import { decoded } from './recordings.js';

const ms = 1e6;
const lastNs = 2 ** 40;

const rows: OffCarrierWaitRows = {
  thread: [1, 2, 2, 2],
  id: [31, 0xffffffff, 0, 32],
  begin: [2 * ms, -ms, 3 * ms, lastNs],
  duration: [5 * ms, 4 * ms, 0, ms],
  stack: [2, 0, 0, 7],
  flags: [0, SampleFlag.FromBefore, 0, SampleFlag.OpenWait],
  leftOut: [0, 3, 2, 0],
  leftOutNs: [0, 9 * ms, 4 * ms, 0],
};

const withWaits = (waits: OffCarrierWaitRows): Uint8Array =>
  carrierRecording([{ id: 31, samples: 3 }], waits);

describe('waits of virtual threads', () => {
  const trace = decoded(withWaits(rows));
  const { count, id, begin, end, path, thread, flags, leftOut, leftOutNs } = trace.offCarrierWaits!;

  it('are columns of their own', () => {
    assert.deepEqual(trace.problems, []);
    assert.equal(count, 3);
    assert.deepEqual([...id.subarray(0, count)], [31, 0xffffffff, 32]);
    assert.deepEqual([...begin.subarray(0, count)], [2 * ms, -ms, lastNs]);
    assert.deepEqual([...end.subarray(0, count)], [7 * ms, 3 * ms, lastNs + ms]);
    assert.deepEqual([...thread.subarray(0, count)], [1, 2, 2]);
    assert.deepEqual([...flags.subarray(0, count)], [0, SampleFlag.FromBefore, SampleFlag.OpenWait]);
    assert.deepEqual([leftOut, leftOutNs], [5, 13 * ms]);
  });

  it('stand where their stacks say, or nowhere', () => {
    const { paths, methods } = trace;
    assert.equal(methods.name(paths.method[path[0]!]!), 'work');
    assert.deepEqual([path[1], path[2]], [0, 0]);
  });

  it('are no time of a carrier’s, and belong to the recording', () => {
    const plain = decoded(carrierRecording([{ id: 31, samples: 3 }]));
    assert.equal(trace.threads[0]!.intervals.count, plain.threads[0]!.intervals.count);
    assert.equal(trace.threads[0]!.waits.count, 0);
    assert.equal(trace.endNs, lastNs + ms);
  });

  it('that cannot be true are left out and listed, the others are kept', () => {
    const bad = decoded(withWaits({ ...rows, duration: [5 * ms, -1, 0, ms] }));
    assert.deepEqual([...bad.offCarrierWaits!.id.subarray(0, bad.offCarrierWaits!.count)], [31, 32]);
    assert.match(bad.problems[0]!.what, /1 wait of a virtual thread cannot be true and was left out/);
  });

  it('that are cut end where the shortest column does', () => {
    const cut = decoded(withWaits({ ...rows, stack: [2, 2] }));
    assert.equal(cut.offCarrierWaits!.count, 2);
    assert.match(cut.problems[0]!.what, /a block of waits of virtual threads is cut/);
  });

  it('are of the part that is taken in', () => {
    const whole = withWaits({ ...rows, id: [1, 2, 3, 4] });
    const taken = (mostBytes: number): number => {
      const decoder = new RecordingDecoder({ magic: true, mostBytes });
      decoder.append(whole);
      return decoder.trace().offCarrierWaits!.count;
    };
    assert.deepEqual([taken(1), taken(1e6)], [0, 4]);
  });

  it('stay in a recording without names', () => {
    const payload = encodeOffCarrierWaits(rows);
    const chunk = { kind: ChunkKind.OffCarrierWaits, flags: 0, sequence: 0, offset: 0 };
    const kept = new Redactor().redact({ ...chunk, stored: payload, rawLength: payload.length });
    assert.deepEqual(kept?.stored, payload);
  });
});

/** Waits of 1, 2, 3 … ms, each of a thread of its own, in stacks written as innermost first. */
function waitsIn(stacks: readonly (readonly string[])[]): Uint8Array {
  const names = [...new Set(stacks.flat())];
  const classOf = (name: string): string => name.slice(0, name.lastIndexOf('.'));
  const classes = [...new Set(names.map(classOf))];
  const nodes = {
    id: [] as number[],
    parent: [] as number[],
    frame: [] as number[],
    position: [] as number[],
  };
  const leaves = stacks.map((stack) => {
    let parent = 0;
    for (const name of stack.toReversed()) {
      nodes.parent.push(parent);
      nodes.frame.push(names.indexOf(name) + 1);
      nodes.position.push(-1);
      parent = nodes.id.push(nodes.id.length + 1);
    }
    return parent;
  });
  const chunks: [number, Uint8Array][] = [
    [ChunkKind.Header, Header.encode({ major: 1, minor: 3 })],
    [ChunkKind.Classes, Classes.encode({ classes: classes.map((name, at) => ({ id: at + 1, name })) })],
    [
      ChunkKind.Methods,
      Methods.encode({
        methods: names.map((name, at) => ({
          id: at + 1,
          classId: classes.indexOf(classOf(name)) + 1,
          name: name.slice(name.lastIndexOf('.') + 1),
        })),
      }),
    ],
    [ChunkKind.Nodes, encodeNodes(nodes)],
    [
      ChunkKind.OffCarrierWaits,
      encodeOffCarrierWaits({
        thread: stacks.map(() => 1),
        id: stacks.map((_, at) => 40 + at),
        begin: stacks.map(() => 0),
        duration: stacks.map((_, at) => (at + 1) * ms),
        stack: leaves,
      }),
    ],
  ];
  const parts = chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at));
  return new Uint8Array(Buffer.concat([fileMagic, ...parts]));
}

describe('what virtual threads waited for', () => {
  const thread = ['java.lang.VirtualThread.run', 'jdk.internal.vm.Continuation.enter'];
  const park = ['java.lang.VirtualThread.yieldContinuation', 'java.lang.VirtualThread.park'];
  const parked = [
    ...park,
    'java.lang.System$1.parkVirtualThread',
    'java.util.concurrent.locks.LockSupport.park',
  ];
  const cases: readonly [readonly string[], number, string][] = [
    [['shop.Till.count', ...thread], SampleKind.Monitor, 'shop.Till.count'],
    [['java.util.Vector.add', 'shop.Till.pay', ...thread], SampleKind.Monitor, 'shop.Till.pay'],
    [
      ['java.lang.Object.wait0', 'java.lang.Object.wait', 'shop.Till.bell', ...thread],
      SampleKind.Wait,
      'shop.Till.bell',
    ],
    [
      [
        park[0]!,
        'java.lang.VirtualThread.parkNanos',
        'java.lang.VirtualThread.sleepNanos',
        'java.lang.Thread.sleep',
        'shop.Till.nap',
        ...thread,
      ],
      SampleKind.Sleep,
      'shop.Till.nap',
    ],
    [
      [...parked, 'java.util.concurrent.Semaphore.acquire', 'shop.Till.turn', ...thread],
      SampleKind.Park,
      'shop.Till.turn',
    ],
    [[...parked, 'shop.Till.rest', ...thread], SampleKind.Park, 'shop.Till.rest'],
    [
      [...parked, 'sun.nio.ch.Poller.poll', 'java.net.Socket.read', 'shop.Bank.ask', ...thread],
      SampleKind.Io,
      'shop.Bank.ask',
    ],
    [
      [...parked, 'sun.nio.ch.Poller.subPollerLoop', ...thread],
      SampleKind.Io,
      'sun.nio.ch.Poller.subPollerLoop',
    ],
    [[], SampleKind.Unknown, ''],
  ];
  const yields = [
    park[0]!,
    'java.lang.VirtualThread.tryYield',
    'java.lang.Thread.yield',
    'shop.Till.spin',
    ...thread,
  ];
  const trace = decoded(waitsIn([...cases.map(([stack]) => stack), yields, thread]));
  const nameOf = (method: number): string => (method < 0 ? '' : trace.methods.qualifiedName(method));

  it('is told by the innermost frames, with the program’s method', () => {
    assert.deepEqual(trace.problems, []);
    const { count, kind, method, waits, total, longest } = offCarrierWaitPlaces(trace, wholeTrace);
    const found = [...Array(count).keys()].map((row) => [nameOf(method[row]!), kind[row], total[row]! / ms]);
    // The longest first; one that yields or has not begun is not among them.
    assert.deepEqual(found, cases.map(([, of, name], at) => [name, of, at + 1]).toReversed());
    assert.deepEqual(
      [...waits],
      cases.map(() => 1),
    );
    assert.deepEqual([...longest], [...total]);
  });

  it('is of each of them, also of those that were seen on no carrier', () => {
    const { count, all, id, wall, waited, waits, waitKind, waitMethod } = virtualThreadFigures(
      trace,
      wholeTrace,
    );
    assert.deepEqual([count, all], [cases.length, cases.length]);
    assert.deepEqual([id[0], wall[0], waited[0], waits[0]], [40 + cases.length - 1, 0, cases.length * ms, 1]);
    const sleeper = id.indexOf(43);
    assert.deepEqual([waitKind[sleeper], nameOf(waitMethod[sleeper]!)], [SampleKind.Sleep, 'shop.Till.nap']);
  });

  it('is of the time and the carriers that are asked for, and what lies in it counts', () => {
    const scope = { threads: [1], beginNs: 2.5 * ms, endNs: 4 * ms };
    const { count, total } = offCarrierWaitPlaces(trace, scope);
    assert.equal(count, cases.length - 2);
    assert.equal(total.at(-1), 0.5 * ms);
    assert.equal(offCarrierWaitPlaces(trace, { ...scope, threads: [2] }).count, 0);
  });

  it('is the same where only some of the program’s calls are shown', () => {
    const { methods } = trace;
    const keeps = Uint8Array.from({ length: methods.count }, (_, method) =>
      methods.className(method).startsWith('shop.') ? 1 : 0,
    );
    assert.deepEqual(
      offCarrierWaitPlaces(hideLibraryFrames(trace, keeps), wholeTrace),
      offCarrierWaitPlaces(trace, wholeTrace),
    );
  });

  it('has the names that were written, where a mapping tells them', () => {
    const written = retraceTrace(
      trace,
      new RetraceMapping('real.Desk -> shop.Till:\n    void sleepAWhile() -> nap\n'),
    );
    const { count, kind, method } = offCarrierWaitPlaces(written, wholeTrace);
    const sleeps = [...Array(count).keys()].find((row) => kind[row] === SampleKind.Sleep)!;
    assert.equal(written.methods.qualifiedName(method[sleeps]!), 'real.Desk.sleepAWhile');
    assert.equal(count, cases.length);
  });
});
