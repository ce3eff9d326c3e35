// The functions of a Mach-O file's symbol table, which has neither sizes nor an order.
import assert from 'node:assert/strict';
import { MachOFunctions } from '../../../src/symbols/native/macho-functions.js';
import { cpuMs } from '../cpu-time.js';

const inSection = 0x0e;
const undefinedSymbol = 0;
const debugSymbol = 0x24;

type Row = readonly [name: string, type: number, start: number];

async function functionsOf(rows: readonly Row[]): Promise<MachOFunctions> {
  const names = Buffer.from(rows.map(([name]) => `${name}\0`).join(''));
  const symbols = Buffer.alloc(rows.length * 16);
  let nameAt = 0;
  rows.forEach(([name, type, start], row) => {
    symbols.writeUInt32LE(nameAt, row * 16);
    symbols.writeUInt8(type, row * 16 + 4);
    symbols.writeBigUInt64LE(BigInt(start), row * 16 + 8);
    nameAt += name.length + 1;
  });
  return MachOFunctions.read({ symbols: () => Promise.resolve({ symbols, names }) });
}

describe('the functions of a Mach-O file', () => {
  it('have the first of their names, and reach to the next function', async () => {
    const functions = await functionsOf([
      ['_late', inSection, 0x3000],
      ['_debug', debugSymbol, 0x1000],
      ['_early', inSection, 0x1000],
      ['_imported', undefinedSymbol, 0x1800],
      ['_same', inSection, 0x1000],
    ]);
    const early = { start: 0x1000, size: 0x2000, name: 'early' };
    assert.deepEqual([...functions.find([0x1004, 0x2fff])], [[early, [0x1004, 0x2fff]]]);
    assert.deepEqual(
      [...functions.find([0xfff, 0x3000]).keys()].map(({ name }) => name),
      ['late'],
    );
  });

  it('are found in linear time, however many names one of them has', async () => {
    const count = 100_000;
    const functions = await functionsOf(
      Array.from({ length: count }, (_, row): Row => [`_f${row}`, inSection, 0x1000]),
    );
    const addresses = Array.from({ length: count }, (_, row) => 0x1000 + row);
    const begin = cpuMs();
    const found = functions.find(addresses);
    const took = cpuMs() - begin;
    assert.deepEqual([...found], [[{ start: 0x1000, size: 1 << 24, name: 'f0' }, addresses]]);
    assert.ok(
      took < 1000,
      `${took} ms: with a look at all names for each address it would take many seconds`,
    );
  });
});
