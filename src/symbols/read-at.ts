/** Ranges of a file, wherever it lies: on this machine, on a device, in memory. */
import { open, type FileHandle } from 'node:fs/promises';

/** The bytes from there; fewer than asked for where the file ends. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>;

export const readFrom =
  (bytes: Buffer): ReadAt =>
  (at, length) =>
    Promise.resolve(bytes.subarray(at, at + length));

export const readFile =
  (file: FileHandle): ReadAt =>
  async (at, length) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  };

/** Opens the file for each range, and keeps none open. */
export const readPath =
  (path: string): ReadAt =>
  async (at, length) => {
    const file = await open(path);
    try {
      return await readFile(file)(at, length);
    } finally {
      await file.close();
    }
  };
