import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { describePoints, infoJson } from '../../../src/cli/info.js';
import {
  ChunkKind,
  CounterBit,
  encodeChunk,
  fileMagic,
  messages,
  PointSurveyor,
  RecordingDecoder,
  SampleKind,
} from '../../../src/trace/index.js';
import { encodeSamples, type SampleRows } from '../../../src/trace/recording/samples.js';

const ms = 1e6;

function recording(blocks: readonly SampleRows[]): Uint8Array {
  return Buffer.concat([
    fileMagic,
    encodeChunk(ChunkKind.Header, messages.Header.encode({ major: 1 }), 0),
    encodeChunk(ChunkKind.Samples, encodeSamples(blocks), 1),
  ]);
}

function block(thread: number, rows: readonly (readonly [number, number, number, number?])[]): SampleRows {
  return {
    thread,
    counters: CounterBit.Cpu,
    time: rows.map(([, time]) => time * ms),
    cpu: rows.map(([, , cpu]) => cpu * ms),
    kind: rows.map(([kind]) => kind),
    merged: rows.map(([, , , captures = 1]) => captures - 1),
    stack: rows.map(() => 0),
  };
}

/** In two pieces, cut where it hurts. */
function surveyed(bytes: Uint8Array): PointSurveyor {
  const surveyor = new PointSurveyor();
  surveyor.append(bytes.subarray(0, 31));
  surveyor.append(bytes.subarray(31));
  return surveyor;
}

const { Allocation, CpuTimer, Monitor } = SampleKind;

describe('the survey of points', () => {
  // Thread 1: 0.5 ms to an allocation, 8 ms to the next with an interrupt on the way, and 3 ms to an interrupt after it.
  // Thread 2: four merged captures of a lock over 4 ms.
  const bytes = recording([
    block(1, [
      [CpuTimer, 0, 0],
      [Allocation, 1, 0.5],
      [CpuTimer, 5, 4.5],
      [Allocation, 9, 8.5],
      [CpuTimer, 12, 11.5],
    ]),
    block(2, [
      [Monitor, 0, 10],
      [Monitor, 4, 14, 4],
    ]),
  ]);

  it('counts captures by kind, and the CPU time that lies between points', () => {
    assert.deepEqual(surveyed(bytes).survey(), {
      points: [
        { kind: Monitor, captures: 5, threads: 1 },
        { kind: Allocation, captures: 2, threads: 1 },
      ],
      spanNs: 12 * ms,
      cpuNs: 15.5 * ms,
      withinNs: [4.5 * ms, 12.5 * ms],
    });
  });

  it('counts the CPU time of a wait with its point', () => {
    const wait = { ...block(1, [[Monitor, 0, 0]]), duration: [20 * ms], cpuDuration: [2 * ms] };
    const { cpuNs, withinNs } = surveyed(recording([wait])).survey();
    assert.deepEqual([cpuNs, ...withinNs], [2 * ms, 2 * ms, 2 * ms]);
  });

  it('leaves out what is damaged', () => {
    const torn = Uint8Array.from(bytes);
    torn[torn.length - 3]! ^= 0xff;
    assert.deepEqual(surveyed(torn).survey().points, []);
  });

  it('says so in words and as JSON', () => {
    const decoder = new RecordingDecoder();
    decoder.append(bytes);
    const survey = surveyed(bytes).survey();
    assert.deepEqual(describePoints(survey), [
      'monitor: 5 captured, 417 a second, on one thread',
      'allocation: 2 captured, 167 a second, on one thread',
      'between them, of 15.5 ms CPU time: 29.0 % in stretches of at most 1.00 ms, 80.6 % in stretches of at most 10.0 ms',
    ]);
    const { points, betweenPoints } = infoJson('file', decoder.trace(), survey) as Record<string, unknown>;
    assert.deepEqual((points as unknown[])[1], { kind: 'allocation', captures: 2, threads: 1 });
    assert.deepEqual(betweenPoints, {
      cpuNs: 15.5 * ms,
      within: [
        { ns: 1 * ms, cpuNs: 4.5 * ms },
        { ns: 10 * ms, cpuNs: 12.5 * ms },
      ],
    });
  });

  it('says where there are none', () => {
    const interrupts = recording([block(1, [[CpuTimer, 0, 0]])]);
    assert.deepEqual(describePoints(surveyed(interrupts).survey()), ['none: all samples came by the clock']);
  });
});
