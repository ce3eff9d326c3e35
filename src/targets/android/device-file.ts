/** Files of a device: some kB of one that may be very large, by ranges; and adb's file service for whole ones. */
import type { Adb, AdbSync } from '@yume-chan/adb';
import type { ReadAt } from '../../symbols/read-at.js';
import { ZipArchive } from '../../symbols/zip.js';
import { quoted, shell, shellBytes } from './device-shell.js';
import { within } from './patience.js';

const answerMs = 10_000;
/** What `dd` of every version reads by. */
const blockBytes = 4096;

/** Reads whole blocks, and asks for none twice in a row: heads and tables lie close together. */
export function readDeviceFile(adb: Adb, file: string): ReadAt {
  let from = 0;
  let last: Buffer = Buffer.alloc(0);
  return async (at, length) => {
    if (at < from || at + length > from + last.length) {
      const skip = Math.floor(at / blockBytes);
      const count = Math.ceil((at + length) / blockBytes) - skip;
      last = await shellBytes(
        adb,
        `dd if=${quoted(file)} bs=${blockBytes} skip=${skip} count=${count} 2>/dev/null`,
      );
      from = skip * blockBytes;
    }
    return last.subarray(at - from, at - from + length);
  };
}

/** A package that is installed, which everybody on the device may read. */
export async function openApk(adb: Adb, file: string): Promise<ZipArchive> {
  const { stdout } = await shell(adb, `stat -c %s ${quoted(file)}`);
  return await ZipArchive.of(file, Number(stdout), readDeviceFile(adb, file));
}

/** adb's own file service, for files that are brought or fetched whole. */
export async function withSync<T>(
  adb: Adb,
  signal: AbortSignal | undefined,
  use: (sync: AdbSync) => Promise<T>,
): Promise<T> {
  const sync = await within(answerMs, adb.sync(), signal);
  try {
    return await use(sync);
  } finally {
    await within(answerMs, sync.dispose()).catch(() => undefined);
  }
}
