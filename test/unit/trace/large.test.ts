/** A recording of more than 4 GiB: its chunks, its index, its end and its damage are found at their places. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { recordingLength } from '../../../src/extension/recording/recording-length.js';
import { openRecording } from '../../../src/trace/assemble/open.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { type Chunk, ChunkKind, chunkPayload, encodeChunk } from '../../../src/trace/recording/chunk.js';
import { Footer } from '../../../src/trace/recording/messages.js';
import { RecordingReader } from '../../../src/trace/recording/reader.js';
import { chunksOf } from './mutations.js';
import { decoded, synthetic } from './recordings.js';

/** Zeros between two chunks: a hole in a sparse file. */
const hole = 2 ** 32 + 12_345;

describe('a recording beyond 4 GiB', function () {
  let whole: Trace;
  let bytes: Uint8Array;
  let chunks: Chunk[];
  /** Place of the hole, and the first chunk behind it. */
  let from: number;
  let behind: number;

  before(async () => {
    ({ bytes } = await synthetic({ seed: 2, samples: 30_000, threads: 3, depth: 10, methods: 100 }));
    whole = decoded(bytes);
    chunks = chunksOf(bytes);
    const half = chunks.length >> 1;
    // Behind samples: these are passed over, and the hole with them, where a later range is asked for.
    behind = chunks.findIndex((_, at) => at > half && chunks[at - 1]?.kind === ChunkKind.Samples);
    from = chunks[behind]?.offset ?? 0;
    assert.ok(from > 0);
  });

  const counts = ({ threads }: Trace): number[][] =>
    threads.map(({ calls, intervals }) => [calls.count, intervals.count]);

  it('is read to its end, and damage has its place', async () => {
    const zeros = new Uint8Array(4 * 2 ** 20);
    // A byte of the last chunk of samples is another.
    const last = chunks.findLast(({ kind }) => kind === ChunkKind.Samples)?.offset ?? 0;
    const damaged = bytes.slice();
    damaged[last + 100]! ^= 1;
    const source = {
      size: () => Promise.resolve(bytes.length + hole),
      read: (offset: number, length: number) => {
        if (offset < from) return Promise.resolve(damaged.subarray(offset, Math.min(offset + length, from)));
        const left = from + hole - offset;
        if (left > 0) return Promise.resolve(zeros.subarray(0, Math.min(length, left)));
        return Promise.resolve(damaged.subarray(offset - hole, offset - hole + length));
      },
    };
    const progress: number[] = [];
    const trace = (await openRecording(source, { onProgress: (done) => progress.push(done) })).trace();
    assert.equal(progress.at(-1), bytes.length + hole);
    const end = chunks[chunks.findIndex(({ offset }) => offset === last) + 1]?.offset ?? 0;
    assert.deepEqual(trace.problems.slice(0, 2), [
      { offset: from, what: `no chunk begins here; ${hole} bytes were skipped` },
      {
        offset: last + hole,
        what: `the checksum of a chunk is wrong; ${end - last} bytes were skipped`,
      },
    ]);
    assert.ok(trace.complete);
    // As when there is no hole.
    const { problems, ...same } = decoded(damaged);
    assert.ok(problems.length > 0);
    assert.deepEqual(counts(trace), counts({ problems, ...same }));
  });

  describe('in a file', () => {
    let folder: string;
    let file: string;
    let handle: FileHandle;
    let size: number;

    before(async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'btrace-large-'));
      file = path.join(folder, 'large.btrace');
      handle = await open(file, 'w+');
      const end = chunks.at(-1)!;
      const footer = Footer.decode(chunkPayload(end));
      const chunkOffset = [...footer.chunkOffset];
      chunkOffset[behind]! += hole;
      await handle.write(bytes.subarray(0, from), 0, from, 0);
      await handle.write(bytes, from, end.offset - from, from + hole);
      const changed = encodeChunk(ChunkKind.Footer, Footer.encode({ ...footer, chunkOffset }), end.sequence);
      await handle.write(changed, 0, changed.length, end.offset + hole);
      size = end.offset + hole + changed.length;
    });
    after(async () => {
      await handle.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('has an index that leads behind it', async () => {
      let read = 0;
      const source = {
        size: () => Promise.resolve(size),
        read: async (offset: number, length: number) => {
          const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, offset);
          read += bytesRead;
          return buffer.subarray(0, bytesRead);
        },
      };
      const index = await new RecordingReader(source).index();
      assert.deepEqual(
        [...(index?.offset ?? [])],
        chunks.slice(0, -1).map(({ offset }) => (offset < from ? offset : offset + hole)),
      );

      const range = { beginNs: whole.endNs * 0.9, endNs: whole.endNs };
      const part = (await openRecording(source, { range })).trace();
      const ofSmall = await openRecording(
        {
          size: () => Promise.resolve(bytes.length),
          read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
        },
        { range },
      );
      assert.ok(read < bytes.length, `${read} bytes were read`);
      assert.deepEqual(part.problems, []);
      assert.deepEqual(counts(part), counts(ofSmall.trace()));
      assert.ok(part.threads.every(({ intervals }) => intervals.count > 100));
    });

    it('tells how long it is', async () => {
      const { mtimeMs: modifiedMs } = await handle.stat();
      const recording = { file, name: 'large', bytes: size, modifiedMs, createdMs: undefined };
      assert.equal(await recordingLength(recording), whole.endNs - whole.beginNs);
    });
  });
});
