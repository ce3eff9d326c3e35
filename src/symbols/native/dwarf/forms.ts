/** How attributes are written (DWARF 5, 7.5.6, and the extensions of GNU), and the few attributes and tags that are read here. */
import { type Cursor, DwarfDamage } from './section.js';

export const Tag = {
  compileUnit: 0x11,
  subprogram: 0x2e,
  inlinedSubroutine: 0x1d,
  classType: 0x02,
  structureType: 0x13,
  unionType: 0x17,
  namespace: 0x39,
  skeletonUnit: 0x4a,
  partialUnit: 0x3c,
} as const;

export const Attribute = {
  sibling: 0x01,
  name: 0x03,
  statementList: 0x10,
  lowPc: 0x11,
  highPc: 0x12,
  compilationFolder: 0x1b,
  abstractOrigin: 0x31,
  specification: 0x47,
  ranges: 0x55,
  callFile: 0x58,
  callLine: 0x59,
  linkageName: 0x6e,
  textOffsetsBase: 0x72,
  addressBase: 0x73,
  rangeListsBase: 0x74,
  splitName: 0x76,
  mipsLinkageName: 0x2007,
  gnuSplitName: 0x2130,
  gnuSplitId: 0x2131,
  gnuRangesBase: 0x2132,
  gnuAddressBase: 0x2133,
} as const;

export const Form = {
  addr: 0x01,
  data4: 0x06,
  data8: 0x07,
  string: 0x08,
  strp: 0x0e,
  refAddr: 0x10,
  secOffset: 0x17,
  flagPresent: 0x19,
  strx: 0x1a,
  addrx: 0x1b,
  lineStrp: 0x1f,
  implicitConst: 0x21,
  refSup4: 0x1c,
  strpSup: 0x1d,
  rnglistx: 0x23,
  refSup8: 0x24,
  strx1: 0x25,
  strx2: 0x26,
  strx3: 0x27,
  strx4: 0x28,
  addrx1: 0x29,
  addrx2: 0x2a,
  addrx3: 0x2b,
  addrx4: 0x2c,
  gnuAddrIndex: 0x1f01,
  gnuStrIndex: 0x1f02,
  gnuRefAlt: 0x1f20,
  gnuStrpAlt: 0x1f21,
} as const;

/** What the size of a form depends on. */
export interface Shape {
  readonly is64: boolean;
  readonly addressBytes: number;
  readonly version: number;
}

/** References within the unit. */
const unitReferences: ReadonlySet<number> = new Set([0x11, 0x12, 0x13, 0x14, 0x15]);
export const isUnitReference = (form: number): boolean => unitReferences.has(form);

/** References to an entry of the file that several share. */
const sharedReferences: ReadonlySet<number> = new Set([Form.refSup4, Form.refSup8, Form.gnuRefAlt]);
export const isSharedReference = (form: number): boolean => sharedReferences.has(form);

export function address(cursor: Cursor, bytes: number): number {
  if (bytes === 8) return cursor.u64();
  if (bytes === 4) return cursor.u32();
  throw new DwarfDamage(`addresses of ${bytes} bytes are not known`);
}

/** The number that an attribute is, or says where it lies; 0 for texts and blocks that lie in place, which are passed over. */
export function numberOf(cursor: Cursor, form: number, shape: Shape, implicit: number): number {
  switch (form) {
    case 0x01:
      return address(cursor, shape.addressBytes);
    case 0x0b: // data1
    case 0x0c: // flag
    case 0x11: // ref1
    case 0x25: // strx1
    case 0x29: // addrx1
      return cursor.u8();
    case 0x05: // data2
    case 0x12: // ref2
    case 0x26: // strx2
    case 0x2a: // addrx2
      return cursor.u16();
    case 0x27: // strx3
    case 0x2b: // addrx3
      return cursor.u24();
    case 0x06: // data4
    case 0x13: // ref4
    case 0x28: // strx4
    case 0x2c: // addrx4
    case 0x1c: // ref_sup4
      return cursor.u32();
    case 0x07: // data8
    case 0x14: // ref8
    case 0x20: // ref_sig8
    case 0x24: // ref_sup8
      return cursor.u64();
    case 0x0d: // sdata
      return cursor.signed();
    case 0x0f: // udata
    case 0x15: // ref_udata
    case 0x1a: // strx
    case 0x1b: // addrx
    case 0x22: // loclistx
    case 0x23: // rnglistx
    case 0x1f01: // GNU_addr_index
    case 0x1f02: // GNU_str_index
      return cursor.unsigned();
    case 0x0e: // strp
    case 0x17: // sec_offset
    case 0x1d: // strp_sup
    case 0x1f: // line_strp
    case 0x1f20: // GNU_ref_alt
    case 0x1f21: // GNU_strp_alt
      return cursor.offset(shape.is64);
    case 0x10: // ref_addr: as long as an address in DWARF 2
      return shape.version <= 2 ? address(cursor, shape.addressBytes) : cursor.offset(shape.is64);
    case 0x19: // flag_present
      return 1;
    case 0x21:
      return implicit;
    case 0x08:
      cursor.skipText();
      return 0;
    case 0x0a: // block1
      cursor.skip(cursor.u8());
      return 0;
    case 0x03: // block2
      cursor.skip(cursor.u16());
      return 0;
    case 0x04: // block4
      cursor.skip(cursor.u32());
      return 0;
    case 0x09: // block
    case 0x18: // exprloc
      cursor.skip(cursor.unsigned());
      return 0;
    case 0x1e: // data16
      cursor.skip(16);
      return 0;
    case 0x16: {
      // indirect: the form itself comes first.
      const real = cursor.unsigned();
      if (real === 0x16) throw new DwarfDamage('a form names itself');
      return numberOf(cursor, real, shape, 0);
    }
    default:
      throw new DwarfDamage(`form ${form} is not known`);
  }
}
