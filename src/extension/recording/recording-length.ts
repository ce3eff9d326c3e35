/** How long a recording is, from its footer alone: a small read or two whatever its size. */
import { open } from 'node:fs/promises';
import { RecordingReader } from '../../trace/index.js';
import type { StoredRecording } from './store.js';

/** A list of recordings looks no further for a footer: the index of some 50,000 chunks. */
const mostBytes = 1024 * 1024;

/** Recordings grow more often than this. */
const goesOnMs = 5000;

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

/** A recording without an end that was written to just now: whoever makes it, this window or another or a terminal, goes on. */
export async function goesOn(recording: StoredRecording): Promise<boolean> {
  return Date.now() - recording.modifiedMs < goesOnMs && (await recordingLength(recording)) === undefined;
}

async function readLength({ file, bytes }: StoredRecording): Promise<number | undefined> {
  const handle = await open(file, 'r');
  try {
    const read = async (offset: number, length: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    };
    const source = { size: () => Promise.resolve(bytes), read };
    return await new RecordingReader(source).lengthNs(mostBytes);
  } finally {
    await handle.close();
  }
}
