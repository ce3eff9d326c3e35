import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { ElfFunctions } from '../../../src/symbols/native/elf-functions.js';
import { elfFile } from '../../rigs/elf-file.js';
import { cpuMs } from '../cpu-time.js';

const buildId = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

describe('the functions of a library', () => {
  let folder: string;
  let file: string;

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'elf-'));
    file = path.join(folder, 'libx.so');
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  async function found(bytes: Uint8Array, offsets: number[], id = buildId): Promise<unknown> {
    writeFileSync(file, bytes);
    const functions = await ElfFunctions.open(file, id);
    return functions && [...functions.find(offsets)].map(([{ name }, of]) => [name, of]);
  }

  it('are found by offsets inside them, and by no others', async () => {
    const bytes = elfFile(
      [
        { name: 'second', start: 0x2000, size: 0x10 },
        { name: 'first', start: 0x1000, size: 0x100 },
        { name: 'a variable', start: 0x3000, size: 0x100, type: 1 },
        { name: 'without a size', start: 0x4000, size: 0 },
      ],
      buildId,
    );
    assert.deepEqual(await found(bytes, [0x3004, 0x2000, 0x1100, 0x10ff, 0xfff, 0x1000, 0x2010, 0x4000]), [
      ['first', [0x1000, 0x10ff]],
      ['second', [0x2000]],
    ]);
  });

  it('have the least internal of their names, and the innermost of functions in functions', async () => {
    const bytes = elfFile(
      [
        { name: '__memcpy', start: 0x1000, size: 0x100 },
        { name: 'memcpy', start: 0x1000, size: 0x100, type: 10 },
        { name: '_memcpy', start: 0x1000, size: 0x100 },
        { name: 'part', start: 0x1010, size: 0x10 },
      ],
      buildId,
    );
    assert.deepEqual(await found(bytes, [0x1004, 0x1014]), [
      ['memcpy', [0x1004]],
      ['part', [0x1014]],
    ]);
  });

  it('are found in linear time, however many lie around one another', async () => {
    const count = 4000;
    // Half of them begin one after the other and all end at one place; the rest are names of one function.
    const bytes = elfFile(
      Array.from({ length: count }, (_, row) => {
        const start = 0x1000 + Math.min(row, count / 2);
        return { name: `f${row}`, start, size: 0x1000 + count - start };
      }),
      buildId,
    );
    const offsets = Array.from({ length: count }, (_, row) => 0x1000 + row);
    const begin = cpuMs();
    const functions = (await found(bytes, offsets)) as [string, number[]][];
    const took = cpuMs() - begin;
    assert.ok(
      took < 2000,
      `${took} ms: for each function and each offset in it, it would take half a minute`,
    );
    assert.equal(functions.length, count / 2 + 1);
    assert.deepEqual(functions[0], ['f0', [0x1000]]);
    assert.deepEqual(functions.at(-1), [`f${count / 2}`, offsets.slice(count / 2)]);
  });

  it('are looked for once in their tables, however often they are asked for', async () => {
    const count = 30_000;
    const named = (_: unknown, row: number) => ({ name: `f${row}`, start: 0x1000 + 16 * row, size: 16 });
    writeFileSync(file, elfFile(Array.from({ length: count }, named), buildId));
    const functions = await ElfFunctions.open(file, buildId);
    const begin = cpuMs();
    for (let row = 0; row < count; row += 5) {
      const found = [...functions!.find([0x1000 + 16 * row + 3]).keys()];
      assert.deepEqual(found, [{ name: `f${row}`, start: 0x1000 + 16 * row, size: 16 }]);
    }
    const took = cpuMs() - begin;
    assert.ok(took < 2000, `${took} ms: with a look at all of them each time it would take 20 s`);
  });

  it('are not those of another build, a torn file, or a file of another kind', async () => {
    const bytes = elfFile([{ name: 'f', start: 0, size: 8 }], buildId);
    assert.equal(await found(bytes, [4], Uint8Array.of(9)), undefined);
    assert.equal(await found(bytes.subarray(0, bytes.length - 1), [4]), undefined);
    assert.equal(await found(bytes.subarray(0, 20), [4]), undefined);
    assert.equal(await found(Buffer.alloc(4096, 'no library'), [4]), undefined);
    assert.equal(await ElfFunctions.open(path.join(folder, 'missing'), buildId), undefined);
  });

  it('are not waited for where a pipe lies in the place of the file', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    assert.equal(await ElfFunctions.open(pipe, buildId), undefined);
  });

  it('have names of some length, also where the table has no ends', async () => {
    const bytes = elfFile([{ name: 'f'.repeat(5000), start: 0, size: 8 }], buildId);
    assert.deepEqual(await found(bytes, [4]), [['f'.repeat(4096), [4]]]);
  });

  it('cost no more than the file is long, whatever its tables say', async () => {
    const bytes = elfFile([{ name: 'f', start: 0, size: 8 }], buildId);
    bytes.writeBigUInt64LE(1n << 40n, Number(bytes.readBigUInt64LE(40)) + 2 * 64 + 32);
    assert.equal(await found(bytes, [4]), undefined);
  });
});
