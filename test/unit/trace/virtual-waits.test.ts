/** Waits of virtual threads off their carriers: what a chunk of them becomes, whole, cut and damaged. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RecordingDecoder } from '../../../src/trace/build/decoder.js';
import { SampleFlag } from '../../../src/trace/model/kinds.js';
import { ChunkKind, ChunkParser, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { encodeVirtualWaits, type VirtualWaitRows } from '../../../src/trace/recording/virtual-waits.js';
import { Redactor } from '../../../src/targets/session/redact.js';
import { carrierRecording } from './carrier-recording.js';
import { decoded } from './recordings.js';

const ms = 1e6;
const lastNs = 2 ** 40;

const rows: VirtualWaitRows = {
  thread: [1, 2, 2, 2],
  id: [31, 0xffffffff, 0, 32],
  begin: [2 * ms, -ms, 3 * ms, lastNs],
  duration: [5 * ms, 4 * ms, 0, ms],
  stack: [2, 0, 0, 7],
  flags: [0, SampleFlag.FromBefore, 0, SampleFlag.StillWaits],
  leftOut: [0, 3, 2, 0],
  leftOutNs: [0, 9 * ms, 4 * ms, 0],
};

/** That of the carrier, with a chunk more behind its stacks. */
function withWaits(payload: Uint8Array): Uint8Array {
  const parser = new ChunkParser({ magic: true });
  parser.push(carrierRecording([{ id: 31, samples: 3 }]));
  const parts: Uint8Array[] = [fileMagic];
  for (let chunk = parser.next(); chunk !== undefined; chunk = parser.next()) {
    if (chunk.kind === ChunkKind.Footer)
      parts.push(encodeChunk(ChunkKind.VirtualWaits, payload, parts.length - 1));
    parts.push(encodeChunk(chunk.kind, chunk.stored, parts.length - 1, { deflate: false }));
  }
  return new Uint8Array(Buffer.concat(parts));
}

describe('waits of virtual threads', () => {
  const trace = decoded(withWaits(encodeVirtualWaits(rows)));
  const { count, id, begin, end, path, thread, flags, leftOut, leftOutNs } = trace.virtualWaits!;

  it('are columns of their own', () => {
    assert.deepEqual(trace.problems, []);
    assert.equal(count, 3);
    assert.deepEqual([...id.subarray(0, count)], [31, 0xffffffff, 32]);
    assert.deepEqual([...begin.subarray(0, count)], [2 * ms, -ms, lastNs]);
    assert.deepEqual([...end.subarray(0, count)], [7 * ms, 3 * ms, lastNs + ms]);
    assert.deepEqual([...thread.subarray(0, count)], [1, 2, 2]);
    assert.deepEqual([...flags.subarray(0, count)], [0, SampleFlag.FromBefore, SampleFlag.StillWaits]);
    assert.deepEqual([leftOut, leftOutNs], [5, 13 * ms]);
  });

  it('stand where their stacks say, or nowhere', () => {
    const { paths, methods } = trace;
    assert.equal(methods.name(paths.method[path[0]!]!), 'work');
    assert.deepEqual([path[1], path[2]], [0, 0]);
  });

  it('are no time of a carrier’s, and belong to the recording', () => {
    const plain = decoded(carrierRecording([{ id: 31, samples: 3 }]));
    assert.equal(trace.threads[0]!.intervals.count, plain.threads[0]!.intervals.count);
    assert.equal(trace.threads[0]!.blocks.count, 0);
    assert.equal(trace.endNs, lastNs + ms);
  });

  it('that cannot be true are left out and listed, the others are kept', () => {
    const bad = decoded(withWaits(encodeVirtualWaits({ ...rows, duration: [5 * ms, -1, 0, ms] })));
    assert.deepEqual([...bad.virtualWaits!.id.subarray(0, bad.virtualWaits!.count)], [31, 32]);
    assert.match(bad.problems[0]!.what, /1 waits of virtual threads cannot be true/);
  });

  it('that are cut end where the shortest column does', () => {
    const cut = decoded(withWaits(encodeVirtualWaits({ ...rows, stack: [2, 2] })));
    assert.equal(cut.virtualWaits!.count, 2);
    assert.match(cut.problems[0]!.what, /a block of waits of virtual threads is cut/);
  });

  it('are of the part that is taken in', () => {
    const many = { ...rows, id: [1, 2, 3, 4] };
    const whole = withWaits(encodeVirtualWaits(many));
    const taken = (mostBytes: number): number => {
      const decoder = new RecordingDecoder({ magic: true, mostBytes });
      decoder.append(whole);
      return decoder.trace().virtualWaits!.count;
    };
    assert.deepEqual([taken(1), taken(1e6)], [0, 4]);
  });

  it('stay in a recording without names', () => {
    const payload = encodeVirtualWaits(rows);
    const chunk = { kind: ChunkKind.VirtualWaits, flags: 0, sequence: 0, offset: 0 };
    const kept = new Redactor().redact({ ...chunk, stored: payload, rawLength: payload.length });
    assert.deepEqual(kept?.stored, payload);
  });
});
