import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { DwarfDamage, type ReadSync, Section } from '../../../src/symbols/native/dwarf/section.js';
import { Elf } from '../../../src/symbols/native/elf.js';
import type { GoFrame } from '../../../src/symbols/native/go-layout.js';
import { GoNumbers } from '../../../src/symbols/native/go-numbers.js';
import { GoTable } from '../../../src/symbols/native/go-table.js';
import { Symbolizer } from '../../../src/symbols/native/symbolizer.js';
import { root } from '../../../scripts/setup.mjs';
import { goProgram } from '../../rigs/go-program.js';
import { cpuMs } from '../cpu-time.js';
import { seed as runSeed } from '../../rigs/seed.js';

const readOf =
  (bytes: Buffer): ReadSync =>
  (at, length) =>
    bytes.subarray(at, at + length);

async function open(bytes: Buffer): Promise<GoTable | undefined> {
  const read = readOf(bytes);
  return await GoTable.open(await Elf.open((at, length) => Promise.resolve(read(at, length))), read);
}

const written = (frames: readonly GoFrame[]): string[] =>
  frames.map(({ name, file, line, isInlined }) => `${isInlined ? '+' : ''}${name} ${file}:${line}`);

describe('functions and lines of Go programs', () => {
  for (const version of ['1.16', '1.18', '1.20'] as const) {
    it(`are found in the tables of Go ${version}`, async () => {
      const { bytes, start } = goProgram(version);
      const table = await open(bytes);
      assert.ok(table);
      const found = table.frames([
        start - 1,
        start,
        start + 3,
        start + 4,
        start + 15,
        start + 16,
        start + 40,
      ]);
      assert.deepEqual(found.map(written), [
        [],
        ['main.outer main.go:10'],
        ['main.outer main.go:10'],
        ['+main.inner inner.go:3', 'main.outer main.go:11'],
        ['main.outer main.go:12'],
        ['main.last main.go:20'],
        [],
      ]);
      assert.deepEqual(
        found.map((frames) => frames.at(-1)?.start),
        [undefined, start, start, start, start, start + 16, undefined],
      );
    });
  }

  it('are found where the program says nowhere what its tables refer to, without inlined calls', async () => {
    const { bytes, start } = goProgram('1.20', { hasModule: false });
    const found = (await open(bytes))?.frames([start + 4]).map(written);
    assert.deepEqual(found, [['main.outer inner.go:3']]);
  });

  /** A real program, stripped: what bundles the extension is written in Go. */
  const file = path.join(root, `node_modules/@esbuild/${process.platform}-${process.arch}/bin/esbuild`);

  it('are found in a stripped program', async function () {
    if (process.platform !== 'linux' || !existsSync(file)) this.skip();
    const bytes = readFileSync(file);
    const elf = await Elf.open((at, length) => Promise.resolve(bytes.subarray(at, at + length)));
    assert.equal(await elf.section('.symtab'), undefined);
    const text = await elf.section('.text');
    const load = (await elf.loads()).find(
      ({ offset, size }) => text && text.offset >= offset && text.offset < offset + size,
    );
    assert.ok(text && load);
    const start = text.offset - load.offset + load.address;
    const addresses = Array.from({ length: 4000 }, (_, at) => start + Math.floor((at / 4000) * text.size));
    const table = await open(bytes);
    const found = table?.frames(addresses) ?? [];
    assert.ok(found.every((frames) => frames.length > 0));
    assert.ok(found.filter((frames) => frames.length > 1).length > 400, 'inlined calls are found');
    // A package's files lie in a folder of its name, which names and files tell by different tables.
    let same = 0;
    const own: string[] = [];
    for (const { name, file: source, line } of found.flat()) {
      const of = /^github\.com\/evanw\/esbuild\/[\w/]+/.exec(name)?.[0];
      if (of === undefined || line === 0) continue; // between two functions nothing has a line
      own.push(`${name} ${source}:${line}`);
      if (path.posix.dirname(source) === of) same++;
    }
    assert.ok(own.length > 1000, `${own.length} frames`);
    assert.ok(same > own.length * 0.95, `${same} of ${own.length}, ${own.slice(0, 20).join('\n')}`);
  });

  it('are left out where a table refers to what lies beyond the end of the file', async () => {
    const { bytes, start, parts } = goProgram('1.20');
    const module = parts[1];
    assert.ok(module);
    const segment = Number(bytes.readBigUInt64LE(32));
    bytes.writeBigUInt64LE(2n ** 40n, segment + 32);
    const functionData = module.at + 8 * 40;
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE(functionData) + 2n ** 20n, functionData);
    const folder = mkdtempSync(path.join(tmpdir(), 'go-table-'));
    try {
      writeFileSync(path.join(folder, 'program'), bytes);
      const symbols = await Symbolizer.open({ path: '/program', buildId: new Uint8Array() }, folder);
      const found = symbols.frames([start + 4, start + 16]);
      symbols.close();
      assert.deepEqual(
        found.map((frames) => frames.map(({ name }) => name)),
        [[], ['main.last']],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('cost little where tables of lines are long, and overlap', () => {
    /** 2 MB of rows, each of which has one byte of code, and no end. */
    const bytes = Buffer.alloc(1 << 21, Uint8Array.of(2, 1));
    let readBytes = 0;
    const read: ReadSync = (at, length) => {
      readBytes += length;
      return bytes.subarray(at, at + length);
    };
    const numbers = new GoNumbers(new Section(read, 0, bytes.length), 1);
    for (let table = 0; table < 80; table++)
      assert.throws(() => numbers.valueAt(2 * table, 1000), DwarfDamage);
    assert.ok(readBytes < 1 << 26, `${readBytes} bytes`);
    bytes[1 << 19] = 0; // the end of one table
    readBytes = 0;
    const one = new GoNumbers(new Section(read, 0, bytes.length), 1);
    for (let offset = 0; offset < 10_000; offset++) assert.equal(one.valueAt(0, offset), offset);
    assert.ok(readBytes < 1 << 21, `${readBytes} bytes`);
  });

  it('are never more than damage allows, and never throw', async () => {
    let seed = runSeed;
    const first = seed;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let round = 0; round < 600; round++) {
      const { bytes, start, parts } = goProgram((['1.16', '1.18', '1.20'] as const)[round % 3] ?? '1.20');
      for (let changes = 1 + random(8); changes > 0; changes--) {
        const part = parts[random(parts.length)];
        if (part) bytes[part.at + random(part.size)] = random(3) === 0 ? 255 : random(256);
      }
      const began = cpuMs();
      const table = await open(bytes).catch(() => undefined);
      const found = table?.frames(Array.from({ length: 40 }, (_, at) => start + at)) ?? [];
      for (const { name, file: source } of found.flat())
        assert.ok(name.length <= 4096 && source.length <= 4096, `seed ${first}`);
      assert.ok(cpuMs() - began < 2000, `seed ${first}, round ${round}`);
    }
  });
});
