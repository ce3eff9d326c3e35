/** Ranges of a file, wherever it lies: on this machine, on a device, in memory. */
import { constants, type Stats } from 'node:fs';
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

/**
 * Opens a regular file that `isWanted` accepts. Throws for anything else, without waiting: opening a pipe would wait for its
 * other end, and could not be interrupted. Windows has neither pipes of this kind nor the flags, which are 0 there.
 */
export async function openRegular(
  path: string,
  flags = 0,
  isWanted: (found: Stats) => boolean = () => true,
): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const found = await file.stat();
    if (found.isFile() && isWanted(found)) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new Error(`${path} is not a file that is read.`);
}

/** The first `mostBytes` bytes of a regular file. */
export async function readRegular(
  path: string,
  mostBytes: number,
  flags?: number,
  isWanted?: (found: Stats) => boolean,
): Promise<Buffer> {
  const file = await openRegular(path, flags, isWanted);
  try {
    const { size } = await file.stat();
    return await readFile(file)(0, Math.min(size, mostBytes));
  } finally {
    await file.close();
  }
}

/** Opens the file for each range, and keeps none open. */
export const readPath =
  (path: string): ReadAt =>
  async (at, length) => {
    const file = await openRegular(path);
    try {
      return await readFile(file)(at, length);
    } finally {
      await file.close();
    }
  };
