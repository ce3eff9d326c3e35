/** Debug information that asks for much more work than it has bytes. Each test would run for minutes without a bound. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { DwarfFile } from '../../../src/symbols/native/dwarf/dwarf-file.js';
import { LineTable } from '../../../src/symbols/native/dwarf/line-table.js';
import { Section } from '../../../src/symbols/native/dwarf/section.js';

const many = 1 << 20;
const addressCount = 1 << 14;
const begin = 0x10000;
const addresses = Array.from({ length: addressCount }, (_, at) => begin + at);

const u16 = (value: number): number[] => [value & 255, (value >> 8) & 255];
const u32 = (value: number): number[] => [...u16(value & 0xffff), ...u16(value >>> 16)];
const u64 = (value: number): number[] => [...u32(value), 0, 0, 0, 0];

/** A head whose first four bytes are the length of all behind them, and a body that is there so often. */
function repeated(
  head: readonly number[],
  body: readonly number[],
  times: number,
  tail: readonly number[],
): Section {
  const bytes = Buffer.concat([
    Buffer.from([...u32(0), ...head]),
    Buffer.alloc(times * body.length, Buffer.from(body)),
    Buffer.from(tail),
  ]);
  bytes.writeUInt32LE(bytes.length - 4, 0);
  return Section.of(bytes);
}

/** One unit of version 4 that has the addresses. Its functions have abbreviation 2. */
function unit(
  functionBody: readonly number[],
  shape: readonly number[],
  { times = many, ranges, texts }: { times?: number; ranges?: Section; texts?: Section } = {},
): DwarfFile {
  const [addr, data4] = [1, 6];
  const range = [0x11, addr, 0x12, data4];
  const abbreviations = [1, 0x11, 1, ...range, 0, 0, 2, 0x2e, 0, ...shape, 0, 0, 0];
  const root = [...u16(4), ...u32(0), 8, 1, ...u64(begin), ...u32(many)];
  return new DwarfFile({
    info: repeated(root, functionBody, times, [0]),
    abbreviations: Section.of(Buffer.from(abbreviations)),
    ...{ line: undefined, texts, lineTexts: undefined, textOffsets: undefined },
    ...{ addresses: undefined, ranges, rangeLists: undefined },
  });
}

describe('debug information made to keep a reader busy', () => {
  it('has functions that all have all addresses', () => {
    const file = unit([2, ...u64(begin), ...u32(many)], [0x11, 1, 0x12, 6]);
    assert.ok(file.frames(addresses).every((frames) => frames.length === 0));
  });

  it('has functions that share one long list of ranges', () => {
    const list = Buffer.alloc(16 * addressCount, Buffer.from([...u64(1), ...u64(1)]));
    const file = unit([2, ...u32(0)], [0x55, 0x17], { ranges: Section.of(list) });
    assert.deepEqual(file.frames([begin]), [[]]);
  });

  it('has functions that share one long name', () => {
    const count = 40_000;
    const functions = Array.from({ length: count }, (_, at) => [2, ...u64(begin + at), ...u32(1), ...u32(0)]);
    const texts = Section.of(Buffer.alloc(4096, 'f'));
    const file = unit(functions.flat(), [0x11, 1, 0x12, 6, 3, 0x0e], { times: 1, texts });
    const names = file
      .frames(Array.from({ length: count }, (_, at) => begin + at))
      .map(([frame]) => frame?.name.length);
    assert.equal(names[0], 4096);
    assert.equal(names.at(-1), 0);
    const letters = names.reduce<number>((sum, length) => sum + (length ?? 0), 0);
    assert.ok(letters <= 1 << 27, `${letters} letters`);
  });

  it('has lines whose sequences all have all addresses', () => {
    const [setAddress, copy, advance, end] = [
      [0, 9, 2, ...u64(begin)],
      [1],
      [2, 0x80, 0x80, 0x10],
      [0, 1, 1],
    ];
    const head = [1, 1, 0xfd, 12, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0x61, 0, 0, 0, 0, 0];
    const line = repeated(
      [...u16(2), ...u32(head.length), ...head],
      [setAddress, copy, advance, end].flat(),
      many,
      [],
    );
    const table = new LineTable({ line, texts: undefined, lineTexts: undefined }, 0, 8, '/folder', 'unit.c');
    assert.deepEqual(table.places(addresses).at(-1), { file: '/folder/a', line: 1 });
  });
});
