/** The vectors that the C++ tests read too: both sides write and read the same bytes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import { Random } from '../../../src/trace/synth/random.js';
import { ChunkParser, encodeChunk } from '../../../src/trace/recording/chunk.js';
import { ColumnReader, differences, writePlain, writeSparse } from '../../../src/trace/recording/columns.js';
import { crc32 } from '../../../src/trace/recording/crc32.js';
import { encodeNodes, NodeReader } from '../../../src/trace/recording/nodes.js';
import { eachSampleBlock } from '../../../src/trace/recording/sample-blocks.js';
import { encodeSamples, SampleBlockReader } from '../../../src/trace/recording/samples.js';
import { WireWriter } from '../../../src/trace/recording/wire.js';

interface Vectors {
  columns: {
    name: string;
    coding: string;
    base: string;
    values: string[];
    entries: string[];
    bytes: string;
  }[];
  crc: { bytes: string; crc: number }[];
  nodes: { rows: { id: number; parent: number; frame: number; position: number }[]; payload: string };
  samples: { thread: number; counters: number; columns: Record<string, number[]>; payload: string };
  chunks: { sequence: number; kind: number; flags: number; payload: string; bytes: string }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../fixtures/format/vectors.json', import.meta.url), 'utf8'),
) as Vectors;
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

describe('format vectors', () => {
  for (const vector of vectors.columns) {
    it(`reads the column "${vector.name}"`, () => {
      const bytes = bytesOf(vector.bytes);
      const wanted = vector.values.map(Number);
      const reader = new ColumnReader();
      reader.open(bytes, 0, bytes.length, Number(vector.base));
      const out = new Float64Array(wanted.length);
      const rows = wanted.length;
      if (vector.coding === 'plain') assert.equal(reader.plain(out, rows), rows);
      else if (vector.coding === 'plain delta') assert.equal(reader.plainDelta(out, rows), rows);
      else if (vector.coding === 'sparse') reader.sparse(out, rows);
      else reader.sparseDelta(out, rows);
      // float64 is exact to 2^53 and then to four parts in 2^54.
      wanted.forEach((value, row) => {
        const tolerance = Number.isSafeInteger(value) ? 0 : Math.abs(value) * 2 ** -52;
        assert.ok(Math.abs(out[row]! - value) <= tolerance, `row ${row}: ${out[row]} for ${value}`);
      });
      assert.ok(reader.exhausted);
    });

    const exact = vector.values.every((value) => Number.isSafeInteger(Number(value)));
    if (!exact) continue;
    it(`writes the column "${vector.name}"`, () => {
      const values = vector.values.map(Number);
      const out = new WireWriter();
      const stored = vector.coding.includes('delta') ? differences(values, Number(vector.base)) : values;
      if (vector.coding.startsWith('sparse')) writeSparse(out, stored);
      else writePlain(out, stored);
      assert.equal(hexOf(out.finish()), vector.bytes);
    });
  }

  it('computes the CRCs, whole and in two parts', () => {
    for (const { bytes: hex, crc } of vectors.crc) {
      const bytes = bytesOf(hex);
      assert.equal(crc32(bytes), crc);
      for (let cut = 0; cut <= bytes.length; cut++) {
        assert.equal(crc32(bytes, cut, bytes.length, crc32(bytes, 0, cut)), crc);
      }
    }
  });

  it('computes the same CRC of many bytes at once and of few at a time', () => {
    const random = new Random(3);
    const bytes = Uint8Array.from({ length: 5000 }, () => random.below(256));
    for (const step of [1, 16, 100, 257, 1000]) {
      let crc = 0;
      for (let at = 0; at < bytes.length; at += step)
        crc = crc32(bytes, at, Math.min(at + step, bytes.length), crc);
      assert.equal(crc, crc32(bytes), `${step} bytes at a time`);
    }
  });

  it('reads and writes the nodes', () => {
    const { rows, payload } = vectors.nodes;
    const reader = new NodeReader();
    const { columns } = reader;
    reader.open(bytesOf(payload));
    assert.equal(reader.next(), rows.length);
    rows.forEach((row, at) => {
      assert.equal(columns.id[at], row.id);
      assert.equal(row.id - columns.distance[at]! - 1, row.parent);
      assert.equal(columns.frame[at], row.frame);
      assert.equal(columns.position[at], row.position + 1);
      assert.equal(columns.image[at], 0);
    });
    assert.equal(reader.next(), 0);
    assert.equal(reader.damage, '');
    const column = (name: 'id' | 'parent' | 'frame' | 'position'): number[] => rows.map((row) => row[name]);
    const written = encodeNodes({
      id: column('id'),
      parent: column('parent'),
      frame: column('frame'),
      position: column('position'),
    });
    assert.equal(hexOf(written), payload);
  });

  it('reads and writes the samples', () => {
    const { thread, counters, columns, payload } = vectors.samples;
    const reader = new SampleBlockReader();
    let blocks = 0;
    eachSampleBlock(bytesOf(payload), (begin, end) => {
      blocks++;
      reader.open(bytesOf(payload), begin, end);
      assert.equal(reader.thread, thread);
      assert.equal(reader.counters, counters);
      assert.equal(reader.next(), columns['time']!.length);
      for (const [name, values] of Object.entries(columns)) {
        const read = (reader as unknown as Record<string, Float64Array>)[camel(name)]!;
        assert.deepEqual([...read.subarray(0, values.length)], values, name);
      }
      assert.equal(reader.next(), 0);
      assert.equal(reader.damage, '');
    });
    assert.equal(blocks, 1);
    const named = Object.fromEntries(Object.entries(columns).map(([name, values]) => [camel(name), values]));
    const rows = { thread, counters, ...(named as { time: number[]; stack: number[] }) };
    assert.equal(hexOf(encodeSamples([rows])), payload);
  });

  it('reads and writes whole chunks', () => {
    for (const vector of vectors.chunks) {
      assert.equal(hexOf(encodeChunk(vector.kind, bytesOf(vector.payload), vector.sequence)), vector.bytes);
      const parser = new ChunkParser({ magic: false });
      parser.push(bytesOf(vector.bytes));
      const chunk = parser.next();
      assert.ok(chunk);
      assert.equal(chunk.sequence, vector.sequence);
      assert.equal(chunk.kind, vector.kind);
      assert.equal(chunk.flags, vector.flags);
      assert.equal(hexOf(chunk.stored), vector.payload);
      assert.equal(parser.next(), undefined);
    }
  });
});
