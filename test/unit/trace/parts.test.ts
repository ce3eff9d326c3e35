// A recording too large for the memory it may take, read a part at a time.
import assert from 'node:assert/strict';
import { RecordingDecoder, type PartOptions, type Trace } from '../../../src/trace/index.js';
import { synthetic } from './recordings.js';

async function recording(): Promise<Uint8Array> {
  return (await synthetic({ samples: 30_000, threads: 3, methods: 300, depth: 12 })).bytes;
}

function read(bytes: Uint8Array, part: PartOptions): Trace {
  const decoder = new RecordingDecoder({ magic: true, ...part });
  for (let at = 0; at < bytes.length; at += 10_000) decoder.append(bytes.subarray(at, at + 10_000));
  decoder.finish();
  return decoder.trace();
}

const samplesOf = (trace: Trace): number =>
  trace.threads.reduce((sum, { sampleCount }) => sum + sampleCount, 0);

describe('a recording read in parts', () => {
  it('has each sample in one of them, in the order of time', async () => {
    const bytes = await recording();
    const whole = read(bytes, {});
    assert.equal(whole.part, undefined);
    const parts = [read(bytes, { mostBytes: 1_000_000 })];
    for (let next = parts[0]!.part?.next; next !== undefined; next = parts.at(-1)!.part?.next)
      parts.push(read(bytes, { from: next, mostBytes: 1_000_000 }));
    assert.ok(parts.length > 2, `${parts.length} parts`);
    assert.equal(
      parts.reduce((sum, part) => sum + samplesOf(part), 0),
      samplesOf(whole),
    );
    for (const part of parts) {
      assert.equal(part.part?.recordingEndNs, whole.endNs);
      assert.equal(part.methods.count, whole.methods.count);
      assert.deepEqual(part.problems, []);
    }
    const ends = parts.map(({ endNs }) => endNs);
    assert.deepEqual(
      ends,
      ends.toSorted((a, b) => a - b),
    );
    assert.equal(ends.at(-1), whole.endNs);
    assert.ok(ends[0]! < whole.endNs / 2, 'the first part ends where its samples do');
  });

  it('that was cut off still tells how long it was', async () => {
    const bytes = await recording();
    const { part, complete, endNs } = read(bytes.subarray(0, bytes.length - 2000), { mostBytes: 1_000_000 });
    assert.equal(complete, false);
    assert.ok(part !== undefined && part.recordingEndNs > endNs);
  });

  it('is whole where there is room', async () => {
    const bytes = await recording();
    assert.equal(read(bytes, { mostBytes: 2 ** 30 }).part, undefined);
  });
});
