/** A recording with a ring in it, as a program that was killed leaves it. */
import assert from 'node:assert/strict';
import { ChunkKind, encodeChunk, fileMagic, flagOpen } from '../../../src/trace/recording/chunk.js';
import { crc32 } from '../../../src/trace/recording/crc32.js';
import { Header } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { decoded } from './recordings.js';

const sample = (time: number): Uint8Array =>
  encodeChunk(ChunkKind.Samples, encodeSamples([{ thread: 1, counters: 0, time: [time], stack: [1] }]), time);

function ringChunk(payload: Uint8Array): Uint8Array {
  const chunk = encodeChunk(ChunkKind.Ring, payload, 0);
  const view = new DataView(chunk.buffer);
  view.setUint16(10, flagOpen, true);
  view.setUint32(20, crc32(chunk, 4, 20), true);
  return chunk;
}

function read(ring: Uint8Array, cut = 0): { times: number[]; stacks: boolean; said: string[] } {
  const file = Buffer.concat([
    fileMagic,
    ringChunk(ring),
    encodeChunk(ChunkKind.Header, Header.encode({ major: 1, minor: 4 }), 0),
    encodeChunk(ChunkKind.Nodes, encodeNodes({ id: [1], parent: [0], frame: [1], position: [0] }), 1),
  ]);
  const { threads, problems } = decoded(new Uint8Array(file.subarray(0, file.length - cut)));
  const { count, end, path } = threads[0]?.intervals ?? { count: 0, end: [], path: [] };
  return {
    times: [...end.slice(0, count)],
    stacks: [...path.slice(0, count)].every((at) => at > 0),
    said: problems.map(({ what }) => what),
  };
}

/** Written one behind the other into `bytes`, from the front again where one has no room, as the agent does. */
function ringOf(bytes: number, times: readonly number[]): Uint8Array {
  const ring = new Uint8Array(bytes);
  let at = 0;
  for (const time of times) {
    const chunk = sample(time);
    if (chunk.length > bytes - at) at = 0;
    ring.set(chunk, at);
    at += chunk.length;
  }
  return ring;
}

describe('a ring in a recording', () => {
  const room = 5 * sample(1).length + 11;

  it('is read with what stands behind it, and its unused room is no damage', () => {
    assert.deepEqual(read(ringOf(room, [1, 2, 3])), { times: [1, 2, 3], stacks: true, said: [] });
  });

  it('is read in order across its seam, where an old chunk is overwritten in part', () => {
    // From the eighth on they are a byte longer.
    const times = [1, 2, 3, 4, 5, 6, 1007];
    const { times: found, said } = read(ringOf(room, times));
    assert.deepEqual([found, said], [[4, 5, 6, 1007], []]);
  });

  it('loses a torn chunk alone, and says so', () => {
    const ring = ringOf(room, [1, 2, 3]);
    ring.fill(0, 2 * sample(1).length + 30, 3 * sample(1).length);
    const { times, said } = read(ring);
    assert.deepEqual(times, [1, 2]);
    assert.match(said.join('; '), /^in the ring: the checksum of a chunk is wrong; \d+ bytes were skipped$/);
  });

  it('is read whatever is torn behind it', () => {
    assert.deepEqual(read(ringOf(room, [1, 2]), 3).times, [1, 2]);
  });
});
