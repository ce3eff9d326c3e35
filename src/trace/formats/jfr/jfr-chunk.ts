import { isTime, readingOr0 } from '../../assemble/number-gate.js';
import { JfrPools } from './jfr-pools.js';
import { JfrTypes } from './jfr-types.js';
import { JfrValues } from './jfr-values.js';

export const chunkHeadBytes = 68;
const magic = 0x464c5200; // FLR and 0
const isCompressedBit = 1;
/** Types of the events that describe the others. */
const metadataType = 0;
const checkpointType = 1;

export interface ChunkHead {
  readonly major: number;
  /** With the head; 0 while the recorder still writes it. */
  readonly size: number;
  readonly startNs: bigint;
  readonly startTicksLow: number;
  readonly startTicksHigh: number;
  readonly nsPerTick: number;
  readonly isCompressed: boolean;
}

/** Undefined where no chunk begins. */
export function chunkHead(bytes: Uint8Array, at: number): ChunkHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, chunkHeadBytes);
  if (view.getUint32(0) !== magic) return undefined;
  const size = view.getUint32(8) * 2 ** 32 + view.getUint32(12);
  const ticksPerSecond = view.getUint32(56) * 2 ** 32 + view.getUint32(60);
  const nsPerTick = 1e9 / ticksPerSecond;
  return {
    major: view.getUint16(4),
    size: size >= chunkHeadBytes && size < 2 ** 40 ? size : 0,
    startNs: readingOr0(view.getBigInt64(32)),
    startTicksHigh: view.getUint32(48),
    startTicksLow: view.getUint32(52),
    nsPerTick: isTime(nsPerTick) && nsPerTick > 0 ? nsPerTick : 1,
    isCompressed: (view.getUint32(64) & isCompressedBit) !== 0,
  };
}

/** A description that was read, and its bytes, by which the next chunk's is known to be the same. */
export interface Described {
  readonly types: JfrTypes;
  readonly bytes: Uint8Array;
}

export interface OpenChunk {
  readonly described: Described;
  readonly pools: JfrPools;
  /** Where its events end: what is behind makes no sense, or is not there. */
  readonly end: number;
  /** Where the first event stands that has no sensible length; undefined where all have. */
  readonly damagedAt: number | undefined;
  /** Descriptions and pools that do not hold together. */
  readonly broken: number;
}

/**
 * Finds what describes the events of a chunk, wherever it stands among them. Where the chunk has none, as one that was cut
 * off, `before` is taken: ids of types are the same within one recording.
 */
export function openChunk(
  bytes: Uint8Array,
  from: number,
  to: number,
  { isCompressed }: ChunkHead,
  before: Described | undefined,
): OpenChunk | undefined {
  const values = new JfrValues();
  values.isCompressed = isCompressed;
  let described: Described | undefined;
  let broken = 0;
  const checkpoints: number[] = [];
  let at = from + chunkHeadBytes;
  let damagedAt: number | undefined;
  while (at < to) {
    const size = eventSize(values, bytes, at, to);
    if (size === 0) {
      damagedAt = at;
      break;
    }
    const type = values.long();
    if (type === checkpointType) checkpoints.push(at);
    else if (type === metadataType) {
      values.open(bytes, values.at, at + size);
      values.long(); // when
      values.long(); // how long
      values.long(); // its number
      const text = bytes.subarray(values.at, at + size);
      const known = described ?? before;
      if (known !== undefined && isSame(known.bytes, text)) described = known;
      else {
        const types = new JfrTypes();
        if (types.read(values)) described = { types, bytes: text.slice() };
        else broken++;
      }
    }
    at += size;
  }
  described ??= before;
  if (described === undefined) return undefined;
  const pools = new JfrPools(described.types, bytes, at, isCompressed);
  for (const checkpoint of checkpoints) {
    const size = eventSize(values, bytes, checkpoint, at);
    values.open(bytes, values.at, checkpoint + size);
    values.long();
    if (!pools.read(values)) broken++;
  }
  return { described, pools, end: at, damagedAt, broken };
}

/** The length of the event that begins there, 0 where it is none; `values` stands behind it. */
export function eventSize(values: JfrValues, bytes: Uint8Array, at: number, to: number): number {
  values.open(bytes, at, to);
  const size = values.count();
  return !values.isBroken() && size > values.at - at && size <= to - at ? size : 0;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
