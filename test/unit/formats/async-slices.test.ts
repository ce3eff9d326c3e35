import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { EventBuilder } from '../../../src/trace/assemble/event-builder.js';
import { AsyncSlices } from '../../../src/trace/formats/async-slices.js';
import { heldBeyond, heldBytes } from '../held-memory.js';

const count = 200_000;
/** A file may hold as many as it likes of each. */
const shapes: Readonly<Record<string, (slices: AsyncSlices, at: number) => void>> = {
  'a begin of a request of its own': (slices, at) => slices.begin(1, `request ${at}`, at, 0),
  'an end that has no begin': (slices, at) => slices.end(1, `request ${at}`, at, 0),
  'a begin on a track of its own': (slices, at) => slices.beginOnTrack(1, `track ${at}`, '7', at, 0),
  'a begin that nobody ends': (slices, at) => slices.begin(1, 'request', at, 0),
};

describe('slices that belong to no thread', () => {
  for (const [name, tell] of Object.entries(shapes))
    it(`take no more memory than they say: ${name}`, async () => {
      const slices = new AsyncSlices(new EventBuilder());
      const before = await heldBytes();
      for (let at = 0; at < count; at++) tell(slices, at);
      const says = slices.memoryBytes;
      const takes = await heldBeyond(before, says);
      assert.ok(takes < says, `${takes} bytes and not ${says}`);
      slices.finish(() => 'request');
    });

  it('end where what began last of the same kind does, in whatever order they stand', () => {
    const builder = new EventBuilder();
    const slices = new AsyncSlices(builder);
    slices.end(1, 7, 90, 0);
    slices.begin(1, 7, 10, 0);
    slices.begin(1, 7, 20, 0);
    slices.end(1, 7, 30, 0);
    slices.begin(1, 8, NaN, 0);
    slices.finish(() => 'request');
    const found = builder.threads.map(({ name, events }) => [name, events.sliceBegin[0], events.sliceEnd[0]]);
    assert.deepEqual(found, [
      ['request', 10, 90],
      ['request 2', 20, 30],
    ]);
  });
});
