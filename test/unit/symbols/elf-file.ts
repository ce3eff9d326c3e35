/** A library file with nothing in it but a build id and a table of symbols. */
export interface ElfSymbol {
  readonly name: string;
  readonly start: number;
  readonly size: number;
  /** FUNC where nothing else is said. */
  readonly type?: number;
}

const headBytes = 64;
const sectionBytes = 64;

export function elfFile(buildId: Uint8Array, symbols: readonly ElfSymbol[]): Buffer {
  const note = Buffer.concat([words(4, buildId.length, 3), Buffer.from('GNU\0'), buildId]);
  let strings = '\0';
  const table = Buffer.concat(
    symbols.map(({ name, start, size, type = 2 }) => {
      const symbol = Buffer.alloc(24);
      symbol.writeUInt32LE(strings.length, 0);
      symbol.writeUInt8(16 + type, 4);
      symbol.writeBigUInt64LE(BigInt(start), 8);
      symbol.writeBigUInt64LE(BigInt(size), 16);
      strings += `${name}\0`;
      return symbol;
    }),
  );
  // Type, content, and the section with the names.
  const sections: [number, Buffer, number][] = [
    [0, Buffer.alloc(0), 0],
    [7, note, 0],
    [2, table, 3],
    [3, Buffer.from(strings), 0],
  ];
  const head = Buffer.alloc(headBytes);
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  head.writeBigUInt64LE(BigInt(headBytes), 40);
  head.writeUInt16LE(sectionBytes, 58);
  head.writeUInt16LE(sections.length, 60);
  let at = headBytes + sections.length * sectionBytes;
  const rows = sections.map(([type, content, link]) => {
    const row = Buffer.alloc(sectionBytes);
    row.writeUInt32LE(type, 4);
    row.writeBigUInt64LE(BigInt(at), 24);
    row.writeBigUInt64LE(BigInt(content.length), 32);
    row.writeUInt32LE(link, 40);
    at += content.length;
    return row;
  });
  return Buffer.concat([head, ...rows, ...sections.map(([, content]) => content)]);
}

function words(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
