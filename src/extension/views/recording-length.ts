/** How long a recording is, from its footer alone: two small reads whatever its size. */
import { open } from 'node:fs/promises';
import type { StoredRecording } from '../recording/store.js';

/** Room for the footer of a long recording: its index is a few bytes a chunk. */
const tailBytes = 64 * 1024;
const frameBytes = 24;
const sync = Buffer.from([0xa7, 0x42, 0x54, 0x1a]);
const footerKind = 14;

const known = new Map<string, { readonly key: string; readonly ns: number | undefined }>();

/** Undefined where there is no footer: it was cut off, and its length is only known by reading all of it. */
export async function recordingLength(recording: StoredRecording): Promise<number | undefined> {
  const key = `${String(recording.bytes)}:${String(recording.modifiedMs)}`;
  const before = known.get(recording.file);
  if (before?.key === key) return before.ns;
  const ns = await readLength(recording).catch(() => undefined);
  if (known.size > 500) known.clear();
  known.set(recording.file, { key, ns });
  return ns;
}

async function readLength({ file, bytes }: StoredRecording): Promise<number | undefined> {
  const handle = await open(file, 'r');
  try {
    const length = Math.min(tailBytes, bytes);
    const tail = Buffer.alloc(length);
    await handle.read(tail, 0, length, bytes - length);
    return footerEnd(tail);
  } finally {
    await handle.close();
  }
}

/** `end_ns` of the footer that is the last chunk of these bytes. */
export function footerEnd(tail: Buffer): number | undefined {
  for (let at = tail.lastIndexOf(sync); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(sync, at - 1)) {
    if (at + frameBytes > tail.length || tail.readUInt16LE(at + 8) !== footerKind) continue;
    const length = tail.readUInt32LE(at + 12);
    // The footer is never deflated and ends the file.
    if ((tail.readUInt16LE(at + 10) & 1) !== 0 || at + frameBytes + length !== tail.length) continue;
    return firstField(tail.subarray(at + frameBytes));
  }
  return undefined;
}

/** Field 1 of the message, a zigzag varint; 0 when it is left out as the default. */
function firstField(message: Buffer): number {
  if (message[0] !== 0x08) return 0;
  let value = 0n;
  for (let at = 1, shift = 0n; at < message.length && shift < 70n; at++, shift += 7n) {
    const byte = message[at] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return Number((value >> 1n) ^ -(value & 1n));
}
