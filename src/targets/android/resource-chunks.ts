/** What Android's packed manifests and tables of resources are made of: chunks within chunks, and tables of texts. */

/** The kinds that are read here. */
export const ChunkType = {
  texts: 0x0001,
  table: 0x0002,
  xml: 0x0003,
  elementStart: 0x0102,
  attributeIds: 0x0180,
  package: 0x0200,
  type: 0x0201,
} as const;

export interface Chunk {
  readonly type: number;
  /** Of the chunk itself; what is in it follows. */
  readonly headBytes: number;
  readonly bytes: Buffer;
}

/** The kinds of values that lead to a text. */
export const ValueType = { reference: 0x01, text: 0x03 } as const;

const chunkHeadBytes = 8;
const utf8 = 1 << 8;
/** Of a text that says it is longer, this much. */
const mostTextBytes = 1024;

/** One after another, as long as each is whole. */
export function* chunksIn(bytes: Buffer): Generator<Chunk> {
  for (let at = 0; at + chunkHeadBytes <= bytes.length;) {
    const headBytes = bytes.readUInt16LE(at + 2);
    const end = at + bytes.readUInt32LE(at + 4);
    if (headBytes < chunkHeadBytes || end < at + headBytes || end > bytes.length) return;
    yield { type: bytes.readUInt16LE(at), headBytes, bytes: bytes.subarray(at, end) };
    at = end;
  }
}

export const inside = ({ bytes, headBytes }: Chunk): Generator<Chunk> => chunksIn(bytes.subarray(headBytes));

/** A text by its number. Throws a RangeError where there is none. */
export function textOf({ bytes, headBytes }: Chunk, index: number): string {
  if (index >= bytes.readUInt32LE(8)) throw new RangeError('there is no such text');
  const at = bytes.readUInt32LE(20) + bytes.readUInt32LE(headBytes + 4 * index);
  const isUtf8 = (bytes.readUInt32LE(16) & utf8) !== 0;
  if (!isUtf8) {
    const [units, from] = lengthAt(bytes, at, 2);
    return bytes.toString('utf16le', from, from + Math.min(2 * units, mostTextBytes));
  }
  const [, second] = lengthAt(bytes, at, 1); // the first is that of the text as UTF-16
  const [units, from] = lengthAt(bytes, second, 1);
  return bytes.toString('utf8', from, from + Math.min(units, mostTextBytes));
}

/** A length, of two units where the first one's highest bit is set; and where it ends. */
function lengthAt(bytes: Buffer, at: number, unitBytes: 1 | 2): [length: number, end: number] {
  const high = unitBytes === 1 ? 0x80 : 0x8000;
  const first = bytes.readUIntLE(at, unitBytes);
  if (first < high) return [first, at + unitBytes];
  const length = (first - high) * 2 * high + bytes.readUIntLE(at + unitBytes, unitBytes);
  return [length, at + 2 * unitBytes];
}
