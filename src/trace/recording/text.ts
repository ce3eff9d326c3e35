/** Texts of a recording: UTF-8, and Java's own form of it, in which runtimes keep names. docs/FORMAT.md, "Texts". */

const utf8 = new TextDecoder();

/** Costs nothing beside the decoding unless something in it was not UTF-8. */
export function textOf(bytes: Uint8Array): string {
  const text = utf8.decode(bytes);
  return text.includes('\ufffd') ? utf8.decode(plainUtf8(bytes)) : text;
}

/** A pair of surrogates of three bytes each becomes four bytes, C0 80 becomes 00; everything else stays. */
function plainUtf8(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let size = 0;
  for (let at = 0; at < bytes.length;) {
    const high = surrogate(bytes, at, 0xa0);
    const low = surrogate(bytes, at + 3, 0xb0);
    if (high >= 0 && low >= 0) {
      const point = 0x10000 + high * 0x400 + low;
      plain[size++] = 0xf0 | (point >> 18);
      plain[size++] = 0x80 | ((point >> 12) & 0x3f);
      plain[size++] = 0x80 | ((point >> 6) & 0x3f);
      plain[size++] = 0x80 | (point & 0x3f);
      at += 6;
    } else if (bytes[at] === 0xc0 && bytes[at + 1] === 0x80) {
      plain[size++] = 0;
      at += 2;
    } else plain[size++] = bytes[at++] as number;
  }
  return plain.subarray(0, size);
}

/** The ten bits of the surrogate that begins there, ED and a byte of `lead` to `lead + 15` and one more; −1: there is none. */
function surrogate(bytes: Uint8Array, at: number, lead: 0xa0 | 0xb0): number {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  if (first !== 0xed || (second & 0xf0) !== lead || (third & 0xc0) !== 0x80) return -1;
  return ((second & 0x0f) << 6) | (third & 0x3f);
}
