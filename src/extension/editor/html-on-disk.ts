/** An exported page on a disk of this machine: under another name until it is whole. */
import { open, rename, rm, stat } from 'node:fs/promises';
import { ofWhole, partName } from '../../targets/part-file.js';
import type { HtmlFiles } from './export-html.js';
import { fileBytes } from './file-bytes.js';

export const htmlOnDisk: HtmlFiles = {
  canOpen: true,
  read: fileBytes,
  base64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  async write({ fsPath: target }, parts, signal) {
    const part = partName(target);
    const out = await open(part, 'wx').catch((error: unknown) => {
      throw ofWhole(error, part, target);
    });
    let whole = false;
    try {
      for await (const text of parts) await out.write(text);
      whole = !signal.aborted;
    } finally {
      await out.close();
      await (whole ? rename(part, target) : rm(part, { force: true }));
    }
    return whole ? (await stat(target)).size : undefined;
  },
};
