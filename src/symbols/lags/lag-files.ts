/** Lag files in folders: found one by one, and of each only its end is read. */
import { opendir, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { lagTailBytes, type LagRecord, readLagRecord } from '../../trace/lags/lag-record.js';

export interface NoLag {
  readonly file: string;
  readonly why: string;
}

async function readTail(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.allocUnsafeSlow(Math.min(size, lagTailBytes));
    let read = 0;
    while (read < bytes.length) {
      const { bytesRead } = await handle.read(bytes, read, bytes.length - read, size - bytes.length + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return bytes.subarray(0, read);
  } finally {
    await handle.close();
  }
}

async function* filesIn(operand: string): AsyncGenerator<string> {
  if (!(await stat(operand)).isDirectory()) {
    yield operand;
    return;
  }
  // Folders that are still to be listed: no recursion, and no list of all files.
  for (const folders = [operand]; folders.length > 0;) {
    const folder = folders.pop() ?? '';
    for await (const entry of await opendir(folder)) {
      const at = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(at);
      else if (entry.isFile() && entry.name.endsWith('.btrace')) yield at;
    }
  }
}

/** Each file of the folders (or each file that is named): its lag, or why it has none. */
export async function* lagsIn(operands: readonly string[]): AsyncGenerator<LagRecord | NoLag> {
  for (const operand of operands)
    for await (const file of filesIn(operand)) {
      try {
        const lag = readLagRecord(file, await readTail(file));
        yield lag ?? { file, why: 'it is damaged, or no lag file' };
      } catch (error) {
        yield { file, why: error instanceof Error ? error.message : String(error) };
      }
    }
}
