/** What a thread did meanwhile: a thread without CPU time waited only where a wait or the kernel says so. */
import assert from 'node:assert/strict';
import { findingsIn, findingText } from '../../../src/trace/findings/registry.js';
import { activityIn } from '../../../src/trace/measure/activity.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { SchedState } from '../../../src/trace/system/kernel-sink.js';
import { type Piece, type Switch, workedTrace } from './worked-recording.js';

const lengthMs = 200;

/** What is told of the owner of a lock that the main thread waits for all the time, while the owner does `work`. */
function ownerDid(work: Piece[], switches: readonly Switch[] = []): string {
  const wait = { in: 'Shop.total', ms: lengthMs, wait: SampleKind.Monitor, owner: 2 };
  const workers = [
    { name: 'main', isMain: true, pieces: [wait] },
    { name: 'settler', pieces: work },
  ];
  const found = findingsIn(workedTrace(workers, lengthMs, switches)).find(
    ({ id }) => id === 'lockContention',
  );
  return findingText(found!.explanation).replace(/^.* the owner, "settler", /, '');
}

/** The second thread is put off the only core, in this state, until 180 ms. */
const putAside = (state: number): Switch[] => [
  { atMs: 0, from: 0, state: SchedState.Runnable, to: 102 },
  { atMs: 20, from: 102, state, to: 999 },
  { atMs: 180, from: 999, state: SchedState.Sleeping, to: 102 },
  { atMs: 200, from: 102, state: SchedState.Sleeping, to: 0 },
];

describe('what the owner of a lock did meanwhile', () => {
  const settle = 'Shop.settle';
  const stopped: Piece[] = [
    { in: settle, ms: 20 },
    { in: settle, ms: 160, cpu: 0 },
    { in: settle, ms: 20 },
  ];

  it('is a wait where one was recorded', () => {
    assert.equal(
      ownerDid([
        { in: settle, ms: 20 },
        { in: settle, ms: 180, wait: SampleKind.Io },
      ]),
      'itself waited in Shop.settle.',
    );
  });

  it('is work while it used CPU time', () => {
    assert.equal(ownerDid([{ in: settle, ms: lengthMs }]), 'ran Shop.settle.');
    // Without a core for less than half of it.
    assert.equal(
      ownerDid([
        { in: settle, ms: 120 },
        { in: settle, ms: 80, cpu: 0 },
      ]),
      'ran Shop.settle.',
    );
  });

  it('is what it did next where it was woken long before it had a core', () => {
    const trace = workedTrace(
      [
        {
          name: 'settler',
          pieces: [
            { in: 'Shop.take', ms: 120, wait: SampleKind.Park },
            { in: settle, ms: 80 },
          ],
        },
      ],
      lengthMs,
    );
    const [settler] = trace.threads.filter(({ name }) => name === 'settler');
    const did = () => {
      const { method, how } = activityIn(trace, settler!, 0, trace.endNs)!;
      return `${how} ${trace.methods.qualifiedName(method)}`;
    };
    assert.equal(did(), 'waited Shop.take');
    const { waits } = settler!;
    waits.link[0] = 0;
    Object.assign(trace.links, { wakerTime: Float64Array.of(waits.begin[0]! + 10e6) });
    assert.equal(did(), 'ran Shop.settle');
  });

  it('is work where it worked longer than it waited, in one method after the other', () => {
    const pieces: Piece[] = [{ in: 'Shop.take', ms: 80, wait: SampleKind.Park }];
    for (const method of ['order', 'count', 'settle', 'print']) pieces.push({ in: `Shop.${method}`, ms: 30 });
    assert.match(ownerDid(pieces), /^ran Shop\./);
  });

  it('is no wait where it used no CPU time and nothing says that it waited', () => {
    assert.equal(ownerDid(stopped), 'was in Shop.settle and was not running.');
  });

  it('is what the kernel says of the time without CPU time', () => {
    assert.equal(
      ownerDid(stopped, putAside(SchedState.Runnable)),
      'was ready in Shop.settle and had no core.',
    );
    assert.equal(ownerDid(stopped, putAside(SchedState.Sleeping)), 'itself waited in Shop.settle.');
  });
});
