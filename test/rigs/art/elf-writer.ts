/** ELF files of the tests: one with nothing but a full table of functions, as debug information is kept, and one with a section more. */

export interface FunctionSymbol {
  readonly name: string;
  readonly value: bigint;
}

const HEAD = 64;
const ROW = 64;
const SYMBOL = 24;
const TEXT = 1;
const SYMBOLS = 2;
const STRINGS = 3;
const GLOBAL_FUNCTION = 0x12;

interface Row {
  readonly name: number;
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link?: number;
}

function rowOf({ name, type, offset, size, link = 0 }: Row): Buffer {
  const row = Buffer.alloc(ROW);
  row.writeUInt32LE(name, 0);
  row.writeUInt32LE(type, 4);
  row.writeBigUInt64LE(BigInt(offset), 24);
  row.writeBigUInt64LE(BigInt(size), 32);
  row.writeUInt32LE(link, 40);
  row.writeBigUInt64LE(1n, 48);
  if (type === SYMBOLS) row.writeBigUInt64LE(BigInt(SYMBOL), 56);
  return row;
}

/** Points the file's head to the table of sections. */
function tell(head: Buffer, at: number, count: number, names: number): void {
  head.writeBigUInt64LE(BigInt(at), 40);
  for (const [field, value] of [ROW, count, names].entries()) head.writeUInt16LE(value, 58 + field * 2);
}

/** As `objcopy` leaves what is then packed into .gnu_debugdata. */
export function debugFile(functions: readonly FunctionSymbol[]): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write('\x7fELF\x02\x01\x01', 'latin1');
  head.writeUInt16LE(62, 18);
  const names = Buffer.from(`\0${functions.map(({ name }) => `${name}\0`).join('')}`, 'latin1');
  const symbols = Buffer.alloc(SYMBOL * (functions.length + 1));
  let text = 1;
  for (const [index, { name, value }] of functions.entries()) {
    const at = SYMBOL * (index + 1);
    symbols.writeUInt32LE(text, at);
    symbols.writeUInt8(GLOBAL_FUNCTION, at + 4);
    symbols.writeUInt16LE(1, at + 6);
    symbols.writeBigUInt64LE(value, at + 8);
    text += name.length + 1;
  }
  const sectionNames = Buffer.from('\0.text\0.symtab\0.strtab\0.shstrtab\0', 'latin1');
  const place = (name: string) => sectionNames.indexOf(`${name}\0`, 'latin1');
  const namesAt = HEAD + symbols.length;
  const sectionNamesAt = namesAt + names.length;
  const rows = [
    Buffer.alloc(ROW),
    rowOf({ name: place('.text'), type: TEXT, offset: 0, size: 0 }),
    rowOf({ name: place('.symtab'), type: SYMBOLS, offset: HEAD, size: symbols.length, link: 3 }),
    rowOf({ name: place('.strtab'), type: STRINGS, offset: namesAt, size: names.length }),
    rowOf({ name: place('.shstrtab'), type: STRINGS, offset: sectionNamesAt, size: sectionNames.length }),
  ];
  tell(head, sectionNamesAt + sectionNames.length, rows.length, rows.length - 1);
  return Buffer.concat([head, symbols, names, sectionNames, ...rows]);
}

/** A library of 64 bits with a section more, behind all that is there. */
export function withSection(library: Buffer, name: string, content: Buffer): Buffer {
  const head = Buffer.from(library.subarray(0, HEAD));
  const [at, count, nameIndex] = [
    Number(head.readBigUInt64LE(40)),
    head.readUInt16LE(60),
    head.readUInt16LE(62),
  ];
  const rows = Buffer.from(library.subarray(at, at + ROW * count));
  const named = rows.subarray(ROW * nameIndex, ROW * (nameIndex + 1));
  const [namesAt, namesSize] = [Number(named.readBigUInt64LE(24)), Number(named.readBigUInt64LE(32))];
  const names = Buffer.concat([
    library.subarray(namesAt, namesAt + namesSize),
    Buffer.from(`${name}\0`, 'latin1'),
  ]);
  const newNamesAt = library.length + content.length;
  named.writeBigUInt64LE(BigInt(newNamesAt), 24);
  named.writeBigUInt64LE(BigInt(names.length), 32);
  tell(head, newNamesAt + names.length, count + 1, nameIndex);
  const row = rowOf({ name: namesSize, type: TEXT, offset: library.length, size: content.length });
  return Buffer.concat([head, library.subarray(HEAD), content, names, rows, row]);
}
