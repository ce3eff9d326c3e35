/** A package of units that lie apart from their program (`PROGRAM.dwp`): its index says which part of each section is a unit's. */
import { Cursor, DwarfDamage, type Section } from './section.js';

/** Numbers of sections in an index. */
const sectionNumbers = {
  info: 1,
  abbreviations: 3,
  textOffsets: 6,
  rangeLists: 8, // another one's before version 5, where units have none
} as const;
export type PackedSection = keyof typeof sectionNumbers;

export interface PackedPart {
  readonly at: number;
  readonly size: number;
}

const headBytes = 16;
const idBytes = 8;
const cellBytes = 4;
const mostColumns = 16;
const mostSlots = 2 ** 27;
/** Of slots that are looked at for one unit: tables are a third empty at least. */
const mostProbes = 1 << 12;

/** Undefined: the package does not have the unit. */
export function findPacked(index: Section, id: bigint): ReadonlyMap<PackedSection, PackedPart> | undefined {
  const head = new Cursor(index.slice(0, headBytes));
  const version = head.u32() & 0xffff; // of 4 bytes before version 5, and of 2 then
  const [columns, units, slots] = [head.u32(), head.u32(), head.u32()];
  if (version !== 2 && version !== 5) throw new DwarfDamage(`an index of version ${version} is not known`);
  const isPowerOfTwo = slots > 0 && slots <= mostSlots && Number.isInteger(Math.log2(slots));
  if (!isPowerOfTwo || columns > mostColumns) throw new DwarfDamage('an index is damaged');
  const row = rowOf(index, id, slots);
  if (row === 0 || row > units) return undefined;
  const numbers = new Cursor(index.slice(headBytes + slots * (idBytes + cellBytes), columns * cellBytes));
  const offsetsAt = headBytes + slots * (idBytes + cellBytes) + columns * cellBytes;
  const rowBytes = columns * cellBytes;
  const offsets = new Cursor(index.slice(offsetsAt + (row - 1) * rowBytes, rowBytes));
  const sizes = new Cursor(index.slice(offsetsAt + (units + row - 1) * rowBytes, rowBytes));
  const found = new Map<PackedSection, PackedPart>();
  for (let column = 0; column < columns; column++) {
    const number = numbers.u32();
    const part = { at: offsets.u32(), size: sizes.u32() };
    for (const [name, one] of Object.entries(sectionNumbers))
      if (one === number) found.set(name as PackedSection, part);
  }
  return found;
}

/** From 1; 0: it is not there. */
function rowOf(index: Section, id: bigint, slots: number): number {
  const mask = BigInt(slots - 1);
  const step = Number((id >> 32n) & mask) | 1;
  let slot = Number(id & mask);
  for (let probes = Math.min(slots, mostProbes); probes > 0; probes--, slot = (slot + step) % slots) {
    const row = new Cursor(index.slice(headBytes + slots * idBytes + slot * cellBytes, cellBytes)).u32();
    if (row === 0) return 0;
    if (index.slice(headBytes + slot * idBytes, idBytes).readBigUInt64LE(0) === id) return row;
  }
  return 0;
}
