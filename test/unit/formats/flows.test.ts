/** Arrows between events → links, and what is kept of those whose other end has not come. */
import assert from 'node:assert/strict';
import { EventBuilder } from '../../../src/trace/assemble/event-builder.js';
import { Flows } from '../../../src/trace/formats/flows.js';
import { NamedMethods } from '../../../src/trace/formats/named-methods.js';
import { NameTable } from '../../../src/trace/formats/names.js';

function told(
  tell: (flows: Flows<number>, thread: (tid: number) => ReturnType<EventBuilder['thread']>) => void,
) {
  const names = new NameTable();
  const builder = new EventBuilder();
  const [one, other] = [builder.thread(1), builder.thread(2)];
  for (const { events } of [one, other]) events.slice(0, 100, names.internText('work'));
  const flows = new Flows<number>(builder);
  tell(flows, (tid) => (tid === 1 ? one : other));
  const { links } = builder.finish(new NamedMethods(names), {});
  const rows = Array.from({ length: links.count }, (_, row) => [
    links.waker[row],
    links.wakerTime[row],
    links.waiter[row],
    links.waiterTime[row],
  ]);
  return { rows, memoryBytes: flows.memoryBytes };
}

describe('flows', () => {
  it('link each event with the previous one of its id, and end with the last', () => {
    const { rows, memoryBytes } = told((flows, thread) => {
      flows.begin(5, thread(1), 10);
      flows.step(5, thread(2), 20, false);
      flows.step(5, thread(1), 30, true);
    });
    assert.deepEqual(rows, [
      [1, 10, 2, 20],
      [2, 20, 1, 30],
    ]);
    assert.equal(memoryBytes, 0);
  });

  it('begin anew with the same id, and count what is open', () => {
    const { rows, memoryBytes } = told((flows, thread) => {
      flows.begin(5, thread(1), 10);
      flows.begin(5, thread(1), 40);
      flows.step(5, thread(2), 50, false);
      flows.begin(6, thread(1), 60);
    });
    assert.deepEqual(rows, [[1, 40, 2, 50]]);
    assert.ok(memoryBytes > 0);
  });

  it('wait for earlier events when their end comes before their begin', () => {
    const { rows, memoryBytes } = told((flows, thread) => {
      flows.step(5, thread(2), 50, true);
      flows.step(5, thread(1), 10, true);
    });
    assert.deepEqual(rows, [[1, 10, 2, 50]]);
    assert.equal(memoryBytes, 0);
  });
});
