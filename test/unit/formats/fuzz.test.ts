import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { anyImporter, exporters, importers } from '../../../src/trace/formats/index.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { artStreamed, artTrace, artVersion5 } from './art-traces.js';
import { chromePerfetto, systemPerfetto } from './perfetto-traces.js';
import { importWhole, written } from './round-trip.js';
import { randomNumbers, randomTrace, smallTrace } from './sample-traces.js';

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1e9);
/** Mutations a format; `FUZZ_ROUNDS` goes on. */
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 60);

const folder = path.join('test', 'fixtures', 'formats');
const corpus: readonly Uint8Array[] = [
  ...exporters.filter(({ id }) => id !== 'csv').map(({ write }) => written(write, smallTrace())),
  ...exporters.filter(({ id }) => id !== 'csv').map(({ write }) => written(write, randomTrace(3, 60))),
  ...readdirSync(folder)
    .filter((name) => name.startsWith('read-') && !name.endsWith('.dump'))
    .map((name) => readFileSync(path.join(folder, name))),
  artTrace(1, 'wall'),
  artTrace(2, 'thread-cpu'),
  artTrace(3, 'dual'),
  artStreamed(),
  artVersion5(),
  systemPerfetto(),
  chromePerfetto(),
];

describe(`damaged files (seed ${seed})`, () => {
  it('are read to where they end, at every place they can be cut', () => {
    for (const bytes of corpus) {
      const step = Math.max(1, Math.floor(bytes.length / 100));
      for (let end = 0; end < bytes.length; end += step)
        check(importWhole(anyImporter(), bytes.slice(0, end)));
    }
  }).timeout(60_000);

  it('are read or refused, never thrown over, whatever was changed in them', () => {
    const random = randomNumbers(seed);
    const slowest = { ms: 0 };
    for (let round = 0; round < rounds * corpus.length; round++) {
      const source = corpus[round % corpus.length]!;
      const bytes = mutated(source, random);
      // Any reader may meet any bytes: recognising them is not a promise.
      const pick = random() < 0.5 ? undefined : importers[Math.floor(random() * importers.length)];
      const began = performance.now();
      check(importWhole(pick?.create() ?? anyImporter(), bytes, 1 + Math.floor(random() * bytes.length)));
      slowest.ms = Math.max(slowest.ms, performance.now() - began);
    }
    assert.ok(slowest.ms < 5000, `a file of a few kB took ${slowest.ms} ms`);
  }).timeout(10 * 60_000);

  it('cost no more than their length: nests, endless strings, lying lengths', () => {
    const size = 1 << 18;
    const hostile: Record<string, Uint8Array> = {
      nests: Buffer.from('[' + '{"a":'.repeat(size / 5)),
      arrays: Buffer.from('['.repeat(size)),
      args: Buffer.from('[{"ph":"B","args":' + '['.repeat(size)),
      openStrings: Buffer.from('[' + '{"a'.repeat(size / 3)),
      oneString: Buffer.from('[{"name":"' + 'x'.repeat(size)),
      backslashes: Buffer.from('[{"name":"' + '\\'.repeat(size)),
      braces: Buffer.from('[' + '{'.repeat(size)),
      commas: Buffer.from('[' + ','.repeat(size)),
      longLine: Buffer.from('a;b 1\n' + 'x;'.repeat(size)),
      deep: Buffer.from('a;b 1\n' + `${'x;'.repeat(100_000)}y 1\n`),
      pushes: Buffer.from('0:POP\n' + '1:a\n'.repeat(size / 4)),
      // Packets that claim to be longer than they are, and tags that repeat.
      lengths: Buffer.alloc(size, Buffer.from([0x0a, 0xff, 0xff, 0x7f])),
      packets: Buffer.alloc(size, 0x0a),
      empty: Buffer.alloc(size, Buffer.from([0x0a, 0x00])),
    };
    for (const [name, bytes] of Object.entries(hostile)) {
      for (const { id, create } of importers) {
        const began = performance.now();
        check(importWhole(create(), bytes, 4096));
        const ms = performance.now() - began;
        assert.ok(ms < 3000, `${id} took ${ms} ms for 256 KiB of ${name}`);
      }
    }
  }).timeout(5 * 60_000);
});

/** What the rest of the engine takes for granted of a trace. */
function check(trace: Trace): void {
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
