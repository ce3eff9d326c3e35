import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { anyImporter, exporters, importers } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { artPackets, artStreamed, artTrace } from './art-traces.js';
import { fuchsiaTrace } from './fuchsia-traces.js';
import { rawProfile, sharedProfile } from './firefox-profiles.js';
import { shopRecording } from './jfr-traces.js';
import { chromePerfetto, sampledPerfetto, systemPerfetto } from './perfetto-traces.js';
import { shopPerfData } from './perf-data-files.js';
import { cpuPprof, heapPprof } from './pprof-traces.js';
import { importWhole, written } from './round-trip.js';
import { shopSimpleperf } from './simpleperf-traces.js';
import { randomNumbers, randomTrace, smallTrace } from './sample-traces.js';

const folder = path.join('test', 'fixtures', 'formats');

/** Damage to gzip shows what inflating does, and hardly what the format's reader does. */
const inflated = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;

/** One small file at least of each format, to be damaged. */
export const corpus: readonly Uint8Array[] = [
  ...exporters.filter(({ id }) => id !== 'csv').map(({ write }) => inflated(written(write, smallTrace()))),
  ...exporters
    .filter(({ id }) => id !== 'csv')
    .map(({ write }) => inflated(written(write, randomTrace(3, 60)))),
  ...readdirSync(folder)
    .filter((name) => name.startsWith('read-') && !name.endsWith('.dump'))
    .map((name) => readFileSync(path.join(folder, name))),
  artTrace(1, 'wall'),
  artTrace(2, 'thread-cpu'),
  artTrace(3, 'dual'),
  artStreamed(),
  artPackets(4),
  artPackets(5),
  systemPerfetto(),
  sampledPerfetto(),
  chromePerfetto(),
  fuchsiaTrace(),
  cpuPprof(),
  heapPprof(),
  shopRecording(),
  shopSimpleperf(),
  shopPerfData(),
  sharedProfile(),
  rawProfile(),
];

/** What the rest of the engine takes for granted of a trace. */
export function check(trace: Trace): void {
  for (const thread of trace.threads) {
    const { intervals, calls } = thread;
    for (let i = 0; i < intervals.count; i++) {
      const begin = intervals.begin[i]!;
      assert.ok(begin <= intervals.end[i]!, 'an interval ends before it begins');
      assert.ok(i === 0 || begin >= intervals.end[i - 1]!, 'intervals overlap');
      assert.ok(begin >= 0 && Number.isFinite(intervals.end[i]!), 'a time is no time');
      assert.ok(intervals.path[i]! < trace.paths.count);
    }
    for (let row = 0; row < calls.count; row++) {
      const parent = calls.parent[row]!;
      assert.ok(parent < row);
      if (parent >= 0) {
        assert.ok(calls.begin[parent]! <= calls.begin[row]! && calls.end[parent]! >= calls.end[row]!);
      }
      assert.ok(calls.method[row]! < trace.methods.count);
    }
  }
  assert.ok(trace.problems.length <= 200);
}

function mutated(source: Uint8Array, random: () => number): Uint8Array {
  let bytes = Buffer.from(source);
  const place = (): number => Math.floor(random() * bytes.length);
  for (let changes = 1 + Math.floor(random() * 4); changes > 0 && bytes.length > 0; changes--) {
    const at = place();
    const length = Math.floor(random() ** 3 * 200);
    switch (Math.floor(random() * 6)) {
      case 0:
        bytes[at] = bytes[at]! ^ (1 << Math.floor(random() * 8));
        break;
      case 1:
        bytes[at] = [0, 0xff, 0x7f, 0x80, 0x0a, 0x22, 0x7b, 0x5d, 0x2c, 0x39][Math.floor(random() * 10)]!;
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(place(), place()), bytes.subarray(at)]);
        break;
      case 4:
        bytes = bytes.subarray(0, at);
        break;
      default:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(length, at & 0xff), bytes.subarray(at)]);
    }
    if (bytes.length > 200_000) bytes = bytes.subarray(0, 200_000);
  }
  return bytes;
}

export interface Mutant {
  readonly bytes: Uint8Array;
  /** The reader that meets it, where it is not the one that it is recognised for. */
  readonly reader: string;
  readonly read: () => void;
}

/** The same seed gives the same damage, read by the same reader in the same pieces. */
export function mutant(seed: number): Mutant {
  const random = randomNumbers(seed);
  const bytes = mutated(corpus[seed % corpus.length]!, random);
  // Any reader may meet any bytes: recognising them is not a promise.
  const pick = random() < 0.5 ? undefined : importers[Math.floor(random() * importers.length)];
  const piece = 1 + Math.floor(random() * bytes.length);
  // Now and then with no room for all.
  const mostBytes = random() < 0.3 ? Math.floor(random() * 20_000) : Infinity;
  return {
    bytes,
    reader: pick?.id ?? 'any',
    read: () => check(importWhole(pick?.create({ mostBytes }) ?? anyImporter({ mostBytes }), bytes, piece)),
  };
}
