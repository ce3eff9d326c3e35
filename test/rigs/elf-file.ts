/** ELF files for the tests. */

export interface ElfSymbol {
  readonly name: string;
  readonly start: number;
  readonly size?: number;
  /** FUNC where nothing else is said. */
  readonly type?: number;
}

const headBytes = 64;
const rowBytes = 64;
const symbol = 24;
const text = 1;
const symbolSectionType = 2;
const strings = 3;
const notes = 7;
const functionType = 2;
const global = 0x10;

interface Row {
  readonly name: number;
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link?: number;
}

function rowOf({ name, type, offset, size, link = 0 }: Row): Buffer {
  const row = Buffer.alloc(rowBytes);
  row.writeUInt32LE(name, 0);
  row.writeUInt32LE(type, 4);
  row.writeBigUInt64LE(BigInt(offset), 24);
  row.writeBigUInt64LE(BigInt(size), 32);
  row.writeUInt32LE(link, 40);
  row.writeBigUInt64LE(1n, 48);
  if (type === symbolSectionType) row.writeBigUInt64LE(BigInt(symbol), 56);
  return row;
}

/** Points the file's head to the table of sections. */
function tell(head: Buffer, at: number, count: number, names: number): void {
  head.writeBigUInt64LE(BigInt(at), 40);
  for (const [field, value] of [rowBytes, count, names].entries()) head.writeUInt16LE(value, 58 + field * 2);
}

function symbolTable(symbols: readonly ElfSymbol[]): { table: Buffer; names: Buffer } {
  let names = '\0';
  const table = Buffer.alloc(symbol * (symbols.length + 1));
  for (const [index, { name, start, size = 0, type = functionType }] of symbols.entries()) {
    const at = symbol * (index + 1);
    table.writeUInt32LE(names.length, at);
    table.writeUInt8(global + type, at + 4);
    table.writeUInt16LE(1, at + 6);
    table.writeBigUInt64LE(BigInt(start), at + 8);
    table.writeBigUInt64LE(BigInt(size), at + 16);
    names += `${name}\0`;
  }
  return { table, names: Buffer.from(names, 'latin1') };
}

/** With nothing in it but a table of symbols, as debug information is, and a build id where one is given. */
export function elfFile(symbols: readonly ElfSymbol[], buildId?: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write('\x7fELF\x02\x01\x01', 'latin1');
  head.writeUInt16LE(62, 18);
  const { table, names } = symbolTable(symbols);
  const sectionNames = Buffer.from('\0.text\0.symtab\0.strtab\0.note\0.shstrtab\0', 'latin1');
  // Name, type, content, and the section with the names.
  const sections: [string, number, Buffer, number][] = [
    ['', 0, Buffer.alloc(0), 0],
    ['.text', text, Buffer.alloc(0), 0],
    ['.symtab', symbolSectionType, table, 3],
    ['.strtab', strings, names, 0],
    ['.note', notes, buildId ? buildIdNote(buildId) : Buffer.alloc(0), 0],
    ['.shstrtab', strings, sectionNames, 0],
  ];
  let at = headBytes;
  const rows = sections.map(([name, type, { length }, link]) => {
    const row = rowOf({
      name: sectionNames.indexOf(`${name}\0`, 'latin1'),
      type,
      offset: at,
      size: length,
      link,
    });
    at += length;
    return row;
  });
  tell(head, at, rows.length, rows.length - 1);
  return Buffer.concat([head, ...sections.map(([, , content]) => content), ...rows]);
}

export function buildIdNote(buildId: Uint8Array): Buffer {
  const sizes = Buffer.from(Uint32Array.of(4, buildId.length, 3).buffer);
  return Buffer.concat([sizes, Buffer.from('GNU\0'), buildId, Buffer.alloc(-buildId.length & 3)]);
}

/** A library of 64 bits with a section more, behind all that is there. */
export function withSection(
  library: Buffer,
  name: string,
  content: Buffer,
  { type = text, link = 0 } = {},
): Buffer {
  const head = Buffer.from(library.subarray(0, headBytes));
  const [at, count, nameIndex] = [
    Number(head.readBigUInt64LE(40)),
    head.readUInt16LE(60),
    head.readUInt16LE(62),
  ];
  const rows = Buffer.from(library.subarray(at, at + rowBytes * count));
  const named = rows.subarray(rowBytes * nameIndex, rowBytes * (nameIndex + 1));
  const [namesAt, namesSize] = [Number(named.readBigUInt64LE(24)), Number(named.readBigUInt64LE(32))];
  const names = Buffer.concat([
    library.subarray(namesAt, namesAt + namesSize),
    Buffer.from(`${name}\0`, 'latin1'),
  ]);
  const newNamesAt = library.length + content.length;
  named.writeBigUInt64LE(BigInt(newNamesAt), 24);
  named.writeBigUInt64LE(BigInt(names.length), 32);
  tell(head, newNamesAt + names.length, count + 1, nameIndex);
  const row = rowOf({ name: namesSize, type, offset: library.length, size: content.length, link });
  return Buffer.concat([head, library.subarray(headBytes), content, names, rows, row]);
}

/** A library with a full table of symbols, which is not loaded with it. */
export function withSymbols(library: Buffer, symbols: readonly ElfSymbol[]): Buffer {
  const { table, names } = symbolTable(symbols);
  const link = library.readUInt16LE(60) + 1;
  const even = Buffer.concat([library, Buffer.alloc(-library.length & 7)]);
  const withTable = withSection(even, '.symtab', table, { type: symbolSectionType, link });
  return withSection(withTable, '.strtab', names, { type: strings });
}
