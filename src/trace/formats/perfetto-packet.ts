import { ProtobufReader } from './protobuf-reader.js';

/** Fields of a packet that are no messages, with their wire type: a byte stream that is something else soon differs. */
const plainFields = new Map([
  [8, 0],
  [58, 0],
  [10, 0],
  [13, 0],
  [41, 0],
  [42, 0],
  [3, 0],
  [79, 0],
  [87, 0],
  [98, 0],
]);

/**
 * Whether bytes[from, to) can be a packet, as far as its first 64 fields say. With `cut`, bytes may be missing at the end.
 */
export function looksLikePacket(bytes: Uint8Array, from: number, to: number, cut: boolean): boolean {
  const fields = new ProtobufReader().open(bytes, from, to);
  let seen = 0;
  for (; seen < 64 && fields.next(); seen++) {
    const { field, wireType } = fields;
    if (field === 0 || field > 2000) return false;
    const plain = plainFields.get(field);
    if (plain !== undefined ? wireType !== plain : wireType !== 2) return false;
  }
  return to > from && (!fields.broken || (cut && seen > 0));
}
