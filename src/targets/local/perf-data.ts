/**
 * What a HotSpot process publishes about itself in <tmp>/hsperfdata_<user>/<pid>: named constants and counters in a
 * mapped file of 32 KiB. Only the strings are read; jdk/internal/jvmstat is the reader this agrees with.
 */

const MAGIC = 0xcafec0c0; // big-endian, whatever the machine
const BYTE_ORDER = 4; // 1: little-endian
const MAJOR = 5;
const ENTRY_OFFSET = 24;
const ENTRY_COUNT = 28;
const HEADER_BYTES = 32;
const ENTRY_BYTES = 20;
const STRING_TYPE = 'B'.charCodeAt(0);

/** Its strings by name; undefined when the bytes are no such file, or are not filled in yet. */
export function readPerfStrings(bytes: Buffer): Map<string, string> | undefined {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32BE(0) !== MAGIC || bytes[MAJOR] !== 2) return undefined;
  const little = bytes[BYTE_ORDER] === 1;
  const u32 = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const strings = new Map<string, string>();
  let at = u32(ENTRY_OFFSET);
  for (let left = u32(ENTRY_COUNT); left > 0 && at + ENTRY_BYTES <= bytes.length; left--) {
    const length = u32(at);
    if (length < ENTRY_BYTES || at + length > bytes.length) break;
    if (bytes[at + 12] === STRING_TYPE && u32(at + 8) > 0) {
      const text = (from: number, to: number) => {
        const end = bytes.indexOf(0, from);
        return bytes.toString('utf8', from, end < 0 || end > to ? to : end);
      };
      const name = at + u32(at + 4);
      const value = at + u32(at + 16);
      strings.set(text(name, at + length), text(value, Math.min(value + u32(at + 8), at + length)));
    }
    at += length;
  }
  return strings.size > 0 ? strings : undefined;
}
