// A recording too large for the memory it may take, read a part at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callBytes, intervalBytes } from '../../../src/trace/assemble/budget.js';
import {
  type Calls,
  ChunkKind,
  encodeChunk,
  fileMagic,
  type Intervals,
  type PartOptions,
  RecordingDecoder,
  SampleKind,
  type Trace,
  type TracePart,
} from '../../../src/trace/index.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
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

function partOf({ part }: Trace): TracePart | undefined {
  assert.ok(part === undefined || 'next' in part);
  return part;
}

const samplesOf = (trace: Trace): number =>
  trace.threads.reduce((sum, { sampleCount }) => sum + sampleCount, 0);

describe('a recording read in parts', () => {
  it('has each sample in one of them, in the order of time', async () => {
    const bytes = await recording();
    const whole = read(bytes, {});
    assert.equal(whole.part, undefined);
    const parts = [read(bytes, { mostBytes: 1_000_000 })];
    for (let next = partOf(parts[0]!)?.next; next !== undefined; next = partOf(parts.at(-1)!)?.next)
      parts.push(read(bytes, { from: next, mostBytes: 1_000_000 }));
    assert.ok(parts.length > 2, `${parts.length} parts`);
    assert.equal(
      parts.reduce((sum, part) => sum + samplesOf(part), 0),
      samplesOf(whole),
    );
    for (const part of parts) {
      assert.equal(partOf(part)?.recordingEndNs, whole.endNs);
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
    const trace = read(bytes.subarray(0, bytes.length - 2000), { mostBytes: 1_000_000 });
    const { complete, endNs } = trace;
    const part = partOf(trace);
    assert.equal(complete, false);
    assert.ok(part !== undefined && part.recordingEndNs > endNs);
  });

  it('is whole where there is room', async () => {
    const bytes = await recording();
    assert.equal(read(bytes, { mostBytes: 2 ** 30 }).part, undefined);
  });
});

/** Bytes a row of the columns that a table shows, whether they are made when asked for or not. */
function rowBytes(table: object, columns: readonly string[]): number {
  return columns.reduce((sum, name) => {
    const column = (table as Readonly<Record<string, unknown>>)[name];
    assert.ok(ArrayBuffer.isView(column) && 'BYTES_PER_ELEMENT' in column, `${name} is a column`);
    return sum + Number(column.BYTES_PER_ELEMENT);
  }, 0);
}

describe('the memory budget', () => {
  it('counts every column of an interval and of a call', async () => {
    const thread = read(await recording(), {}).threads[0]!;
    const ofInterval = Object.keys({
      begin: 1,
      end: 1,
      path: 1,
      keep: 1,
      state: 1,
      cpu: 1,
      allocations: 1,
      allocatedBytes: 1,
      faults: 1,
      switches: 1,
      samples: 1,
      node: 1,
      countsWith: 1,
    } satisfies Record<Exclude<keyof Intervals, 'count' | 'sumOfAllocatedBytes'>, 1>);
    const ofCall = Object.keys({
      begin: 1,
      end: 1,
      cpu: 1,
      parent: 1,
      depth: 1,
      method: 1,
      firstInterval: 1,
      lastInterval: 1,
    } satisfies Record<Exclude<keyof Calls, 'count'>, 1>);
    assert.equal(intervalBytes, rowBytes(thread.intervals, ofInterval) + thread.message.BYTES_PER_ELEMENT);
    const path = thread.intervals.path.BYTES_PER_ELEMENT;
    assert.equal(callBytes, rowBytes(thread.calls, ofCall) + path);
  });

  it('makes small parts of stacks that have nothing in common', () => {
    const depth = 60;
    const ids = Array.from({ length: 2 * depth }, (_, i) => i + 1);
    const parent = ids.map((id) => (id === depth + 1 ? 0 : id - 1));
    const nodes = encodeNodes({ id: ids, parent, frame: ids, position: ids.map(() => 0) });
    const chunks = [encodeChunk(ChunkKind.Nodes, nodes, 0)];
    const rows = Array.from({ length: 200 }, (_, i) => i);
    for (let chunk = 1; chunk <= 50; chunk++) {
      const time = rows.map((row) => 1000 * (chunk * rows.length + row));
      const stack = rows.map((row) => depth * (1 + (row % 2)));
      const kind = rows.map(() => SampleKind.Allocation);
      const payload = encodeSamples([{ thread: 1, counters: 0, time, stack, kind }]);
      chunks.push(encodeChunk(ChunkKind.Samples, payload, chunk));
    }
    const mostBytes = 10_000_000;
    const part = read(Buffer.concat([fileMagic, ...chunks]), { mostBytes });
    assert.ok(partOf(part)?.next !== undefined);
    const { calls, intervals } = part.threads[0]!;
    const takes = callBytes * calls.count + intervalBytes * intervals.count;
    assert.ok(takes > 0.9 * mostBytes && takes < 1.1 * mostBytes, `${takes} bytes`);
  });
});
