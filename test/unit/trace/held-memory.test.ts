import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decodeRecording } from '../../../src/trace/assemble/decode.js';
import { EndReason, type Trace } from '../../../src/trace/index.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { encodeHeldMemory, type HeldMemoryRows } from '../../../src/trace/recording/held-memory.js';
import { Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { RecordingWriter } from '../../../src/trace/recording/writer.js';
import { hideLibraryFrames } from '../../../src/webview/worker/hide-library-frames.js';
import { MemorySink } from './recordings.js';

/** main calls keep and leave; two threads. */
async function recorded(held: HeldMemoryRows): Promise<Trace> {
  const sink = new MemorySink();
  const writer = new RecordingWriter(sink);
  await writer.add(ChunkKind.Header, Header.encode({ major: 1 }));
  await writer.add(ChunkKind.Threads, Threads.encode({ threads: [{ index: 1 }, { index: 2 }] }));
  const named = ['main', 'keep', 'leave'].map((name, at) => ({ id: at + 1, name }));
  await writer.add(ChunkKind.Methods, Methods.encode({ methods: named }));
  const nodes = { id: [1, 2, 3], parent: [0, 1, 1], frame: [1, 2, 3], position: [0, 0, 0], image: [0, 0, 0] };
  await writer.add(ChunkKind.Nodes, encodeNodes(nodes));
  await writer.add(ChunkKind.HeldMemory, encodeHeldMemory(held));
  await writer.finish(EndReason.Stopped);
  return decodeRecording(sink.bytes).trace();
}

const rows = { thread: [1, 2, 1, 1], time: [10, 20, 30, 40], stack: [2, 3, 2, 0], bytes: [100, 1000, 50, 7] };

/** By name, self and total. */
function heldOf(trace: Trace, scope = wholeTrace): Record<string, [number, number]> {
  const sums = sumScope(trace, scope);
  const totals = sums.total('heldBytes');
  const found: Record<string, [number, number]> = { all: [sums.self.heldBytes[0]!, sums.sum.heldBytes] };
  for (let path = 1; path < trace.paths.count; path++)
    found[trace.methods.name(trace.paths.method[path]!)] = [sums.self.heldBytes[path]!, totals[path]!];
  return found;
}

describe('memory that is still held', () => {
  it('counts where it was allocated', async () => {
    assert.deepEqual(heldOf(await recorded(rows)), {
      all: [7, 1157],
      main: [0, 1150],
      keep: [150, 150],
      leave: [1000, 1000],
    });
  });

  it('counts for the threads and the time that are looked at', async () => {
    const trace = await recorded(rows);
    assert.deepEqual(heldOf(trace, { ...wholeTrace, threads: [2] })['all'], [0, 1000]);
    assert.deepEqual(heldOf(trace, { ...wholeTrace, beginNs: 10, endNs: 25 })['keep'], [100, 100]);
  });

  it('is that of the callers where library frames are hidden', async () => {
    const trace = await recorded(rows);
    const keeps = Uint8Array.from({ length: trace.methods.count }, (_, method) =>
      trace.methods.name(method) === 'keep' ? 0 : 1,
    );
    assert.deepEqual(heldOf(hideLibraryFrames(trace, keeps)), {
      all: [7, 1157],
      main: [150, 1150],
      leave: [1000, 1000],
    });
  });

  it('is left out where it cannot be true, and the rest stays', async () => {
    const trace = await recorded({ ...rows, bytes: [100, -5, 50, 7] });
    assert.deepEqual(heldOf(trace)['all'], [7, 157]);
    assert.deepEqual(
      trace.problems.map(({ what }) => what),
      ['1 allocation that is still held cannot be true and was left out'],
    );
  });
});
