/** A file of a device by ranges: some kB of one that may be very large. */
import type { Adb } from '@yume-chan/adb';
import type { ReadAt } from '../../symbols/read-at.js';
import { ZipArchive } from '../../symbols/zip.js';
import { quoted, shell, shellBytes } from './device-shell.js';

/** What `dd` of every version reads by. */
const BLOCK_BYTES = 4096;

/** Reads whole blocks, and asks for none twice in a row: heads and tables lie close together. */
export function readDeviceFile(adb: Adb, file: string): ReadAt {
  let from = 0;
  let last: Buffer = Buffer.alloc(0);
  return async (at, length) => {
    if (at < from || at + length > from + last.length) {
      const skip = Math.floor(at / BLOCK_BYTES);
      const count = Math.ceil((at + length) / BLOCK_BYTES) - skip;
      last = await shellBytes(
        adb,
        `dd if=${quoted(file)} bs=${BLOCK_BYTES} skip=${skip} count=${count} 2>/dev/null`,
      );
      from = skip * BLOCK_BYTES;
    }
    return last.subarray(at - from, at - from + length);
  };
}

/** A package that is installed, which everybody on the device may read. */
export async function openApk(adb: Adb, file: string): Promise<ZipArchive> {
  const { stdout } = await shell(adb, `stat -c %s ${quoted(file)}`);
  return await ZipArchive.of(file, Number(stdout), readDeviceFile(adb, file));
}
