/** The functions of a program or library file, by offset: what its symbol tables say, and nothing beyond a function's size. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { readFile } from '../read-at.js';
import { Elf, type ElfSymbols, SymbolTable, textAt } from './elf.js';

export interface NativeFunction {
  /** Address in the file. */
  readonly start: number;
  readonly size: number;
  /** As the linker has it. */
  readonly name: string;
}

const symbolBytes = 24;
/** FUNC and GNU_IFUNC. */
const functionTypes: ReadonlySet<number> = new Set([2, 10]);

export class ElfFunctions {
  private constructor(private readonly tables: readonly ElfSymbols[]) {}

  /** Undefined when it cannot be read, or is another file than the one that `buildId` was taken from. Knows 64-bit files. */
  static async open(path: string, buildId: Uint8Array): Promise<ElfFunctions | undefined> {
    let file: FileHandle | undefined;
    try {
      // What is at the path by now may be a pipe, which would be waited for. Windows has neither these nor the flag, which is 0 there.
      file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const elf = await Elf.open(readFile(file));
      if (!elf.is64 || (await elf.buildId()) !== Buffer.from(buildId).toString('hex')) return undefined;
      const tables = [await elf.symbols(SymbolTable.full), await elf.symbols(SymbolTable.dynamic)];
      return new ElfFunctions(tables.filter((table) => table !== undefined));
    } catch {
      return undefined;
    } finally {
      await file?.close();
    }
  }

  /** The functions that the offsets lie in, with the offsets of each. Those of no function are left out. */
  find(offsets: readonly number[]): Map<NativeFunction, number[]> {
    const sorted = [...offsets].sort((a, b) => a - b);
    const best: (NativeFunction | undefined)[] = [];
    for (const { symbols, names } of this.tables) {
      for (let at = 0; at + symbolBytes <= symbols.length; at += symbolBytes) {
        if (!functionTypes.has(symbols.readUInt8(at + 4) & 15)) continue;
        const start = wide(symbols, at + 8);
        const size = wide(symbols, at + 16);
        for (let row = firstFrom(sorted, start); row < sorted.length; row++) {
          if ((sorted[row] as number) >= start + size) break;
          const candidate = { start, size, name: textAt(names, symbols.readUInt32LE(at)) };
          if (isBetter(candidate, best[row])) best[row] = candidate;
        }
      }
    }
    const byStart = new Map<number, [NativeFunction, number[]]>();
    best.forEach((found, row) => {
      if (found === undefined) return;
      const entry = byStart.get(found.start) ?? [found, []];
      entry[1].push(sorted[row] as number);
      byStart.set(found.start, entry);
    });
    return new Map(byStart.values());
  }
}

/** The innermost; of several names for one function the one that looks least internal. */
function isBetter(one: NativeFunction, other: NativeFunction | undefined): boolean {
  if (one.name === '') return false;
  if (other === undefined || one.start !== other.start) return other === undefined || one.start > other.start;
  const underscores = (name: string): number => (name.startsWith('_Z') ? 0 : name.search(/[^_]/));
  return underscores(one.name) < underscores(other.name);
}

function wide(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}

/** Of ascending numbers, the first that is not below. */
function firstFrom(sorted: readonly number[], least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
