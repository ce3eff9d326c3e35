/** The functions of a program or library file, by offset: what its symbol tables say, and nothing beyond a function's size. */
import type { FileHandle } from 'node:fs/promises';
import { openRegular, readFile } from '../read-at.js';
import { Elf, ElfError, type ElfSymbols, SymbolTable, textAt } from './elf.js';
import { lastUpTo } from './first-from.js';
import { packedSymbols } from './packed-symbols.js';
import { radixSort } from './radix-sort.js';

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
  readonly #tables: readonly ElfSymbols[];
  #known: FunctionIndex | undefined;

  private constructor(tables: readonly ElfSymbols[]) {
    this.#tables = tables;
  }

  /** Undefined when it cannot be read, or is another file than the one that `buildId` was taken from. Knows 64-bit files. */
  static async open(path: string, buildId: Uint8Array): Promise<ElfFunctions | undefined> {
    let file: FileHandle | undefined;
    try {
      file = await openRegular(path);
      const elf = await Elf.open(readFile(file));
      if (!elf.is64 || (await elf.buildId()) !== Buffer.from(buildId).toString('hex')) return undefined;
      return await ElfFunctions.read(elf);
    } catch {
      return undefined;
    } finally {
      await file?.close();
    }
  }

  /** Throws where its tables cannot be read. */
  static async read(elf: Elf): Promise<ElfFunctions> {
    const tables = [
      await elf.symbols(SymbolTable.full),
      await elf.symbols(SymbolTable.dynamic),
      await packedTable(elf),
    ];
    return new ElfFunctions(tables.filter((table) => table !== undefined));
  }

  /** The functions that the offsets lie in, with the offsets of each. Those of no function are left out. */
  find(offsets: readonly number[]): Map<NativeFunction, number[]> {
    const index = (this.#known ??= new FunctionIndex(this.#tables));
    const byRow = new Map<number, [NativeFunction, number[]]>();
    for (const offset of Float64Array.from(offsets).sort()) {
      const row = index.rowAt(offset);
      const known = byRow.get(row);
      if (known !== undefined) known[1].push(offset);
      else if (row >= 0) byRow.set(row, [index.functionAt(row), [offset]]);
    }
    return new Map(byRow.values());
  }
}

/** What is packed and cannot be unpacked costs its own names alone. */
async function packedTable(elf: Elf): Promise<ElfSymbols | undefined> {
  try {
    return await (await packedSymbols(elf))?.symbols(SymbolTable.full);
  } catch (error) {
    if (error instanceof ElfError) return undefined;
    throw error;
  }
}

const underscore = '_'.charCodeAt(0);
const mostUnderscores = 8;

/**
 * Which function each address is in: the innermost, and of several names for one the one that looks least internal. Made once, in
 * linear time; some 30 bytes a function.
 */
class FunctionIndex {
  readonly #tables: readonly ElfSymbols[];
  /** Columns, a row for each symbol that can be one. */
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** The table that has its name, and where. */
  readonly #tableOf: Uint8Array;
  readonly #nameAt: Uint32Array;
  /** From each of these on, up to the next one, addresses are in one function; −1: in none. */
  readonly #begins: Float64Array;
  readonly #rows: Int32Array;

  constructor(tables: readonly ElfSymbols[]) {
    this.#tables = tables;
    const most = tables.reduce((sum, { symbols }) => sum + Math.floor(symbols.length / symbolBytes), 0);
    this.#starts = new Float64Array(most);
    this.#ends = new Float64Array(most);
    this.#tableOf = new Uint8Array(most);
    this.#nameAt = new Uint32Array(most);
    const order = this.#read();
    // Begins and ends of all.
    this.#begins = new Float64Array(2 * order.length);
    this.#rows = new Int32Array(2 * order.length);
    const parts = this.#cut(order);
    this.#begins = this.#begins.slice(0, parts);
    this.#rows = this.#rows.slice(0, parts);
  }

  /** Those that are functions with a name, by their begin; of several names for one function the best last. */
  #read(): Uint32Array {
    let count = 0;
    const publicness = new Float64Array(this.#starts.length);
    this.#tables.forEach(({ symbols, names }, table) => {
      for (let at = 0; at + symbolBytes <= symbols.length; at += symbolBytes) {
        const nameAt = symbols.readUInt32LE(at);
        if (!functionTypes.has(symbols.readUInt8(at + 4) & 15) || (names[nameAt] ?? 0) === 0) continue;
        const start = wide(symbols, at + 8);
        const end = start + wide(symbols, at + 16);
        if (end <= start) continue;
        this.#starts[count] = start;
        this.#ends[count] = end;
        this.#tableOf[count] = table;
        this.#nameAt[count] = nameAt;
        publicness[count++] = mostUnderscores - underscores(names, nameAt);
      }
    });
    // Of names that look alike the first one in the tables is the best.
    const lastFirst = new Uint32Array(count).map((_, at) => count - 1 - at);
    return radixSort(radixSort(lastFirst, publicness), this.#starts);
  }

  /** Returns how many parts there are. */
  #cut(order: Uint32Array): number {
    let parts = 0;
    const begin = (at: number, row: number): void => {
      if (parts > 0 && this.#begins[parts - 1] === at) parts--;
      this.#begins[parts] = at;
      this.#rows[parts++] = row;
    };
    /** Functions that lie around one another, the innermost last; those that have ended within a later one among them. */
    const open: number[] = [];
    const endBefore = (limit: number): void => {
      for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
        const end = this.#ends[top] as number;
        if (end > limit) return;
        while (open.length > 0 && (this.#ends[open.at(-1) as number] as number) <= end) open.pop();
        begin(end, open.at(-1) ?? -1);
      }
    };
    for (const row of order) {
      const start = this.#starts[row] as number;
      endBefore(start);
      open.push(row);
      begin(start, row);
    }
    endBefore(Infinity);
    return parts;
  }

  /** −1: it is in none. */
  rowAt(offset: number): number {
    return this.#rows[lastUpTo(this.#begins, offset)] ?? -1;
  }

  functionAt(row: number): NativeFunction {
    const start = this.#starts[row] as number;
    const { names } = this.#tables[this.#tableOf[row] as number] as ElfSymbols;
    return {
      start,
      size: (this.#ends[row] as number) - start,
      name: textAt(names, this.#nameAt[row] as number),
    };
  }
}

/** In front of the name; those of a mangled name of C++ are none. */
function underscores(names: Buffer, at: number): number {
  if (names[at] === underscore && names[at + 1] === 'Z'.charCodeAt(0)) return 0;
  let count = 0;
  while (count < mostUnderscores && names[at + count] === underscore) count++;
  return count;
}

function wide(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
