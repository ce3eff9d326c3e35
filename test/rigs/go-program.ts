/** A program file with a table of functions as Go's linker writes it, by Go's own description of it (`runtime/symtab.go`). */
import { elfFile, withSection } from './elf-file.js';

export type GoVersion = '1.16' | '1.18' | '1.20';

export interface GoProgram {
  readonly bytes: Buffer;
  /** Address of its code: main.outer has 16 bytes, in 4 to 7 of which main.inner is inlined, then main.last has 16. */
  readonly start: number;
  /** Of the file: what says something about the functions. */
  readonly parts: readonly { readonly at: number; readonly size: number }[];
}

/** All of the file is loaded there. */
const base = 0x400000;
const start = base + 0x100000;
const headBytes = 72;

/** Grows, and says where the next piece begins. */
class Bytes {
  #bytes = Buffer.alloc(0);
  get size(): number {
    return this.#bytes.length;
  }
  add(bytes: Uint8Array): number {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    return this.#bytes.length - bytes.length;
  }
  u32(...values: readonly number[]): number {
    return this.add(Buffer.from(Uint32Array.from(values).buffer));
  }
  u64(...values: readonly number[]): number {
    return this.add(Buffer.from(BigUint64Array.from(values, BigInt).buffer));
  }
  text(text: string): number {
    return this.add(Buffer.from(`${text}\0`));
  }
  align(to: number): void {
    this.add(Buffer.alloc(-this.size & (to - 1)));
  }
  done(): Buffer {
    return this.#bytes;
  }
}

/** Values with how many bytes of code each holds for. */
function numbers(...rows: readonly (readonly [value: number, bytes: number])[]): Buffer {
  let last = -1;
  const out: number[] = [];
  for (const [value, bytes] of rows) {
    const change = value - last;
    out.push(change < 0 ? -2 * change - 1 : 2 * change, bytes);
    last = value;
  }
  return Buffer.from([...out, 0]);
}

export function goProgram(version: GoVersion, { hasModule = true } = {}): GoProgram {
  const isOld = version === '1.16';
  const names = new Bytes();
  names.text('');
  const [outer, inner, last] = ['main.outer', 'main.inner', 'main.last'].map((name) => names.text(name)) as [
    number,
    number,
    number,
  ];
  const files = new Bytes();
  const units = new Bytes();
  units.u32(files.text('main.go'), files.text('inner.go'));
  const tables = new Bytes();
  tables.add(Buffer.alloc(1)); // a table is nowhere at 0
  const outerFiles = tables.add(numbers([0, 4], [1, 4], [0, 8]));
  const outerLines = tables.add(numbers([10, 4], [3, 4], [11, 4], [12, 4]));
  const outerInlined = tables.add(numbers([-1, 4], [0, 4], [-1, 8]));
  const lastFiles = tables.add(numbers([0, 16]));
  const lastLines = tables.add(numbers([20, 16]));
  const tree = new Bytes();
  tree.u32(0xabcdef01); // of another function
  // The call is on the line of the byte behind the inlined code.
  const treeAt = version === '1.20' ? tree.u32(0, inner, 8, 1) : tree.u32(0xffff, 1, 11, inner, 8);

  const functions = new Bytes();
  const rows = isOld ? 3 * 16 - 8 : 3 * 8 - 4;
  functions.add(Buffer.alloc(rows));
  functions.align(8);
  const treeAddress = (tableAt: number): number => base + tableAt;
  const place = (tableAt: number, referTo: number): Buffer => {
    const all = new Bytes();
    all.add(Buffer.alloc(rows));
    all.align(8);
    const describe = (offset: number, name: number, numbersAt: readonly number[], treeReference: number) => {
      all.align(8);
      const at = isOld ? all.u64(start + offset) : all.u32(offset);
      const hasTree = treeReference >= 0;
      all.u32(name, 0, 0, 0, numbersAt[0] ?? 0, numbersAt[1] ?? 0, hasTree ? 3 : 0, 0);
      if (version === '1.20') all.u32(9);
      all.add(Buffer.of(0, 0, 0, hasTree ? 4 : 0));
      if (hasTree) {
        all.u32(0, 0, outerInlined);
        if (isOld) {
          all.align(8);
          all.u64(0, 0, 0, treeReference);
        } else all.u32(0xffffffff, 0xffffffff, 0xffffffff, treeReference);
      }
      return at;
    };
    const reference = isOld ? treeAddress(tableAt) + referTo + treeAt : treeAt;
    const outerAt = describe(0, outer, [outerFiles, outerLines], reference);
    const lastAt = describe(16, last, [lastFiles, lastLines], -1);
    const table = new Bytes();
    if (isOld) table.u64(start, outerAt, start + 16, lastAt, start + 32);
    else table.u32(0, outerAt, 16, lastAt, 32);
    const bytes = all.done();
    table.done().copy(bytes);
    return bytes;
  };

  // The parts of the table, one after the other; what functions refer to comes last.
  let end = isOld ? headBytes - 8 : headBytes;
  const at = [names, units, files, tables].map((part) => {
    const begin = end;
    end += part.size;
    return begin;
  }) as [number, number, number, number];
  const functionsAt = Math.ceil(end / 8) * 8;
  const referTo = functionsAt + place(0, 0).length;
  const library = elfFile([]);
  const tableAt = Math.ceil((library.length + 0x40) / 64) * 64;
  const padding = tableAt - library.length;

  const head = new Bytes();
  head.u32(isOld ? 0xfffffffa : version === '1.18' ? 0xfffffff0 : 0xfffffff1);
  head.add(Buffer.of(0, 0, 1, 8));
  head.u64(2, 2);
  // Go 1.26 leaves it empty where the program has a description.
  if (!isOld) head.u64(version === '1.20' && hasModule ? 0 : start);
  head.u64(...at, functionsAt);
  const table = new Bytes();
  table.add(head.done());
  for (const part of [names, units, files, tables]) table.add(part.done());
  table.align(8);
  table.add(place(tableAt, referTo));
  table.add(tree.done());

  const words = Array.from({ length: 48 }, () => 0);
  words[0] = base + tableAt;
  words[1] = base + tableAt + headBytes;
  words[2] = words[3] = names.size;
  words[22] = start;
  words[version === '1.18' ? 38 : 40] = base + tableAt + referTo;
  const module = new Bytes();
  module.u64(...words);

  let bytes: Buffer = Buffer.concat([library, Buffer.alloc(padding)]);
  bytes = withSection(bytes, '.gopclntab', table.done());
  bytes = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
  const moduleAt = bytes.length;
  if (hasModule) bytes = withSection(bytes, '.noptrdata', module.done());
  bytes = withSegment(bytes);
  return {
    bytes,
    start,
    parts: [{ at: tableAt, size: table.size }, ...(hasModule ? [{ at: moduleAt, size: module.size }] : [])],
  };
}

/** With all of the file loaded. */
function withSegment(file: Buffer): Buffer {
  const row = Buffer.alloc(56);
  row.writeUInt32LE(1, 0);
  row.writeBigUInt64LE(BigInt(base), 16);
  row.writeBigUInt64LE(BigInt(file.length), 32);
  const bytes = Buffer.concat([file, row]);
  bytes.writeBigUInt64LE(BigInt(file.length), 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  return bytes;
}
