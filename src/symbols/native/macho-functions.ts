/** The functions of a Mach-O file by address. Its symbols have no sizes: each reaches to the next one. */
import type { NativeFunction } from './elf-functions.js';
import { textAt } from './elf.js';
import { lastUpTo } from './first-from.js';
import type { MachO } from './macho.js';
import { MachOError } from './macho.js';
import { radixSort } from './radix-sort.js';

const symbolBytes = 16;
const debugKinds = 0xe0;
const placeKinds = 0x0e;
const inSection = 0x0e;
/** Beyond its last symbol nothing is known of the code; no function is larger. */
const mostFunctionBytes = 1 << 24;

export class MachOFunctions {
  /** Ascending, each once. */
  readonly #starts: Float64Array;
  /** Of each start, where its name is. */
  readonly #names: Uint32Array;
  readonly #texts: Buffer;

  private constructor(starts: Float64Array, names: Uint32Array, texts: Buffer) {
    this.#starts = starts;
    this.#names = names;
    this.#texts = texts;
  }

  /** Throws where its table cannot be read. */
  static async read(file: Pick<MachO, 'symbols'>): Promise<MachOFunctions> {
    const table = await file.symbols();
    if (table === undefined) throw new MachOError('it has no symbols');
    const { symbols, names } = table;
    const most = Math.floor(symbols.length / symbolBytes);
    const starts = new Float64Array(most);
    const nameAts = new Uint32Array(most);
    let count = 0;
    for (let at = 0; at + symbolBytes <= symbols.length; at += symbolBytes) {
      const type = symbols.readUInt8(at + 4);
      if ((type & debugKinds) !== 0 || (type & placeKinds) !== inSection) continue;
      nameAts[count] = symbols.readUInt32LE(at);
      starts[count++] = symbols.readUInt32LE(at + 8) + symbols.readUInt32LE(at + 12) * 2 ** 32;
    }
    const order = radixSort(
      new Uint32Array(count).map((_, row) => row),
      starts,
    );
    // Of several names for one function, the first in the table.
    const [begins, namesOf] = [new Float64Array(count), new Uint32Array(count)];
    let functions = 0;
    for (const row of order) {
      const start = starts[row] as number;
      if (functions > 0 && begins[functions - 1] === start) continue;
      namesOf[functions] = nameAts[row] as number;
      begins[functions++] = start;
    }
    return new MachOFunctions(begins.slice(0, functions), namesOf.slice(0, functions), names);
  }

  /** The functions that the addresses lie in, with the addresses of each. Those of no function are left out. */
  find(addresses: readonly number[]): Map<NativeFunction, number[]> {
    const byRow = new Map<number, [NativeFunction, number[]]>();
    for (const address of addresses) {
      const row = lastUpTo(this.#starts, address);
      const start = this.#starts[row];
      if (start === undefined || address - start >= mostFunctionBytes) continue;
      const known = byRow.get(row);
      if (known !== undefined) known[1].push(address);
      else {
        const size = (this.#starts[row + 1] ?? start + mostFunctionBytes) - start;
        const name = nameOf(textAt(this.#texts, this.#names[row] as number));
        if (name !== '') byRow.set(row, [{ start, size, name }, [address]]);
      }
    }
    return new Map(byRow.values());
  }
}

/** Compilers put an underscore before the names of C; a method of Objective-C has its own form, "-[Class method:]". */
const nameOf = (linked: string): string => (linked.startsWith('_') ? linked.slice(1) : linked);
