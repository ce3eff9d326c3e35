/** Protobuf's wire form, as much as the rig's tracing needs: messages are lists of [field, value]. */

/** A bigint or number is a varint, a string or a Buffer a span, an array a message. */
export function encode(fields) {
  const parts = [];
  for (const [field, value] of fields) {
    if (value === undefined) continue;
    if (typeof value === 'number' || typeof value === 'bigint') {
      parts.push(varint(field * 8), varint(value));
      continue;
    }
    const bytes = Array.isArray(value) ? encode(value) : Buffer.from(value);
    parts.push(varint(field * 8 + 2), varint(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function varint(value) {
  const bytes = [];
  if (typeof value === 'number' && value >= 0 && value < 2 ** 31) {
    for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  } else {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
  }
  return Buffer.from(bytes);
}

/** The values of each field, in order: numbers of varints, Buffers of spans. */
export function decode(bytes) {
  const fields = new Map();
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= bytes.length || shift > 63n) throw new Error('cut off');
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(value);
    }
  };
  while (at < bytes.length) {
    const tag = number();
    let value = number();
    if ((tag & 7) === 2) {
      if (at + value > bytes.length) throw new Error('cut off');
      value = bytes.subarray(at, (at += value));
    } else if ((tag & 7) !== 0) throw new Error(`wire type ${tag & 7}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}
