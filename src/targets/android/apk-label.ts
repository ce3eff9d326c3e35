/** What an app is called by those who use it: a text in its manifest, or one that its table of resources has. */
import type { ZipArchive } from '../../symbols/zip.js';
import { type Chunk, chunksIn, ChunkType, inside, textOf, ValueType } from './resource-chunks.js';

/** `android:label`. Attributes go by numbers: packers leave their names out. */
const labelAttributeId = 0x01010001;
/** Of resources that stand for others; they may do so in a circle. */
const mostHops = 8;

/** Flags of a type's table: only some entries are in it; short offsets. */
const sparse = 1;
const shortOffsets = 2;
/** Flags of an entry: several values; a value within the entry's head. */
const complex = 1;
const compact = 8;

interface Value {
  readonly type: number;
  readonly data: number;
}

/** Undefined where it has none of its own. Throws where the package is damaged. `locale`: the device's, "de-AT". */
export async function apkLabel(apk: ZipArchive, locale = ''): Promise<string | undefined> {
  const manifest = apk.find('AndroidManifest.xml');
  const label = manifest && labelIn(await apk.bytes(manifest));
  if (typeof label !== 'number') return label;
  const table = apk.find('resources.arsc');
  return table && resourceText(await apk.bytes(table), label, locale);
}

/** Of a packed manifest: the text, or the number of the resource that has it. */
export function labelIn(manifest: Buffer): string | number | undefined {
  const [xml] = chunksIn(manifest);
  let texts: Chunk | undefined;
  let ids: Chunk | undefined;
  for (const chunk of xml?.type === ChunkType.xml ? inside(xml) : []) {
    if (chunk.type === ChunkType.texts) texts = chunk;
    else if (chunk.type === ChunkType.attributeIds) ids = chunk;
    else if (chunk.type === ChunkType.elementStart && texts && ids) {
      const { bytes, headBytes } = chunk;
      if (textOf(texts, bytes.readUInt32LE(headBytes + 4)) !== 'application') continue;
      const value = attribute(chunk, ids, labelAttributeId);
      if (value?.type === ValueType.text) return textOf(texts, value.data);
      return value?.type === ValueType.reference ? value.data : undefined;
    }
  }
  return undefined;
}

function attribute({ bytes, headBytes }: Chunk, ids: Chunk, id: number): Value | undefined {
  const [start, size, count] = [8, 10, 12].map((at) => bytes.readUInt16LE(headBytes + at)) as [
    number,
    number,
    number,
  ];
  for (let row = 0; row < count; row++) {
    const at = headBytes + start + row * size;
    const name = ids.headBytes + 4 * bytes.readUInt32LE(at + 4);
    if (name + 4 <= ids.bytes.length && ids.bytes.readUInt32LE(name) === id)
      return { type: bytes.readUInt8(at + 15), data: bytes.readUInt32LE(at + 16) };
  }
  return undefined;
}

/** Of a table of resources: the text of this one in the locale's language, else as it is where no language, size or version of the device asks for another. */
export function resourceText(file: Buffer, id: number, locale = ''): string | undefined {
  const [table] = chunksIn(file);
  if (table?.type !== ChunkType.table) return undefined;
  const texts = [...inside(table)].find(({ type }) => type === ChunkType.texts);
  let value: Value | undefined = { type: ValueType.reference, data: id };
  for (let hops = 0; hops < mostHops && value?.type === ValueType.reference; hops++)
    value = valueOf(table, value.data, locale);
  return texts && value?.type === ValueType.text ? textOf(texts, value.data) : undefined;
}

function valueOf(table: Chunk, id: number, locale: string): Value | undefined {
  const [packageId, typeId, entry] = [id >>> 24, (id >>> 16) & 0xff, id & 0xffff];
  let best: Value | undefined;
  let bestFit: Fit = Fit.none;
  for (const one of inside(table)) {
    if (one.type !== ChunkType.package || one.bytes.readUInt32LE(8) !== packageId) continue;
    for (const type of inside(one)) {
      if (type.type !== ChunkType.type || type.bytes.readUInt8(8) !== typeId) continue;
      const fit = fitOf(type, locale);
      if (best && fit <= bestFit) continue;
      const value = valueIn(type, entry);
      if (value) [best, bestFit] = [value, fit];
    }
  }
  return best;
}

/** What a table is worth to a device: of another language, or for other sizes and versions; of all; of its language; of its region, too. */
const Fit = { none: 0, all: 1, language: 2, region: 3 } as const;
type Fit = (typeof Fit)[keyof typeof Fit];

/** Names of languages that Android's packages have kept. */
const formerNames = new Map([
  ['he', 'iw'],
  ['id', 'in'],
  ['yi', 'ji'],
]);

/** What it asks of a device stands after its own length: language and region in two letters each, and much that must be nothing. */
function fitOf({ bytes }: Chunk, locale: string): Fit {
  const asks = bytes.subarray(24, 20 + bytes.readUInt32LE(20));
  const [language, region] = [asks.toString('latin1', 4, 6), asks.toString('latin1', 6, 8)];
  if (asks.some((byte, at) => byte !== 0 && (at < 4 || at >= 8))) return Fit.none;
  if (/^\0*$/.test(language + region)) return Fit.all;
  const [own = '', ...parts] = locale.split(/[-_]/);
  if (language !== own && language !== formerNames.get(own)) return Fit.none;
  if (region === '\0\0') return Fit.language;
  return parts.includes(region) ? Fit.region : Fit.none;
}

function valueIn(type: Chunk, entry: number): Value | undefined {
  const { bytes } = type;
  const offset = offsetIn(type, entry);
  if (offset === undefined) return undefined;
  const at = bytes.readUInt32LE(16) + offset;
  const flags = bytes.readUInt16LE(at + 2);
  if (flags & compact) return { type: flags >>> 8, data: bytes.readUInt32LE(at + 4) };
  if (flags & complex) return undefined;
  const value = at + bytes.readUInt16LE(at);
  return { type: bytes.readUInt8(value + 3), data: bytes.readUInt32LE(value + 4) };
}

function offsetIn({ bytes, headBytes }: Chunk, entry: number): number | undefined {
  const flags = bytes.readUInt8(9);
  const count = bytes.readUInt32LE(12);
  if (flags & sparse) {
    for (let row = 0; row < count; row++) {
      const at = headBytes + 4 * row;
      if (bytes.readUInt16LE(at) === entry) return 4 * bytes.readUInt16LE(at + 2);
    }
    return undefined;
  }
  if (entry >= count) return undefined;
  const isShort = (flags & shortOffsets) !== 0;
  const offset = isShort
    ? bytes.readUInt16LE(headBytes + 2 * entry)
    : bytes.readUInt32LE(headBytes + 4 * entry);
  if (offset === (isShort ? 0xffff : 0xffffffff)) return undefined;
  return isShort ? 4 * offset : offset;
}
