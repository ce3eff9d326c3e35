/**
 * What a HotSpot process publishes about itself in <tmp>/hsperfdata_<user>/<pid>: named constants and counters in a
 * mapped file of 32 KiB. Only the strings are read; jdk/internal/jvmstat is the reader this agrees with.
 */

const magic = 0xcafec0c0; // big-endian, whatever the machine
const byteOrder = 4; // 1: little-endian
const major = 5;
const entryOffset = 24;
const entryCount = 28;
const headerBytes = 32;
const entryBytes = 20;
const stringType = 'B'.charCodeAt(0);

/** Its strings by name; undefined when the bytes are no such file, or are not filled in yet. */
export function readPerfStrings(bytes: Buffer): Map<string, string> | undefined {
  if (bytes.length < headerBytes || bytes.readUInt32BE(0) !== magic || bytes[major] !== 2) return undefined;
  const little = bytes[byteOrder] === 1;
  const u32 = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const strings = new Map<string, string>();
  let at = u32(entryOffset);
  for (let left = u32(entryCount); left > 0 && at + entryBytes <= bytes.length; left--) {
    const length = u32(at);
    if (length < entryBytes || at + length > bytes.length) break;
    if (bytes[at + 12] === stringType && u32(at + 8) > 0) {
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
