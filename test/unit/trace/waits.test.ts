/** Waits that were looked at by the external sampler while they went on: the looks come before the sample that tells of the wait. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { CounterBit, SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { type Intervals, IntervalState } from '../../../src/trace/model/trace.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Header } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';

const vouch = 1000;
/** Node 1 is main, node 2 is sleep, called by it. */
const stacks = encodeNodes({ id: [1, 2], parent: [0, 1], frame: [1, 2], position: [0, 0] });

type Rows = readonly (readonly [number, number, number])[];

/** Rows of [time, duration, node], whose CPU clock stands still where it was read: the intervals that they make. */
function decodedIntervals(rows: Rows, waitKind: number, counters: number, flags = 0): Intervals {
  return intervalsOfBlocks([[rows, counters]], waitKind, flags);
}

function intervalsOfBlocks(
  blocks: readonly (readonly [Rows, number])[],
  waitKind: number,
  flags = 0,
): Intervals {
  const decoder = new RecordingDecoder();
  decoder.append(fileMagic);
  const payloads: [number, Uint8Array][] = [
    [ChunkKind.Header, Header.encode({ major: 1, config: { asyncIntervalNs: vouch } })],
    [ChunkKind.Nodes, stacks],
    [
      ChunkKind.Samples,
      encodeSamples(
        blocks.map(([rows, counters]) => ({
          thread: 1,
          counters,
          cpu: rows.map(() => 0),
          time: rows.map(([time]) => time),
          duration: rows.map(([, duration]) => duration),
          stack: rows.map(([, , node]) => node),
          kind: rows.map(([, duration]) => (duration > 0 ? waitKind : SampleKind.Allocation)),
          flags: rows.map(([, duration]) => (duration > 0 ? flags : 0)),
        })),
      ),
    ],
  ];
  payloads.forEach(([kind, payload], sequence) => decoder.append(encodeChunk(kind, payload, sequence)));
  return decoder.trace().threads[0]!.intervals;
}

const nameOf = (state: number): string =>
  Object.entries(IntervalState).find(([, value]) => value === state)![0];

/** As `begin..end state` by interval. */
function intervalsOf(rows: Rows): string[] {
  const intervals = decodedIntervals(rows, SampleKind.Park, 0);
  return Array.from(
    { length: intervals.count },
    (_, row) => `${intervals.begin[row]}..${intervals.end[row]} ${nameOf(intervals.state[row]!)}`,
  );
}

describe('a wait that was looked at by the external sampler', () => {
  it('waits from its begin, where a gap was before the first look', () => {
    const began = 2000;
    assert.deepEqual(
      intervalsOf([
        [0, 0, 1],
        [50_000, 0, 2],
        [51_000, 0, 2],
        [began, 98_000, 2],
      ]),
      ['0..0 Evidence', '0..2000 Gap', '2000..50000 Wait', '50000..51000 Wait', '51000..100000 Wait'],
    );
  });

  it('waits throughout, where the looks were far from each other', () => {
    assert.deepEqual(
      intervalsOf([
        [0, 0, 1],
        [1000, 0, 2],
        [60_000, 0, 2],
        [500, 99_500, 2],
      ]),
      ['0..0 Evidence', '0..1000 Evidence', '1000..59000 Wait', '59000..60000 Wait', '60000..100000 Wait'],
    );
  });

  it('waits from its begin, where the first look was the first sample of all', () => {
    assert.deepEqual(
      intervalsOf([
        [50_000, 0, 2],
        [1000, 99_000, 2],
      ]),
      ['1000..50000 Wait', '50000..100000 Wait'],
    );
  });
});

describe('a thread that comes from one wait to the next, and used no CPU time between', () => {
  const statesOf = (kind: number, flags = 0): string[] => {
    const rows = [
      [0, 100, 2],
      [9_000_000, 200, 2],
    ] as const;
    const { count, path, state } = decodedIntervals(rows, kind, CounterBit.Cpu, flags);
    return Array.from({ length: count }, (_, row) => `${nameOf(state[row]!)} ${path[row]}`);
  };

  it('waited at an unknown place, in neither of the two', () => {
    for (const kind of [SampleKind.Sleep, SampleKind.Park])
      assert.deepEqual(statesOf(kind), ['Wait 2', 'Gap 1', 'Wait 2']);
  });

  it('counts as waiting between them if the sample says so', () => {
    const states = statesOf(SampleKind.Sleep, SampleFlag.WaitedBefore);
    assert.deepEqual(states, ['Wait 2', 'InferredWait 2', 'Wait 2']);
  });

  it('waits for the next collection, in no method, where it is the one that collects', () => {
    assert.deepEqual(statesOf(SampleKind.Gc), ['Wait 2', 'InferredWait 1', 'Wait 2']);
  });
});

describe('a thread whose CPU clock is read no longer', () => {
  it('is not counted as waiting', () => {
    const rows = (times: readonly number[]): Rows => times.map((time) => [time, 0, 2]);
    const { count, state } = intervalsOfBlocks(
      [
        [rows([0, 1000, 2000]), CounterBit.Cpu],
        [rows([3000, 4000]), 0],
      ],
      SampleKind.Sleep,
    );
    const states = Array.from({ length: count }, (_, row) => nameOf(state[row]!));
    assert.deepEqual(states, ['Evidence', 'InferredWait', 'InferredWait', 'Evidence', 'Evidence']);
  });
});
