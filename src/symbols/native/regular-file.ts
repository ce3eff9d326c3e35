/** A file that is read by ranges, synchronously. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type ReadSync } from './dwarf/section.js';

export interface RegularFile {
  readonly fd: number;
  readonly read: ReadSync;
}

/** Undefined where there is none: a pipe or a device is not waited for. */
export function openRegularSync(file: string): RegularFile | undefined {
  let fd = -1;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw new Error('no file');
    const { size } = facts;
    const read: ReadSync = (at, length) => {
      // Memory for what is there only: sizes are what the file says.
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - at)));
      return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, at));
    };
    return { fd, read };
  } catch {
    if (fd >= 0) closeSync(fd);
    return undefined;
  }
}
