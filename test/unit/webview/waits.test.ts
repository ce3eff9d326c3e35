/** What a wait is said to be, and whether it is drawn as one that somebody is to blame for. */
import assert from 'node:assert/strict';
import { SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { lengthOf } from '../../../src/webview/panes/call-waits.js';
import { describeWait, isResting, waitLength } from '../../../src/webview/timeline/waits.js';
import type { WaitColumns, Snapshot } from '../../../src/webview/worker/messages.js';

const typeNames = [
  '',
  'java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject',
  'java.util.concurrent.locks.ReentrantLock$NonfairSync',
  'shop.Stock',
];
const snapshot = { typeNames, threads: [{ index: 4, name: 'clerk', tid: 4 }] } as unknown as Snapshot;

function wait(kind: number, owner: number, type = 0, flags = 0): WaitColumns {
  const one = { kind: [kind], owner: [owner], type: [type], flags: [flags], begin: [0], end: [1e6] };
  return { count: 1, ...one } as unknown as WaitColumns;
}

describe('a wait', () => {
  it('names the owner of a lock, or the waker of the thread', () => {
    const said = (kind: number, owner: number, type = 0): string =>
      describeWait(wait(kind, owner, type), 0, snapshot);
    assert.equal(said(SampleKind.Monitor, 4, 3), 'waits for lock Stock · held by clerk');
    assert.equal(said(SampleKind.Wait, 4, 3), 'Object.wait Stock · woken by clerk');
    assert.equal(said(SampleKind.Park, 4), 'parked · woken by clerk');
    assert.equal(said(SampleKind.Sleep, 0), 'sleeps');
  });

  it('that is still open names the lock and its owner', () => {
    const said = (kind: number, owner: number, type = 0, flags = 0): string =>
      describeWait(wait(kind, owner, type, SampleFlag.OpenWait | flags), 0, snapshot);
    assert.equal(said(SampleKind.Monitor, 4, 3), 'still waits for Stock · held by clerk');
    assert.equal(said(SampleKind.Monitor, 0), 'still waits for a lock');
    assert.equal(said(SampleKind.Park, 4, 2), 'still waits for ReentrantLock$NonfairSync · held by clerk');
    assert.equal(
      said(SampleKind.Monitor, 4, 3, SampleFlag.OwnerEstimated),
      'still waits for Stock · held by clerk when it began',
    );
    assert.equal(said(SampleKind.Park, 0, 1), 'parked AbstractQueuedSynchronizer$ConditionObject');
    assert.equal(said(SampleKind.Sleep, 0), 'sleeps');
    assert.equal(waitLength(wait(SampleKind.Sleep, 0), 0), '1.00 ms');
    assert.equal(waitLength(wait(SampleKind.Sleep, 0, 0, SampleFlag.FromBefore), 0), 'at least 1.00 ms');
  });

  it('counts as rest when no other thread held anything, as in a pool without work', () => {
    const rests = (kind: number, owner: number, type = 0): boolean =>
      isResting(wait(kind, owner, type), 0, snapshot);
    assert.ok(rests(SampleKind.Sleep, 0));
    assert.ok(rests(SampleKind.Park, 0, 2));
    assert.ok(rests(SampleKind.Park, 4, 1));
    assert.ok(rests(SampleKind.Wait, 4));
    assert.ok(!rests(SampleKind.Park, 4, 2));
    assert.ok(!rests(SampleKind.Monitor, 0));
  });

  it('groups waits of one name with their total length and count', () => {
    const wait = { what: 'sleeps', isResting: true, row: 0 };
    assert.equal(lengthOf({ ...wait, ns: 2e6, count: 1 }), '2.00 ms');
    assert.equal(lengthOf({ ...wait, ns: 594e9, count: 37_365 }), '594 s · 37,365×');
  });
});
