/** Torn and hostile recordings end in bounded time and memory, keep every intact chunk, and say what was wrong where. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import {
  CounterBit,
  formatMajor,
  formatMinor,
  SampleKind,
  ThreadKind,
} from '../../../src/trace/model/kinds.js';
import {
  ChunkKind,
  ChunkParser,
  encodeChunk,
  fileMagic,
  flagDeflated,
} from '../../../src/trace/recording/chunk.js';
import { crc32 } from '../../../src/trace/recording/crc32.js';
import { deflate } from '../../../src/trace/recording/deflate.js';
import { Counters, Header, Status, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeLinks } from '../../../src/trace/recording/links.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { encodeOffCarrierWaits } from '../../../src/trace/recording/off-carrier-waits.js';
import { WireWriter } from '../../../src/trace/recording/wire.js';
import { scale, wide } from '../../rigs/scale.js';
import { chunksOf, fieldsOf, mutantOf, openAndMeasure } from './mutations.js';
import { randomRecording } from './random-recording.js';
import { decoded, synthetic } from './recordings.js';
import { cpuMs } from '../cpu-time.js';
import { seed } from '../../rigs/seed.js';
import { lasts } from '../../rigs/until.js';

const mutations = wide ? 20_000 : 1000;
/** A mutation of a few kB may take as much as its lengths may claim, and what was there before it may not have been given back yet. */
const mutationBytes = 400e6;
/** Virtual threads that wait, and are carried in turns. */
const carriers = { virtualThreads: 4, waiting: 0.2 };
const concat = (parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const file = (...chunks: [number, Uint8Array][]): Uint8Array =>
  concat([fileMagic, ...chunks.map(([kind, payload], sequence) => encodeChunk(kind, payload, sequence))]);
const header = Header.encode({ major: 1, minor: 0 });
const problemsOf = (bytes: Uint8Array): string[] => decoded(bytes).problems.map(({ what }) => what);

/** Where a recording is cut: everywhere in `npm run test:all`, else at every seventh byte and around each end of a chunk. */
function cutsOf(bytes: Uint8Array, chunks: readonly { readonly offset: number }[]): number[] {
  const edges = new Set(
    [8, bytes.length, ...chunks.map(({ offset }) => offset)].flatMap((at) => [at - 1, at, at + 1]),
  );
  return Array.from({ length: bytes.length + 1 }, (_, size) => size).filter(
    (size) => wide || size % 7 === 0 || edges.has(size),
  );
}

describe('torn recordings', () => {
  const recordings: Record<string, () => Promise<Uint8Array>> = {
    'a program': async () =>
      (await synthetic({ seed: 1, samples: 300, threads: 2, depth: 6, methods: 20, ...carriers })).bytes,
    'every message there is': () => Promise.resolve(randomRecording(5).bytes),
  };
  for (const [name, make] of Object.entries(recordings)) {
    it(`give every whole chunk at every point where they can be cut: ${name}`, async () => {
      const bytes = await make();
      const chunks = chunksOf(bytes);
      assert.ok(chunks.some(({ kind }) => kind === ChunkKind.OffCarrierWaits));
      assert.ok(chunks.length > 5 && bytes.length < 20_000);
      for (const size of cutsOf(bytes, chunks)) {
        const decoder = new RecordingDecoder();
        const parser = new ChunkParser({ magic: true });
        const torn = bytes.subarray(0, size);
        parser.push(torn);
        parser.finish();
        let whole = 0;
        while (parser.next() !== undefined) whole++;
        const intact = chunks.filter((chunk) => chunk.offset + 24 + chunk.stored.length <= size);
        assert.equal(whole, intact.length, `cut at ${size}`);
        decoder.append(torn);
        decoder.finish();
        const { problems, complete } = decoder.trace();
        const last = intact.at(-1);
        const clean = size === (last === undefined ? 8 : last.offset + 24 + last.stored.length);
        const said = problems.filter(({ what }) => what.includes('end within a chunk'));
        assert.equal(said.length, clean || size < 8 ? 0 : 1, `cut at ${size}: ${JSON.stringify(problems)}`);
        assert.equal(complete, size === bytes.length);
      }
    });
  }

  it('lose one chunk for one flipped byte, wherever it is', () => {
    const { bytes } = randomRecording(5);
    const chunks = chunksOf(bytes);
    for (let at = 8; at < bytes.length; at++) {
      const copy = bytes.slice();
      copy[at]! ^= 0x55;
      const sequences = new Set(chunksOf(copy).map((chunk) => chunk.sequence));
      const hit = chunks.find((chunk) => at >= chunk.offset && at < chunk.offset + 24 + chunk.stored.length)!;
      for (const { sequence } of chunks)
        assert.equal(sequences.has(sequence), sequence !== hit.sequence, `byte ${at}`);
    }
  });
});

describe('hostile recordings', function () {
  lasts(this, 120_000 * (scale - 1));

  it(`survive ${mutations} mutations`, () => {
    console.log(`      seed ${seed} (BTRACE_SEED=${seed} repeats it, npm run fuzz -- --seed N one of them)`);
    const { maxRSS: mostBefore } = process.resourceUsage();
    const roomBytes = process.memoryUsage.rss() + mutationBytes;
    for (let at = seed; at < seed + mutations; at++) {
      const mutant = mutantOf(at);
      try {
        const began = cpuMs();
        openAndMeasure(mutant.bytes);
        assert.ok(cpuMs() - began < 5000, 'it took more than five seconds of CPU time');
        const most = process.resourceUsage().maxRSS;
        assert.ok(most <= mostBefore || most * 1024 <= roomBytes, `it took all to ${most} KB of memory`);
      } catch (error) {
        throw new Error(`seed ${at} (${mutant.how}): ${String(error)}`, { cause: error });
      }
    }
  });

  it('made of lying lengths keep the chunks behind them', () => {
    for (const length of [1, 1000, 16 * 1024 * 1024, 16 * 1024 * 1024 + 1, 0xffffffff]) {
      const good = encodeChunk(
        ChunkKind.Threads,
        Threads.encode({ threads: [{ index: 7, name: 'here' }] }),
        2,
      );
      const liar = encodeChunk(ChunkKind.Texts, new Uint8Array(10), 1);
      new DataView(liar.buffer).setUint32(12, length, true);
      const trace = decoded(concat([fileMagic, encodeChunk(ChunkKind.Header, header, 0), liar, good]));
      assert.deepEqual(
        trace.threads.map(({ name }) => name),
        ['here'],
      );
      assert.ok(trace.problems.some(({ offset = 0, what }) => offset > 8 && /skipped/.test(what)));
    }
  });

  it('with deflate bombs cost what their headers allow', () => {
    const bomb = deflate(new Uint8Array(64 * 1024 * 1024));
    assert.ok(bomb.length < 70_000);
    for (const claimed of [0, 1, 1000, 16 * 1024 * 1024]) {
      const chunk = encodeChunk(ChunkKind.Texts, bomb, 1);
      const view = new DataView(chunk.buffer);
      view.setUint16(10, flagDeflated, true);
      view.setUint32(16, claimed, true);
      view.setUint32(20, crc32(chunk, 24, chunk.length, crc32(chunk, 4, 20)), true);
      const before = process.memoryUsage().arrayBuffers;
      const began = cpuMs();
      const problems = problemsOf(concat([fileMagic, encodeChunk(ChunkKind.Header, header, 0), chunk]));
      assert.ok(cpuMs() - began < 3000);
      assert.ok(process.memoryUsage().arrayBuffers - before < 100e6);
      assert.ok(
        problems.some((what) => what.includes('deflated payload')),
        problems.join(),
      );
    }
  });

  it('with messages that hold no end of entries are left out from there on', () => {
    for (const name of ['Hooks', 'Threads', 'Symbols', 'Counters', 'Losses', 'Status'] as const) {
      const kind = ChunkKind[name];
      // Empty ones, two bytes each: field 8 of a status, of all others field 1.
      const entries = new Uint8Array(2 ** 20).map((_, at) =>
        at % 2 === 1 ? 0 : name === 'Status' ? 0x42 : 0x0a,
      );
      const { problems, threads } = decoded(file([ChunkKind.Header, header], [kind, entries]));
      assert.match(problems[0]?.what ?? '', /there are more than 131072 entries/, name);
      assert.equal(threads.length, 0);
    }
  });

  it('that keep more beside samples than memory has room for say so, and go on', () => {
    const mostBesideBytes = 2 ** 23;
    const entry = Uint8Array.of(0x0a, 4, 0x08, 1, 0x12, 0);
    const entries = new Uint8Array(600_000).map((_, at) => entry[at % entry.length]!);
    const column = (values: number): number[] => Array.from({ length: values }, () => 1);
    const many: Record<string, [number, Uint8Array]> = {
      classes: [ChunkKind.Classes, entries],
      methods: [ChunkKind.Methods, entries],
      texts: [ChunkKind.Texts, entries],
      links: [
        ChunkKind.Links,
        encodeLinks({
          ...{ waiter: column(1e5), waiterTime: column(1e5), waker: column(1e5) },
          ...{ wakerTime: column(1e5), certainty: [] },
        }),
      ],
      counters: [
        ChunkKind.Counters,
        Counters.encode({ blocks: [{ name: 'heap', time: column(1e5), value: column(1e5) }] }),
      ],
      nodes: [
        ChunkKind.Nodes,
        encodeNodes({
          id: Array.from({ length: 20_000 }, (_, at) => at + 1),
          ...{ parent: column(20_000).fill(0), frame: column(20_000), position: column(20_000) },
        }),
      ],
      threads: [
        ChunkKind.Threads,
        Threads.encode({ threads: Array.from({ length: 5000 }, (_, at) => ({ index: at + 1 })) }),
      ],
    };
    const end: [number, Uint8Array] = [ChunkKind.Status, Status.encode({ samples: 9 })];
    for (const [name, chunk] of Object.entries(many)) {
      const decoder = new RecordingDecoder({ magic: true, mostBesideBytes });
      decoder.append(file([ChunkKind.Header, header], ...Array.from({ length: 20 }, () => chunk), end));
      decoder.finish();
      const { problems, status, links, counters, threads } = decoder.trace();
      assert.match(problems[0]?.what ?? '', /there is no memory for/, name);
      assert.equal(status?.samples, 9);
      const kept = 25 * links.count + 16 * (counters[0]?.count ?? 0) + 2560 * threads.length;
      assert.ok(kept <= mostBesideBytes, `${name} take ${kept} bytes`);
    }
  });

  it('with cyclic and orphaned nodes refuse these and keep the others', () => {
    // Parent 3 of node 3 is itself; parent 9 of node 4 is after it; node 6's parent 5 never came.
    const nodes = encodeNodes({
      id: [1, 2, 3, 4, 6],
      parent: [0, 1, 3, 9, 5],
      frame: [1, 2, 3, 4, 5],
      position: [0, 0, 0, 0, 0],
    });
    const samples = encodeSamples([{ thread: 1, counters: 0, time: [0, 1, 2, 3], stack: [2, 3, 4, 6] }]);
    const trace = decoded(
      file([ChunkKind.Header, header], [ChunkKind.Nodes, nodes], [ChunkKind.Samples, samples]),
    );
    assert.equal(trace.paths.count, 3);
    assert.ok(trace.problems.some(({ what }) => what.startsWith('3 stack nodes')));
    assert.ok(trace.problems.some(({ what }) => what.startsWith('3 samples have no stack')));
  });

  it('with samples that rightly have no stack are not called damaged', () => {
    const threads = Threads.encode({ threads: [{ index: 2, name: 'collector', kind: ThreadKind.Runtime }] });
    const rows = { counters: 0, time: [0, 1, 2], stack: [0, 0, 0] };
    const samples = encodeSamples([
      { ...rows, thread: 1, kind: [SampleKind.Gc, SampleKind.Gc, SampleKind.Allocation] },
      { ...rows, thread: 2, kind: [SampleKind.Park, SampleKind.Gc, SampleKind.Park] },
    ]);
    const parts: [number, Uint8Array][] = [
      [ChunkKind.Header, header],
      [ChunkKind.Threads, threads],
      [ChunkKind.Samples, samples],
    ];
    assert.deepEqual(problemsOf(file(...parts)), [
      '1 sample has no stack; its time was left to its neighbours',
    ]);
  });

  it('with samples out of order, and several at one time, are repaired, and say how many', () => {
    const nodes = encodeNodes({ id: [1], parent: [0], frame: [1], position: [0] });
    const problemsAt = (time: number[]): string[] => {
      const samples = encodeSamples([{ thread: 1, counters: 0, time, stack: time.map(() => 1) }]);
      const bytes = file([ChunkKind.Header, header], [ChunkKind.Nodes, nodes], [ChunkKind.Samples, samples]);
      const { begin, end, count } = decoded(bytes).threads[0]!.intervals;
      for (let row = 1; row < count; row++) assert.ok(begin[row]! >= end[row - 1]!);
      assert.equal(end[count - 1], 40);
      return problemsOf(bytes);
    };
    assert.deepEqual(problemsAt([10, 20, 40]), []);
    assert.deepEqual(problemsAt([10, 30, 20, 15, 40]), [
      '2 samples are earlier than the ones before them; they count as taken at once',
    ]);
    assert.deepEqual(problemsAt([10, 10, 30, 40]), ['1 sample has the time of the one before it']);
  });

  it('with ids from nowhere do not make tables for them', () => {
    const before = process.memoryUsage().arrayBuffers;
    const nodes = encodeNodes({ id: [2 ** 28 - 1], parent: [0], frame: [2 ** 24 - 1], position: [0] });
    const trace = decoded(file([ChunkKind.Header, header], [ChunkKind.Nodes, nodes]));
    assert.equal(trace.paths.count, 1);
    assert.ok(process.memoryUsage().arrayBuffers - before < 10e6);
  });

  it('with a block that names more rows than it has are cut, and say so', () => {
    const payload = encodeSamples([{ thread: 1, counters: 0, time: [1, 2, 3], stack: [0, 0, 0] }]);
    // The count is the second field: 0x10 0x03.
    const at = payload.findIndex((byte, index) => byte === 0x10 && payload[index + 1] === 3);
    payload[at + 1] = 100;
    assert.ok(
      problemsOf(file([ChunkKind.Header, header], [ChunkKind.Samples, payload])).some((what) =>
        /97 of its rows/.test(what),
      ),
    );
  });

  it('made of sync words only come to an end', () => {
    const bytes = new Uint8Array(3 * 1024 * 1024);
    bytes.set(fileMagic);
    const sync = [0xa7, 0x42, 0x54, 0x1a];
    for (let at = 8; at < bytes.length; at++) bytes[at] = sync[at % 4]!;
    // Lengths that reach to the end make each candidate a checksum over everything.
    const view = new DataView(bytes.buffer);
    for (let at = 8; at + 24 < bytes.length; at += 64) {
      view.setUint32(at + 12, Math.min(bytes.length - at - 24, 16 * 1024 * 1024), true);
      view.setUint32(at + 16, 0, true);
    }
    const began = cpuMs();
    assert.ok(problemsOf(bytes).length > 0);
    assert.ok(cpuMs() - began < 20_000);
  });
});

describe('messages of rows', () => {
  const messages: [number, string, Uint8Array][] = [
    [
      ChunkKind.Nodes,
      'stack nodes',
      encodeNodes({
        id: [3, 4, 7],
        parent: [0, 3, 4],
        frame: [1, 2, 1],
        position: [0, 5, 5],
        image: [0, 1, 0],
      }),
    ],
    [
      ChunkKind.Links,
      'links',
      encodeLinks({
        ...{ waiter: [1, 2, 1], waiterTime: [5, 9, 9] },
        ...{ waker: [2, 1, 3], wakerTime: [6, 11, 3], certainty: [0, 1, 0] },
      }),
    ],
    [
      ChunkKind.OffCarrierWaits,
      'waits of virtual threads',
      encodeOffCarrierWaits({
        ...{ thread: [1, 2, 1], id: [31, 32, 0], begin: [0, 5, 9], duration: [7, 8, 0], stack: [0, 2, 1] },
        ...{ flags: [0, 128, 0], leftOut: [0, 0, 4], leftOutNs: [0, 9, 0] },
      }),
    ],
  ];
  const after: [number, Uint8Array] = [
    ChunkKind.Threads,
    Threads.encode({ threads: [{ index: 9, name: 'here' }] }),
  ];
  for (const [kind, what, message] of messages) {
    const problemsWith = (payload: Uint8Array): string[] => {
      const trace = decoded(file([ChunkKind.Header, header], [kind, payload], after));
      assert.equal(trace.threads.at(-1)?.name, 'here');
      return trace.problems.map((problem) => problem.what);
    };
    const columns = fieldsOf(message).filter(({ content }) => content !== undefined);
    const damaged = (made: (column: Uint8Array) => Uint8Array): string[][] =>
      columns.map(({ tag, begin, end, content }) => {
        const out = new WireWriter();
        out.varint(tag);
        out.delimited(made(content!));
        return problemsWith(concat([message.subarray(0, begin), out.finish(), message.subarray(end)]));
      });

    it(`are listed where a column lies, and the next chunk is read: ${what}`, () => {
      assert.deepEqual(problemsWith(message), []);
      const cutOff = Uint8Array.of(0x80);
      for (const [at, problems] of damaged((column) => concat([column, Uint8Array.of(2)])).entries())
        assert.match(problems.join(), /different lengths|is cut|cannot be|have no parent/, `${at} is longer`);
      for (const [at, problems] of damaged((column) => concat([column.subarray(0, -1), cutOff])).entries())
        assert.notDeepEqual(problems, [], `column ${at} ends within a number`);
      for (const { begin, end } of columns) {
        const twice = concat([message, message.subarray(begin, end)]);
        assert.match(problemsWith(twice).join(), /have a column twice; the rest of the chunk was left out/);
      }
    });

    it(`are read without what a newer minor has: ${what}`, () => {
      const newer = Uint8Array.of(0x7a, 2, 1, 1, 0x7a, 0, 0x78, 5, 0x7d, 1, 2, 3, 4);
      assert.deepEqual(problemsWith(concat([message, newer])), []);
    });
  }
});

describe('recordings of many threads', () => {
  it('of which each lives shortly, take memory for what they hold', () => {
    const rows = 50;
    const nodes = encodeNodes({ id: [1], parent: [0], frame: [1], position: [0] });
    const samples = Array.from({ length: 400 }, (_, thread): [number, Uint8Array] => {
      const time = Array.from({ length: rows }, (_, row) => 1e6 * (thread * rows + row));
      return [
        ChunkKind.Samples,
        encodeSamples([{ thread: thread + 1, counters: 0, time, stack: time.map(() => 1) }]),
      ];
    });
    const { threads } = decoded(file([ChunkKind.Header, header], [ChunkKind.Nodes, nodes], ...samples));
    assert.equal(threads.length, samples.length);
    const capacity = threads.reduce((sum, { intervals }) => sum + intervals.begin.length, 0);
    assert.ok(capacity < 5 * rows * samples.length, `room for ${capacity} intervals`);
  });

  it('have room for all intervals where each sample makes three: a gap, what an interrupt stands for, and what was late', () => {
    const nodes = encodeNodes({ id: [1, 2], parent: [0, 0], frame: [1, 2], position: [0, 0] });
    const counters = CounterBit.Cpu | CounterBit.CpuTimed;
    const rows = Array.from({ length: 16 }, (_, thread) => 1024 * (thread + 1));
    const samples = rows.map((count, thread): [number, Uint8Array] => {
      const column = (of: (row: number) => number) => Array.from({ length: count }, (_, row) => of(row));
      const block = {
        thread: thread + 1,
        counters,
        time: column((row) => 100e6 * row),
        // The second is the promptest.
        cpu: column((row) => 10e6 * row + (row > 1 ? 1e6 : 0)),
        stack: column((row) => 1 + (row % 2)),
        kind: column(() => SampleKind.CpuTimer),
      };
      return [ChunkKind.Samples, encodeSamples([block])];
    });
    const timed = Header.encode({ major: 1, minor: 1, config: { asyncIntervalNs: 10e6 } });
    const { threads } = decoded(file([ChunkKind.Header, timed], [ChunkKind.Nodes, nodes], ...samples));
    for (const [thread, { intervals }] of threads.entries())
      assert.equal(intervals.end[intervals.count - 1], 100e6 * (rows[thread]! - 1), `thread ${thread + 1}`);
    for (const [thread, { intervals }] of threads.entries())
      assert.equal(intervals.count, 3 * rows[thread]! - 3);
  });
});

describe('versions', () => {
  it('newer minor: what is known is read', () => {
    const trace = decoded(
      file(
        [ChunkKind.Header, Header.encode({ major: 1, minor: 99, target: { name: 'app' } })],
        [55, Uint8Array.of(1, 2, 3)],
        [ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, name: 'main' }] })],
      ),
    );
    assert.equal(trace.info.targetName, 'app');
    assert.equal(trace.threads[0]!.name, 'main');
    assert.deepEqual(trace.problems, []);
  });

  it('newer major: refused in words that name both versions', () => {
    const decoder = new RecordingDecoder();
    decoder.append(
      file(
        [ChunkKind.Header, Header.encode({ major: 2, minor: 3 })],
        [ChunkKind.Threads, Threads.encode({ threads: [{ index: 1 }] })],
      ),
    );
    decoder.finish();
    assert.match(decoder.refused, new RegExp(`2\\.3.*${formatMajor}\\.${formatMinor}.*Update BTrace`, 's'));
    assert.equal(decoder.trace().threads.length, 0);
  });

  it('no recording at all: said so', () => {
    const decoder = new RecordingDecoder();
    decoder.append(new TextEncoder().encode('{"traceEvents": []}'));
    decoder.finish();
    assert.match(decoder.refused, /not a BTrace recording/);
  });

  it('a chunk with flags of the future is left out and listed', () => {
    const strange = encodeChunk(ChunkKind.Threads, Threads.encode({ threads: [{ index: 1 }] }), 1);
    const view = new DataView(strange.buffer);
    view.setUint16(10, 4, true);
    view.setUint32(20, crc32(strange, 24, strange.length, crc32(strange, 4, 20)), true);
    const trace = decoded(concat([fileMagic, encodeChunk(ChunkKind.Header, header, 0), strange]));
    assert.equal(trace.threads.length, 0);
    assert.ok(trace.problems.some(({ what }) => what.includes('newer BTrace')));
  });
});
