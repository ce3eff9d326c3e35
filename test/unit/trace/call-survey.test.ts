import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { surveyLines } from '../../../src/cli/survey.js';
import {
  CallSurveyor,
  ChunkKind,
  encodeChunk,
  fileMagic,
  HookState,
  messages,
} from '../../../src/trace/index.js';

const cpuNs = 20e6;

/** The program (image 1) calls a library (2), which calls the C library (3); and another one (4), which calls no point. */
function recording(): Uint8Array {
  const images = ['/bin/shop', '/lib/libdb.so.1', '/lib/libc.so.6', '/lib/libsum.so'];
  const functions: [name: string, caller: number, library: number, isPoint: boolean][] = [
    ['malloc', 1, 3, true],
    ['malloc', 2, 3, true],
    ['_Z4openv', 1, 2, false],
    ['sum', 1, 4, false],
    ['strlen', 4, 3, false],
    ['rare', 1, 3, false],
  ];
  const parts: [number, Uint8Array][] = [
    [ChunkKind.Header, messages.Header.encode({ major: 1 })],
    [ChunkKind.Images, messages.Images.encode({ images: images.map((path, at) => ({ id: at + 1, path })) })],
    [
      ChunkKind.Calls,
      messages.Calls.encode({
        functions: functions.map(([name, caller, library, isPoint], at) => ({
          id: at + 1,
          name,
          caller,
          library,
          isPoint,
        })),
        function: [1, 2, 3, 4, 5, 6],
        tid: [7, 7, 7, 8, 8, 7],
        count: [10, 30, 100, 50, 20, 19],
        leftOut: 2,
      }),
    ],
    [ChunkKind.Threads, messages.Threads.encode({ threads: [{ index: 1, tid: 8, name: 'adder' }] })],
    // Of a function that is known, one that is not, and of threads that are counted together.
    [
      ChunkKind.Calls,
      messages.Calls.encode({ function: [1, 99, 4], tid: [8, 8, 0], count: [5, 1000, 3], leftOut: 4 }),
    ],
    [ChunkKind.Status, messages.Status.encode({ timeNs: 2e9, cpuNs: cpuNs + 3, drainNs: 2, captureNs: 1 })],
  ];
  return Buffer.concat([fileMagic, ...parts.map(([kind, payload], at) => encodeChunk(kind, payload, at))]);
}

function surveyed(bytes: Uint8Array, at = 31): CallSurveyor {
  const surveyor = new CallSurveyor();
  surveyor.append(bytes.subarray(0, at));
  surveyor.append(bytes.subarray(at));
  return surveyor;
}

describe('the survey of calls', () => {
  const survey = surveyed(recording()).survey();
  const of = (name: string) => survey.functions.find((one) => one.name === name)!;

  it('sums up what each image calls, by thread', () => {
    assert.deepEqual(
      survey.functions.map(({ name, calls }) => [name, calls]),
      [
        ['_Z4openv', 100],
        ['sum', 53],
        ['malloc', 45],
        ['strlen', 20],
        ['rare', 19],
      ],
    );
    assert.deepEqual(of('malloc').threads, [
      { tid: 7, name: '', calls: 40 },
      { tid: 8, name: 'adder', calls: 5 },
    ]);
    assert.deepEqual(of('sum').threads[1], { tid: 0, name: '', calls: 3 });
    assert.deepEqual(
      [survey.calls, survey.leftOut, survey.spanNs, survey.cpuNs, survey.isSurvey],
      [237, 4, 2e9, cpuNs, true],
    );
  });

  it('says which are points, which come every millisecond of CPU time, and which call no point', () => {
    const words = survey.functions.map(({ isPoint, isFrequent, isLeaf }) => [isPoint, isFrequent, isLeaf]);
    assert.deepEqual(words, [
      [false, true, false],
      [false, true, true],
      [true, true, true],
      [false, true, true],
      [false, false, true],
    ]);
  });

  it('is a table of names as a person writes them', () => {
    const lines = surveyLines('shop', survey, 3);
    assert.equal(lines[0], 'shop: 237 calls of 5 imported functions in 2.00 s, 20.0 ms of CPU time');
    assert.deepEqual(
      lines.slice(2, 6).map((line) => line.trim().split(/ {2,}/)),
      [
        ['CALLS', 'A SECOND', 'SHARE', 'WHAT', 'THREADS', 'LIBRARY', 'FUNCTION'],
        ['100', '50', '42.2 %', 'frequent', '7', 'libdb.so.1', 'open()'],
        ['53', '27', '22.4 %', 'frequent leaf', '2, most adder', 'libsum.so', 'sum'],
        ['45', '23', '19.0 %', 'point', '2, most 7', 'libc.so.6', 'malloc'],
      ],
    );
    assert.match(lines.at(-1)!, /^Not counted: 4 /);
  });

  it('says why nothing could be counted', () => {
    const hooks = messages.Hooks.encode({
      hooks: [
        { name: 'imported functions', state: HookState.Missing, why: 'no memory' },
        { name: 'locks', state: HookState.Off, why: 'not asked for' },
      ],
    });
    const { why } = surveyed(Buffer.concat([fileMagic, encodeChunk(ChunkKind.Hooks, hooks, 0)]), 9).survey();
    assert.equal(why, 'no memory');
  });

  it('is none of another recording, and takes what is damaged for nothing', () => {
    const bytes = recording();
    const other = Buffer.concat([fileMagic, encodeChunk(ChunkKind.Header, messages.Header.encode({}), 0)]);
    const { isSurvey, why } = surveyed(other, 5).survey();
    assert.deepEqual([isSurvey, why], [false, '']);
    const damaged = Buffer.concat([other, encodeChunk(ChunkKind.Calls, Uint8Array.of(0x12, 0xff), 1)]);
    assert.deepEqual(surveyed(damaged, 5).survey().functions, []);
    for (let end = 8; end < bytes.length; end += 7) surveyed(bytes.subarray(0, end), 4).survey();
  });
});
