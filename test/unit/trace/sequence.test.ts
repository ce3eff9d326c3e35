/** What the numbers of chunks tell: repeats, chunks that are lost, and those that changed places. */
import assert from 'node:assert/strict';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Header } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { decoded } from './recordings.js';

const samplesAt = (time: number): Uint8Array =>
  encodeSamples([{ thread: 1, counters: 0, time: [time], stack: [1] }]);

/** Chunk 2 has a sample at 2, chunk 3 one at 3, and so on; returns the times that were read, and what was said. */
function read(numbers: readonly number[], damaged = 0): { times: number[]; said: string[] } {
  const nodes = encodeNodes({ id: [1], parent: [0], frame: [1], position: [0] });
  const chunks = [
    encodeChunk(ChunkKind.Header, Header.encode({ major: 1, minor: 0 }), 0),
    encodeChunk(ChunkKind.Nodes, nodes, 1),
    ...numbers.map((number) => encodeChunk(ChunkKind.Samples, samplesAt(number), number)),
  ];
  const hit = chunks[damaged];
  if (damaged > 0 && hit !== undefined) hit[hit.length - 1] = hit[hit.length - 1]! ^ 1;
  const { threads, problems } = decoded(new Uint8Array(Buffer.concat([fileMagic, ...chunks])));
  return {
    times: [...threads[0]!.intervals.end.subarray(0, threads[0]!.intervals.count)],
    said: problems.map(({ what }) => what),
  };
}

describe('the numbers of chunks', () => {
  it('say nothing where all are there, in order', () => {
    assert.deepEqual(read([2, 3, 4]), { times: [2, 3, 4], said: [] });
  });

  it('tell a repeat, which counts once', () => {
    const { times, said } = read([2, 3, 2, 3, 4]);
    assert.deepEqual(times, [2, 3, 4]);
    assert.deepEqual(said, [
      'chunk 2 comes a second time and was left out',
      'chunk 3 comes a second time and was left out',
    ]);
  });

  it('tell how many are lost, one or several', () => {
    assert.deepEqual(read([2, 4, 8]), {
      times: [2, 4, 8],
      said: ['chunk 3 is missing before here', 'chunks 5 to 7 are missing before here'],
    });
  });

  it('let one that comes late be read, once', () => {
    const { said } = read([2, 6, 4, 4, 3, 5, 5]);
    assert.deepEqual(said.slice(0, 3), [
      'chunks 3 to 5 are missing before here',
      'chunk 4 comes a second time and was left out',
      'chunk 5 comes a second time and was left out',
    ]);
    // The samples of the three that came late are all there: each is earlier than the one before.
    assert.match(said[3]!, /^3 samples are earlier/);
  });

  it('tell of a damaged one that it is missing', () => {
    const { times, said } = read([2, 3, 4], 3);
    assert.deepEqual(times, [2, 4]);
    assert.ok(said.includes('chunk 3 is missing before here'), said.join());
  });
});
