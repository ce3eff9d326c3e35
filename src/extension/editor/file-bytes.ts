/** A recording's bytes, from where they are, in pieces: `file:` in ranges, other schemes whole. */
import { open, stat } from 'node:fs/promises';
import type { Uri } from 'vscode';
import { toldGone } from '../gone.js';
import { pieceBytes, wholeBytes, type FileBytes } from './whole-bytes.js';

export function fileBytes(uri: Uri): Promise<FileBytes> {
  return uri.scheme === 'file' ? toldGone(uri, localBytes(uri.fsPath)) : wholeBytes(uri);
}

async function localBytes(path: string): Promise<FileBytes> {
  const { size: total } = await stat(path);
  return {
    total,
    async *pieces(offset, signal) {
      const file = await open(path, 'r');
      try {
        for (let at = offset; ;) {
          if (signal.aborted) return;
          const piece = new Uint8Array(pieceBytes);
          const { bytesRead } = await file.read(piece, 0, pieceBytes, at);
          if (bytesRead === 0) return;
          yield { offset: at, data: piece.buffer.slice(0, bytesRead) };
          at += bytesRead;
        }
      } finally {
        await file.close();
      }
    },
  };
}
