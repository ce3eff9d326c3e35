/** Writing and reading files: the writer's index, ranges, progress, cancelling, and what a crash leaves. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openRecording } from '../../../src/trace/assemble/open.js';
import { EndReason } from '../../../src/trace/model/kinds.js';
import { ChunkKind, ChunkParser, encodeChunk, renumberChunk } from '../../../src/trace/recording/chunk.js';
import { deflate } from '../../../src/trace/recording/deflate.js';
import { Footer, Goodbye, Header, Status, Threads } from '../../../src/trace/recording/messages.js';
import { RecordingReader, sourceOf } from '../../../src/trace/recording/reader.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { encodeOffCarrierWaits } from '../../../src/trace/recording/off-carrier-waits.js';
import { RecordingWriter } from '../../../src/trace/recording/writer.js';
import { chunksOf } from './mutations.js';
import { decoded, MemorySink, synthetic } from './recordings.js';

const program = { seed: 2, samples: 20_000, threads: 3, depth: 10, methods: 100 };

describe('RecordingWriter', () => {
  it('numbers chunks anew, leaves conversation out and writes an index that is true', async () => {
    const sink = new MemorySink();
    const writer = new RecordingWriter(sink);
    const parser = new ChunkParser({ magic: false });
    parser.push(encodeChunk(ChunkKind.Header, Header.encode({ major: 1 }), 40));
    parser.push(encodeChunk(ChunkKind.Goodbye, Goodbye.encode({}), 41));
    parser.push(encodeChunk(33, Uint8Array.of(9, 9), 42));
    for (let chunk = parser.next(); chunk !== undefined; chunk = parser.next()) await writer.append(chunk);
    await writer.add(ChunkKind.Status, Status.encode({ samples: 4 }));
    await writer.finish(EndReason.TargetExited, 'exit code 3');
    const chunks = chunksOf(sink.bytes);
    assert.deepEqual(
      chunks.map(({ kind, sequence }) => [kind, sequence]),
      [
        [1, 0],
        [33, 1],
        [13, 2],
        [14, 3],
      ],
    );
    const index = await new RecordingReader(sourceOf(sink.bytes)).index();
    assert.ok(index);
    assert.deepEqual(
      [...index.offset],
      chunks.slice(0, -1).map(({ offset }) => offset),
    );
    assert.equal(writer.bytes, sink.bytes.length);
    assert.equal(decoded(sink.bytes).endReason, EndReason.TargetExited);
    assert.throws(() => void writer.add(ChunkKind.Status, new Uint8Array(0)), /footer already/);
  });

  it('knows the times of waits of virtual threads, which may be before all samples', async () => {
    const sink = new MemorySink();
    const writer = new RecordingWriter(sink);
    await writer.add(ChunkKind.Header, Header.encode({ major: 1 }));
    const waits = { thread: [1, 1], id: [31, 0], begin: [-5, -900], duration: [105, 0], stack: [0, 0] };
    await writer.add(ChunkKind.OffCarrierWaits, encodeOffCarrierWaits(waits));
    await writer.finish(EndReason.Stopped);
    const reader = new RecordingReader(sourceOf(sink.bytes));
    const index = await reader.index();
    assert.deepEqual([index?.beginNs[1], index?.endNs[1], writer.lastNs], [-5, 100, 100]);
    const { beginNs, endNs } = decoded(sink.bytes);
    assert.deepEqual([beginNs, endNs, await reader.lengthNs()], [-5, 100, 105]);
  });

  it('ends with the latest sample, whichever thread came last', async () => {
    const sink = new MemorySink();
    const writer = new RecordingWriter(sink);
    await writer.add(ChunkKind.Header, Header.encode({ major: 1 }));
    for (const [thread, end] of [
      [1, 900],
      [2, 300],
    ] as const)
      await writer.add(
        ChunkKind.Samples,
        encodeSamples([{ thread, counters: 0, time: [100, end], stack: [0, 0] }]),
      );
    await writer.finish(EndReason.Stopped);
    assert.equal(writer.lastNs, 900);
    assert.equal((await new RecordingReader(sourceOf(sink.bytes)).footer())?.endNs, 900);
  });

  it('leaves out an index of more chunks than it keeps, and times that cannot be', async () => {
    const status = Status.encode({ samples: 4 });
    for (const [chunks, indexed] of [
      [3, 3],
      [4, undefined],
    ] as const) {
      const sink = new MemorySink();
      const writer = new RecordingWriter(sink, { mostIndexed: 3 });
      await writer.add(ChunkKind.Header, Header.encode({ major: 1 }));
      for (let left = chunks - 1; left > 0; left--) await writer.add(ChunkKind.Status, status);
      const wild = encodeSamples([{ thread: 1, counters: 0, time: [2 ** 61], stack: [0] }]);
      if (indexed === undefined) await writer.add(ChunkKind.Samples, wild);
      await writer.finish(EndReason.Stopped, '', 7);
      const reader = new RecordingReader(sourceOf(sink.bytes));
      assert.equal((await reader.index())?.count, indexed);
      assert.equal((await reader.footer())?.endNs, 7);
      assert.equal(writer.lastNs, 0);
    }
  });

  it('gives the sink whole chunks only, in order, so that a file is valid whenever writing stops', async () => {
    const sink = new MemorySink();
    const writer = new RecordingWriter(sink);
    await Promise.all([
      writer.add(ChunkKind.Header, Header.encode({ major: 1 })),
      writer.add(ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, name: 'a' }] })),
    ]);
    for (let parts = 1; parts <= sink.parts.length; parts++) {
      const part = new MemorySink();
      part.parts.push(...sink.parts.slice(0, parts));
      assert.deepEqual(
        decoded(part.bytes).problems.filter(({ what }) => !what.includes('header')),
        [],
      );
    }
  });

  it('fails every later append after a write has failed: no hole in the file', async () => {
    let writes = 0;
    const sink = {
      write: () => (++writes === 2 ? Promise.reject(new Error('disk full')) : Promise.resolve()),
    };
    const writer = new RecordingWriter(sink);
    await assert.rejects(writer.add(ChunkKind.Header, Header.encode({ major: 1 })), /disk full/);
    await assert.rejects(writer.add(ChunkKind.Status, Status.encode({})), /disk full/);
    assert.equal(writes, 2);
  });

  it('deflates on request to a file that reads the same', async () => {
    const plain = await synthetic(program);
    const packed = await synthetic({ ...program, deflate: true });
    assert.ok(packed.bytes.length < plain.bytes.length * 0.95);
    const calls = (bytes: Uint8Array): number[] => decoded(bytes).threads.map((thread) => thread.calls.count);
    assert.deepEqual(calls(packed.bytes), calls(plain.bytes));
    assert.deepEqual(decoded(packed.bytes).problems, []);
    // Each column has a code of its own.
    const samples = chunksOf(plain.bytes).filter(({ kind }) => kind === ChunkKind.Samples);
    const bytes = (pack: (payload: Uint8Array) => Uint8Array): number =>
      samples.reduce((sum, { stored }) => sum + pack(stored).length, 0);
    const chunk = (payload: Uint8Array): Uint8Array =>
      encodeChunk(ChunkKind.Samples, payload, 0, { deflate: true }).subarray(24);
    assert.ok(bytes(chunk) < 0.99 * bytes(deflate));
  });

  it('keeps deflated chunks as they came', () => {
    const deflated = encodeChunk(ChunkKind.Texts, new Uint8Array(5000), 3, { deflate: true });
    const parser = new ChunkParser({ magic: false });
    parser.push(deflated);
    const again = renumberChunk(parser.next()!, 3);
    assert.deepEqual(again, deflated);
  });
});

describe('RecordingReader', () => {
  it('reads no footer that inflates to more than its file can have in it', async () => {
    // An index of two million chunks, alike, in a file of some kilobytes.
    const entries = Footer.encode({ chunkOffset: new Array<number>(2_000_000).fill(24), endNs: 9 });
    const hostile = encodeChunk(ChunkKind.Footer, entries, 0, { deflate: true });
    const honest = encodeChunk(ChunkKind.Footer, Footer.encode({ endNs: 9 }), 0, { deflate: true });
    assert.ok(hostile.length < 20_000);
    assert.equal(await new RecordingReader(sourceOf(hostile)).footer(), undefined);
    assert.equal((await new RecordingReader(sourceOf(honest)).footer())?.endNs, 9);
  });

  it('reads a file in pieces through ranges, with progress', async () => {
    const { bytes } = await synthetic(program);
    const reads: number[] = [];
    const progress: number[] = [];
    const source = {
      size: () => Promise.resolve(bytes.length),
      // A source that gives less than asked for, as some do.
      read: (offset: number, length: number) => {
        reads.push(length);
        return Promise.resolve(bytes.slice(offset, offset + Math.min(length, 10_007)));
      },
    };
    const decoder = await openRecording(source, { onProgress: (done) => progress.push(done) });
    const whole = decoded(bytes);
    assert.deepEqual(
      decoder.trace().threads.map(({ calls }) => calls.count),
      whole.threads.map(({ calls }) => calls.count),
    );
    assert.deepEqual(decoder.trace().problems, []);
    assert.ok(reads.length > 10);
    assert.equal(progress.at(-1), bytes.length);
  });

  it('reads only the samples of a range when there is an index', async () => {
    const { bytes } = await synthetic({ ...program, samples: 60_000 });
    const whole = decoded(bytes);
    const range = { beginNs: whole.endNs * 0.5, endNs: whole.endNs * 0.55 };
    let read = 0;
    const source = {
      size: () => Promise.resolve(bytes.length),
      read: (offset: number, length: number) => {
        read += length;
        return Promise.resolve(bytes.subarray(offset, offset + length));
      },
    };
    const part = (await openRecording(source, { range })).trace();
    assert.ok(read < bytes.length * 0.6, `${read} of ${bytes.length} bytes were read`);
    assert.deepEqual(part.problems, []);
    part.threads.forEach((thread, at) => {
      const { begin, end, path, count } = whole.threads[at]!.intervals;
      const inside: number[] = [];
      for (let row = 0; row < count; row++)
        if (begin[row]! >= range.beginNs && end[row]! < range.endNs) inside.push(row);
      const { intervals } = thread;
      const seen = new Map<number, number>();
      for (let row = 0; row < intervals.count; row++) seen.set(intervals.begin[row]!, row);
      assert.ok(inside.length > 50);
      // The very first was cut from the one before it: all others are there, with the same stacks.
      for (const row of inside.slice(1)) {
        const found = seen.get(begin[row]!);
        assert.ok(found !== undefined, `the interval at ${begin[row]} is missing`);
        const name = (trace: typeof part, of: number): string =>
          trace.methods.qualifiedName(trace.paths.method[of]!);
        assert.equal(name(part, intervals.path[found]!), name(whole, path[row]!));
      }
    });
  });

  it('tells how long a recording is from its last bytes, deflated or not', async () => {
    for (const deflate of [false, true]) {
      const { bytes } = await synthetic({ ...program, samples: 60_000, deflate });
      let read = 0;
      const source = {
        size: () => Promise.resolve(bytes.length),
        read: (offset: number, length: number) => {
          read += length;
          return Promise.resolve(bytes.subarray(offset, offset + length));
        },
      };
      const footer = await new RecordingReader(source).footer();
      assert.ok(footer);
      assert.equal(footer.endNs, decoded(bytes).endNs);
      assert.equal(footer.reason, EndReason.Stopped);
      assert.ok(read <= 64 * 1024, `${read} of ${bytes.length} bytes were read`);
      const torn = new RecordingReader(sourceOf(bytes.subarray(0, bytes.length - 1)));
      assert.equal(await torn.footer(), undefined);
    }
  });

  it('reads everything of a recording that was cut off', async () => {
    const { bytes } = await synthetic(program);
    const torn = bytes.subarray(0, bytes.length - 10);
    assert.equal(await new RecordingReader(sourceOf(torn)).index(), undefined);
    const trace = (await openRecording(sourceOf(torn), { range: { beginNs: 0, endNs: 1 } })).trace();
    assert.equal(trace.complete, false);
    assert.ok(trace.threads[0]!.intervals.count > 1000);
  });

  it('stops when it is cancelled', async () => {
    const { bytes } = await synthetic(program);
    const abort = new AbortController();
    abort.abort(new Error('enough'));
    await assert.rejects(openRecording(sourceOf(bytes), { signal: abort.signal }), /enough/);
  });
});
