import assert from 'node:assert/strict';
import { EventBuilder } from '../../../src/trace/assemble/event-builder.js';
import { endOf, endTop, type EventColumns } from '../../../src/trace/assemble/event-columns.js';
import { sortRows } from '../../../src/trace/assemble/sort-rows.js';
import { NamedMethods } from '../../../src/trace/formats/named-methods.js';
import { NameTable } from '../../../src/trace/formats/names.js';
import { dumpTrace } from '../trace-dump.js';
import { randomNumbers } from './sample-traces.js';

const [a, b, c] = [0, 1, 2];

/** The calls that come of events, as lines, and what was wrong. */
function replayed(fill: (events: EventColumns) => void): string[] {
  const names = new NameTable();
  for (const name of ['a', 'b', 'c']) names.internText(name);
  const builder = new EventBuilder();
  fill(builder.thread(1, 1, 't').events);
  return dumpTrace(builder.finish(new NamedMethods(names), {}))
    .trimEnd()
    .split('\n')
    .slice(3);
}

describe('replaying events', () => {
  it('keeps calls of no length, and siblings of one name apart', () => {
    assert.deepEqual(
      replayed((events) => {
        for (const what of [a, b, endTop, b, endTop]) events.push(5, what);
        events.push(9, endTop);
      }),
      ['  a 0..4', '    b 0..0', '    b 0..0'],
    );
  });

  it('puts events in order of time, those of one time as they came', () => {
    assert.deepEqual(
      replayed((events) => {
        events.push(20, endTop);
        events.push(10, a);
        events.push(15, b);
        events.push(15, endTop);
      }),
      ['  a 0..10', '    b 5..5'],
    );
  });

  it('ends what a named end means, and leaves out an end that means nothing', () => {
    assert.deepEqual(
      replayed((events) => {
        events.push(0, endTop);
        events.push(1, a);
        events.push(2, b);
        events.push(3, endOf(c));
        events.push(4, endOf(a));
        events.push(5, c);
      }),
      [
        '  a 1..4',
        '    b 2..4',
        '  c 5..5',
        'problem: thread "t": 2 ends had no begin; they were left out',
        'problem: thread "t": 1 call went on after the call it is in; it was cut at its end',
        'problem: thread "t": 1 call was still open; it ends with the trace',
      ],
    );
  });

  it('nests slices that came in any order with events, and cuts what outlives its caller', () => {
    assert.deepEqual(
      replayed((events) => {
        events.slice(12, 14, c);
        events.slice(10, 20, b);
        events.slice(18, 25, c);
        events.push(0, a);
        events.push(11, a);
        events.push(15, endTop);
        events.push(30, endTop);
      }),
      [
        '  a 0..30',
        '    b 10..20',
        '      a 11..15',
        '        c 12..14',
        '      c 18..20',
        'problem: thread "t": 1 call went on after the call it is in; it was cut at its end',
      ],
    );
  });

  it('survives stacks deeper than the model holds', () => {
    const names = new NameTable();
    names.internText('a');
    const builder = new EventBuilder();
    const { events } = builder.thread(1);
    for (let i = 0; i < 70_000; i++) events.push(i, a);
    for (let i = 0; i < 70_000; i++) events.push(70_000 + i, endTop);
    const trace = builder.finish(new NamedMethods(names), {});
    const { calls } = trace.threads[0]!;
    assert.equal(calls.count, 65_535);
    assert.equal(calls.end[0], 139_999);
    assert.match(trace.problems[0]!.what, /4465 calls were deeper/);
  });

  it('does not let a file make threads without end', () => {
    const builder = new EventBuilder();
    for (let tid = 1; tid <= 20_000; tid++) builder.thread(tid);
    assert.equal(builder.threads.length, 16_385);
    assert.equal(builder.thread(20_001), builder.thread(20_002));
  });

  it('sorts like a stable sort', () => {
    const random = randomNumbers(7);
    for (let round = 0; round < 200; round++) {
      const count = Math.floor(random() * 60);
      const first = Float64Array.from({ length: count }, () => Math.floor(random() * 8));
      const second = Float64Array.from({ length: count }, () => Math.floor(random() * 3));
      const rows = Array.from({ length: count }, (_, i) => i);
      const wanted = rows.toSorted((x, y) => first[x]! - first[y]! || second[y]! - second[x]! || x - y);
      assert.deepEqual([...sortRows(first, count, second)], wanted);
      assert.deepEqual(
        [...sortRows(first, count)],
        rows.toSorted((x, y) => first[x]! - first[y]! || x - y),
      );
    }
  });
});
