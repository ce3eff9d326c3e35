/** A recording that is being written: what comes costs what it is, not what is there. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decodeRecording } from '../../../src/trace/assemble/decode.js';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { ChunkKind, chunkHeaderBytes } from '../../../src/trace/recording/chunk.js';
import { cpuMs } from '../cpu-time.js';
import { chunksOf } from './mutations.js';
import { synthetic } from './recordings.js';

/** These are built when they are asked for. */
const callsOf = (decoder: RecordingDecoder): number =>
  decoder.trace().threads.reduce((sum, { calls }) => sum + calls.count, 0);

describe('a chunk that comes to a recording', function () {
  it('is there to be drawn for a small part of what all of it costs', async () => {
    const { bytes } = await synthetic({ seed: 5, samples: 200_000, threads: 4, depth: 30, methods: 2000 });
    const samples = chunksOf(bytes).filter(({ kind }) => kind === ChunkKind.Samples);
    const late = samples.slice(-9);
    const decoder = new RecordingDecoder();
    decoder.append(bytes.subarray(0, late[0]?.offset));
    assert.ok(callsOf(decoder) > 0);
    const times = late.map(({ offset, stored }) => {
      const began = cpuMs();
      decoder.append(bytes.subarray(offset, offset + chunkHeaderBytes + stored.length));
      assert.ok(callsOf(decoder) > 0);
      return cpuMs() - began;
    });
    const began = cpuMs();
    assert.ok(callsOf(decodeRecording(bytes)) > callsOf(decoder) - 1);
    const all = cpuMs() - began;
    const middle = times.sort((a, b) => a - b)[times.length >> 1] ?? NaN;
    // Of some 150 chunks.
    assert.ok(middle < all / 20, `${middle} ms of ${all}`);
  });
});
