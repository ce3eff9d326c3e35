import assert from 'node:assert/strict';
import { anyImporter, importers, recognise } from '../../../src/trace/formats/index.js';
import { scale } from '../../rigs/scale.js';
import { cpuMs } from '../cpu-time.js';
import { check, corpus, mutant } from './mutations.js';
import { importWhole } from './round-trip.js';
import { seed } from '../../rigs/seed.js';

/** Mutations of each file; `npm run fuzz` goes on. */
const rounds = 6 * scale;

describe(`damaged files (seed ${seed})`, () => {
  it('are of every format that is read', () => {
    const formats = new Set(corpus.map((bytes) => recognise(bytes).format));
    assert.deepEqual(
      importers.filter(({ id }) => !formats.has(id)),
      [],
    );
  });

  it('are read to where they end, at every place they can be cut', () => {
    for (const bytes of corpus) {
      const step = Math.max(1, Math.floor(bytes.length / 100));
      for (let end = 0; end < bytes.length; end += step)
        check(importWhole(anyImporter(), bytes.slice(0, end)));
    }
  }).timeout(60_000);

  it('are read or refused, never thrown over, whatever was changed in them', () => {
    const slowest = { ms: 0 };
    for (let at = seed; at < seed + rounds * corpus.length; at++) {
      const { read, reader } = mutant(at);
      const began = cpuMs();
      try {
        read();
      } catch (error) {
        throw new Error(`seed ${at}, read as ${reader}`, { cause: error });
      }
      slowest.ms = Math.max(slowest.ms, cpuMs() - began);
    }
    assert.ok(slowest.ms < 5000, `a file of a few kB took ${slowest.ms} ms of CPU time`);
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
      elements: Buffer.from('<trace-query-result>' + '<row>'.repeat(size / 5)),
      openTag: Buffer.from('<trace-query-result><a ' + 'x="<" '.repeat(size / 6)),
      entities: Buffer.from('<frame name="' + '&#1;&'.repeat(size / 5) + '">'),
      columns: Buffer.from(
        'Analysis of sampling a (pid 1) every 1 millisecond\nCall graph:\n  9 Thread_1\n' +
          Array.from({ length: 700 }, (_, i) => `${' '.repeat(i + 3)}9 f\n`).join(''),
      ),
      pushes: Buffer.from('0:POP\n' + '1:a\n'.repeat(size / 4)),
      // Packets that claim to be longer than they are, and tags that repeat.
      lengths: Buffer.alloc(size, Buffer.from([0x0a, 0xff, 0xff, 0x7f])),
      packets: Buffer.alloc(size, 0x0a),
      empty: Buffer.alloc(size, Buffer.from([0x0a, 0x00])),
    };
    for (const [name, bytes] of Object.entries(hostile)) {
      for (const { id, create } of importers) {
        const began = cpuMs();
        check(importWhole(create(), bytes, 4096));
        const ms = cpuMs() - began;
        assert.ok(ms < 3000, `${id} took ${ms} ms of CPU time for 256 KiB of ${name}`);
      }
    }
  }).timeout(5 * 60_000);
});
