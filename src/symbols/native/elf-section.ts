/** What a section of an ELF file holds, inflated where it is compressed. */
import { inflateSync } from 'node:zlib';
import { type ReadSync, Section } from './dwarf/section.js';
import { type ElfSection } from './elf.js';

const noBits = 8;
const compressed = 0x800;
const compressionHeadBytes = 24;
const zlibType = 1;
/** A compressed part is inflated as a whole. */
const mostInflatedBytes = 1 << 28;

/** Undefined where there is nothing that can be read. */
export function sectionOf(found: ElfSection | undefined, read: ReadSync): Section | undefined {
  if (found === undefined || found.type === noBits || found.size === 0) return undefined;
  const { offset, size, flags } = found;
  if ((flags & compressed) === 0) return new Section(read, offset, size);
  const head = read(offset, compressionHeadBytes);
  if (head.length < compressionHeadBytes || head.readUInt32LE(0) !== zlibType) return undefined;
  const whole = Number(head.readBigUInt64LE(8));
  if (whole > mostInflatedBytes || size > mostInflatedBytes) return undefined;
  const packed = read(offset + compressionHeadBytes, size - compressionHeadBytes);
  try {
    return Section.of(inflateSync(packed, { maxOutputLength: whole }));
  } catch {
    return undefined; // it is damaged: as if it were not there
  }
}
